"""Peak memory of `TextNB` on IMDB's 1–2-grams, above the documents.

``python -m benchmarks.text_memory fit`` (or ``predict``), with ``--bits 20`` for hashed tokens, measures the peak in a
fresh interpreter, by the method of `benchmarks.memory`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

import deciban as db
from benchmarks.corpora import read_split
from benchmarks.memory import Peak, measure_rise
from benchmarks.promises import Limit

__all__ = ["BUCKETS", "weigh_text"]

BUCKETS = 20
_ROOT = Path(__file__).resolve().parents[1]
_WARM_UP_DOCUMENTS = 500
_PROCESSES = 3


def weigh_text(verb: str, bits: int | None, below: float, scale: float) -> Limit:
    """The highest peak of one verb in some fresh processes."""
    command = [sys.executable, "-m", "benchmarks.text_memory", verb, "--scale", str(scale)]
    command += [] if bits is None else ["--bits", str(bits)]
    runs = [
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=_ROOT) for _ in range(_PROCESSES)
    ]
    peak = max(Peak(*json.loads(run.stdout)) for run in runs)
    tokens = "exact" if bits is None else f"hashed to 2^{bits}"
    title = f"IMDB, 1–2-grams, {tokens}: memory of {verb} above {peak.input / 1e6:.0f} MB of text"
    return Limit(title, peak.above / 1e6, below, "MB", peak.is_exact)


def main() -> None:
    """Measure the peak of one verb in this interpreter, and print it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.text_memory", description=main.__doc__)
    parser.add_argument("verb", choices=["fit", "predict"])
    parser.add_argument("--bits", type=int)
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    train, test = read_split("imdb", given.scale)
    model = db.TextNB("multinomial", ngrams=(1, 2), smoothing=1.0, n_bits=given.bits)
    model.fit(train.X[::_WARM_UP_DOCUMENTS], train.y[::_WARM_UP_DOCUMENTS]).predict(test.X[:_WARM_UP_DOCUMENTS])
    model = db.TextNB(**model.get_params())
    if given.verb == "predict":
        model.fit(*train)
    pa.default_memory_pool().release_unused()  # Arrow has a heap of its own, which reading the file has filled
    above, is_exact = measure_rise(lambda: model.predict(test.X) if given.verb == "predict" else model.fit(*train))
    print(json.dumps(Peak(above, (test if given.verb == "predict" else train).bytes, is_exact)))


if __name__ == "__main__":
    main()
