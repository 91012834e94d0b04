"""Peak memory of `TextNB` on IMDB's 1–2-grams, above the documents.

``python -m benchmarks.text.memory fit`` (or ``predict``), with ``--bits 20`` for hashed tokens, measures the peak in a
fresh interpreter.
"""

from __future__ import annotations

import argparse
import json

import pyarrow as pa

from benchmarks.harness.memory import Peak, highest_peak, measure_rise
from benchmarks.harness.results import Limit
from benchmarks.text.corpora import read_split
from benchmarks.text.tasks import WORKS, new_text_nb

__all__ = ["BITS", "measure_memory"]

BITS = 20
_WARM_UP_DOCUMENTS = 500


def measure_memory(verb: str, bits: int | None, below: float, scale: float) -> Limit:
    """The highest peak of one verb in some fresh processes."""
    hashed = () if bits is None else ("--bits", bits)
    peak = highest_peak("benchmarks.text.memory", verb, "--scale", scale, *hashed)
    tokens = "exact" if bits is None else f"hashed to 2^{bits}"
    title = f"IMDB, 1–2-grams, {tokens}: memory of {verb} above {peak.input / 1e6:.0f} MB of text"
    return Limit(title, peak.above / 1e6, below, "MB", peak.is_exact)


def main() -> None:
    """Measure the peak of one verb in this interpreter, and print it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.text.memory", description=main.__doc__)
    parser.add_argument("verb", choices=["fit", "predict"])
    parser.add_argument("--bits", type=int)
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    work = WORKS[-1]
    train, test = read_split(work.corpus, given.scale)
    model = new_text_nb(work, given.bits)
    model.fit(train.X[::_WARM_UP_DOCUMENTS], train.y[::_WARM_UP_DOCUMENTS]).predict(test.X[:_WARM_UP_DOCUMENTS])
    model = new_text_nb(work, given.bits)
    if given.verb == "predict":
        model.fit(*train)
    pa.default_memory_pool().release_unused()  # Arrow has a heap of its own, which reading the file has filled
    above, is_exact = measure_rise(lambda: model.predict(test.X) if given.verb == "predict" else model.fit(*train))
    print(json.dumps(Peak(above, (test if given.verb == "predict" else train).bytes, is_exact)))


if __name__ == "__main__":
    main()
