"""Normal distributions as values: one variable, or several together, what is left of them given others.

    E[t | e] = μ_t + Σ_te·Σ_ee⁻¹·(e − μ_e),        Var[t | e] = Σ_tt − Σ_te·Σ_ee⁻¹·Σ_et

Where variables determine one another Σ_ee has no inverse. Directions in which nothing varies then say nothing, and
what is observed must agree with them, or it is impossible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from deciban.errors import ImpossibleEvidenceError, InputError, ParameterError, UnknownNodeError
from deciban.nets.base import Node
from deciban.nets.inference.grouping import patterns_of
from deciban.types import Floats

__all__ = ["MultivariateNormal", "Normal"]

_SINGULAR = 1e-11
"""The share of a variance, or the eigenvalue of correlations, that a rounding error could have made."""

_OFF = 1e-6
"""By how many standard deviations an observation may miss what others determine."""


@dataclass(frozen=True)
class Normal:
    """A normal distribution of one variable; with variance 0, a value that is certain.

    >>> Normal(1.0, 4.0)
    Normal(mean=1, sd=2)
    """

    mean: float
    variance: float

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(self.variance))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval around the mean that has the probability `level`."""
        if not 0 < level < 1:
            raise ParameterError(f"level is a probability between 0 and 1, not {level!r}")
        half = NormalDist().inv_cdf(0.5 + level / 2) * self.sd
        return self.mean - half, self.mean + half

    def __repr__(self) -> str:
        return f"Normal(mean={self.mean:.6g}, sd={self.sd:.6g})"


class MultivariateNormal:
    """A normal distribution of several variables.

    >>> both = MultivariateNormal(["height", "weight"], [170, 70], [[100, 60], [60, 64]])
    >>> both.given({"height": 180})["weight"]
    Normal(mean=76, sd=5.2915)
    """

    def __init__(self, nodes: Sequence[Node], mean: Iterable[float], covariance: Iterable[Iterable[float]]) -> None:
        self.nodes = tuple(nodes)
        self.mean: Floats = np.array(mean, dtype=np.float64)
        self.covariance: Floats = np.array(covariance, dtype=np.float64)
        count = len(self.nodes)
        if self.mean.shape != (count,) or self.covariance.shape != (count, count):
            raise InputError(f"{count} variables need {count} means and {count} × {count} covariances")
        self.mean.flags.writeable = self.covariance.flags.writeable = False
        self._places = {node: place for place, node in enumerate(self.nodes)}

    def place(self, node: Node) -> int:
        """The place of a variable among ``nodes``."""
        try:
            return self._places[node]
        except (KeyError, TypeError):
            known = ", ".join(map(repr, self.nodes[:12])) + (", …" if len(self.nodes) > 12 else "")
            raise UnknownNodeError(f"there is no variable {node!r}; the variables are: {known}") from None

    def __getitem__(self, node: Node) -> Normal:
        place = self.place(node)
        return Normal(float(self.mean[place]), float(self.covariance[place, place]))

    @property
    def correlation(self) -> Floats:
        """Correlations; 0 with what does not vary."""
        sd = np.sqrt(np.diag(self.covariance))
        outer = np.outer(sd, sd)
        return np.divide(self.covariance, outer, out=np.eye(len(sd)), where=outer > 0)

    def marginal(self, nodes: Sequence[Node]) -> MultivariateNormal:
        """The distribution of some of the variables."""
        places = [self.place(node) for node in nodes]
        return MultivariateNormal(nodes, self.mean[places], self.covariance[np.ix_(places, places)])

    def given(self, evidence: Mapping[Any, float]) -> MultivariateNormal:
        """The distribution of all variables once some of them have been observed; those are certain."""
        seen = [self.place(node) for node in evidence]
        values = np.array([_number(node, value) for node, value in evidence.items()])
        gain, left = self.condition(seen)
        self._check_possible(seen, values)
        mean = self.mean + gain @ (values - self.mean[seen])
        mean[seen] = values
        return MultivariateNormal(self.nodes, mean, left)

    def condition(self, seen: Sequence[int]) -> tuple[Floats, Floats]:
        """What to multiply deviations of the observed by, and the covariance that is left."""
        across = self.covariance[:, seen]
        sd = np.sqrt(np.diag(self.covariance)[seen])
        scale = np.divide(1.0, sd, out=np.zeros(len(sd)), where=sd > 0)
        values, vectors = np.linalg.eigh(across[seen] * np.outer(scale, scale))
        inverse = np.divide(1.0, values, out=np.zeros(len(sd)), where=values > _SINGULAR)
        gain = (across * scale) @ (vectors * inverse) @ vectors.T * scale
        left = self.covariance - gain @ across.T
        left = (left + left.T) / 2
        certain = np.diag(left) <= _SINGULAR * np.diag(self.covariance)
        certain[seen] = True
        left[certain, :] = left[:, certain] = 0.0
        return gain, left

    def _check_possible(self, seen: Sequence[int], values: Floats) -> None:
        row = np.full((1, len(self.nodes)), np.nan)
        row[0, seen] = values
        if np.isneginf(self.log_density(row)[0]):
            shown = ", ".join(f"{self.nodes[place]}={value:g}" for place, value in zip(seen, values, strict=True))
            raise ImpossibleEvidenceError(f"{shown} cannot occur together: one of them determines another value")

    def log_density(self, rows: Floats) -> Floats:
        """Of each row of numbers, in the order of ``nodes``, with NaN for what is not known.

        A variable that those before it determine has no density: it counts for nothing where it agrees with them, and
        the row's density is 0 where it does not.
        """
        out = np.zeros(len(rows))
        for alike, seen in patterns_of(~np.isnan(rows)):
            deviations = rows[np.ix_(alike, seen)] - self.mean[seen]
            size = np.abs(rows[np.ix_(alike, seen)]).max(axis=0, initial=1.0)
            out[alike] = _log_density(deviations, self.covariance[np.ix_(seen, seen)], size)
        return out

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> dict[Node, Floats]:
        """Draw n rows: a column for each variable."""
        rng = np.random.default_rng(random_state)
        values, vectors = np.linalg.eigh(self.covariance)
        drawn = rng.standard_normal((n, len(self.nodes))) * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        return dict(zip(self.nodes, (drawn + self.mean).T.copy(), strict=True))

    def __repr__(self) -> str:
        shown = ", ".join(f"{node}: {mean:.6g}" for node, mean in zip(self.nodes[:6], self.mean, strict=False))
        return f"MultivariateNormal({shown}{', …' if len(self.nodes) > 6 else ''})"


def _number(node: Node, value: object) -> float:
    if isinstance(value, int | float | np.number) and not isinstance(value, bool) and np.isfinite(value):
        return float(value)
    raise InputError(f"what is observed of {node!r} must be a finite number, not {value!r}")


def _log_density(deviations: Floats, covariance: Floats, size: Floats) -> Floats:
    """Σ_v log N(x_v | those before v), by taking out of all later variables what each one explains."""
    left, rest = covariance.copy(), deviations.copy()
    out = np.zeros(len(rest))
    for v in range(len(left)):
        variance = left[v, v]
        if variance > _SINGULAR * covariance[v, v]:
            out -= 0.5 * (np.log(2 * np.pi * variance) + rest[:, v] ** 2 / variance)
            slope = left[v, v + 1 :] / variance
            rest[:, v + 1 :] -= np.outer(rest[:, v], slope)
            left[v + 1 :, v + 1 :] -= np.outer(left[v, v + 1 :], slope)
        else:
            allowed = _OFF * np.sqrt(covariance[v, v]) + 1e-9 * size[v]
            out[np.abs(rest[:, v]) > allowed] = -np.inf
    return out
