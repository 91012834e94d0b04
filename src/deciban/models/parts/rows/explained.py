"""Single rows of any classifier, by way of a table of one row: predictions and explanations."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.decide import NO_DECISION
from deciban.explain import Explanation
from deciban.explain import explain as explain_evidence
from deciban.models.parts.rows.one_row import values_of
from deciban.read import plain
from deciban.read.row import read_row
from deciban.types import AnyArray

__all__ = ["explain", "explain_read", "label_of", "predict_one", "predict_proba_one", "read_one_row"]


def predict_one(self: Any, row: Any) -> Any:
    """Predict the class of one row.

    Parameters
    ----------
    row : mapping, Series, tuple or array
        One row, in any form that `explain` takes.

    Returns
    -------
    label : the class, or None
        None where the decision is rejected.
    """
    return self._label_of(self._scores_of(self._one_row(row), "best"))


def predict_proba_one(self: Any, row: Any) -> dict[Any, float]:
    """Compute P(class | row) of one row.

    Parameters
    ----------
    row : mapping, Series, tuple or array
        One row, in any form that `explain` takes.

    Returns
    -------
    posteriors : dict
        The posterior of each class, by its label.
    """
    posterior = self._scores_of(self._one_row(row), "posterior")[0]
    return dict(zip(self.classes_.tolist(), posterior.tolist(), strict=True))


def explain(self: Any, row: Any, against: Any = None) -> Explanation:
    """Show the arithmetic of one row's prediction.

    Parameters
    ----------
    row : mapping, Series, tuple or array
        A mapping of names to values, a pandas Series, a table of one row, a named tuple such as `itertuples` returns,
        or an array or list of values in the order of the columns. Columns that it does not name are missing.
    against : a class, optional
        The class to compare with; the next best when None.

    Returns
    -------
    Explanation
        The weights of evidence in decibans, which sum to the log-odds of the predicted class against the other.

    Examples
    --------
    >>> import deciban as db
    >>> days = {"sky": ["sun", "sun", "rain"], "wind": ["low", "high", "high"]}
    >>> model = db.NaiveBayes(weights=None).fit(days, ["play", "play", "stay"])
    >>> print(model.explain({"sky": "sun", "wind": "high"}))
    P(play) = 0.771 against P(stay) = 0.229
      column  value  decibans
      prior             +3.01
      sky     sun       +3.52
      wind    high      -1.25
      total             +5.28
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
    schema = getattr(self, "schema_", ())
    return explanation.with_ignored({plan.name for plan in schema if plan.distribution.is_ignored})


def read_one_row(self: Any, row: Any) -> Any:
    """One row in any form, as a table of one row."""
    self._check_fitted()
    names = self._names()
    return self._as_learned(self._read_values(read_row(row, names), names), self._form)


def label_of(self: Any, codes: AnyArray) -> Any:
    """The label of the only code, as a value of Python."""
    code = int(codes[0])
    return None if code == NO_DECISION else plain(self.classes_[code])
