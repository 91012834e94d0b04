"""Peak memory of a verb of a workload: ``python -m benchmarks.speed.memory categorical fit deciban``."""

from __future__ import annotations

import argparse
import json
from typing import cast

from benchmarks.harness.memory import Peak, measure_rise, run_fresh
from benchmarks.speed.samples import Sample
from benchmarks.speed.workloads import CONTESTANTS, Contestant, Verb, Workload, new_model, task, workload

__all__ = ["measure_peak"]

_WARM_UP_ROWS = 2_000


def measure_peak(work: Workload, verb: Verb, contestant: Contestant, scale: float = 1.0) -> Peak:
    """Measure in a fresh interpreter."""
    return Peak(*run_fresh("benchmarks.speed.memory", work.name, verb, contestant, "--scale", scale))


def main() -> None:
    """Measure in this interpreter and print a Peak as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.memory", description=main.__doc__)
    parser.add_argument("work")
    parser.add_argument("verb", choices=["fit", "predict"])
    parser.add_argument("contestant", choices=list(CONTESTANTS))
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    work, contestant = workload(given.work), cast(Contestant, given.contestant)
    sample = work.draw(given.scale)
    _warm_up(work, contestant, sample)
    above, is_exact = measure_rise(task(work, cast(Verb, given.verb), contestant, sample))
    print(json.dumps(Peak(above, sample.input_bytes, is_exact)))


def _warm_up(work: Workload, contestant: Contestant, sample: Sample) -> None:
    few = sample.head(_WARM_UP_ROWS)
    new_model(work, contestant).fit(*few).predict(few.X)


if __name__ == "__main__":
    main()
