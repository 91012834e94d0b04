"""Processes that are killed at the worst instants lose nothing that was acknowledged, and double nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import in_memory


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
def test_nothing_is_lost_or_doubled_wherever_a_process_is_killed():
    with in_memory() as folder:
        program = [sys.executable, "-m", "tests.serve.learning.dying", str(folder), "2"]
        root = Path(__file__).parents[3]
        ran = subprocess.run(program, cwd=root, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "33 deaths at 18 steps: nothing is lost, and nothing is applied twice" in ran.stdout
