"""A classifier that decides by a rule of the user's choice: MAP, ML, least expected loss, or not at all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from deciban.decide import (
    NO_DECISION,
    Calibration,
    Reject,
    check_loss,
    finish,
    fit_calibration,
    least_loss,
    most_probable,
)
from deciban.errors import InputError, ParameterError
from deciban.models.base import BayesClassifier
from deciban.read import Table, plain, read_target, read_weights, split_target
from deciban.tallies.faults import Fault
from deciban.tallies.kernels import Want
from deciban.types import AnyArray, Codes, Floats

__all__ = ["DecidingClassifier"]

_BLOCK_CELLS = 1 << 19


class DecidingClassifier(BayesClassifier):
    """`rule`, `loss` and `reject`, for a model that gives log P(row | class)."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BayesClassifier._parameter_constraints,
        "rule": [StrOptions({"map", "ml"})],
        "loss": [Mapping, "array-like", None],
        "reject": [Reject, float, None],
    }

    rule: str
    loss: Any
    reject: Reject | float | None

    @abstractmethod
    def _likelihood(self, data: Table) -> Floats:
        """log P(row | class): rows × classes."""

    def predict(self, X: Any) -> AnyArray:
        """The class that the rule chooses; None where the decision is rejected."""
        self._check_fitted()
        data = self._features(X)
        self._check_columns(data)
        self._check_values(data)
        codes = self._by_blocks(data, self._decide)
        if (codes != NO_DECISION).all():
            return self.classes_.take(codes)
        labels = np.empty(len(self.classes_) + 1, dtype=object)  # the last, where NO_DECISION points, stays None
        labels[:-1] = self.classes_
        return labels.take(codes)

    def _decide(self, likelihood: Floats) -> AnyArray:
        reject = Reject(posterior=self.reject) if isinstance(self.reject, float) else self.reject
        if self.rule == "ml":
            uniform = np.zeros_like(self._prior)
            return most_probable(finish(likelihood, uniform, "posterior"), reject)
        if self.loss is None and reject is None and self._calibration() is None:
            return finish(self._prior + likelihood, self._prior, "best")
        posterior = self._conclude(likelihood, "posterior")
        if self.loss is not None:
            return least_loss(posterior, check_loss(self.loss, self.classes_.tolist()), reject)
        return most_probable(posterior, reject)

    def _conclude(self, likelihood: Floats, want: Want) -> AnyArray:
        """What follows from likelihoods; posteriors are calibrated where the model is."""
        calibration = self._calibration()
        if calibration is None or want == "joint":
            return finish(self._prior + likelihood, self._prior, want)
        posterior = calibration.apply(finish(self._prior + likelihood, self._prior, "posterior"))
        if want == "best":
            return posterior.argmax(axis=1)
        with np.errstate(divide="ignore"):
            return posterior if want == "posterior" else np.log(posterior)

    def calibrate(
        self,
        X: Any,
        y: Any,
        *,
        method: str = "temperature",
        learned: bool | str = "auto",
        sample_weight: Any = None,
    ) -> Self:
        """Fit a calibration, which posteriors then pass through. What the model learns later removes it.

        Parameters
        ----------
        X, y : rows that the model has learned, all of them, or rows that it has not learned
        method : "temperature": P(c | x)^(1/T), divided by the sum over classes; "isotonic": a monotone function a class
        learned : whether these are the rows that were learned. True: each row is predicted as if it had not been
            learned (exact leave-one-out); an error where they are not all the rows of `tally_`. False: they are
            predicted as they are. "auto": True where the tally of these rows is the model's, in all counts, sums and
            moments, else False. A sample that shares some rows with those learned should not be used; "auto" warns
            where its values show it, which needs a column of many distinct labels or binned numbers
        sample_weight : weights of the rows; of learned rows, those that they were learned with
        """
        self._check_fitted()
        if learned not in (True, False, "auto"):
            raise ParameterError(f"learned is True, False or 'auto', not {learned!r}.")
        X, y, _ = split_target(X, y)
        target, weights = self._read_rows(X, y, sample_weight)
        posterior = self._honest_posterior(X, y, sample_weight, learned)
        self.calibration_ = fit_calibration(method, posterior, target, weights)
        return self

    def _read_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Codes, Floats | None]:
        """Each row's class, by its place among the model's, and the weights."""
        rows = self._features(X).shape[0]
        target, weights = read_target(y, rows), read_weights(sample_weight, rows)
        codes = self.tally_.classes.encode(target.classes.labels)[target.codes]
        unknown = codes == len(self.classes_)
        if unknown.any():
            label = target.classes.labels[target.codes[unknown][0]]
            raise InputError(f"y has the class {plain(label)!r}, which the model has not learned.")
        if weights is not None and not weights.any():
            raise InputError("all sample weights are zero: there is nothing to calibrate on.")
        return codes, weights

    def _honest_posterior(self, X: Any, y: Any, sample_weight: Any, learned: bool | str) -> Floats:  # noqa: ARG002
        """Posteriors to calibrate on, without any calibration: those of rows that were not learned."""
        if learned is True:
            raise ParameterError(f"{type(self).__name__} cannot leave rows out: calibrate it on rows of its own.")
        plain = copy(self)
        plain.__dict__.pop("calibration_", None)
        return plain.predict_proba(X)

    def _calibration(self) -> Calibration | None:
        return self.__dict__.get("calibration_")

    def _scores(self, data: Table, want: Want) -> tuple[AnyArray, Fault | None]:
        self._check_values(data)
        return self._by_blocks(data, lambda likelihood: self._conclude(likelihood, want)), None

    def _by_blocks(self, data: Table, conclude: Callable[[Floats], AnyArray]) -> AnyArray:
        """What follows from the likelihoods, some rows at a time, so that no table of all rows × classes is needed."""
        step = max(1 << 12, _BLOCK_CELLS // len(self.classes_))
        if len(data) <= step:
            return conclude(self._likelihood(data))
        starts = range(0, len(data), step)
        parts = [conclude(self._likelihood(data.take(slice(first, first + step)))) for first in starts]
        return np.concatenate(parts)

    def _check_values(self, data: Table) -> None:
        """Refuse values that the model cannot use."""
