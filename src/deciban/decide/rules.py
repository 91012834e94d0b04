"""Decision rules: from posteriors to a class, or to no decision.

====================  ==============================================================================================
MAP                   the class with the largest P(class | row)
ML                    the class with the largest P(row | class): priors are left out
least expected loss   the class g with the smallest Σ_j L(j, g)·P(j | row); for the 0-1 loss this is MAP (Zhu, item 8)
====================  ==============================================================================================

**Ties go to the class that comes first** in `classes_`. No decision is made, and −1 returned, where the posterior of
the best class is too low or its expected loss too high.

From joint log-probabilities to posteriors.

    P(class | row) = P(class, row) / Σ_c P(c, row)

computed in log space. A row that is impossible under every class says nothing of the classes: its posterior is the
prior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import ParameterError
from deciban.storable import storable
from deciban.tallies import kernels
from deciban.tallies.kernels import Want
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "NO_DECISION",
    "Reject",
    "check_loss",
    "expected_loss",
    "finish",
    "is_impossible",
    "least_loss",
    "most_probable",
    "zero_one_loss",
]


NO_DECISION = -1


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


def check_loss(loss: Any, labels: Sequence[Any]) -> Floats:
    """Read a loss: L[j, g] is what deciding g costs when j is true.

    A matrix, truth × decision, in the order of the labels; or a mapping of mappings, {truth: {decision: cost}}: what is
    not named costs 0 where it is right and 1 where it is wrong.

    >>> check_loss({"spam": {"ham": 1}, "ham": {"spam": 10}}, ["ham", "spam"]).tolist()
    [[0.0, 10.0], [1.0, 0.0]]
    """
    if isinstance(loss, Mapping):
        return _checked_loss(_matrix_of(loss, list(labels)))
    try:
        read = np.asarray(loss, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"loss must be a matrix of numbers (truth × decision), not {loss!r}.") from None
    if read.shape != (len(labels), len(labels)):
        size = f"{len(labels)} × {len(labels)}"
        raise ParameterError(f"loss must be a {size} matrix (truth × decision), not of shape {read.shape}.")
    return _checked_loss(read)


def _matrix_of(loss: Mapping[Any, Any], labels: list[Any]) -> Floats:
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


def _checked_loss(read: Floats) -> Floats:
    if not np.isfinite(read).all():
        raise ParameterError("loss must be finite.")
    return read


def expected_loss(posterior: Floats, loss: Floats) -> Floats:
    """Σ_j P(j | row)·L(j, g), for each row and decision g."""
    return posterior @ loss


def most_probable(posterior: Floats, reject: Reject | None = None) -> Ints:
    """The class with the largest posterior, the first of equals; −1 where it is rejected."""
    best = posterior.argmax(axis=1)
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
