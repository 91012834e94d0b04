"""A model in the making: rows are learned and forgotten in a copy, and the model itself stays as it is.

A service goes on predicting with a model while rows are learned; the finished copy then replaces it. A copy is cheap:
it shares all values with the model, and learning replaces values instead of changing them. Tallies add, so the cost of
a batch depends on its rows and on the size of the tally, not on the number of rows learned before, and several batches
are estimated once.
"""

from __future__ import annotations

from typing import Any

from deciban.errors import ParameterError
from deciban.models.base import BayesClassifier, check_weight
from deciban.nets import BayesNet
from deciban.tallies import Tally
from deciban.types import LabelsLike

__all__ = ["Draft"]


class Draft:
    """A copy of a model that learns and forgets; a batch that raises an error leaves it as it was.

    Parameters
    ----------
    model : a fitted model with `partial_fit` and `forget`; others are a `ParameterError`

    Examples
    --------
    >>> from deciban import GaussianNB
    >>> model = GaussianNB().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> draft = Draft(model)
    >>> draft.learn([[7.0]], ["high"])
    >>> draft.forget([[1.0]], ["low"])
    >>> draft.finish().tally_.total, model.tally_.total
    (4, 4)
    """

    def __init__(self, model: Any) -> None:
        if not hasattr(model, "partial_fit") or not hasattr(model, "forget"):
            raise ParameterError(
                f"a {type(model).__name__} cannot learn more rows: it is not a sum over rows. Fit it again, or serve a "
                "model with partial_fit and forget, such as NaiveBayes, TAN, AODE, TextNB or a BayesNet."
            )
        self._model = _copied(model)
        self._tally: Tally | None = None
        """The counts that the copy has not been estimated from yet."""

    def learn(self, X: Any, y: LabelsLike | None = None) -> None:
        """Count more rows; a Bayes net takes no `y`."""
        model = self._model
        if self._waits():
            # Checked before it is kept: a batch that is refused leaves the draft as it was.
            whole = self._counted() + model._tally_of(X, y, None)
            check_weight(whole)
            self._tally = whole
        else:
            model.partial_fit(X, **_labelled(model, y))

    def forget(self, X: Any, y: LabelsLike | None = None) -> None:
        """Take rows out; rows that were not learned are an error."""
        model = self._model
        if self._waits():
            self._tally = model._tally_without(self._counted(), X, y, None)
        else:
            model.forget(X, **_labelled(model, y))

    def finish(self) -> Any:
        """The model after all batches so far; the draft may go on from there."""
        if self._tally is not None:
            # Once for all batches: estimating costs more than counting a batch.
            self._model._adopt(self._tally, self._model._form)
            self._tally = None
        return _copied(self._model)

    def _waits(self) -> bool:
        """Whether estimates are made by `finish`, not by each batch."""
        model = self._model
        return isinstance(model, BayesClassifier) and model._estimates_once()

    def _counted(self) -> Tally:
        tally: Tally = self._model.tally_ if self._tally is None else self._tally
        return tally


def _copied(model: Any) -> Any:
    """A model with the same values. `dict.update` is one step for other threads, unlike the loops of `copy.copy`."""
    if "_live" in model.__dict__:
        model.tally_  # noqa: B018  what was learned row by row is counted now: a live counter belongs to one model
    new = object.__new__(type(model))
    new.__dict__.update(model.__dict__)
    new.__dict__.pop("_live", None)
    return new


def _labelled(model: Any, y: LabelsLike | None) -> dict[str, object]:
    """The labels as an argument; a Bayes net has none."""
    if not isinstance(model, BayesNet):
        return {"y": y}
    if y is not None:
        raise ParameterError("a Bayes net learns rows without labels: the class is one of its nodes.")
    return {}
