"""Run the targets one after the other: ``python -m tests.fuzz [--seconds 60] [--seed 0] [target …]``."""

import argparse
import sys

from tests.fuzz import targets
from tests.fuzz.runner import run_limited


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Random and hostile input.")
    parser.add_argument("target", nargs="*", metavar="target", help=f"{', '.join(targets())}; all where none is named")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    unknown = set(given.target) - set(targets())
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    has_failed = False
    for name in given.target or targets():
        outcome = run_limited(f"tests.fuzz.{name}", given.seconds, given.seed)
        print(f"{name:14} {outcome}", flush=True)
        has_failed |= outcome.failure is not None
    return int(has_failed)


if __name__ == "__main__":
    sys.exit(main())
