"""Rows that show how a model decides, chosen by a rule, and their explanations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from deciban.explain import Explanation
from deciban.read import Matrix, Table, read_table
from deciban.ties import settled
from deciban.types import AnyArray, Codes, Floats

__all__ = ["RULES", "ChosenRow", "Why", "as_table", "choose_rows", "explain_rows"]

Why = Literal["typical", "surest", "least certain", "wrong"]

RULES: dict[Why, str] = {
    "typical": "its true class has the median probability",
    "surest": "right, with the highest probability; of different classes where possible",
    "least certain": "the two most probable classes are closest",
    "wrong": "wrong, with the highest probability",
}
"""Why a row is chosen."""

_SHARES: dict[Why, int] = {"wrong": 3, "least certain": 3, "surest": 2, "typical": 2}


class ChosenRow(NamedTuple):
    """The number of a row, from 0, and why it was chosen."""

    row: int
    why: Why


def choose_rows(posterior: Floats, y: Codes, n: int = 10) -> list[ChosenRow]:
    """Choose n different rows: three tenths wrong and sure, three least certain, two surest, the others typical.

    Where there are too few wrong ones, more typical rows take their places. Ties go to the first row.

    >>> posterior = np.array([[0.9, 0.1], [0.55, 0.45], [0.3, 0.7], [0.2, 0.8]])
    >>> [
    ...     (chosen.row, chosen.why)
    ...     for chosen in choose_rows(posterior, np.array([0, 0, 0, 1], dtype=np.int32), 3)
    ... ]
    [(0, 'surest'), (1, 'least certain'), (2, 'wrong')]
    """
    best = posterior.argmax(axis=1)
    own = posterior[np.arange(len(y)), y]
    two = np.sort(posterior, axis=1)[:, -2:]
    sure, is_right = two[:, -1], best == y
    wrong = np.flatnonzero(~is_right)
    orders: dict[Why, AnyArray] = {
        "wrong": wrong[np.argsort(-settled(sure[wrong]), kind="stable")],
        "least certain": np.argsort(-settled(two[:, 0] - two[:, -1]), kind="stable"),
        "surest": _by_class(np.argsort(-settled(np.where(is_right, sure, -1.0)), kind="stable"), y, is_right),
        "typical": np.argsort(-settled(-np.abs(own - np.median(own))), kind="stable"),
    }
    taken: dict[int, Why] = {}
    for why, share in _SHARES.items():
        most = n if why == "typical" else len(taken) + max(share * n // 10, 1)
        _take(taken, orders[why].tolist(), why, min(most, n))
    listed = list(RULES)
    return sorted((ChosenRow(*row) for row in taken.items()), key=lambda chosen: listed.index(chosen.why))


def _take(taken: dict[int, Why], order: Iterable[int], why: Why, most: int) -> None:
    for row in order:
        if len(taken) >= most:
            return
        taken.setdefault(row, why)


def _by_class(order: AnyArray, y: Codes, is_right: AnyArray) -> AnyArray:
    """Rows that are right, in an order that takes one of each class first."""
    order = order[is_right[order]]
    rank = np.zeros(len(order), dtype=np.int64)
    for label in np.unique(y[order]):
        own = y[order] == label
        rank[own] = np.arange(int(own.sum()))
    return order[np.argsort(rank, kind="stable")]


def explain_rows(model: Any, X: Any, rows: Sequence[int]) -> list[Explanation]:
    """The explanations of some rows of a table."""
    data = model._features(X)
    return [model._explain_read(data.take(np.array([row]))) for row in rows]


def as_table(data: Table | Matrix) -> Table:
    """Data that were read, as columns."""
    return data if isinstance(data, Table) else read_table(data.dense(), data.given_names)
