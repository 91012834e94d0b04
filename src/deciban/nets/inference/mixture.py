"""Mixtures of normal distributions: what is known of a number when categories are not known.

    p(x) = Σ_k w_k·N(x; m_k, v_k),    E[x] = Σ_k w_k·m_k,    Var[x] = Σ_k w_k·(v_k + (m_k − E[x])²)

A component with variance 0 is an *atom*: a value of positive probability. After evidence such as x > 3 the components
are normals between bounds.

Many components are merged pair by pair into normals of the same mean and variance (Runnalls, 2007), which keeps the
mean and the variance of the whole. If component k, of weight w_k and variance v_k, ends in one of variance V_k, then

    KL(before ‖ after) ≤ ½ Σ_k w_k·log(V_k / v_k)

since the divergence is convex in both of its arguments; by Pinsker's inequality no probability changes by more than
√(KL / 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from deciban.charts import Axis, Frame, thin
from deciban.choices import counted
from deciban.errors import InputError, UnknownNodeError
from deciban.estimate.drawing import RandomState, read_count
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.distribution import JointDistribution
from deciban.nets.inference.normal import (
    MultivariateNormal,
    Normal,
    NumberDistribution,
    draw_between,
    log_interval,
    truncated,
)
from deciban.nets.network import State
from deciban.types import Floats

__all__ = [
    "COMPONENTS",
    "MixedDistribution",
    "Mixture",
    "MultivariateMixture",
    "as_mixture",
    "density_curve",
    "density_svg",
]

COMPONENTS = 4096
"""The most components of an answer; more are merged."""

_LOG_ROOT_TAU = 0.5 * np.log(2 * np.pi)


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(NumberDistribution):
    """A mixture of normal distributions of one variable.

        p(x) = Σ_k w_k·N(x; m_k, v_k)

    Parameters
    ----------
    weights : array
        The probabilities of the components; they are divided by their sum.
    means, variances : array
        The mean and the variance of each component; a component with variance 0 is an atom, a value of positive
        probability.
    lower, upper : array, optional
        Bounds of each component, whose normal distribution is restricted to lower < x ≤ upper.
    divergence : float
        If components were merged, a bound of the Kullback–Leibler divergence in nats from the full mixture to this one;
        no probability differs by more than √(divergence / 2).

    See Also
    --------
    BayesNet.query : Returns it.
    Normal : A single component.

    Examples
    --------
    >>> from deciban.nets import Mixture
    >>> height = Mixture([0.5, 0.5], [165.0, 178.0], [40.0, 50.0])
    >>> height
    Mixture(mean=171.5, sd=9.34077, 2 components)
    >>> round(height.sf(180), 4), round(height.quantile(0.9), 2)
    (0.1988, 183.99)
    """

    weights: Floats
    means: Floats
    variances: Floats
    lower: Floats = field(default_factory=lambda: np.full(1, -np.inf))
    upper: Floats = field(default_factory=lambda: np.full(1, np.inf))
    divergence: float = 0.0

    def __post_init__(self) -> None:
        weights, means = _numbers(self.weights, "weights"), _numbers(self.means, "means")
        arrays = {"weights": weights, "means": means, "variances": _numbers(self.variances, "variances")}
        for name in ("lower", "upper"):
            given: Floats = np.array(getattr(self, name), dtype=np.float64).reshape(-1)
            arrays[name] = np.broadcast_to(given, means.shape) if len(given) == 1 else given
        if len({array.shape for array in arrays.values()}) > 1:
            raise InputError(f"a mixture of {len(weights)} components needs as many means, variances and bounds")
        if (weights < 0).any() or not weights.sum() > 0 or (arrays["variances"] < 0).any():
            raise InputError("the weights of a mixture are not negative, and not all 0; its variances are not negative")
        kept = weights > 0
        arrays["weights"] = weights / weights.sum()
        for name, array in arrays.items():
            read = array[kept]
            read.flags.writeable = False
            object.__setattr__(self, name, read)
        if np.isneginf(self._restricted[0]).any():
            raise InputError("a component of the mixture has no probability between its bounds")

    @property
    def mean(self) -> float:
        """E[x] = Σ w·m."""
        means = self._restricted[1]
        # Around the first: large means that are nearly equal would lose digits in the sum.
        return float(means[0] + self.weights @ (means - means[0]))

    @property
    def variance(self) -> float:
        """Var[x] = Σ w·(v + (m − E[x])²)."""
        _, means, variances = self._restricted
        return float(self.weights @ (variances + (means - self.mean) ** 2))

    @property
    def components(self) -> tuple[tuple[float, Normal], ...]:
        """The weight of each component, and a normal distribution with its mean and variance."""
        _, means, variances = self._restricted
        rows = zip(self.weights.tolist(), means.tolist(), variances.tolist(), strict=True)
        return tuple((weight, Normal(mean, variance)) for weight, mean, variance in rows)

    def merged(self, most: int) -> Mixture:
        """The mixture with at most so many components, and the same mean and variance.

        The most similar neighbours are merged first; ``divergence`` bounds how much the distribution changes. Atoms at
        different values are not merged while there is anything else to merge.

        Parameters
        ----------
        most : int
            The most components, at least 1.

        Returns
        -------
        Mixture

        Examples
        --------
        >>> from deciban.nets import Mixture
        >>> merged = Mixture([0.5, 0.25, 0.25], [0.0, 9.0, 9.1], [1.0, 1.0, 1.0]).merged(2)
        >>> merged, round(merged.divergence, 5)
        (Mixture(mean=4.525, sd=4.63431, 2 components), 0.00062)
        """
        if read_count(most, "most", 1) >= len(self.weights):
            return self
        _, means, variances = self._restricted
        order = np.lexsort((variances, means))
        weights, means, variances = self.weights[order], means[order], variances[order]
        spent = self._lost_as_normals[order] * weights
        while len(weights) > most:
            weights, means, variances, spent = _merge_neighbours(weights, means, variances, spent, most)
        return Mixture(weights, means, variances, divergence=self.divergence + float(spent.sum()))

    def to_frame(self, backend: str = "pandas") -> Any:
        """The components as a frame.

        Parameters
        ----------
        backend : str
            "pandas", "polars", "pyarrow" or another library that narwhals knows.

        Returns
        -------
        frame
            The weight, the mean and the standard deviation of each component.
        """
        from deciban.read.frame import make_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

        _, means, variances = self._restricted
        return make_frame({"weight": self.weights, "mean": means, "sd": np.sqrt(variances)}, backend)

    def to_svg(self) -> str:
        return density_svg(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mixture):
            return NotImplemented
        return self.divergence == other.divergence and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("weights", "means", "variances", "lower", "upper")
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = f"mean={self.mean:.6g}, sd={self.sd:.6g}, {counted(len(self.weights), 'component')}"
        return f"Mixture({shown})"

    @cached_property
    def _is_bounded(self) -> bool:
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    @cached_property
    def _restricted(self) -> tuple[Floats, Floats, Floats]:
        """Of each component log P(between its bounds), and the mean and variance there."""
        if not self._is_bounded:
            return np.zeros(len(self.means)), self.means, self.variances
        return truncated(self.means, np.sqrt(self.variances), self.lower, self.upper)

    @property
    def _lost_as_normals(self) -> Floats:
        """KL(component ‖ the normal of its mean and variance): 0 but for components between bounds."""
        log_p, means, variances = self._restricted
        out = np.zeros(len(means))
        at = np.flatnonzero((variances > 0) & (np.isfinite(self.lower) | np.isfinite(self.upper)))
        square = (variances[at] + (means[at] - self.means[at]) ** 2) / self.variances[at]
        out[at] = 0.5 * (1 - square + np.log(variances[at] / self.variances[at])) - log_p[at]
        return np.maximum(out, 0.0)

    def _moments(self) -> tuple[float, float]:
        return self.mean, self.variance

    def _density(self, x: Floats) -> Floats:
        x, sd = x[..., None], np.sqrt(self.variances)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = (x - self.means) / sd
            logs = -0.5 * z * z - np.log(sd) - _LOG_ROOT_TAU - self._restricted[0]
            inside = (self.lower < x) & (x <= self.upper)
            each = np.where(sd > 0, np.where(inside, np.exp(logs), 0.0), np.where(x == self.means, np.inf, 0.0))
        return np.asarray((each * self.weights).sum(axis=-1))

    def _below(self, x: Floats) -> Floats:
        x = x[..., None]
        if self._is_bounded:
            log_p = log_interval(self.means, np.sqrt(self.variances), self.lower, np.clip(x, self.lower, self.upper))
            each = np.where(x > self.lower, np.exp(np.minimum(log_p - self._restricted[0], 0.0)), 0.0)
        else:
            each = _normal_below(x - self.means, self.variances)
        return np.asarray((self.weights * each).sum(axis=-1))

    def _above(self, x: Floats) -> Floats:
        x = x[..., None]
        if self._is_bounded:
            log_p = log_interval(self.means, np.sqrt(self.variances), np.clip(x, self.lower, self.upper), self.upper)
            each = np.where(x < self.upper, np.exp(np.minimum(log_p - self._restricted[0], 0.0)), 0.0)
        else:  # an atom at x is not above x, so the sides differ by more than a sign
            each = np.where(self.variances > 0, _normal_below(self.means - x, self.variances), 1.0 * (self.means > x))
        return np.asarray((self.weights * each).sum(axis=-1))

    def _quantile(self, p: float) -> float:
        # From the nearer end: 1 − P(X ≤ x) would have no digits in the upper tail.
        def reached(x: float) -> bool:
            return self.cdf(x) >= p if p <= 0.5 else self.sf(x) <= 1 - p

        low, high = self._bracket(p)
        if reached(low):
            return low
        while True:
            middle = low + (high - low) / 2
            if not low < middle < high:  # neighbours among the doubles
                return high
            low, high = (low, middle) if reached(middle) else (middle, high)

    def _drawn(self, n: int, rng: np.random.Generator) -> Floats:
        which = rng.choice(len(self.weights), size=n, p=self.weights)
        mean, sd = self.means[which], np.sqrt(self.variances[which])
        if not self._is_bounded:
            return np.asarray(mean + sd * rng.standard_normal(n))
        return draw_between(rng, mean, sd, self.lower[which], self.upper[which])

    def _bracket(self, p: float) -> tuple[float, float]:
        """Two numbers between which the quantile lies."""
        sd = np.sqrt(self.variances)
        if not self._is_bounded:
            quantiles = self.means + sd * scipy.special.ndtri(p)
            return float(quantiles.min()), float(quantiles.max())
        # A tail beyond a bound falls at least as fast as that beyond the mean: 40 sd hold all but e⁻⁸⁰⁰.
        start = np.clip(self.means, self.lower, self.upper)
        ends = np.maximum(self.lower, start - 40 * sd), np.minimum(self.upper, start + 40 * sd)
        return float(ends[0].min()), float(ends[1].max())


class MultivariateMixture:
    """A mixture of normal distributions of several variables; ``mixture[node]`` is that of one of them.

    Parameters
    ----------
    weights : array
        The probabilities of the components; they are divided by their sum.
    normals : sequence of MultivariateNormal
        The components, of the same variables in the same order.

    Attributes
    ----------
    nodes : tuple
        The names of the variables.
    weights : array
        The probabilities of the components.
    normals : tuple
        The components.

    See Also
    --------
    Mixture : Of one variable.

    Examples
    --------
    >>> from deciban.nets import MultivariateMixture, MultivariateNormal
    >>> low = MultivariateNormal(["height", "weight"], [165, 60], [[40, 20], [20, 50]])
    >>> high = MultivariateNormal(["height", "weight"], [178, 80], [[50, 30], [30, 60]])
    >>> both = MultivariateMixture([0.5, 0.5], [low, high])
    >>> both["height"], both.covariance.round(2).tolist()
    (Mixture(mean=171.5, sd=9.34077, 2 components), [[87.25, 90.0], [90.0, 155.0]])
    """

    def __init__(self, weights: ArrayLike, normals: Sequence[MultivariateNormal]) -> None:
        self.normals = tuple(normals)
        read = _numbers(weights, "weights")
        if len(read) != len(self.normals) or (read < 0).any() or not read.sum() > 0:
            raise InputError(
                f"a mixture of {len(self.normals)} normals needs as many weights, not negative and not all 0"
            )
        if len({normal.nodes for normal in self.normals}) > 1:
            raise InputError("the components of a mixture have the same variables in the same order")
        self.weights: Floats = read / read.sum()
        self.weights.flags.writeable = False
        self.nodes = self.normals[0].nodes

    @property
    def mean(self) -> Floats:
        """The means, in the order of ``nodes``."""
        means = np.array([normal.mean for normal in self.normals])
        return means[0] + self.weights @ (means - means[0])

    @property
    def covariance(self) -> Floats:
        """The covariances: their mean over the components, and the covariance of the means."""
        deviations = np.array([normal.mean for normal in self.normals]) - self.mean
        within = sum(w * normal.covariance for w, normal in zip(self.weights, self.normals, strict=True))
        return np.asarray(within + (deviations * self.weights[:, None]).T @ deviations)

    def __getitem__(self, node: Node) -> Mixture:
        index = self.normals[0].index(node)
        means = [normal.mean[index] for normal in self.normals]
        return Mixture(self.weights, np.array(means), np.array([n.covariance[index, index] for n in self.normals]))

    def marginal(self, nodes: Sequence[Node]) -> MultivariateMixture:
        """The distribution of some of the variables.

        Parameters
        ----------
        nodes : sequence of nodes
            Their names, in the order wanted.

        Returns
        -------
        MultivariateMixture
        """
        return MultivariateMixture(self.weights, [normal.marginal(nodes) for normal in self.normals])

    def sample(self, n: int, *, random_state: RandomState = None) -> dict[Node, Floats]:
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
        which = rng.choice(len(self.weights), size=read_count(n, "n", 0), p=self.weights)
        out = {node: np.empty(n) for node in self.nodes}
        for index in np.unique(which):
            rows = np.flatnonzero(which == index)
            for node, column in self.normals[index].sample(len(rows), random_state=rng).items():
                out[node][rows] = column
        return out

    def __repr__(self) -> str:
        means = ", ".join(f"{node}: {mean:.6g}" for node, mean in zip(self.nodes[:6], self.mean, strict=False))
        more = ", …" if len(self.nodes) > 6 else ""
        return f"MultivariateMixture({means}{more}; {counted(len(self.normals), 'component')})"


class MixedDistribution(Mapping[tuple[State, ...], MultivariateMixture]):
    """The joint distribution of categories and numbers: a mapping from states to the distribution of the numbers.

    Parameters
    ----------
    probabilities : JointDistribution
        The distribution of the categories.
    mixtures : mapping
        A tuple of states, one for each category → the distribution of the numbers given these states. States that are
        impossible are left out.

    Attributes
    ----------
    probabilities : JointDistribution
        The distribution of the categories.
    categories, numbers : tuple
        The nodes of each kind.

    See Also
    --------
    BayesNet.query : Returns it for categories and numbers together.

    Examples
    --------
    >>> from deciban.nets import (
    ...     JointDistribution,
    ...     MixedDistribution,
    ...     MultivariateMixture,
    ...     MultivariateNormal,
    ... )
    >>> sex = JointDistribution(["sex"], [("f", "m")], [0.5, 0.5])
    >>> height = {
    ...     ("f",): MultivariateMixture([1], [MultivariateNormal(["height"], [165], [[40]])]),
    ...     ("m",): MultivariateMixture([1], [MultivariateNormal(["height"], [178], [[50]])]),
    ... }
    >>> both = MixedDistribution(sex, height)
    >>> both
    MixedDistribution(sex, height: 2 configurations)
    >>> both["m",]["height"].mean, both.marginal("height"), both.marginal("sex")["f"]
    (178.0, Mixture(mean=171.5, sd=9.34077, 2 components), 0.5)
    """

    def __init__(
        self, probabilities: JointDistribution, mixtures: Mapping[tuple[State, ...], MultivariateMixture]
    ) -> None:
        self.probabilities = probabilities
        self._mixtures = dict(mixtures)
        self.categories = probabilities.nodes
        self.numbers = next(iter(self._mixtures.values())).nodes

    def __getitem__(self, states: tuple[State, ...]) -> MultivariateMixture:
        if states in self._mixtures:
            return self._mixtures[states]
        if not self.probabilities[states] > 0:  # an error for states that there are not
            raise KeyError(f"{states!r} has probability 0")
        raise KeyError(states)

    def __iter__(self) -> Iterator[tuple[State, ...]]:
        return iter(self._mixtures)

    def __len__(self) -> int:
        return len(self._mixtures)

    def marginal(self, x: Node | Sequence[Node]) -> Any:
        """The distribution of one of the nodes, or the joint distribution of some of them.

        Parameters
        ----------
        x : node or sequence of nodes
            The node, or several in the order wanted.

        Returns
        -------
        Distribution, JointDistribution, Mixture, MultivariateMixture or MixedDistribution
            That of its kind.
        """
        if x in self.categories:
            return self.probabilities.marginal(x)
        if x in self.numbers:
            return self._of_numbers([x])[x]
        nodes = () if isinstance(x, str) or not isinstance(x, Sequence) else tuple(x)
        for node in nodes or (x,):
            if node not in (*self.categories, *self.numbers) or not nodes:
                raise UnknownNodeError(
                    f"there is no node {node!r}; the nodes are {(*self.categories, *self.numbers)!r}"
                )
        categories = [node for node in nodes if node in self.categories]
        numbers = [node for node in nodes if node in self.numbers]
        if not numbers:
            return self.probabilities.marginal(categories)
        if not categories:
            return self._of_numbers(numbers)
        return self._of_both(categories, numbers)

    def _of_numbers(self, numbers: Sequence[Node]) -> MultivariateMixture:
        return _mixed([(self.probabilities[states], one.marginal(numbers)) for states, one in self.items()])

    def _of_both(self, categories: Sequence[Node], numbers: Sequence[Node]) -> MixedDistribution:
        axes = [self.categories.index(node) for node in categories]
        parts: dict[tuple[State, ...], list[tuple[float, MultivariateMixture]]] = {}
        for states, mixture in self.items():
            kept = tuple(states[axis] for axis in axes)
            parts.setdefault(kept, []).append((self.probabilities[states], mixture.marginal(numbers)))
        table = self.probabilities.marginal(list(categories))
        return MixedDistribution(table, {states: _mixed(of_states) for states, of_states in parts.items()})

    def __repr__(self) -> str:
        nodes = ", ".join(map(str, (*self.categories, *self.numbers)))
        return f"MixedDistribution({nodes}: {counted(len(self), 'configuration')})"


def _mixed(parts: Sequence[tuple[float, MultivariateMixture]]) -> MultivariateMixture:
    weights = np.concatenate([p * mixture.weights for p, mixture in parts])
    return MultivariateMixture(weights, [normal for _, mixture in parts for normal in mixture.normals])


def as_mixture(distribution: Mixture | Normal) -> Mixture:
    """A normal distribution as a mixture of one component."""
    if isinstance(distribution, Mixture):
        return distribution
    return Mixture(np.ones(1), np.array([distribution.mean]), np.array([distribution.variance]))


def density_svg(mixture: Mixture) -> str:
    """The density as a picture, and atoms as vertical lines."""
    atoms: dict[float, float] = {}
    for weight, mean in zip(
        mixture.weights[mixture.variances == 0], mixture.means[mixture.variances == 0], strict=True
    ):
        atoms[float(mean)] = atoms.get(float(mean), 0.0) + float(weight)
    low, high = mixture.quantile(0.0005), mixture.quantile(0.9995)
    margin = 0.04 * (high - low) or max(abs(high), 1.0) * 0.1
    low, high = low - margin, high + margin
    x, density = density_curve(mixture, low, high)
    peak = float(density.max(initial=0.0)) or 1.0
    frame = Frame(
        Axis("value", low, high),
        Axis("density" if len(x) else "probability", 0.0, 1.0 if not len(x) else peak * 1.05),
        320.0,
        200.0,
    )
    if len(x):
        points = thin(x, density)
        frame.area(points)
        frame.line(points)
    tallest = max(atoms.values(), default=1.0)
    for value, p in atoms.items():
        # Beside a density, in proportion to the most probable one, since a probability is no density.
        frame.whisker(value, 0.0, p if not len(x) else p / tallest * peak)
    described = f"Mean {mixture.mean:.6g}, standard deviation {mixture.sd:.6g}"
    return frame.svg(f"Density: mean {mixture.mean:.4g}, sd {mixture.sd:.4g}", described, is_alone=True)


def density_curve(mixture: Mixture, low: float, high: float) -> tuple[Floats, Floats]:
    """The density at the points of a line: evenly, and around the means and bounds of the components."""
    is_normal = mixture.variances > 0
    if not is_normal.any():
        return np.empty(0), np.empty(0)
    # The even points show what is wide.
    is_narrow = is_normal & (np.sqrt(mixture.variances) < (high - low) / 20)
    shown = np.flatnonzero(is_narrow)[np.argsort(-mixture.weights[is_narrow], kind="stable")[:32]]
    around = np.linspace(-4, 4, 25)
    means, sd = mixture.means[shown], np.sqrt(mixture.variances[shown])
    ends = np.unique(np.concatenate([mixture.lower, mixture.upper]))
    ends = ends[np.isfinite(ends)][:64]
    near = (means[:, None] + sd[:, None] * around).ravel()
    x = np.concatenate([np.linspace(low, high, 161), near, ends, np.nextafter(ends, np.inf)])
    x = np.unique(x[(low <= x) & (x <= high)])
    normals = Mixture(
        mixture.weights[is_normal],
        mixture.means[is_normal],
        mixture.variances[is_normal],
        mixture.lower[is_normal],
        mixture.upper[is_normal],
    )
    return x, normals.pdf(x) * mixture.weights[is_normal].sum()


def _merge_neighbours(
    weights: Floats, means: Floats, variances: Floats, spent: Floats, most: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """One round: of neighbours that are cheaper to merge than those beside them, the cheapest, as many as needed."""
    w, m, v = weights[:-1] + weights[1:], means, variances
    share = weights[1:] / w
    mean = m[:-1] + share * (m[1:] - m[:-1])
    variance = (1 - share) * v[:-1] + share * v[1:] + share * (1 - share) * (m[1:] - m[:-1]) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(v)
        cost = 0.5 * (w * np.log(variance) - weights[:-1] * logs[:-1] - weights[1:] * logs[1:])
    cost = np.where(variance > 0, cost, 0.0)  # equal atoms
    # Runnalls' cost; ties by the order of the means. Two infinite costs are compared by how far the atoms are apart.
    order = np.lexsort((np.arange(len(cost)), variance, cost))
    rank = np.empty(len(cost), dtype=np.int64)
    rank[order] = np.arange(len(cost))
    padded = np.concatenate([[len(cost)], rank, [len(cost)]])
    is_least = (rank < padded[:-2]) & (rank < padded[2:])
    pairs = order[is_least[order]][: len(weights) - most]
    first = np.sort(pairs)
    kept = np.ones(len(weights), dtype=bool)
    kept[first + 1] = False
    out = [array.copy() for array in (weights, means, variances, spent)]
    out[0][first], out[1][first], out[2][first] = w[first], mean[first], variance[first]
    out[3][first] = spent[first] + spent[first + 1] + np.maximum(cost[first], 0.0)
    merged = [array[kept] for array in out]
    resort = np.argsort(merged[1], kind="stable")
    return merged[0][resort], merged[1][resort], merged[2][resort], merged[3][resort]


def _normal_below(distance: Floats, variances: Floats) -> Floats:
    """P(X ≤ mean + distance); of an atom 1 from its value on."""
    sd = np.sqrt(variances)
    below = scipy.special.ndtr(np.divide(distance, sd, out=np.zeros(np.broadcast(distance, sd).shape), where=sd > 0))
    return np.where(sd > 0, below, 1.0 * (distance >= 0))


def _numbers(values: ArrayLike, what: str) -> Floats:
    try:
        read: Floats = np.array(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise InputError(f"the {what} of a mixture are numbers, not {values!r}") from None
    if not len(read) or not np.isfinite(read).all():
        raise InputError(f"the {what} of a mixture are finite numbers, one for each component")
    return read
