"""Checks of the batches that a model learns: that they have weight, and which classes they may have."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.read import Variable, read_labels
from deciban.tallies import Tally

__all__ = ["check_weight", "check_within", "known_classes"]


def check_weight(tally: Tally) -> None:
    """Refuse a tally without rows."""
    if not tally.total > 0:
        raise InputError("there is nothing to learn from: X has no rows, or all sample weights are zero.")


def known_classes(classes: Any, learned: Variable | None) -> Variable:
    """The classes that `partial_fit` was called with; `learned` are those of the model, None in the first call."""
    if classes is None:
        if learned is None:
            raise ParameterError("classes must be passed on the first call to partial_fit.")
        return learned
    given = np.sort(read_labels(classes))
    if learned is not None and not np.array_equal(given, learned.labels):
        raise ParameterError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {learned.labels!r}"
        )
    return Variable.of("y", given)


def check_within(found: Variable, known: Variable) -> None:
    """Refuse classes of a first batch that were not declared."""
    unknown = found.labels[known.encode(found.labels) == len(known)]
    if len(unknown):
        raise InputError(
            f"The target label(s) {unknown} in y do not exist in the initial classes {known.labels}. Name all classes "
            "of the first batch; later batches may have new ones."
        )
