"""`TextNB` over JSON Lines, against scikit-learn's HashingVectorizer and ``MultinomialNB.partial_fit``.

``python -m benchmarks.engines.text BYTES`` fits a file in a fresh interpreter, and prints its size, the seconds and the
peak of the resident size as JSON; 2,000,000,000 bytes are the whole measurement.
"""

from __future__ import annotations

import json
import sys
import timeit
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.naive_bayes import MultinomialNB

import deciban as db
from benchmarks.engines.documents import documents_file
from benchmarks.harness.memory import peak_of_process, run_fresh
from benchmarks.harness.parity import ParityError
from benchmarks.harness.results import Limit, Rate, Ratio

__all__ = ["MAX_TERMS", "time_texts"]

SIZE, _LARGE, _PEER_SHARE = 200_000_000, 2_000_000_000, 0.25
MAX_TERMS = 200_000
_RATE_AT_LEAST, _MOST_MEGABYTES, _RATIO_AT_LEAST = 100.0, 2000.0, 10.0
_LINES = 10_000


def time_texts(scale: float, *, is_large: bool) -> Iterator[Ratio | Rate | Limit]:
    """The rate and the memory of `fit_files`; and its time on a part of the file, against scikit-learn's."""
    size = _LARGE if is_large else int(SIZE * scale)
    documents_file(size)
    found = run_fresh("benchmarks.engines.text", size)
    title = f"{found['bytes'] / 1e6:,.0f} MB of JSON Lines: `TextNB(max_terms={MAX_TERMS}).fit_files`"
    yield Rate(title, found["bytes"] / 1e6 / found["seconds"], _RATE_AT_LEAST, "MB/s")
    yield Limit(f"{title}, peak resident size", found["peak"] / 1e6, _MOST_MEGABYTES, "MB")
    yield _against_hashing(documents_file(int(SIZE * scale * _PEER_SHARE)))


def _against_hashing(path: Path) -> Ratio:
    """Each runs once: the peer takes long. Both have hashed the tokens, and counted the same number in each class."""
    start = timeit.default_timer()
    theirs = _by_chunks(path)
    between = timeit.default_timer()
    ours = _hashed().fit_files(path, progress=False)
    end = timeit.default_timer()
    expected, totals = theirs.feature_count_.sum(axis=1), ours.tally_.parts[0].totals()
    if not np.array_equal(expected, totals):
        raise ParityError(f"the numbers of tokens by class differ: {totals} and {expected}.")
    title = f"{path.stat().st_size / 1e6:,.0f} MB of JSON Lines: `TextNB(n_bits=20).fit_files`"
    peer = "json, HashingVectorizer, partial_fit"
    return Ratio(title, peer, between - start, end - between, _RATIO_AT_LEAST)


def _hashed() -> db.TextNB:
    return db.TextNB("multinomial", smoothing=1, n_bits=20, temperature=None)


def _by_chunks(path: Path) -> MultinomialNB:
    vectorizer = HashingVectorizer(n_features=1 << 20, norm=None, alternate_sign=False)
    model, classes = MultinomialNB(alpha=1.0), [f"class {i}" for i in range(10)]
    with path.open(encoding="utf-8") as file:
        while lines := list(islice(file, _LINES)):
            rows = [json.loads(line) for line in lines]
            counts = vectorizer.transform([row["text"] for row in rows])
            model.partial_fit(counts, [row["label"] for row in rows], classes)
    return model


def main(size: int) -> dict[str, Any]:
    """Fit a file once: its bytes, the seconds, and the peak of the resident size."""
    path = documents_file(size)
    start = timeit.default_timer()
    db.TextNB(max_terms=MAX_TERMS).fit_files(path, progress=False)
    seconds = timeit.default_timer() - start
    return {"bytes": path.stat().st_size, "seconds": seconds, "peak": peak_of_process()}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
