"""Normal distributions of one variable or several, their conditionals, and those between two bounds.

    E[t | e] = μ_t + Σ_te·Σ_ee⁻¹·(e − μ_e),        Var[t | e] = Σ_tt − Σ_te·Σ_ee⁻¹·Σ_et

The second difference cancels where e nearly determines t: beside variances of 1e14, a double cannot hold one of 1. All
is computed from a root S of the covariance, Σ = S·Sᵀ, instead. With S_eᵀ = Q·R (Golub and Van Loan, section 5.2),

    E[t | e] = μ_t + S_t·Q·R⁻ᵀ·(e − μ_e),          a root of Var[t | e] is S_t·(I − Q·Qᵀ),

whose error is relative to standard deviations, not to variances. Where variables determine one another R is singular.
Directions in which nothing varies are ignored then, and what is observed must agree with them, or it is impossible.

**Between bounds.** The textbook's formulas, such as Var = s²·(1 + (α·φ(α) − β·φ(β))/P − ((φ(α) − φ(β))/P)²), are
differences that cancel in narrow intervals and far in the tails. The integrals are computed instead, from the most
probable point t₀ of the interval,

    P = φ(t₀) · ∫ exp(−u·(u + 2t₀)/2) du,    t = t₀ + u,

by Gauss–Legendre quadrature over the part of the interval that counts: all terms are positive, and nothing underflows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, pi, sqrt
from statistics import NormalDist
from typing import Any, TypeAlias, overload

import numpy as np
import scipy

from deciban.charts import Axis, Frame
from deciban.errors import ImpossibleEvidenceError, InputError, ParameterError, UnknownNodeError
from deciban.estimate.drawing import RandomState, read_count
from deciban.nets.data.grouping import patterns_of
from deciban.nets.graphs.graph import Node
from deciban.read import number_of
from deciban.types import Floats

__all__ = [
    "NODES",
    "MultivariateNormal",
    "Normal",
    "NumberDistribution",
    "Numbers",
    "check_level",
    "draw_between",
    "finite_number",
    "log_interval",
    "quadrature",
    "read_interval",
    "standardized",
    "truncated",
]

Numbers: TypeAlias = Mapping[Any, float]
"""Node → number: what was observed, or what is set."""

_SINGULAR = 1e-11
"""Eigenvalues of correlations up to this may be rounding errors of a covariance."""

_CERTAIN = 1e-13
"""Shares of a standard deviation up to this may be rounding errors of a root."""

_OFF = 1e-6
"""By how many standard deviations an observation may differ from a value that others determine."""


class NumberDistribution(ABC):
    """The distribution of a number: what a normal distribution and a mixture of them answer alike."""

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(self._moments()[1]))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval of a given probability: as much is below it as above.

        Parameters
        ----------
        level : float
            The probability, between 0 and 1.

        Returns
        -------
        pair of floats
            The lower and the upper end.
        """
        check_level(level)
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def quantile(self, p: float) -> float:
        """The value below which the variable is with a given probability.

        Parameters
        ----------
        p : float
            The probability, between 0 and 1.

        Returns
        -------
        float
            The smallest x with P(X ≤ x) ≥ p.

        Examples
        --------
        >>> from deciban.nets import Mixture, Normal
        >>> round(Normal(0.0, 1.0).quantile(0.975), 4)
        1.96
        >>> Mixture([0.5, 0.5], [0.0, 10.0], [1.0, 0.0]).quantile(0.75)
        10.0
        """
        check_level(p, "p")
        return self._quantile(p)

    @overload
    def pdf(self, value: float) -> float: ...
    @overload
    def pdf(self, value: Floats | Sequence[float]) -> Floats: ...
    def pdf(self, value: float | Floats | Sequence[float]) -> float | Floats:
        """The density; infinite at a value that has a probability of its own.

        Parameters
        ----------
        value : float or array
            A number, or several.

        Returns
        -------
        float or array

        Examples
        --------
        >>> from deciban.nets import Normal
        >>> round(Normal(0.0, 1.0).pdf(0.0), 4)
        0.3989
        """
        return _as_given(self._density(np.asarray(value, dtype=np.float64)))

    @overload
    def cdf(self, value: float) -> float: ...
    @overload
    def cdf(self, value: Floats | Sequence[float]) -> Floats: ...
    def cdf(self, value: float | Floats | Sequence[float]) -> float | Floats:
        """P(X ≤ value), exact also where it is tiny.

        Parameters
        ----------
        value : float or array
            A number, or several.

        Returns
        -------
        float or array

        Examples
        --------
        >>> from deciban.nets import Normal
        >>> round(Normal(0.0, 1.0).cdf(-1.959963985), 6), Normal(3.0, 0.0).cdf(3.0)
        (0.025, 1.0)
        """
        return _as_given(self._below(np.asarray(value, dtype=np.float64)))

    @overload
    def sf(self, value: float) -> float: ...
    @overload
    def sf(self, value: Floats | Sequence[float]) -> Floats: ...
    def sf(self, value: float | Floats | Sequence[float]) -> float | Floats:
        """P(X > value), exact also where it is tiny: SciPy's name for the survival function.

        Parameters
        ----------
        value : float or array
            A number, or several.

        Returns
        -------
        float or array
        """
        return _as_given(self._above(np.asarray(value, dtype=np.float64)))

    def sample(self, n: int, *, random_state: RandomState = None) -> Floats:
        """Draw numbers.

        Parameters
        ----------
        n : int
            How many.
        random_state : int, numpy.random.Generator or None
            The same int gives the same numbers.

        Returns
        -------
        array
        """
        return self._drawn(read_count(n, "n", 0), np.random.default_rng(random_state))

    @abstractmethod
    def to_svg(self) -> str:
        """The density as a picture; a vertical line, as high as it is probable, at each value that is certain.

        Returns
        -------
        str
            SVG.
        """

    def _repr_html_(self) -> str:
        return self.to_svg()

    @abstractmethod
    def _moments(self) -> tuple[float, float]:
        """The mean and the variance."""

    @abstractmethod
    def _quantile(self, p: float) -> float: ...

    @abstractmethod
    def _density(self, x: Floats) -> Floats: ...

    @abstractmethod
    def _below(self, x: Floats) -> Floats:
        """P(X ≤ x)."""

    @abstractmethod
    def _above(self, x: Floats) -> Floats:
        """P(X > x)."""

    @abstractmethod
    def _drawn(self, n: int, rng: np.random.Generator) -> Floats: ...


@dataclass(frozen=True)
class Normal(NumberDistribution):
    """A normal distribution of one variable; with variance 0, a value that is certain.

    Parameters
    ----------
    mean, variance : float
        The mean and the variance.

    See Also
    --------
    GaussianNet.query : Returns it.
    MultivariateNormal : Of several variables.

    Examples
    --------
    >>> from deciban.nets import Normal
    >>> height = Normal(170.0, 100.0)
    >>> height
    Normal(mean=170, sd=10)
    >>> tuple(round(end, 1) for end in height.interval(0.9)), round(height.sf(180), 4)
    ((153.6, 186.4), 0.1587)
    """

    mean: float
    variance: float

    def to_svg(self) -> str:
        reach = 3.6 * self.sd or max(abs(self.mean), 1.0) * 0.1
        low, high = self.mean - reach, self.mean + reach
        peak = self.pdf(self.mean) if self.variance else 1.0
        name = "density" if self.variance else "probability"
        frame = Frame(Axis("value", low, high), Axis(name, 0.0, peak * 1.05), 320.0, 200.0)
        if self.variance:
            x = np.linspace(low, high, 121)
            points = list(zip(x.tolist(), self.pdf(x).tolist(), strict=True))
            frame.area(points)
            frame.line(points)
        else:
            frame.whisker(self.mean, 0.0, 1.0)
        return frame.svg(f"Density: mean {self.mean:.4g}, sd {self.sd:.4g}", is_alone=True)

    def _moments(self) -> tuple[float, float]:
        return self.mean, self.variance

    def _quantile(self, p: float) -> float:
        return self.mean + NormalDist().inv_cdf(p) * self.sd  # Wichura's algorithm AS 241 in Python's statistics

    def _density(self, x: Floats) -> Floats:
        if not self.variance:
            return np.where(x == self.mean, np.inf, 0.0)
        return np.asarray(np.exp(-0.5 * ((x - self.mean) / self.sd) ** 2) / (sqrt(2 * pi) * self.sd))

    def _below(self, x: Floats) -> Floats:
        return self._within(x - self.mean) if self.variance else np.where(x >= self.mean, 1.0, 0.0)

    def _above(self, x: Floats) -> Floats:
        return self._within(self.mean - x) if self.variance else np.where(x < self.mean, 1.0, 0.0)

    def _within(self, distance: Floats) -> Floats:
        """P(X ≤ mean + distance) = erfc(−distance / (√2·sd)) / 2."""
        # erfc, not 1 + erf: far below the mean the sum would cancel to 0.
        return np.asarray(scipy.special.erfc(-distance / (sqrt(2) * self.sd)) / 2)

    def _drawn(self, n: int, rng: np.random.Generator) -> Floats:
        return self.mean + self.sd * rng.standard_normal(n)

    def __repr__(self) -> str:
        return f"Normal(mean={self.mean:.6g}, sd={self.sd:.6g})"


class MultivariateNormal:
    """A normal distribution of several variables; ``normal[node]`` is that of one of them.

    Parameters
    ----------
    nodes : sequence of nodes
        The names of the variables.
    mean : iterable of floats
        Their means.
    covariance : square array
        Their covariances.

    Attributes
    ----------
    nodes : tuple
        The names of the variables.
    mean, covariance : array
        The means and the covariances; read-only.

    See Also
    --------
    GaussianNet.joint : The distribution of a net.
    Normal : Of one variable.

    Examples
    --------
    >>> from deciban.nets import MultivariateNormal
    >>> both = MultivariateNormal(["height", "weight"], [170, 70], [[100, 60], [60, 64]])
    >>> both["weight"], both.given({"height": 180})["weight"]
    (Normal(mean=70, sd=8), Normal(mean=76, sd=5.2915))
    """

    def __init__(self, nodes: Sequence[Node], mean: Iterable[float], covariance: Iterable[Iterable[float]]) -> None:
        matrix: Floats = np.array(covariance, dtype=np.float64)
        if matrix.shape != (len(nodes), len(nodes)):
            raise InputError(f"{len(nodes)} variables need {len(nodes)} × {len(nodes)} covariances")
        self._hold(nodes, mean, _root_of(matrix), matrix)

    @classmethod
    def of_root(cls, nodes: Sequence[Node], mean: Iterable[float], root: Floats) -> MultivariateNormal:
        """The distribution whose covariance is root·rootᵀ.

        Parameters
        ----------
        nodes : sequence of nodes
            The names of the variables.
        mean : iterable of floats
            Their means.
        root : array
            A row for each variable.

        Returns
        -------
        MultivariateNormal

        Examples
        --------
        >>> import numpy as np
        >>> from deciban.nets import MultivariateNormal
        >>> MultivariateNormal.of_root(
        ...     ["second", "clock"], [0, 0], np.array([[1e8, 0], [1e8, 1]])
        ... ).given({"second": 7})
        MultivariateNormal(second: 7, clock: 7)
        """
        return cls._of(nodes, mean, root, root @ root.T)

    @classmethod
    def _of(cls, nodes: Sequence[Node], mean: Iterable[float], root: Floats, covariance: Floats) -> MultivariateNormal:
        normal = cls.__new__(cls)
        normal._hold(nodes, mean, root, covariance)
        return normal

    def _hold(self, nodes: Sequence[Node], mean: Iterable[float], root: Floats, covariance: Floats) -> None:
        self.nodes = tuple(nodes)
        self.mean: Floats = np.array(mean, dtype=np.float64)
        if self.mean.shape != (len(self.nodes),):
            raise InputError(f"{len(self.nodes)} variables need {len(self.nodes)} means")
        self.covariance, self._root = covariance, root
        self.mean.flags.writeable = self.covariance.flags.writeable = self._root.flags.writeable = False
        self._indices = {node: index for index, node in enumerate(self.nodes)}

    def index(self, node: Node) -> int:
        """The index of a variable in ``nodes``.

        Parameters
        ----------
        node : node
            The name of a variable.

        Returns
        -------
        int
        """
        try:
            return self._indices[node]
        except (KeyError, TypeError):
            known = ", ".join(map(repr, self.nodes[:12])) + (", …" if len(self.nodes) > 12 else "")
            raise UnknownNodeError(f"there is no variable {node!r}; the variables are: {known}") from None

    def __getitem__(self, node: Node) -> Normal:
        index = self.index(node)
        return Normal(float(self.mean[index]), float(self.covariance[index, index]))

    @property
    def correlation(self) -> Floats:
        """The correlations; 0 with constant variables."""
        sd = np.sqrt(np.diag(self.covariance))
        outer = np.outer(sd, sd)
        return np.divide(self.covariance, outer, out=np.eye(len(sd)), where=outer > 0)

    def marginal(self, nodes: Sequence[Node]) -> MultivariateNormal:
        """The distribution of some of the variables.

        Parameters
        ----------
        nodes : sequence of nodes
            Their names, in the order wanted.

        Returns
        -------
        MultivariateNormal
        """
        indices = [self.index(node) for node in nodes]
        covariance = self.covariance[np.ix_(indices, indices)]
        return MultivariateNormal._of(nodes, self.mean[indices], self._root[indices], covariance)

    def given(self, evidence: Numbers) -> MultivariateNormal:
        """The distribution of all variables given some of them, which have variance 0.

            E[t | e] = μ_t + Σ_te·Σ_ee⁻¹·(e − μ_e),        Var[t | e] = Σ_tt − Σ_te·Σ_ee⁻¹·Σ_et

        It is computed without the cancellation of this difference.

        Parameters
        ----------
        evidence : mapping
            Variable → observed number.

        Returns
        -------
        MultivariateNormal

        Raises
        ------
        ImpossibleEvidenceError
            If the observed values cannot occur together.
        """
        seen = [self.index(node) for node in evidence]
        values = np.array([finite_number(node, value) for node, value in evidence.items()])
        gain, left = self.condition(seen)
        row = np.full((1, len(self.nodes)), np.nan)
        row[0, seen] = values
        # −∞ marks a value that contradicts one that others determine; all other values are possible, however far away.
        if np.isneginf(self.log_density(row)[0]):
            shown = ", ".join(f"{node}={value:g}" for node, value in zip(evidence, values, strict=True))
            raise ImpossibleEvidenceError(f"{shown} cannot occur together: one of them determines another value")
        mean = self.mean + gain @ (values - self.mean[seen])
        mean[seen] = values  # exactly, without the rounding of the line above
        return MultivariateNormal.of_root(self.nodes, mean, left)

    def condition(self, seen: Sequence[int]) -> tuple[Floats, Floats]:
        """The regression on some of the variables.

        Parameters
        ----------
        seen : sequence of int
            The indices of the observed variables.

        Returns
        -------
        pair of arrays
            The regression coefficients of all variables on the observed ones, and a root of the conditional covariance.
        """
        # In units of the standard deviations: otherwise the rank would depend on the units of the variables.
        sd = np.linalg.norm(self._root, axis=1)
        scale = np.where(sd > 0, sd, 1.0)
        gain = np.zeros((len(sd), len(seen)))
        basis, triangle, order = scipy.linalg.qr((self._root / scale[:, None])[seen].T, mode="economic", pivoting=True)
        # Pivoting puts the most independent observations first; those after the rank follow from them and say no more.
        rank = int(np.sum(np.abs(np.diag(triangle)) > _CERTAIN))
        basis, chosen = basis[:, :rank], order[:rank]
        along = self._root @ basis
        # Not solve_triangular of SciPy, which takes 100 times as long for a few numbers: it starts threads.
        gain[:, chosen] = np.linalg.solve(triangle[:rank, :rank], along.T).T / scale[seen][chosen]
        left = self._root - along @ basis.T
        # What is left of a variable that the observations determine is rounding error, not a variance.
        certain = np.linalg.norm(left, axis=1) <= _CERTAIN * sd
        certain[seen] = True
        left[certain] = 0.0
        return gain, left

    def log_density(self, rows: Floats) -> Floats:
        """The log density of each row.

        A variable that those before it determine has no density: it is ignored where it agrees with them, and the row's
        density is 0 where it does not.

        Parameters
        ----------
        rows : array, rows × variables
            Numbers in the order of ``nodes``, with NaN for missing values.

        Returns
        -------
        array
            In nats.
        """
        out = np.zeros(len(rows))
        for alike, seen in patterns_of(~np.isnan(rows)):
            deviations = rows[np.ix_(alike, seen)] - self.mean[seen]
            size = np.abs(rows[np.ix_(alike, seen)]).max(axis=0, initial=1.0)
            out[alike] = _log_density(deviations, self._root[seen], size)
        return out

    def sample(self, n: int, *, random_state: int | np.random.Generator | None = None) -> dict[Node, Floats]:
        """Draw rows.

        Parameters
        ----------
        n : int
            The number of rows.
        random_state : int, numpy.random.Generator or None
            The same int gives the same rows.

        Returns
        -------
        dict of arrays
            Variable → a column of n numbers.
        """
        rng = np.random.default_rng(random_state)
        drawn = rng.standard_normal((n, self._root.shape[1])) @ self._root.T
        return dict(zip(self.nodes, (drawn + self.mean).T.copy(), strict=True))

    def __repr__(self) -> str:
        shown = ", ".join(f"{node}: {mean:.6g}" for node, mean in zip(self.nodes[:6], self.mean, strict=False))
        return f"MultivariateNormal({shown}{', …' if len(self.nodes) > 6 else ''})"


def _as_given(values: Floats) -> float | Floats:
    """A float for a number, an array for an array."""
    return float(values) if np.ndim(values) == 0 else values


def check_level(level: float, name: str = "level") -> None:
    """An error if a number is no probability between 0 and 1, or is one of these."""
    if not 0 < level < 1:
        raise ParameterError(f"{name} is a probability between 0 and 1, not {level!r}")


def read_interval(level: Any) -> float:
    """The probability of intervals of answers; an error if it is no probability between 0 and 1, or is one of these."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise ParameterError(f"interval is a probability between 0 and 1, such as 0.95, not {level!r}")
    return float(level)


def finite_number(node: Node, value: object, what: str = "observed value") -> float:
    """The value of a node, as an observation or an action gives it; an error if it is not a finite number."""
    if isinstance(value, str) and (spelled := number_of(value)) is not None:
        return spelled
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # a whole number that no float holds
            number = inf
        if isfinite(number):
            return number
    raise InputError(f"the {what} of {node!r} must be a finite number, not {value!r}")


def _root_of(covariance: Floats) -> Floats:
    """A root of a covariance, without the directions that vary only by rounding errors."""
    # Of the correlations, so that "small" means the same in any units; Cholesky's root would need full rank.
    sd = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.where(sd > 0, sd, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    return scale[:, None] * vectors * np.sqrt(np.where(values > _SINGULAR, values, 0.0))


def _log_density(deviations: Floats, root: Floats, size: Floats) -> Floats:
    """Σ_v log N(x_v | those before v), by taking out of all later variables what each one explains (Gram–Schmidt)."""
    # One pass for all rows: the directions depend on the root alone, and each row's deviations are carried along.
    left, rest = root.copy(), deviations.copy()
    out = np.zeros(len(rest))
    for v, sd in enumerate(np.linalg.norm(root, axis=1)):
        residual_sd = np.linalg.norm(left[v])
        if residual_sd > _CERTAIN * sd:
            direction = left[v] / residual_sd
            score = rest[:, v] / residual_sd
            out -= 0.5 * np.log(2 * np.pi) + np.log(residual_sd) + 0.5 * score**2
            slope = left[v + 1 :] @ direction
            rest[:, v + 1 :] -= np.outer(score, slope)
            left[v + 1 :] -= np.outer(slope, direction)
        else:
            # And 1e-9 of the numbers: rounding errors of large values, beside which the standard deviation may be tiny.
            out[np.abs(rest[:, v]) > _OFF * sd + 1e-9 * size[v]] = -np.inf
    return out


NODES = 48
"""The nodes of a quadrature: from 40 on rounding errors are larger than its own."""

_BEYOND = 80.0
"""Twice the nats by which a density has fallen where it no longer counts: e⁻⁴⁰ is below the rounding of 1."""

_LOG_ROOT_TAU = 0.5 * np.log(2 * np.pi)


def truncated(mean: Floats, sd: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """log P(low < x ≤ high) of N(mean, sd²), and the mean and the variance of x in this interval.

    Where the probability is 0 the mean is the nearest bound and the variance 0.

    >>> log_p, mean, variance = truncated(*map(np.array, (0.0, 1.0, 0.0, np.inf)))
    >>> float(np.exp(log_p).round(6)), float(mean.round(6)), float(variance.round(6))
    (0.5, 0.797885, 0.36338)
    """
    mean, sd, low, high = np.broadcast_arrays(mean, sd, low, high)
    log_p, _, expected, spread = _standardized(mean, sd, low, high)
    is_all = np.isneginf(low) & np.isposinf(high)
    # From the bound where that is the most probable point: far from the mean it has more digits than mean + sd·t₀.
    between = np.where(is_all, mean, np.clip(mean, low, high) + sd * expected)
    return log_p, between, sd * sd * spread


def standardized(
    mean: Floats, sd: Floats, low: Floats, high: Floats, *, n: int = NODES
) -> tuple[Floats, Floats, Floats]:
    """log P(low < x ≤ high) of x = mean + sd·u, and the mean and the variance of u in this interval.

    Where sd is 0, u keeps its mean 0 and variance 1: x says nothing about it.
    """
    log_p, t0, expected, spread = _standardized(*np.broadcast_arrays(mean, sd, low, high), n=n)
    return log_p, np.where(sd > 0, t0 + expected, 0.0), np.where(sd > 0, spread, 1.0)


def _standardized(
    mean: Floats, sd: Floats, low: Floats, high: Floats, *, n: int = NODES
) -> tuple[Floats, Floats, Floats, Floats]:
    """log P, the most probable point t₀, E[u] and Var[u] of the deviations u from it."""
    u, t0, shares = quadrature(mean, sd, low, high, n=n)
    total = shares.sum(axis=-1)
    is_normal = (sd > 0) & (total > 0)
    divisor = np.where(is_normal, total, 1.0)
    expected = (shares * u).sum(axis=-1) / divisor
    spread = (shares * (u - expected[..., None]) ** 2).sum(axis=-1) / divisor
    with np.errstate(divide="ignore", over="ignore"):
        log_p = np.minimum(np.log(total) - t0 * t0 / 2 - _LOG_ROOT_TAU, 0.0)
    # A number that is certain lies in the interval or not; bins hold their upper end.
    certain = np.where((low < mean) & (mean <= high), 0.0, -np.inf)
    is_all = np.isneginf(low) & np.isposinf(high)
    log_p = np.where(is_all, 0.0, np.where(is_normal, log_p, np.where(sd > 0, -np.inf, certain)))
    spread = np.where(is_all, 1.0, np.where(is_normal, spread, 0.0))
    return log_p, t0, np.where(is_normal & ~is_all, expected, 0.0), spread


def log_interval(mean: Floats, sd: Floats, low: Floats, high: Floats) -> Floats:
    """log P(low < x ≤ high) of N(mean, sd²): by the distribution function where its difference keeps its digits.

    >>> float(np.exp(log_interval(*map(np.array, (0.0, 1.0, 0.0, np.inf)))))
    0.5
    """
    mean, sd, low, high = np.broadcast_arrays(mean, sd, low, high)
    scale = np.where(sd > 0, sd, 1.0)
    with np.errstate(over="ignore"):
        alpha, beta = (low - mean) / scale, (high - mean) / scale
    # In the lower tail, where the distribution function has all its digits.
    flips = alpha > -beta
    alpha, beta = np.where(flips, -beta, alpha), np.where(flips, -alpha, beta)
    top = scipy.special.ndtr(beta)
    mass = top - scipy.special.ndtr(alpha)
    is_exact = (sd > 0) & (mass > 0.01 * top) & (top > 1e-290)
    out: Floats = np.array(np.log(np.where(is_exact, mass, 1.0)))
    others = ~is_exact
    if others.any():
        out[others] = standardized(mean[others], sd[others], low[others], high[others])[0]
    return out


@lru_cache(maxsize=64)
def _rule(n: int) -> tuple[Floats, Floats]:
    """The points between 0 and 1 of Gauss and Legendre, and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / weights.sum()


def draw_between(rng: np.random.Generator, mean: Floats, sd: Floats, low: Floats, high: Floats) -> Floats:
    """A number from each N(mean, sd²) between bounds, by the inverse of the distribution function."""
    mean, sd, low, high = np.broadcast_arrays(mean, sd, low, high)
    scale = np.where(sd > 0, sd, 1.0)
    with np.errstate(over="ignore"):
        alpha, beta = (low - mean) / scale, (high - mean) / scale
    # In the lower tail, where quantiles of tiny probabilities have all their digits.
    flips = alpha > 0
    alpha, beta = np.where(flips, -beta, alpha), np.where(flips, -alpha, beta)
    u = rng.random(mean.shape)
    with np.errstate(divide="ignore"):
        logs = np.logaddexp(scipy.special.log_ndtr(alpha) + np.log1p(-u), scipy.special.log_ndtr(beta) + np.log(u))
    z = scipy.special.ndtri_exp(logs)
    drawn = np.clip(mean + sd * np.where(flips, -z, z), low, high)
    return np.where(sd > 0, drawn, mean)


def quadrature(
    mean: Floats, sd: Floats, low: Floats, high: Floats, *, n: int = NODES, breaks: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Nodes u and weights for integrals over N(mean, sd²) between bounds: a last axis of nodes.

    Node u is the point t₀ + u in standard deviations from the mean, t₀ the most probable one in the interval; its
    weight has the factor exp(−u·(u + 2t₀)/2), so that the weights times φ(t₀) sum to the probability of the interval.
    ``breaks`` are points, in standard deviations from the mean, between which the integrand is smooth: a last axis.
    There are n nodes between two of them.
    """
    scale = np.where(sd > 0, sd, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        alpha, beta = (low - mean) / scale, (high - mean) / scale
        t0 = np.clip(0.0, alpha, beta)
        far = ~np.isfinite(t0)
        t0 = np.where(far, 0.0, t0)
        # Solves u·(u + 2|t₀|) = 80 without the difference −|t₀| + √(t₀² + 80).
        reach = _BEYOND / (np.abs(t0) + np.sqrt(t0 * t0 + _BEYOND))
        first = np.where(alpha >= t0, 0.0, np.maximum(alpha - t0, -reach))
        last = np.where(beta <= t0, 0.0, np.minimum(beta - t0, reach))
    last = np.where(far | ~(last > first), first, last)
    nodes, weights = _rule(n)
    if breaks is None:
        width = (last - first)[..., None]
        u, w = first[..., None] + width * nodes, width * weights
    else:
        inner = np.clip(breaks - t0[..., None], first[..., None], last[..., None])
        ends = np.sort(np.concatenate([first[..., None], inner, last[..., None]], axis=-1), axis=-1)
        width = np.diff(ends)[..., None]
        shape = (*ends.shape[:-1], -1)
        u, w = (ends[..., :-1, None] + width * nodes).reshape(shape), (width * weights).reshape(shape)
    return u, t0, w * np.exp(-u * (u + 2 * t0[..., None]) / 2)
