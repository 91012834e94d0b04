"""Random and hostile input, with little memory: ``make fuzz``, or ``python -m tests.fuzz``.

A target is a module of this package with a function ``run(seconds, seed)``, which gives the number of cases that it has
tried, and raises an AssertionError that shows the case which deciban did not answer as it should: by a result, or by
one of its own errors. Each target runs in a process of its own, under a limit of the system, so that a crash or a case
that takes too much memory or time is a failure, too.
"""

import os
import pkgutil
import tempfile
from pathlib import Path

__all__ = ["FOLDER", "LEAST_CASES", "case_folder", "targets"]

FOLDER = "DECIBAN_FUZZ_FOLDER"
"""The environment variable that names the folder of cases."""

LEAST_CASES = 50
"""So many cases are tried however slow the machine is."""


def targets() -> list[str]:
    """The names of the modules with a function ``run``."""
    package = Path(__file__).parent
    modules = [held.name for held in pkgutil.iter_modules([str(package)]) if not held.ispkg]
    return [name for name in modules if "\ndef run(" in (package / f"{name}.py").read_text()]


def case_folder() -> Path:
    """A folder for the case that is being tried, which is still there after a crash."""
    given = os.environ.get(FOLDER)
    return Path(given) if given else Path(tempfile.mkdtemp(prefix="deciban-fuzz-"))
