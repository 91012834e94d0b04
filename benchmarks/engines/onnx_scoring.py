"""The time that exported models take under onnxruntime: python -m benchmarks.engines.onnx_scoring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import deciban as db
from benchmarks.harness.timing import OURS, PEER, alternate, clock
from deciban.types import AnyArray

__all__ = ["main"]

_ROWS, _BATCH = 100_000, 1_000


def main() -> None:
    """Print a table: milliseconds for 100,000 rows, medians of alternating runs, after checking that both agree."""
    print("| model | `predict_proba` | onnxruntime, batches of 1,000 rows | ratio |\n|---|---|---|---|")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, _ROWS)
    numbers = rng.normal(size=(_ROWS, 20)) + 0.3 * y[:, None]
    counts = rng.poisson(1.0, (_ROWS, 20)).astype(np.float64)
    for model, X in ((db.GaussianNB(), numbers), (db.MultinomialNB(), counts), (db.CategoricalNB(), counts)):
        _compare(f"`{type(model).__name__}`, 20 columns", model.fit(X, y), X, {"X": X})
    table = {f"number {i}": numbers[:, i] for i in range(5)}
    table |= {f"label {i}": rng.choice(list("abcdefgh"), _ROWS).astype(object) for i in range(5)}
    feed = {name: values.reshape(-1, 1) for name, values in table.items()}
    _compare("`NaiveBayes`, 5 numbers and 5 labels", db.NaiveBayes().fit(table, y), table, feed)


def _compare(name: str, model: Any, data: Any, feed: Mapping[str, AnyArray]) -> None:
    from onnxruntime import InferenceSession  # noqa: PLC0415  an optional package

    session = InferenceSession(model.to_onnx().SerializeToString())

    def by_batches() -> AnyArray:
        parts = (
            session.run(["probabilities"], {key: values[first : first + _BATCH] for key, values in feed.items()})[0]
            for first in range(0, _ROWS, _BATCH)
        )
        return np.concatenate(list(parts))

    np.testing.assert_allclose(by_batches(), model.predict_proba(data), rtol=0, atol=1e-9)
    times = alternate({OURS: clock(lambda: model.predict_proba(data)), PEER: clock(by_batches)})
    ratio = times[PEER] / times[OURS]
    print(f"| {name} | {1e3 * times[OURS]:.0f} | {1e3 * times[PEER]:.0f} | {ratio:.1f} |")


if __name__ == "__main__":
    main()
