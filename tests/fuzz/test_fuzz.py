"""Every target for a moment; ``make fuzz`` runs them for a minute each. And the runner notices what goes wrong."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import targets
from tests.fuzz.runner import ROOT, run_limited

SECONDS = 1.5


@pytest.mark.parametrize("name", targets())
def test_no_case_crashes_or_raises_what_is_not_decibans(name):
    outcome = run_limited(f"tests.fuzz.{name}", SECONDS, 0)
    assert outcome.failure is None, outcome.failure
    assert outcome.cases > 20


def test_the_targets_are_found():
    assert "net_files" in targets() and "runner" not in targets() and "__main__" not in targets()


@pytest.mark.parametrize(("name", "says"), [("hungry", "MemoryError"), ("crashing", "ended with -6|Aborted|Fatal")])
def test_the_runner_notices_what_goes_wrong(name, says):
    outcome = run_limited(f"tests.fuzz.broken.{name}", 1, 0)
    folder = Path(outcome.failure.split("see ")[-1])
    assert folder.is_dir() and (name == "hungry" or (folder / "case").read_text() == "the case")
    assert re.search(says, outcome.failure)


def test_the_limit_leaves_the_memory_that_it_names():
    outcome = run_limited("tests.fuzz.broken.modest", 1, 0)
    assert outcome.failure is None and outcome.cases == 1 << 29


def test_the_command_line_names_its_targets():
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "net_files" in done.stdout
