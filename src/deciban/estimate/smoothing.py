"""Smoothing: from counts to probabilities.

Every rule adds pseudo-counts a_v to the counts n_v,

    P(v) = (n_v + a_v) / (N + Σ a),

and differs only in the pseudo-counts (Mukund, lecture 15; Zhu, items 9 and 10; the m-estimate of Mitchell, 6.9.1.1):

=============  ==========================================
MLE            a = 0: the relative frequency
Laplace        a = 1
Jeffreys       a = ½
Lidstone(α)    a = α
MEstimate(m)   a = m·p_v, m virtual rows drawn from p
BDeu(ess)      a = ess/(q·r) in each of the q·r cells of a
               table (`deciban.nets.scores`)
=============  ==========================================

The same rules smooth columns within a class, the class priors and the tables of a Bayes net.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import ParameterError
from deciban.read import plain_keys
from deciban.storable import storable
from deciban.tallies import Sample, weight_left
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "MLE",
    "Jeffreys",
    "Laplace",
    "Lidstone",
    "MEstimate",
    "Smoothing",
    "check_priors",
    "empirical_priors",
    "for_each_pair",
    "is_estimated",
    "log_priors",
    "log_probabilities",
    "logs_without_own",
    "settle_priors",
]


class Smoothing(ABC):
    """A rule that gives each state of a variable its pseudo-count: the base of `Laplace`, `MEstimate` and all others.

    A new rule defines `pseudocount`; one that does not give all states the same pseudo-count also defines
    `pseudocounts` and `is_even`. In a table of conditional probabilities, one row of `states` states is smoothed for
    each of the `configurations` of the parents: a class has one row in a naive Bayes model. A rule is called as a
    function, too: ``Laplace()(counts)``.

    Examples
    --------
    >>> class Two(Smoothing):
    ...     def pseudocount(self, states, configurations=1):
    ...         return 2.0
    >>> Two().probabilities(np.array([4, 0])).round(3).tolist()
    [0.75, 0.25]
    """

    @property
    def is_even(self) -> bool:
        """True where all states have the same pseudo-count."""
        return True

    @abstractmethod
    def pseudocount(self, states: int, configurations: int = 1) -> float:
        """Compute the pseudo-count of each state, where all have the same.

        Parameters
        ----------
        states : int
            The number of states.
        configurations : int
            The number of rows of the table: of combinations of the parents.

        Returns
        -------
        pseudocount : float

        Raises
        ------
        ParameterError
            The states have different pseudo-counts.
        """

    def pseudocounts(self, states: int, configurations: int = 1) -> Floats:
        """Compute the pseudo-counts of the states.

        Parameters
        ----------
        states : int
            The number of states.
        configurations : int
            The number of rows of the table: of combinations of the parents.

        Returns
        -------
        pseudocounts : array of shape (states,)
        """
        return np.full(states, self.pseudocount(states, configurations))

    def __call__(self, counts: AnyArray) -> Floats:
        return self.probabilities(counts)

    def probabilities(self, counts: AnyArray) -> Floats:
        """Compute P(state).

        Parameters
        ----------
        counts : array
            Counts whose last axis are the states.

        Returns
        -------
        probabilities : array of the same shape
        """
        return np.exp(log_probabilities(counts, self.pseudocounts(counts.shape[-1])))

    def log_probabilities(self, counts: AnyArray) -> Floats:
        """Compute log P(state).

        Parameters
        ----------
        counts : array
            Counts whose last axis are the states.

        Returns
        -------
        log_probabilities : array of the same shape
            −∞ where count and pseudo-count are 0.
        """
        return log_probabilities(counts, self.pseudocounts(counts.shape[-1]))


@storable
@dataclass(frozen=True)
class Lidstone(Smoothing):
    """Lidstone's law of succession: `alpha` pseudo-counts a state.

    Parameters
    ----------
    alpha : float
        The pseudo-count, not negative.

    Examples
    --------
    >>> Lidstone(0.5).probabilities(np.array([2, 0, 1])).round(3).tolist()
    [0.556, 0.111, 0.333]
    """

    alpha: float

    def __post_init__(self) -> None:
        if not (self.alpha >= 0 and np.isfinite(self.alpha)):
            raise ParameterError(f"alpha must be a number that is not negative, not {self.alpha}.")

    def pseudocount(self, states: int, configurations: int = 1) -> float:
        return float(self.alpha)


class _NamedLidstone(Lidstone):
    """A rule whose name says its pseudo-count."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


@storable
class MLE(_NamedLidstone):
    """Maximum likelihood: relative frequencies, and probability 0 for what was never counted.

    Examples
    --------
    >>> MLE().probabilities(np.array([3, 0, 1])).round(3).tolist()
    [0.75, 0.0, 0.25]
    """

    def __init__(self) -> None:
        super().__init__(0.0)


@storable
class Laplace(_NamedLidstone):
    """Laplace's law of succession: one pseudo-count a state.

    Examples
    --------
    >>> Laplace().probabilities(np.array([2, 0, 1])).round(3).tolist()
    [0.5, 0.167, 0.333]
    """

    def __init__(self) -> None:
        super().__init__(1.0)


@storable
class Jeffreys(_NamedLidstone):
    """Jeffreys's prior: half a pseudo-count a state.

    Examples
    --------
    >>> Jeffreys().probabilities(np.array([3, 0])).round(3).tolist()
    [0.875, 0.125]
    """

    def __init__(self) -> None:
        super().__init__(0.5)


@storable
@dataclass(frozen=True)
class MEstimate(Smoothing):
    """The m-estimate: `m` virtual rows, drawn from a prior (Mitchell, 6.9.1.1).

    Parameters
    ----------
    m : float
        The number of virtual rows, not negative.
    prior : array of probabilities, optional
        The prior of the states; uniform when None.

    Examples
    --------
    >>> MEstimate(2, prior=[0.5, 0.5]).probabilities(np.array([6, 2])).round(3).tolist()
    [0.7, 0.3]
    """

    m: float
    prior: Sequence[float] | Floats | None = None

    def __post_init__(self) -> None:
        if not (self.m >= 0 and np.isfinite(self.m)):
            raise ParameterError(f"m must be a number that is not negative, not {self.m}.")
        if self.prior is not None:
            prior = np.asarray(self.prior, dtype=np.float64)
            if prior.ndim != 1 or (prior < 0).any() or not np.isclose(prior.sum(), 1.0):
                raise ParameterError("prior must be probabilities that sum to 1.")

    @property
    def is_even(self) -> bool:
        return self.prior is None

    def pseudocount(self, states: int, configurations: int = 1) -> float:
        if self.prior is not None:
            raise ParameterError("a prior over single states cannot smooth this many; leave prior=None.")
        return self.m / max(states, 1)

    def pseudocounts(self, states: int, configurations: int = 1) -> Floats:
        if self.prior is None:
            return super().pseudocounts(states, configurations)
        prior = np.asarray(self.prior, dtype=np.float64)
        if len(prior) != states:
            raise ParameterError(f"prior has {len(prior)} probabilities, but there are {states} states.")
        return self.m * prior


def log_probabilities(
    counts: AnyArray, pseudo: AnyArray | float, whole: AnyArray | None = None, states: int | None = None
) -> Floats:
    """log (n + a) − log (N + Σ a), state by state along the last axis.

    `whole` is N + Σ a, and `states` the number of states, where the last axis does not list them all. Where N + Σ a is
    0, the states are equally likely: the limit for small pseudo-counts.
    """
    smoothed = counts + np.asarray(pseudo, dtype=np.float64)
    # In place from here on: tables of labels may be large.
    whole = smoothed.sum(axis=-1, keepdims=True) if whole is None else whole
    with np.errstate(divide="ignore"):
        # A difference of logarithms: the ratio of a small count to a large sum may underflow.
        np.log(smoothed, out=smoothed)
        smoothed -= np.log(np.where(whole > 0, whole, 1.0))
    empty = np.broadcast_to(whole <= 0, smoothed.shape)
    if empty.any():
        smoothed[empty] = -np.log(max(states or smoothed.shape[-1], 1))
    return smoothed


def logs_without_own(
    table: AnyArray, states: AnyArray, own: Floats, pseudo: Floats, own_cells: Floats | None = None
) -> Floats:
    """log P(state | class) of counted rows, each without its own weight: rows × classes.

    `table` is class × state, `states` the state of each row, `own` its weight in each class. `own_cells` is what a row
    has in the cell of its state, where that differs.
    """
    # `weight_left` is 0 where a row is all there was: without smoothing, a trace left by rounding would be likely.
    whole = weight_left(table.sum(axis=1), own) + pseudo.sum()
    cells = weight_left(table[:, states].T, own if own_cells is None else own_cells)
    return log_probabilities(cells, pseudo[states][:, None], whole, states=table.shape[1])


def for_each_pair(score: Callable[[AnyArray, Codes, Floats], Floats], states: AnyArray, sample: Sample) -> Floats:
    """What `score` gives for the states, classes and weights of rows: rows × classes.

    Rows of weight 1 with the same state and class have the same result, which is computed once.
    """
    if sample.weights is not None:
        return score(states, sample.codes, sample.weights)
    classes = len(sample.classes)
    pairs = states * classes + sample.codes
    occurs = np.bincount(pairs) > 0
    distinct = np.flatnonzero(occurs)
    logs = score(distinct // classes, (distinct % classes).astype(np.int32), np.ones(len(distinct)))
    return logs[(np.cumsum(occurs) - 1)[pairs]]


def check_priors(priors: Any, classes: int) -> Floats:
    """Read given priors: one a class, none negative, and together 1."""
    read = np.asarray(priors, dtype=np.float64)
    if read.shape != (classes,):
        raise ParameterError("Number of priors must match number of classes.")
    if (read < 0).any() or not np.isfinite(read).all():
        raise ParameterError("Priors must be non-negative.")
    if not np.isclose(read.sum(), 1.0):
        raise ParameterError(f"The sum of the priors should be 1. It is {read.sum():g}.")
    return read


def empirical_priors(counts: AnyArray, smoothing: Smoothing | None = None) -> Floats:
    """Log priors from class counts; relative frequencies unless smoothed."""
    return (smoothing or MLE()).log_probabilities(counts)


def is_estimated(priors: Any) -> bool:
    """True where the priors follow from the class counts: None, "empirical" or a Smoothing.

    >>> is_estimated("empirical"), is_estimated("uniform"), is_estimated([0.5, 0.5])
    (True, False, False)
    """
    return priors is None or isinstance(priors, Smoothing) or (isinstance(priors, str) and priors == "empirical")


def log_priors(counts: AnyArray, given: Any = None, *, uniform: bool = False) -> Floats:
    """Log priors: the given ones, uniform ones, or those of the counts."""
    if given is not None:
        with np.errstate(divide="ignore"):
            return np.log(check_priors(given, len(counts)))
    if uniform:
        return np.full(len(counts), -np.log(len(counts)))
    return empirical_priors(counts)


def settle_priors(priors: Any, counts: AnyArray, labels: Sequence[object]) -> Floats:
    """Log priors from "empirical", "uniform", a Smoothing, or probabilities by label or in class order."""
    if isinstance(priors, str):
        if priors not in ("empirical", "uniform"):
            raise ParameterError(
                f"priors is 'empirical', 'uniform', a Smoothing or probabilities, not {priors!r}."
                f"{did_you_mean(priors, ['empirical', 'uniform'])}"
            )
        return log_priors(counts, uniform=priors == "uniform")
    if isinstance(priors, Smoothing):
        return empirical_priors(counts, priors)
    if isinstance(priors, Mapping):
        priors = plain_keys(priors)
        if set(priors) != set(labels):
            unknown = [label for label in priors if label not in labels]
            close = did_you_mean(unknown[0], labels) if unknown else ""
            raise ParameterError(
                f"priors names the classes {sorted(map(str, priors))}, but they are {list(labels)}.{close}"
            )
        priors = [priors[label] for label in labels]
    return log_priors(counts, check_priors(priors, len(counts)))
