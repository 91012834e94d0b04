"""A target whose case ends the process: the runner must notice, and keep the case."""

import os

from tests.fuzz import case_folder


def run(seconds: float, seed: int) -> int:
    (case_folder() / "case").write_text("the case")
    os.abort()
