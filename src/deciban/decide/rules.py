"""From log-likelihoods to posteriors and decisions: MAP, ML, least expected loss, or no decision.

====================  ==============================================================================================
MAP                   the class with the largest P(class | row)
ML                    the class with the largest P(row | class): priors are left out
least expected loss   the class g with the smallest Σ_j L(j, g)·P(j | row); for the 0-1 loss this is MAP (Zhu, item 8)
====================  ==============================================================================================

**Ties go to the class that comes first** in `classes_`. No decision is made, and −1 returned, where the posterior of
the best class is too low or its expected loss too high.

Posteriors are computed from joint log-probabilities, in log space,

    P(class | row) = P(class, row) / Σ_c P(c, row).

A row that is impossible under every class is no evidence: its posterior is the prior.

A model has a `Decider`, made from its parameters `rule`, `loss` and `reject`, and `Beliefs`, made from its priors and
its calibration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from deciban.choices import did_you_mean
from deciban.decide.calibration import Calibration
from deciban.errors import InputError, ParameterError
from deciban.read import read_weights
from deciban.storable import storable
from deciban.tallies import kernels
from deciban.tallies.kernels import Want
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "NO_DECISION",
    "Beliefs",
    "Decider",
    "Reject",
    "Rule",
    "by_blocks",
    "check_loss",
    "expected_loss",
    "finish",
    "is_impossible",
    "labels_of",
    "least_loss",
    "most_probable",
    "share_right",
    "zero_one_loss",
]


# No label: a code, so that decisions stay an array of integers until they become labels.
NO_DECISION = -1

Rule = Literal["map", "ml"]
"""How to decide: by the posterior, or by the likelihood alone."""

# Rows × classes that are scored at once are 4 MB of floats, however many rows there are.
_BLOCK_CELLS = 1 << 19
# Even of very many classes so many rows are scored at once: a call for each few rows costs more than it saves.
_FEWEST_ROWS = 1 << 12
_BLOCK_ROWS = 1 << 16


@storable
@dataclass(frozen=True)
class Reject:
    """When to make no decision: a posterior that is too low, or an expected loss that is too high.

    Parameters
    ----------
    posterior : float, optional
        No decision is made where the posterior of the best class is below it.
    loss : float, optional
        No decision is made where the expected loss of the best decision is above it.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes(reject=Reject(posterior=0.8)).fit(
    ...     {"sky": list("ssssrr")}, list("yyyyyn")
    ... )
    >>> model.predict({"sky": ["s", "r"]}).tolist()
    ['y', None]
    """

    posterior: float | None = None
    loss: float | None = None

    def __post_init__(self) -> None:
        if self.posterior is not None and not 0 <= self.posterior <= 1:
            raise ParameterError(f"a posterior threshold lies between 0 and 1, not at {self.posterior}.")


def zero_one_loss(classes: int) -> Floats:
    """L(j, g) = 1 where j ≠ g."""
    return 1.0 - np.eye(classes)


def check_loss(loss: Any, labels: Sequence[object]) -> Floats:
    """Read a loss: L[j, g] is what deciding g costs when j is true.

    A matrix, truth × decision, in the order of the labels; or a mapping of mappings, {truth: {decision: cost}}: what is
    not named costs 0 where it is right and 1 where it is wrong.

    >>> check_loss({"spam": {"ham": 1}, "ham": {"spam": 10}}, ["ham", "spam"]).tolist()
    [[0.0, 10.0], [1.0, 0.0]]
    """
    if isinstance(loss, Mapping):
        read = _matrix_of(loss, labels)
    else:
        try:
            read = np.asarray(loss, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"loss must be a matrix of numbers (truth × decision), not {loss!r}.") from None
        if read.shape != (len(labels), len(labels)):
            size = f"{len(labels)} × {len(labels)}"
            raise ParameterError(f"loss must be a {size} matrix (truth × decision), not of shape {read.shape}.")
    # An infinite cost times a posterior of 0 would be NaN.
    if not np.isfinite(read).all():
        raise ParameterError("loss must be finite.")
    return read


def _matrix_of(loss: Mapping[Any, Any], labels: Sequence[object]) -> Floats:
    out = zero_one_loss(len(labels))
    indices = {label: i for i, label in enumerate(labels)}
    for truth, costs in loss.items():
        if not isinstance(costs, Mapping):
            raise ParameterError(f"loss[{truth!r}] is a mapping of decisions to costs, not {costs!r}.")
        for label in (truth, *costs):
            if label not in indices:
                raise ParameterError(f"loss names {label!r}, which is not a class.{did_you_mean(label, labels)}")
        for decision, cost in costs.items():
            try:
                out[indices[truth], indices[decision]] = float(cost)
            except (TypeError, ValueError):
                raise ParameterError(f"loss[{truth!r}][{decision!r}] is {cost!r}, which is not a number.") from None
    return out


def expected_loss(posterior: Floats, loss: Floats) -> Floats:
    """Σ_j P(j | row)·L(j, g), for each row and decision g."""
    return posterior @ loss


def most_probable(posterior: Floats, reject: Reject | None = None) -> Ints:
    """The class with the largest posterior, the first of equals; −1 where it is rejected."""
    best = posterior.argmax(axis=1)  # the first of equals
    if reject is not None and reject.posterior is not None:
        best[_of_best(posterior, best) < reject.posterior] = NO_DECISION
    return best


def least_loss(posterior: Floats, loss: Floats, reject: Reject | None = None) -> Ints:
    """The class with the least expected loss, the first of equals; −1 where it is rejected."""
    risk = expected_loss(posterior, loss)
    best = risk.argmin(axis=1)
    if reject is None:
        return best
    rejected = np.zeros(len(best), dtype=bool)
    if reject.loss is not None:
        rejected |= _of_best(risk, best) > reject.loss
    if reject.posterior is not None:
        rejected |= _of_best(posterior, best) < reject.posterior
    best[rejected] = NO_DECISION
    return best


def _of_best(table: Floats, best: Ints) -> AnyArray:
    return np.take_along_axis(table, best[:, None], axis=1)[:, 0]


def is_impossible(joint: Floats) -> AnyArray:
    """True for each row that has probability 0 in every class."""
    return (joint == -np.inf).all(axis=1)


def finish(joint: Floats, log_prior: Floats, want: Want) -> AnyArray:
    """The joint log-probabilities in the form that is wanted: as they are, as posteriors, or as the best class.

    Where some classes are certain, at +∞, they alone remain, weighed by the prior.
    """
    return joint if want == "joint" else kernels.finish(joint, log_prior, want)


class _Rows(Protocol):
    """A table, or documents."""

    def __len__(self) -> int: ...
    def take(self, rows: slice, /) -> Self: ...


Rows = TypeVar("Rows", bound=_Rows)


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
        # Only posteriors can be calibrated, so "best" is found from them: isotonic steps may change the best class.
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
            return self._most_likely(likelihood)
        # The usual case: the kernel finds the best class of each row without a table of posteriors.
        if self.loss is None and self.reject is None:
            return beliefs.conclude(likelihood, "best")
        return self.decide_by(beliefs.conclude(likelihood, "posterior"), beliefs.prior, classes)

    def decide_by(self, posterior: Floats, prior: Floats, classes: AnyArray) -> AnyArray:
        """The same from posteriors and log priors, where the likelihoods are not at hand."""
        if self.rule == "ml":
            with np.errstate(divide="ignore"):
                return self._most_likely(np.log(posterior) - prior)
        if self.loss is not None:
            return least_loss(posterior, check_loss(self.loss, classes.tolist()), self._reject())
        return most_probable(posterior, self._reject())

    def _most_likely(self, likelihood: Floats) -> Ints:
        """Equal priors leave the likelihood alone to decide, and to be rejected."""
        return most_probable(finish(likelihood, np.zeros(likelihood.shape[1]), "posterior"), self._reject())

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
        # With mode="raise" numpy would write to a buffer first, so that `out` is whole or untouched.
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


def by_blocks(data: Rows, classes: int, score: Callable[[Rows], AnyArray]) -> AnyArray:
    """Score some rows at a time, so that no table of all rows × classes is needed."""
    step = max(_FEWEST_ROWS, _BLOCK_CELLS // classes)
    if len(data) <= step:
        return score(data)
    return np.concatenate([score(data.take(slice(first, first + step))) for first in range(0, len(data), step)])
