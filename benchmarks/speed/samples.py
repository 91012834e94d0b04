"""Samples with fixed seeds. They are informative, but the classes overlap, so that equal predictions mean something.

Every function takes `scale`, the share of the full number of rows that is drawn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["Sample", "draw_categories", "draw_documents", "draw_images", "draw_measurements", "draw_short_rows"]


class Sample(NamedTuple):
    """Rows and their labels."""

    X: Any
    y: NDArray[np.int64]

    @property
    def input_bytes(self) -> int:
        """The bytes that hold the rows, without their labels."""
        X = self.X
        arrays = (X,) if isinstance(X, np.ndarray) else (X.data, X.indices, X.indptr)
        return sum(int(array.nbytes) for array in arrays)

    def head(self, rows: int) -> Sample:
        """The first rows, as a sample of their own."""
        return Sample(self.X[:rows], self.y[:rows])


def draw_categories(scale: float = 1.0) -> Sample:
    """1,000,000 × 20 codes of 10 values, 5 classes; each class has its own frequencies in each column."""
    rng = np.random.default_rng(1)
    rows, columns, values, classes = _scaled(1_000_000, scale), 20, 10, 5
    y = _draw_labels(rng, rows, classes)
    X = np.empty((rows, columns), dtype=np.int64)
    for i in range(columns):
        ends = np.cumsum(rng.dirichlet(np.full(values, 10.0), classes), axis=1)
        ends[:, -1] = 1.0  # a draw is below 1, so it never falls beyond the last value
        drawn = rng.random(rows)
        for j in range(classes):
            of_class = y == j
            X[of_class, i] = np.searchsorted(ends[j], drawn[of_class], side="right")
    return Sample(X, y)


def draw_measurements(scale: float = 1.0) -> Sample:
    """1,000,000 × 50 float64, 10 classes that differ in means and spreads."""
    return _draw_normal(2, _scaled(1_000_000, scale), 50, 10, np.dtype(np.float64), shift=0.2)


def draw_images(scale: float = 1.0) -> Sample:
    """60,000 × 784 float32, 10 classes: the shape of MNIST."""
    return _draw_normal(3, _scaled(60_000, scale), 784, 10, np.dtype(np.float32), shift=0.06)


def draw_short_rows(scale: float = 1.0) -> Sample:
    """569 × 30 float64, 2 classes: the shape of the breast cancer table."""
    return _draw_normal(4, _scaled(569, scale, least=100), 30, 2, np.dtype(np.float64), shift=0.2)


def draw_documents(scale: float = 1.0) -> Sample:
    """100,000 documents of about 120 of 100,000 terms, 20 classes: int64 counts as CountVectorizer gives them.

    Terms follow Zipf's law, P(k) ∝ 1 / (k + 2.7)^1.05 (Mandelbrot's form); each class has its own preferred terms.
    """
    rng = np.random.default_rng(5)
    docs, terms, classes, tokens = _scaled(100_000, scale), 100_000, 20, 153
    y = _draw_labels(rng, docs, classes)
    lengths = np.maximum(rng.negative_binomial(4, 4 / (4 + tokens), docs), 1)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    class_of_token = np.repeat(y.astype(np.int8), lengths)
    zipf = 1.0 / (np.arange(terms) + 2.7) ** 1.05
    indices = np.empty(starts[-1], dtype=np.int32)
    for j in range(classes):
        ends = np.cumsum(zipf * np.exp(0.5 * rng.standard_normal(terms)))
        chosen = np.flatnonzero(class_of_token == j)
        indices[chosen] = np.searchsorted(ends, rng.random(len(chosen)) * ends[-1], side="right").clip(max=terms - 1)
    X = sp.csr_array((np.ones(len(indices), dtype=np.int64), indices, starts), shape=(docs, terms))
    X.sum_duplicates()
    return Sample(_without_slack(X), y)


def _draw_normal(seed: int, rows: int, columns: int, classes: int, dtype: np.dtype[Any], shift: float) -> Sample:
    """Normal columns whose means and spreads in the classes differ by about `shift` and a third of it."""
    rng = np.random.default_rng(seed)
    y = _draw_labels(rng, rows, classes)
    mean = rng.normal(0.0, shift, (classes, columns)).astype(dtype)
    spread = np.exp(rng.normal(0.0, shift / 3, (classes, columns))).astype(dtype)
    X = rng.standard_normal((rows, columns), dtype=dtype.type)
    for start in range(0, rows, 10_000):  # in blocks, so that no second table of the full size is made
        block = slice(start, start + 10_000)
        X[block] *= spread[y[block]]
        X[block] += mean[y[block]]
    return Sample(X, y)


def _draw_labels(rng: np.random.Generator, rows: int, classes: int) -> NDArray[np.int64]:
    return rng.choice(classes, rows, p=rng.dirichlet(np.full(classes, 20.0))).astype(np.int64)


def _without_slack(X: sp.csr_array[Any, Any]) -> sp.csr_array[Any, Any]:
    """The same matrix in arrays of its own size: merging duplicates leaves views of the longer ones."""
    return sp.csr_array((X.data.copy(), X.indices.copy(), X.indptr), shape=X.shape)


def _scaled(rows: int, scale: float, least: int = 1) -> int:
    return max(int(rows * scale), least)
