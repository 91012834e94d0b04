"""The temperature of a text model's posteriors, which `fit` learns from documents that are left out.

Naive Bayes takes tokens as independent, so its posteriors are too extreme, and more so for long documents. With n known
tokens in document d, n̄ in the mean, and the temperature T ≥ 1,

    P'(c | d) ∝ P(c | d)^(1/T_d),  T_d = 1 + (T − 1)·√(n / n̄).

T is the temperature of a document of mean length; a document without known tokens keeps the prior. The order of the
classes stays, and so do decisions. T minimizes the log loss (`deciban.decide.temperature`) of at most 500 of the
documents of `fit`, each without itself in the counts (`deciban.models.text.left_out`). With fewer than 20 of them it is
1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deciban.models.form import Form
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "FEWEST",
    "TEMPERATURE",
    "TextForm",
    "document_temperatures",
    "documents_to_leave_out",
    "every_third",
]

TEMPERATURE = [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither"), None]
"""Which values `temperature` takes."""

FEWEST = 20
"""The number of documents below which no temperature is learned."""

_FEW, _MOST = 200, 500
_MOST_CELLS = 1 << 20


@dataclass(frozen=True)
class TextForm(Form):
    """The form of documents, and the temperature that was learned from them; None before."""

    temperature: float | None = None

    def averaged(self, other: TextForm, rows: float, other_rows: float) -> TextForm:
        """The form with the mean temperature of two models, weighted by their numbers of documents."""
        if self.temperature is None or other.temperature is None or rows + other_rows <= 0:
            return replace(self, temperature=self.temperature or other.temperature)
        mean = (rows * self.temperature + other_rows * other.temperature) / (rows + other_rows)
        return replace(self, temperature=float(mean))


def document_temperatures(temperature: float, known: AnyArray, mean: float) -> Floats:
    """The temperature of documents with these numbers of known tokens.

    >>> document_temperatures(3.0, np.array([0, 25, 100]), 25.0).tolist()
    [1.0, 3.0, 5.0]
    """
    # A temperature below 1 is that of all documents with known tokens: the formula could be negative for long ones.
    relative: Floats = np.sqrt(known / mean) if temperature >= 1 else (known > 0).astype(np.float64)
    return np.asarray(1.0 + (temperature - 1.0) * relative, dtype=np.float64)


def documents_to_leave_out(y: Codes, own: Floats, class_counts: AnyArray, weights: Floats, cells: float) -> Ints | None:
    """The documents to learn the temperature from, evenly spread; None where there are too few.

    `own` is what each document has in the counts of its class, which must have others. `cells` is the mean work for a
    document.
    """
    is_usable = (own > 0) & (class_counts[y] > own * (1 + 1e-9))
    rows = np.flatnonzero(is_usable)
    if weights[rows].sum() < FEWEST:
        return None
    most = int(np.clip(_MOST_CELLS / max(cells, 1.0), _FEW, _MOST))
    return rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64)]


def every_third(y: Codes) -> AnyArray:
    """Every third document of each class: the classes of the others are the same.

    >>> every_third(np.array([0, 1, 0, 0, 1, 0])).tolist()
    [False, False, False, True, False, False]
    """
    order = np.argsort(y, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(y))])
    rank = np.empty(len(y), dtype=np.int64)
    rank[order] = np.arange(len(y)) - starts[y[order]]
    return rank % 3 == 2
