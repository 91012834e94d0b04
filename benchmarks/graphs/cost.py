"""Time and peak memory of one run of PC in a fresh interpreter.

    python -m benchmarks.graphs.cost alarm 5000 deciban        the first rows of a published sample
    python -m benchmarks.graphs.cost andes 5000 deciban 3      rows drawn from a network, conditioning sets up to 3

prints the seconds, the rise of the peak resident size over the run, and the peak of the whole process.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import NamedTuple

import deciban as db
from benchmarks.graphs.peers import causal_learn
from benchmarks.graphs.samples import Codes, read_codes
from benchmarks.harness.memory import measure_rise, peak_of_process, run_fresh

__all__ = ["Cost", "measure_cost"]


class Cost(NamedTuple):
    """Seconds, bytes above the resident size before, and bytes of the whole process at its highest."""

    seconds: float
    rise: int
    peak: int


def measure_cost(name: str, rows: int, contestant: str, max_given: int | None = None) -> Cost:
    """Measure in a fresh interpreter."""
    most = () if max_given is None else (max_given,)
    return Cost(*run_fresh("benchmarks.graphs.cost", name, rows, contestant, *most))


def main() -> None:
    """Measure in this interpreter and print a Cost as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graphs.cost", description=main.__doc__)
    parser.add_argument("name")
    parser.add_argument("rows", type=int)
    parser.add_argument("contestant", choices=["deciban", "causal-learn"])
    parser.add_argument("max_given", type=int, nargs="?")
    given = parser.parse_args()
    codes = read_codes(given.name, given.rows)
    few = read_codes("asia", 500)
    seconds = []

    def run(rows: Codes) -> object:
        start = time.perf_counter()
        is_ours = given.contestant == "deciban"
        found: object = db.discover(rows, max_given=given.max_given) if is_ours else causal_learn(rows, 0.01)
        seconds.append(time.perf_counter() - start)
        return found

    run(few)  # imports and thread stacks are there already
    rise, _ = measure_rise(lambda: run(codes))
    print(json.dumps(Cost(seconds[-1], rise, peak_of_process())))


if __name__ == "__main__":
    main()
