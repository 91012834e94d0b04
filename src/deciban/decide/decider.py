"""From log-likelihoods to posteriors and decisions: MAP, ML, least expected loss, or no decision.

A model has a `Decider`, made from its parameters `rule`, `loss` and `reject`, and `Beliefs`, made from its priors and
its calibration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from deciban.decide.calibration import Calibration
from deciban.decide.rules import NO_DECISION, Reject, check_loss, finish, least_loss, most_probable
from deciban.errors import InputError
from deciban.read import read_weights
from deciban.tallies.kernels import Want
from deciban.types import AnyArray, Floats

__all__ = ["Beliefs", "Decider", "Rule", "by_blocks", "labels_of", "share_right"]


Rule = Literal["map", "ml"]
"""How to decide: by the posterior, or by the likelihood alone."""

_BLOCK_CELLS = 1 << 19
_BLOCK_ROWS = 1 << 16


class Beliefs(NamedTuple):
    """How a model turns log P(row | class) into posteriors.

    `start` is added to the log-likelihoods; `prior` is the log prior, which remains where no class is possible. They
    differ only in models whose likelihood has a constant.
    """

    start: Floats
    prior: Floats
    calibration: Calibration | None = None

    def conclude(self, likelihood: Floats, want: Want) -> AnyArray:
        """Joint log-probabilities, posteriors or their logarithms; posteriors are calibrated where the model is."""
        if self.calibration is None or want == "joint":
            return finish(self.start + likelihood, self.prior, want)
        posterior = self.calibration.apply(finish(self.start + likelihood, self.prior, "posterior"))
        if want == "best":
            return posterior.argmax(axis=1)
        with np.errstate(divide="ignore"):
            return posterior if want == "posterior" else np.log(posterior)


class Decider(NamedTuple):
    """The rule by which a class is chosen; by default the largest posterior."""

    rule: Rule = "map"
    loss: Any = None
    reject: Reject | float | None = None

    def decide(self, likelihood: Floats, beliefs: Beliefs, classes: AnyArray) -> AnyArray:
        """The code of each row's class; `NO_DECISION` where the decision is rejected."""
        if self.rule == "ml":
            uniform = np.zeros_like(beliefs.prior)
            return most_probable(finish(likelihood, uniform, "posterior"), self._reject())
        if self.loss is None and self.reject is None:
            return beliefs.conclude(likelihood, "best")
        return self.decide_by(beliefs.conclude(likelihood, "posterior"), beliefs.prior, classes)

    def decide_by(self, posterior: Floats, prior: Floats, classes: AnyArray) -> AnyArray:
        """The same from posteriors and log priors, where the likelihoods are not at hand."""
        if self.rule == "ml":
            with np.errstate(divide="ignore"):
                likelihood = np.log(posterior) - prior
            return most_probable(finish(likelihood, np.zeros_like(prior), "posterior"), self._reject())
        if self.loss is not None:
            return least_loss(posterior, check_loss(self.loss, classes.tolist()), self._reject())
        return most_probable(posterior, self._reject())

    def _reject(self) -> Reject | None:
        return Reject(posterior=self.reject) if isinstance(self.reject, float) else self.reject

    def start(self, start: Floats) -> Floats:
        """What the classes start with before any evidence: nothing where the rule leaves the priors out."""
        return np.zeros_like(start) if self.rule == "ml" else start


def labels_of(codes: AnyArray, classes: AnyArray) -> AnyArray:
    """The labels of class codes, and None for `NO_DECISION`; block by block, so that no copy grows large."""
    if len(codes) and codes.min() == NO_DECISION:
        wide = np.empty(len(classes) + 1, dtype=object)  # the last, to which NO_DECISION points, stays None
        wide[:-1] = classes
        return wide.take(codes)
    labels = np.empty(len(codes), dtype=classes.dtype)
    for first in range(0, len(codes), _BLOCK_ROWS):
        rows = slice(first, first + _BLOCK_ROWS)
        classes.take(codes[rows], out=labels[rows], mode="clip")
    return labels


def share_right(decided: AnyArray, truth: AnyArray, sample_weight: Any = None) -> float:
    """The share of the rows whose label is the true one; None, no decision, is wrong.

    >>> share_right(
    ...     np.array(["ham", None, "spam"], dtype=object), np.array(["ham", "ham", "ham"])
    ... )
    0.3333333333333333
    """
    if len(decided) != len(truth):
        raise InputError(f"there are {len(decided)} rows, and {len(truth)} labels.")
    return float(np.average(decided == truth, weights=read_weights(sample_weight, len(truth))))


def by_blocks(data: Any, classes: int, score: Callable[[Any], AnyArray]) -> AnyArray:
    """Score some rows at a time, so that no table of all rows × classes is needed."""
    step = max(1 << 12, _BLOCK_CELLS // classes)
    if len(data) <= step:
        return score(data)
    return np.concatenate([score(data.take(slice(first, first + step))) for first in range(0, len(data), step)])
