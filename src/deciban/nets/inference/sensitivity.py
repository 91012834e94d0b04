"""How much an answer hangs on one number of a table.

When the entry θ = P(x | u) of a table changes, the other entries of its row must change with it; in proportion,

    P(x' | u) = P₀(x' | u) · (1 − θ) / (1 − θ₀),

so that every probability of the net is a straight line in θ and every posterior a quotient of two of them (Laskey,
1995; Castillo, Gutiérrez and Hadi, 1997):

    P(t | e) = f(θ) = (αθ + β) / (γθ + δ),        f′(θ) = (αδ − βγ) / (γθ + δ)²

One elimination a table, with that table left out, gives the four numbers of all its entries. An interval of θ is found,
too, within which the most likely state of the target stays the same (admissible deviation; van der Gaag and Renooij,
2001).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.bits import bits
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.queries import joint, refuse_impossible, unscaled_joint
from deciban.nets.inference.trees.factor import sliced
from deciban.nets.inference.trees.pruning import needed_nodes
from deciban.nets.network import Network, State
from deciban.types import Floats

__all__ = ["Entry", "Sensitivities", "Sensitivity", "influence_of", "influences", "read_entry"]


class Entry(NamedTuple):
    """P(node = state | parents as given)."""

    node: Node
    state: State
    given: Mapping[Node, State]

    def __str__(self) -> str:
        held = ", ".join(f"{parent}={state}" for parent, state in self.given.items())
        return f"P({self.node}={self.state}{' | ' if held else ''}{held})"


@dataclass(frozen=True)
class Sensitivity:
    """An answer as a function of one entry: ``f(θ) = (αθ + β) / (γθ + δ)``, scaled so that γθ₀ + δ = 1.

    ``value`` is θ₀, the entry's own value; ``interval`` the values of θ for which the target's most likely state stays.
    """

    entry: Entry
    value: float
    coefficients: tuple[float, float, float, float]
    interval: tuple[float, float]

    def __call__(self, theta: float) -> float:
        """The answer where the entry is ``theta``."""
        alpha, beta, gamma, delta = self.coefficients
        below = gamma * theta + delta
        if not 0 <= theta <= 1:
            raise ParameterError(f"a probability lies between 0 and 1, not at {theta!r}")
        if below <= 0:
            raise ParameterError(f"the evidence is impossible where {self.entry} = {theta}")
        return (alpha * theta + beta) / below

    @property
    def answer(self) -> float:
        """The answer as the net is."""
        return self(self.value)

    @property
    def derivative(self) -> float:
        """f′(θ₀)."""
        alpha, beta, gamma, delta = self.coefficients
        return (alpha * delta - beta * gamma) / (gamma * self.value + delta) ** 2

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"{self.entry} = {self.value:.4g}: the answer {self.answer:.4g} moves by {self.derivative:+.4g} per unit, "
            f"the most likely state stays for values in [{low:.4g}, {high:.4g}]"
        )


class Sensitivities(Sequence[Sensitivity]):
    """Entries, the most influential first."""

    def __init__(self, found: Sequence[Sensitivity]) -> None:
        self._found = tuple(found)

    def __getitem__(self, which: Any) -> Any:
        return self._found[which]

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        names = [str(found.entry) for found in self._found[:20]]
        wide = max(map(len, names), default=5)
        lines = [f"{'entry':{wide}}  {'value':>8}  {'derivative':>10}  most likely state stays"]
        for name, found in zip(names, self._found, strict=False):
            low, high = found.interval
            lines.append(f"{name:{wide}}  {found.value:8.4g}  {found.derivative:+10.4g}  [{low:.4g}, {high:.4g}]")
        more = [f"… and {len(self) - 20} more"] if len(self) > 20 else []
        return "\n".join([*lines, *more])


def influences(
    network: Network, target: int, code: int, findings: Findings, nodes: Sequence[int] | None = None
) -> Iterator[tuple[tuple[int, ...], Sensitivity]]:
    """Each entry of the tables that matter, by its place in its table: the node, then the codes of the axes."""
    needed = needed_nodes(network, 1 << target | findings.touched)
    for node in bits(needed) if nodes is None else nodes:
        if needed >> node & 1:
            slopes, at = _slopes(network, needed, node, target, findings)
            for where in np.ndindex(network.factors[node].shape):
                value, rises = float(network.factors[node][where]), slopes[(slice(None), *where)]
                yield (node, *where), _sensitivity(_entry(network, node, where), value, rises, at, code)


def influence_of(network: Network, target: int, code: int, findings: Findings, where: tuple[int, ...]) -> Sensitivity:
    """The sensitivity to one entry; of a table that does not matter, the answer is a constant."""
    for place, found in influences(network, target, code, findings, where[:1]):
        if place == where:
            return found
    node, *codes = where
    answer = joint(network, [target], findings)[code]
    value = float(network.factors[node][tuple(codes)])
    return Sensitivity(_entry(network, node, codes), value, (0.0, float(answer), 0.0, 1.0), (0.0, 1.0))


def read_entry(network: Network, parameter: Any) -> tuple[int, ...]:
    """The place of an entry: (node, state), or (node, state, {parent: state, …})."""
    if not isinstance(parameter, tuple) or len(parameter) not in (2, 3):
        raise ParameterError(f"a parameter is (node, state, {{parent: state, …}}), not {parameter!r}")
    node, state, given = (*parameter, {})[:3]
    place, own = network.dag.index(node), network.code(node, state)
    parents = network.parents[node]
    if not isinstance(given, Mapping) or set(given) != set(parents):
        raise ParameterError(
            f"an entry of the table of {node!r} needs a state for each parent of {parents!r}, not {given!r}"
        )
    return (place, *(network.code(parent, given[parent]) for parent in parents), own)


def _slopes(network: Network, needed: int, node: int, target: int, findings: Findings) -> tuple[Floats, Floats]:
    """How P(t, e) / P(e) rises with each entry of a table, for each state t; and P(t | e) itself.

    With the table left out, elimination gives G(t, x, u) with P(t, e) = Σ G(t, x, u)·P(x | u).
    """
    family, table = network.families[node], network.factors[node]
    keep = [place for place in dict.fromkeys((target, *family)) if place not in findings.codes]
    others = [place for place in bits(needed) if place != node]
    factors = sliced([network.factors[at] for at in others], [network.families[at] for at in others], findings.slices())
    # A node of the kept ones may be in no other table: a factor of ones holds its place.
    ones = sliced([np.ones([network.cards[at] for at in keep])], [keep], {})
    left, _ = unscaled_joint(factors + ones + findings.soft_factors(), network, keep)
    slopes, at = _rises(_spread(network, left, keep, (target, *family), findings), table)
    total = at.sum()
    if total == 0:
        refuse_impossible(network, findings)
    return slopes / total, at / total


def _spread(network: Network, left: Floats, keep: Sequence[int], axes: Sequence[int], findings: Findings) -> Floats:
    """G over the target and the family: zero where a node is not in the state that was observed.

    The target may be of the family itself; then G is zero off that diagonal.
    """
    shape = [network.cards[place] for place in axes]
    codes = np.indices(shape, sparse=True)
    own = {place: codes[axis] for axis, place in reversed(list(enumerate(axes)))}
    full = np.array(np.broadcast_to(left[tuple(own[place] for place in keep)], shape))
    for axis, place in enumerate(axes):
        if place in findings.codes:
            full = np.where(codes[axis] == findings.codes[place], full, 0.0)
        elif axis and place == axes[0]:
            full = np.where(codes[axis] == codes[0], full, 0.0)
    return full


def _rises(full: Floats, table: Floats) -> tuple[Floats, Floats]:
    """From G(t, u, x) and P(x | u): the slopes in each entry where the rest of its row goes along, and Σ G·P."""
    terms = full * table
    row = terms.sum(axis=-1, keepdims=True)
    rest = 1.0 - table
    states = table.shape[-1]
    # Where an entry is 1 the others are 0 and have no proportions: what it loses is shared out evenly.
    evenly = (full.sum(axis=-1, keepdims=True) - full) / max(states - 1, 1)
    sure = rest <= 0
    shared = np.where(sure, evenly, (row - terms) / np.where(sure, 1.0, rest))
    slopes = full - shared if states > 1 else np.zeros_like(full)
    return slopes, terms.sum(axis=tuple(range(1, terms.ndim)))


def _sensitivity(entry: Entry, value: float, rises: Floats, at: Floats, code: int) -> Sensitivity:
    """The four numbers and the interval, from the slopes and the values of P(t, e) / P(e) at the entry's own value."""
    starts = at - rises * value
    low, high = 0.0, 1.0
    best = int(at.argmax())
    for other in range(len(at)):
        # (rises[best] − rises[other])·θ + (starts[best] − starts[other]) ≥ 0
        slope, start = rises[best] - rises[other], starts[best] - starts[other]
        if slope > 0:
            low = max(low, min(-start / slope, value))
        elif slope < 0:
            high = min(high, max(-start / slope, value))
    four = float(rises[code]), float(starts[code]), float(rises.sum()), float(starts.sum())
    return Sensitivity(entry, value, four, (float(low), float(high)))


def _entry(network: Network, node: int, where: Sequence[int]) -> Entry:
    name = network.nodes[node]
    *row, own = where
    parents = network.parents[name]
    given = {parent: network.states[parent][code] for parent, code in zip(parents, row, strict=True)}
    return Entry(name, network.states[name][own], given)
