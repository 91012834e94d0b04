"""A classifier that decides by a rule of the user's choice: MAP, ML, least expected loss, or not at all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
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
from deciban.errors import InputError
from deciban.models.base import BayesClassifier
from deciban.read import Table, read_target, split_target
from deciban.tally.faults import Fault
from deciban.tally.kernels import Want
from deciban.types import AnyArray, Floats

__all__ = ["DecidingClassifier"]

_BLOCK_CELLS = 1 << 19


class DecidingClassifier(BayesClassifier):
    """`rule`, `loss` and `reject`, for a model that gives log P(row | class)."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BayesClassifier._parameter_constraints,
        "rule": [StrOptions({"map", "ml"})],
        "loss": ["array-like", None],
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
            return least_loss(posterior, check_loss(self.loss, len(self.classes_)), reject)
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

    def calibrate(self, X: Any, y: Any, method: str = "temperature") -> Self:
        """Fit "temperature" or "isotonic" calibration, which posteriors then pass through.

        On the rows that the model was fitted on their leave-one-out posteriors are used, else plain ones. What the
        model learns later undoes it.
        """
        self._check_fitted()
        self.__dict__.pop("calibration_", None)
        X, y, _ = split_target(X, y)
        target = read_target(y, len(self._features(X)))
        codes = self.tally_.classes.encode(target.classes.labels)[target.codes]
        if (codes == len(self.classes_)).any():
            raise InputError("y has a class that the model has not learned.")
        self.calibration_ = fit_calibration(method, self._honest_posterior(X, y), codes)
        return self

    def _honest_posterior(self, X: Any, y: Any) -> Floats:  # noqa: ARG002  without leave-one-out, y says nothing
        return self.predict_proba(X)

    def _calibration(self) -> Calibration | None:
        return self.__dict__.get("calibration_")

    def _scores(self, data: Table, want: Want) -> tuple[AnyArray, Fault | None]:
        self._check_values(data)
        return self._by_blocks(data, lambda likelihood: self._conclude(likelihood, want)), None

    def _by_blocks(self, data: Table, conclude: Callable[[Floats], AnyArray]) -> AnyArray:
        """What follows from the likelihoods, some rows at a time, so that no table of all rows × classes is needed."""
        step = max(1 << 12, _BLOCK_CELLS // len(self.classes_))
        starts = range(0, len(data), step)
        parts = [conclude(self._likelihood(data.take(slice(first, first + step)))) for first in starts]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _check_values(self, data: Table) -> None:
        """Refuse values that the model cannot use."""
