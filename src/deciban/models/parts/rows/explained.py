"""Single rows of any classifier, by way of a table of one row: predictions and explanations."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.decide import NO_DECISION
from deciban.explain import Explanation
from deciban.explain import explain as explain_evidence
from deciban.models.parts.rows.one_row import values_of
from deciban.read.row import read_row
from deciban.types import AnyArray

__all__ = ["explain", "explain_read", "label_of", "predict_one", "predict_proba_one", "read_one_row"]


def predict_one(self: Any, row: Any) -> Any:
    """The class of one row, in any form that `explain` takes; None where the decision is rejected."""
    return self._label_of(self._scores_of(self._one_row(row), "best"))


def predict_proba_one(self: Any, row: Any) -> dict[Any, float]:
    """P(class | row) of one row, in any form that `explain` takes."""
    posterior = self._scores_of(self._one_row(row), "posterior")[0]
    return dict(zip(self.classes_.tolist(), posterior.tolist(), strict=True))


def explain(self: Any, row: Any, against: Any = None) -> Explanation:
    """Show the arithmetic of one row's prediction.

    Parameters
    ----------
    row : a mapping of names to values, a pandas Series, a table of one row, a named tuple such as `itertuples`
        returns, or an array or list of values in the order of the columns; columns that it does not name are
        missing
    against : the class to compare with; the next best when None
    """
    explanation: Explanation = self._explain_read(self._one_row(row), against)
    return explanation


def explain_read(self: Any, data: Any, against: Any = None) -> Explanation:
    """Explain the only row of a table that was read."""
    evidence = self._evidence_of(data, self._decider().start(self._start()))
    label = self._label_of(self._decide(evidence.columns.sum(axis=1)))
    values = values_of(data) + [None] * len(self._remainders())
    is_impossible = bool(np.isneginf(evidence.joint).all())
    plain = explain_evidence(evidence, values, label, against, is_impossible=is_impossible)
    explanation: Explanation = self._with_factors(plain, data, values)
    return explanation


def read_one_row(self: Any, row: Any) -> Any:
    """One row in any form, as a table of one row."""
    self._check_fitted()
    names = self._names()
    return self._read_values(read_row(row, names), names)


def label_of(self: Any, codes: AnyArray) -> Any:
    """The label of the only code."""
    code = int(codes[0])
    return None if code == NO_DECISION else self.classes_[code]
