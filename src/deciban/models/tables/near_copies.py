"""Columns that agree with the target in nearly all rows: often they are recorded after the class is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.estimate.columns.missing import contingency
from deciban.types import AnyArray

__all__ = ["agreement", "near_copies"]

_OF_ALL, _OF_CLASS = 0.99, 0.95


def near_copies(model: Any) -> dict[str, float]:
    """The columns of a fitted `NaiveBayes` that are copies of the target or nearly so, and the share that agrees.

    Each class has a value: its most frequent one. The column is nearly a copy where each of these values also occurs
    most often in its class, and 99 % of all rows and 95 % of the rows of every class have the value of their class.
    """
    pairs = zip(model.schema_, model.tally_.parts, strict=True)
    tables = {plan.name: contingency(plan.distribution, part) for plan, part in pairs}
    shares = {name: agreement(table) for name, table in tables.items() if table is not None}
    return {name: share for name, share in shares.items() if share is not None}


def agreement(table: AnyArray) -> float | None:
    """The share of the rows of a class × value table that agree; None where the column is not nearly a copy.

    >>> (
    ...     agreement(np.array([[990, 10], [0, 1000]])),
    ...     agreement(np.array([[900, 100], [0, 1000]])),
    ... )
    (0.995, None)
    """
    classes, values = table.shape
    rows = table.sum(axis=1)
    if classes < 2 or values < classes or not rows.all():
        return None
    best = table.argmax(axis=1)
    own = table[np.arange(classes), best]
    if (table.argmax(axis=0)[best] != np.arange(classes)).any() or (own < _OF_CLASS * rows).any():
        return None
    share = float(own.sum() / rows.sum())
    return share if share >= _OF_ALL else None
