"""Print the lowest versions that pyproject.toml allows, as pip takes them: ``python -m tests.packaging.lowest``.

The runtime dependencies, every extra that the tests use, and the tools of the tests. `make test-lowest` installs these
into a virtual environment of its own and runs the tests there.
"""

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
UNTESTED = {"spark"}
"""Extras whose tests need a server; `make test-engines` runs them."""


def declared(pyproject):
    """The requirements of users, and those of the tests."""
    extras = pyproject["project"]["optional-dependencies"]
    users = pyproject["project"]["dependencies"] + [r for name in extras if name not in UNTESTED for r in extras[name]]
    return users, pyproject["dependency-groups"]["test"]


def lowest_of(requirement):
    """The requirement with the lowest version it allows: ``a[b]>=1.2`` becomes ``a[b]==1.2``."""
    bounds = [bound.version for bound in requirement.specifier if bound.operator == ">="]
    if len(bounds) != 1:
        raise SystemExit(f"{requirement} has no lower bound: write one into pyproject.toml")
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{requirement.name}{extras}=={bounds[0]}"


def lowest(pyproject):
    """All of them, each once. What tests and users both need has the bound of the users."""
    users, tests = (list(map(Requirement, some)) for some in declared(pyproject))
    found = {}
    for requirement in users + tests:
        other = found.setdefault(requirement.name, requirement)
        if bound_of(other) < bound_of(requirement):
            raise SystemExit(f"pyproject.toml promises {other}, but the tests need {requirement}")
    return sorted(map(lowest_of, found.values()))


def bound_of(requirement):
    return max(Version(bound.version) for bound in requirement.specifier)


def read():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    print("\n".join(lowest(read())))
