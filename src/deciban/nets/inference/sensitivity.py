"""Sensitivity analysis: how a posterior depends on one entry of a table.

When the entry θ = P(x | u) of a table changes, the other entries of its row change in proportion,

    P(x' | u) = P₀(x' | u) · (1 − θ) / (1 − θ₀),

so that every joint probability is linear in θ and every posterior is a quotient of two linear functions (Laskey,
1995; Castillo, Gutiérrez and Hadi, 1997):

    P(t | e) = f(θ) = (αθ + β) / (γθ + δ),        f′(θ) = (αδ − βγ) / (γθ + δ)²

One elimination per table, with that table left out, gives the four numbers of all its entries. So is the interval of θ
in which the most probable state of the target stays the same (admissible deviation; van der Gaag and Renooij, 2001).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np

from deciban.choices import counted
from deciban.errors import ParameterError
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.elimination import sliced
from deciban.nets.inference.evidence import Findings
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
    "sensitivities",
    "sensitivity_of",
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
