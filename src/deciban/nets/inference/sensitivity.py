"""How an answer depends on the tables: on one entry of them, and on the rows from which all were estimated.

**Sensitivity.** When the entry θ = P(x | u) of a table changes, the other entries of its row change in proportion,

    P(x' | u) = P₀(x' | u) · (1 − θ) / (1 − θ₀),

so that every joint probability is linear in θ and every posterior is a quotient of two linear functions (Laskey,
1995; Castillo, Gutiérrez and Hadi, 1997):

    P(t | e) = f(θ) = (αθ + β) / (γθ + δ),        f′(θ) = (αδ − βγ) / (γθ + δ)²

One elimination per table, with that table left out, gives the four numbers of all its entries. So is the interval of θ
in which the most probable state of the target stays the same (admissible deviation; van der Gaag and Renooij, 2001).

**Intervals.** Given complete rows and a Dirichlet prior, each row of a table has a Dirichlet posterior, independent of
the others (Spiegelhalter and Lauritzen, 1990), with the estimated probabilities m as its means and with S = rows +
pseudo-counts as its size,

    Cov(θ_x, θ_y) = (m_x·[x = y] − m_x·m_y) / (S + 1)

An answer is a function of all tables. To first order (the delta method; Van Allen, Singh, Greiner and Hooper, 2008) its
variance is a sum over the rows u of all tables,

    Var P(t | e) = Σ_u ( Σ_x m_x·d_x² − (Σ_x m_x·d_x)² ) / (S_u + 1),        d_x = ∂P(t | e) / ∂θ_xu

and the derivatives follow from the net with that table left out,

    m_x·d_x = P(t, x, u | e) − P(t | e)·P(x, u | e)

The interval is taken on the logit scale, where the distribution of P(t | e) is closer to normal, so that its ends are
between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from deciban.choices import counted
from deciban.errors import ParameterError
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.elimination import sliced
from deciban.nets.inference.evidence import Findings, Targets
from deciban.nets.inference.normal import read_interval
from deciban.nets.inference.queries import joint, needed_nodes, refuse_impossible, unobserved, unscaled_joint
from deciban.nets.network import Network, State
from deciban.ties import largest_first
from deciban.types import Floats

__all__ = [
    "Entry",
    "Parameter",
    "Sensitivities",
    "Sensitivity",
    "StateQuery",
    "UncertainDistribution",
    "sensitivities",
    "sensitivity_of",
    "uncertain_posterior",
    "without_table",
]

StateQuery: TypeAlias = Mapping[Any, State] | tuple[Node, State]
"""One node and its state, as ``{"rain": "yes"}`` or ``("rain", "yes")``."""

Parameter: TypeAlias = tuple[Node, State] | tuple[Node, State, Mapping[Any, State]]
"""An entry of a table, as ``("wet", "yes", {"rain": "no"})``."""


class Entry(NamedTuple):
    """The entry P(node = state | states of the parents) of a table.

    Attributes
    ----------
    node : node
        The node whose table it is.
    state : state
        Its state.
    given : mapping
        Parent → state.

    See Also
    --------
    Sensitivity : How a posterior depends on the entry.

    Examples
    --------
    >>> from deciban.nets import Entry
    >>> print(Entry("wet", "yes", {"rain": "no"}))
    P(wet=yes | rain=no)
    """

    node: Node
    state: State
    given: Mapping[Node, State]

    def __str__(self) -> str:
        given = ", ".join(f"{parent}={state}" for parent, state in self.given.items())
        return f"P({self.node}={self.state}{' | ' if given else ''}{given})"


@dataclass(frozen=True)
class Sensitivity:
    """A posterior as a function of one entry of a table: ``f(θ) = (αθ + β) / (γθ + δ)``.

    When the entry changes, the other entries of its row change in proportion. Calling it with a value of the entry
    gives the posterior.

    Attributes
    ----------
    entry : Entry
        The entry: its node, its state and the states of the parents.
    value : float
        θ₀, the value of the entry in the net.
    coefficients : tuple of four floats
        α, β, γ and δ, scaled so that γθ₀ + δ = 1.
    interval : pair of floats
        The values of θ for which the most probable state of the target stays the same.

    See Also
    --------
    BayesNet.sensitivity : Returns it for one entry.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> f = net.sensitivity(
    ...     {"rain": "yes"}, {"wet": "yes"}, parameter=("wet", "yes", {"rain": "no"})
    ... )
    >>> f
    Sensitivity(P(wet=yes | rain=no) = 0.1: posterior 0.6667, derivative -2.222, same most probable state in [0, 0.2])
    >>> round(f(0.1), 3), round(f(0.3), 3)
    (0.667, 0.4)
    """

    entry: Entry
    value: float
    coefficients: tuple[float, float, float, float]
    interval: tuple[float, float]

    def __call__(self, theta: float) -> float:
        """The posterior if the entry is ``theta``."""
        alpha, beta, gamma, delta = self.coefficients
        evidence = gamma * theta + delta
        if not 0 <= theta <= 1:
            raise ParameterError(f"theta is a probability between 0 and 1, not {theta!r}")
        if evidence <= 0:
            raise ParameterError(f"the evidence is impossible if {self.entry} = {theta}")
        return (alpha * theta + beta) / evidence

    @property
    def posterior(self) -> float:
        """The posterior in the net as it is."""
        return self(self.value)

    @property
    def derivative(self) -> float:
        """f′(θ₀)."""
        alpha, beta, gamma, delta = self.coefficients
        return (alpha * delta - beta * gamma) / (gamma * self.value + delta) ** 2

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Sensitivity({self.entry} = {self.value:.4g}: posterior {self.posterior:.4g}, derivative "
            f"{self.derivative:+z.4g}, same most probable state in [{low:.4g}, {high:.4g}])"
        )


class Sensitivities(Sequence[Sensitivity]):
    """The sensitivities to all relevant entries: a sequence, the largest derivatives first.

    Parameters
    ----------
    found : sequence of Sensitivity
        The sensitivities, the largest derivatives first.

    See Also
    --------
    BayesNet.sensitivity : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> net.sensitivity({"rain": "yes"}, {"wet": "yes"})
    Sensitivities(3 entries, largest derivative +2.222 of P(wet=no | rain=no))
    """

    def __init__(self, found: Sequence[Sensitivity]) -> None:
        self._found = tuple(found)

    @overload
    def __getitem__(self, which: int) -> Sensitivity: ...
    @overload
    def __getitem__(self, which: slice) -> tuple[Sensitivity, ...]: ...
    def __getitem__(self, which: int | slice) -> Sensitivity | tuple[Sensitivity, ...]:
        return self._found[which]

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        first = f", largest derivative {self[0].derivative:+z.4g} of {self[0].entry}" if self else ""
        return f"Sensitivities({counted(len(self), 'entry', 'entries')}{first})"

    def __str__(self) -> str:
        names = [str(sensitivity.entry) for sensitivity in self._found[:20]]
        wide = max(map(len, names), default=5)
        lines = [f"{'entry':{wide}}  {'value':>8}  {'derivative':>10}  same most probable state"]
        for name, sensitivity in zip(names, self._found, strict=False):
            numbers = f"{sensitivity.value:8.4g}  {sensitivity.derivative:+z10.4g}"
            low, high = sensitivity.interval
            lines.append(f"{name:{wide}}  {numbers}  [{low:.4g}, {high:.4g}]")
        more = [f"… and {len(self) - 20} more"] if len(self) > 20 else []
        return "\n".join([*lines, *more])


def sensitivity_of(
    network: Network, query: StateQuery, findings: Findings, parameter: Parameter | None = None
) -> Sensitivity | Sensitivities:
    """How P(node = state | e) depends on the entries of the tables: see ``BayesNet.sensitivity``."""
    pairs = list(query.items()) if isinstance(query, Mapping) else [query]
    if len(pairs) != 1 or not isinstance(pairs[0], tuple) or len(pairs[0]) != 2:
        raise ParameterError(f'query is one state of one node, such as {{"rain": "yes"}}, not {query!r}')
    node, state = pairs[0]
    (index,), _ = unobserved(network, [node], findings)
    code = network.code(node, state)
    if parameter is not None:
        return _entry_sensitivity(network, index, code, findings, _read_entry(network, parameter))
    # The second of two entries of a row is 1 − θ, so the first is enough: its derivative is that with the other sign.
    relevant = [
        sensitivity
        for (owner, *_, entry_code), sensitivity in sensitivities(network, index, code, findings)
        if entry_code == 0 or network.cards[owner] > 2
    ]
    return Sensitivities(largest_first(relevant, lambda sensitivity: abs(sensitivity.derivative)))


def sensitivities(
    network: Network, target: int, code: int, findings: Findings, nodes: Sequence[int] | None = None
) -> Iterator[tuple[tuple[int, ...], Sensitivity]]:
    """The entries of all relevant tables, each with its position: the node, then the codes of the axes."""
    needed = needed_nodes(network, 1 << target | findings.touched)
    for node in bits(needed) if nodes is None else nodes:
        if needed >> node & 1:
            slopes, posterior = _slopes(network, needed, node, target, findings)
            for position in np.ndindex(network.factors[node].shape):
                value, of_states = float(network.factors[node][position]), slopes[(slice(None), *position)]
                entry = _entry(network, node, position)
                yield (node, *position), _sensitivity(entry, value, of_states, posterior, code)


def _entry_sensitivity(
    network: Network, target: int, code: int, findings: Findings, position: tuple[int, ...]
) -> Sensitivity:
    """The sensitivity to one entry; the posterior is constant if its table is not relevant."""
    for other, sensitivity in sensitivities(network, target, code, findings, position[:1]):
        if other == position:
            return sensitivity
    node, *codes = position
    # The table of a barren node: f(θ) = P(t | e), whatever θ is.
    posterior = joint(network, [target], findings)[code]
    value = float(network.factors[node][tuple(codes)])
    return Sensitivity(_entry(network, node, codes), value, (0.0, float(posterior), 0.0, 1.0), (0.0, 1.0))


def _read_entry(network: Network, parameter: Parameter) -> tuple[int, ...]:
    """The position of an entry that is given as (node, state), or (node, state, {parent: state, …})."""
    if not isinstance(parameter, tuple) or len(parameter) not in (2, 3):
        raise ParameterError(f"a parameter is (node, state, {{parent: state, …}}), not {parameter!r}")
    node, state = parameter[:2]
    given = parameter[2] if len(parameter) == 3 else {}
    index, code = network.dag.index(node), network.code(node, state)
    parents = network.parents[node]
    if not isinstance(given, Mapping) or set(given) != set(parents):
        raise ParameterError(
            f"an entry of the table of {node!r} needs a state for each parent of {parents!r}, not {given!r}"
        )
    return (index, *(network.code(parent, given[parent]) for parent in parents), code)


def _slopes(network: Network, needed: int, node: int, target: int, findings: Findings) -> tuple[Floats, Floats]:
    """The slope of P(t, e) / P(e) in each entry of a table, for each state t; and P(t | e) itself."""
    table = network.factors[node]
    slopes, values = _slopes_and_values(without_table(network, needed, node, target, findings), table)
    total = values.sum()
    if total == 0:
        refuse_impossible(network, findings)
    # Divided by P(e), which also divides out the scale that the elimination took from G.
    return slopes / total, values / total


def without_table(network: Network, needed: int, node: int, target: int, findings: Findings) -> Floats:
    """The sum over the net with one table left out, up to a factor: G(t, x, u), with P(t, e) = Σ G(t, x, u)·P(x | u).

    An axis for the target, then those of the table.
    """
    family = network.families[node]
    keep = [index for index in dict.fromkeys((target, *family)) if index not in findings.codes]
    others = [index for index in bits(needed) if index != node]
    factors = sliced([network.factors[i] for i in others], [network.families[i] for i in others], findings.slices())
    # A kept node may be in no other table; the factor of ones adds its axis.
    ones = sliced([np.ones([network.cards[i] for i in keep])], [keep], {})
    left, _ = unscaled_joint(factors + ones + findings.soft_factors(), network, keep)
    return _spread(network, left, keep, (target, *family), findings)


def _spread(network: Network, left: Floats, keep: Sequence[int], axes: Sequence[int], findings: Findings) -> Floats:
    """G over the target and the family: zero where a node is not in its observed state.

    The target may belong to the family; then G is zero off that diagonal.
    """
    shape = [network.cards[index] for index in axes]
    codes = np.indices(shape, sparse=True)
    # Reversed, so that a target in its own family is read by its first axis.
    code_of = {index: codes[axis] for axis, index in reversed(list(enumerate(axes)))}
    full = np.array(np.broadcast_to(left[tuple(code_of[index] for index in keep)], shape))
    for axis, index in enumerate(axes):
        if index in findings.codes:
            full = np.where(codes[axis] == findings.codes[index], full, 0.0)
        elif axis and index == axes[0]:
            full = np.where(codes[axis] == codes[0], full, 0.0)
    return full


def _slopes_and_values(full: Floats, table: Floats) -> tuple[Floats, Floats]:
    """From G(t, u, x) and P(x | u): the slope in each entry, the rest of its row scaled with it, and Σ G·P."""
    terms = full * table
    row = terms.sum(axis=-1, keepdims=True)
    rest = 1.0 - table
    states = table.shape[-1]
    # If an entry is 1, the others are 0 and have no proportions: they change evenly.
    evenly = (full.sum(axis=-1, keepdims=True) - full) / max(states - 1, 1)
    sure = rest <= 0
    shared = np.where(sure, evenly, (row - terms) / np.where(sure, 1.0, rest))
    slopes = full - shared if states > 1 else np.zeros_like(full)
    return slopes, terms.sum(axis=tuple(range(1, terms.ndim)))


def _sensitivity(entry: Entry, value: float, slopes: Floats, posterior: Floats, code: int) -> Sensitivity:
    """The four numbers and the interval, from the slopes and the values of P(t, e) / P(e) at the entry's own value."""
    starts = posterior - slopes * value  # the lines of P(t, e) at θ = 0, in units of P(e)
    low, high = 0.0, 1.0
    best = int(posterior.argmax())
    for other in range(len(posterior)):
        # (slopes[best] − slopes[other])·θ + (starts[best] − starts[other]) ≥ 0
        slope, start = slopes[best] - slopes[other], starts[best] - starts[other]
        if slope > 0:
            # Never past the value itself, where rounding would leave an interval without the net as it is.
            low = max(low, min(-start / slope, value))
        elif slope < 0:
            high = min(high, max(-start / slope, value))
    four = float(slopes[code]), float(starts[code]), float(slopes.sum()), float(starts.sum())
    return Sensitivity(entry, value, four, (float(low), float(high)))


def _entry(network: Network, node: int, position: Sequence[int]) -> Entry:
    name = network.nodes[node]
    *row, state = position
    parents = network.parents[name]
    given = {parent: network.states[parent][code] for parent, code in zip(parents, row, strict=True)}
    return Entry(name, network.states[name][state], given)


_SHOWN, _IN_LINE = 20, 6


class UncertainDistribution(Distribution):
    """The distribution of one node with an interval for each probability: the answer to ``query(…, interval=0.95)``.

    It is a ``Distribution`` in all else.

    Parameters
    ----------
    node : node
        The name of the node.
    states : iterable
        Its states.
    probabilities : array
        Their probabilities.
    variances : mapping
        Node → the part of the variance of each probability that is due to its table.
    level : float
        The probability of the intervals.

    Attributes
    ----------
    level : float
        The probability of the intervals.
    standard_errors : array
        The standard deviation of each probability, to first order.

    See Also
    --------
    BayesNet.query : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "yes"] * 50, "wet": ["no", "yes", "yes", "yes"] * 25}
    ... )
    >>> rain = net.query("rain", {"wet": "yes"}, interval=0.95)
    >>> rain
    UncertainDistribution(rain: no 0.3377 [0.2412, 0.4498], yes 0.6623 [0.5502, 0.7588])
    >>> low, high = rain.interval("yes")
    >>> round(low, 3), round(high, 3), max(rain.shares("yes"))
    (0.55, 0.759, 'wet')
    """

    def __init__(
        self,
        node: Node,
        states: Iterable[State],
        probabilities: ArrayLike,
        *,
        variances: Mapping[Node, Floats],
        level: float = 0.95,
    ) -> None:
        super().__init__(node, states, probabilities)
        self.level = read_interval(level)
        self._variances = dict(variances)

    @property
    def standard_errors(self) -> Floats:
        """The standard deviation of each probability, to first order."""
        return np.sqrt(sum(self._variances.values(), np.zeros(len(self))))

    def interval(self, state: State, *, level: float | None = None) -> tuple[float, float]:
        """The interval of the probability of a state.

        Parameters
        ----------
        state : state
            A state of the node.
        level : float, optional
            The probability of the interval; that of the question by default.

        Returns
        -------
        pair of floats
            The lower and the upper end. Where the probability does not depend on any estimate, both are the
            probability.
        """
        p = self[state]
        error = float(self.standard_errors[self._code(state)])
        # d logit(p) / dp = 1 / (p·(1 − p)); a probability of 0 or 1 is that for all tables with these zeros.
        if error == 0 or not 0 < p < 1:
            return p, p
        if np.isinf(error):
            return 0.0, 1.0
        half = (
            NormalDist().inv_cdf(0.5 + read_interval(self.level if level is None else level) / 2)
            * error
            / (p * (1 - p))
        )
        centre = np.log(p) - np.log1p(-p)
        low, high = (float(1 / (1 + np.exp(-end))) for end in np.clip((centre - half, centre + half), -700, 700))
        return low, high

    def shares(self, state: State) -> dict[Node, float]:
        """The share of the variance that is due to each table: more rows for the first ones would help most.

        Parameters
        ----------
        state : state
            A state of the node.

        Returns
        -------
        dict
            Node → share, the largest first; the shares sum to 1, and tables without any are left out.
        """
        code = self._code(state)
        parts = {node: float(variance[code]) for node, variance in self._variances.items() if variance[code] > 0}
        if np.inf in parts.values():  # what no row tells outweighs all else
            parts = {node: 1.0 for node, part in parts.items() if np.isinf(part)}
        total = sum(parts.values())
        return {node: parts[node] / total for node in largest_first(list(parts), lambda node: parts[node] / total)}

    def _code(self, state: State) -> int:
        _ = self[state]  # an error that lists the states
        return next(code for code, own in enumerate(self.states) if own == state)

    def _ends(self, state: State) -> str:
        low, high = self.interval(state)
        return f"[{low:.4f}, {high:.4f}]"

    def __repr__(self) -> str:
        shown = ", ".join(f"{state} {self[state]:.4f} {self._ends(state)}" for state in self.states[:_IN_LINE])
        return f"UncertainDistribution({self.node}: {shown}{', …' if len(self) > _IN_LINE else ''})"

    def __str__(self) -> str:
        wide = max((len(str(state)) for state in self.states[:_SHOWN]), default=0)
        rows = [f"{state!s:{wide}}  {self[state]:.4f}  {self._ends(state)}" for state in self.states[:_SHOWN]]
        more = [f"… and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "\n".join([f"{self.node}  ({self.level:.0%} intervals)", *rows, *more])

    def _repr_html_(self) -> str:
        rows = "".join(self._row(state) for state in self.states[:_SHOWN])
        more = f"<tr><td>… and {len(self) - _SHOWN} more</td></tr>" if len(self) > _SHOWN else ""
        head = f"<caption>{escape(str(self.node))} ({self.level:.0%} intervals)</caption>"
        return f"<table>{head}{rows}{more}</table>"

    def _row(self, state: State) -> str:
        """A bar for the probability, and over it a line for the interval, in the colour of the text."""
        p, (low, high) = self[state], self.interval(state)
        bar = f'<div style="width:{100 * p:.1f}%;height:0.8em;background:#2b7bba"></div>'
        place = f"left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"
        line = f'<div style="position:absolute;top:0.35em;{place};border-top:2px solid currentColor"></div>'
        cell = f'<td style="min-width:120px"><div style="position:relative">{bar}{line}</div></td>'
        number = f'<td style="text-align:right">{p:.4f}</td><td>{self._ends(state)}</td>'
        return f"<tr><td>{escape(str(state))}</td>{cell}{number}</tr>"


def uncertain_posterior(
    network: Network, targets: Targets, findings: Findings, sizes: Sequence[Floats], level: float
) -> UncertainDistribution:
    """P(target | e) with intervals; `sizes` are the rows and pseudo-counts behind each row of each table.

    A size of ∞ says that the row is known.
    """
    read_interval(level)
    (target, *more), is_one = unobserved(network, targets, findings)
    if more or not is_one:
        raise ParameterError("an interval is for the answer about one node: ask for each node by itself")
    posterior = joint(network, [target], findings)
    needed = needed_nodes(network, 1 << target | findings.touched)
    variances = {
        network.nodes[node]: _variances(network, needed, node, target, findings, sizes[node]) for node in bits(needed)
    }
    node = network.nodes[target]
    return UncertainDistribution(node, network.states[node], posterior, variances=variances, level=level)


def _variances(network: Network, needed: int, node: int, target: int, findings: Findings, sizes: Floats) -> Floats:
    """For each state of the target the part of the variance that is due to a table."""
    table = network.factors[node]
    joint_of_family = without_table(network, needed, node, target, findings) * table
    joint_of_family /= joint_of_family.sum()
    axes = tuple(range(1, joint_of_family.ndim))
    posterior = joint_of_family.sum(axis=axes, keepdims=True)
    weighted = joint_of_family - posterior * joint_of_family.sum(axis=0, keepdims=True)  # m·d
    squares = np.divide(weighted**2, table, out=np.zeros_like(weighted), where=table > 0).sum(axis=-1)
    spread = np.maximum(squares - weighted.sum(axis=-1) ** 2, 0.0)  # rounding may go below 0
    return np.asarray((spread / (sizes + 1)).reshape(len(spread), -1).sum(axis=1))
