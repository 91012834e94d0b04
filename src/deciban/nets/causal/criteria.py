"""Criteria of the graph by which an effect can be estimated: adjustment sets, front doors, instruments.

**Adjustment sets** are covariates Z with which the effect follows from observations.

  P(y | do(x)) = Σ_z P(y | x, z) P(z)

holds in every model of the graph if and only if Z contains no descendant of a node other than x on a causal path from x
to y, and blocks every non-causal path from x to y: the adjustment criterion (Shpitser,
VanderWeele and Robins, 2010; Perković, Textor, Kalisch and Maathuis, 2018), which finds all that Pearl's back-door
criterion (1993) finds, and more. In the *proper back-door graph*, which lacks the first arrows of the
causal paths, it is d-separation, so the minimal sets are the minimal separators of a moral graph and can be listed
one after another (van der Zander, Liśkiewicz and Textor, 2019). Of all valid sets

  O = parents of the causal nodes, without the forbidden nodes and x

gives the estimate of least variance (Henckel, Perković and Maathuis, 2022; Rotnitzky and Smucler, 2020).

**All minimal separators** of two sets of nodes in an undirected graph: a separator S of a and b is minimal if and only
if each of its nodes is adjacent to both the component of a and the component of b without S. From one such set others
are found: add a node of S to the component of a, take the neighbours of the result as the new border, and drop those
that are not adjacent to the component of b. Starting from the neighbours of a, this finds every minimal separator (Shen
and Liang, 1997), with polynomial delay.

**The front door**: an effect identified through its mediators, with hidden common causes.

  P(y | do(x)) = Σ_z P(z | x) Σ_x′ P(y | x′, z) P(x′)

holds if (1) every directed path from x to y goes through Z, (2) no back-door path from x to Z is open, and (3) x
blocks every back-door path from Z to y (Pearl, 1995; for sets, Jeong, Tian and Bareinboim, 2022). The
effect of smoking through tar is the effect of smoking on tar, which is not confounded, times that of tar on cancer,
adjusted for smoking.

**Instruments**: nodes that move the cause, and reach the effect only through it.

z is an instrument given w for the effect of x on y if, with w free of the nodes on causal paths and their descendants,

  (1) z and x are d-connected given w, and
  (2) z and y are d-separated given w in the graph without the first arrows of the causal paths from x to y

(Brito and Pearl, 2002; van der Zander, Textor and Liśkiewicz, 2015, here for the total effect). In a linear model, the
effect then is cov(z, y | w) / cov(z, x | w), whatever hidden common causes x and y have. Without linearity that does
not follow: an instrument does not identify P(y | do(x)).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, islice

from deciban.nets.causal.causal_graph import CausalGraph
from deciban.nets.graphs.bits import bits, mask_of, reach, spread
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.separation import reached

__all__ = [
    "Instrument",
    "back_door_graph",
    "causal_nodes",
    "find_instruments",
    "forbidden",
    "front_doors",
    "is_adjustment",
    "is_front_door",
    "minimal_adjustments",
    "minimal_separators",
    "optimal_adjustment",
]


def causal_nodes(g: CausalGraph, x: int, y: int) -> int:
    """The nodes on directed paths from x to y that meet x only at their start, without x."""
    down = reach([mask & ~x for mask in g.dag._child_masks], x)
    up = reach([mask & ~x for mask in g.dag._parent_masks], y)
    return down & (up | y)


def forbidden(g: CausalGraph, x: int, y: int) -> int:
    """The causal nodes and their descendants: adjusting for one of these biases the effect."""
    between = causal_nodes(g, x, y)
    return between | reach(g.dag._child_masks, between)


def is_adjustment(g: CausalGraph, x: int, y: int, z: int) -> bool:
    """Whether adjusting for z gives the effect of x on y in every model of the graph."""
    if z & (x | y | g.hidden | forbidden(g, x, y)):
        return False
    return not reached(back_door_graph(g, x, y), x, z) & y


def minimal_adjustments(g: CausalGraph, x: int, y: int, given: int = 0) -> Iterator[int]:
    """All minimal valid sets, with polynomial delay.

    With ``given``, all minimal sets that are valid together with it; neither contains a descendant of x, so that
    P(y | do(x), given) is an average over the set within each stratum.
    """
    # With `given`, its strata are averaged over, and a descendant of x among the covariates would change with do(x).
    excluded = reach(g.dag._child_masks, x) if given else forbidden(g, x, y)
    if given & excluded:
        return
    graph = back_door_graph(g, x, y)
    whole = x | y | given
    beside = graph._moral_masks(whole | reach(graph._parent_masks, whole))
    open_nodes = {node: mask & ~given for node, mask in beside.items() if not given >> node & 1}
    yield from minimal_separators(open_nodes, x, y, g.observed & ~whole & ~excluded)


def optimal_adjustment(g: CausalGraph, x: int, y: int) -> int | None:
    """The set O, if it is observed and valid."""
    between = causal_nodes(g, x, y)
    covariates = 0
    for node in bits(between):
        covariates |= g.dag._parent_masks[node]
    # O = pa(cn) \ (x ∪ forb), with cn the nodes on causal paths (Henckel, Perković and Maathuis 2022).
    covariates &= ~x & ~forbidden(g, x, y)
    return covariates if between and is_adjustment(g, x, y, covariates) else None


def back_door_graph(g: CausalGraph, x: int, y: int) -> DAG:
    """The graph without the arrows from x that start a causal path."""
    between = causal_nodes(g, x, y)
    # The proper back-door graph: without x → v for v on a causal path; only non-causal paths are left to block.
    masks = (mask & ~x if between >> node & 1 else mask for node, mask in enumerate(g.dag._parent_masks))
    return DAG._made(g.dag.nodes, tuple(masks))


def minimal_separators(beside: Mapping[int, int], a: int, b: int, allowed: int) -> Iterator[int]:
    """Every minimal set of allowed nodes that separates a from b, each once; `beside` are the neighbours of each node.

    The two ways to cut 0 — 1 — 2 — 3:

    >>> [
    ...     list(bits(found))
    ...     for found in minimal_separators(
    ...         {0: 0b10, 1: 0b101, 2: 0b1010, 3: 0b100}, 1, 8, 0b110
    ...     )
    ... ]
    [[1], [2]]
    """
    graph = _without(beside, ~(a | b | allowed))
    first = _next_to(graph, a, a, b)
    if first is None:
        return
    known, waiting = {first}, [first]
    for border in waiting:  # it grows while it is read
        yield border
        inside = spread(graph, a, ~border)
        for node in bits(border):
            other = _next_to(graph, a, inside | 1 << node, b)
            if other is not None and other not in known:
                known.add(other)
                waiting.append(other)


def _without(beside: Mapping[int, int], gone: int) -> dict[int, int]:
    """The graph without the nodes that a separator must not contain: their neighbours become adjacent."""
    graph = dict(beside)
    for node in [node for node in graph if gone >> node & 1]:
        around = graph.pop(node)
        for peer in bits(around):
            # A path through the node stays a path, so what separates in the smaller graph separates in the whole one.
            graph[peer] = (graph[peer] | around) & ~(1 << node) & ~(1 << peer)
    return graph


def _next_to(graph: Mapping[int, int], a: int, inside: int, b: int) -> int | None:
    """The minimal separator within the border of ``inside``; None if b is in the border."""
    border = _around(graph, inside | a)
    if border & b:
        return None
    # Of the border, only what also touches the component of b is needed: so the result is minimal.
    return _around(graph, spread(graph, b, ~border))


def _around(graph: Mapping[int, int], part: int) -> int:
    near = 0
    for node in bits(part):
        near |= graph[node]
    return near & ~part


# Subsets of up to 12 mediators are 4,095; beyond that, small sets alone are tried.
_MOST_TRIED = 5_000


def is_front_door(g: CausalGraph, x: int, y: int, z: int) -> bool:
    """Whether z satisfies the front-door criterion."""
    if z & (x | y | g.hidden):
        return False
    leaks = reach([mask & ~z for mask in g.dag._child_masks], x) & y
    return not leaks and g.separated(x, z, out_of=x) and g.separated(z, y, x, out_of=z)


def front_doors(g: CausalGraph, x: int, y: int) -> list[int]:
    """The minimal front-door sets, the smaller first, among the first ``_MOST_TRIED`` sets."""
    widest = _widest(g, x, y)
    children = g.dag._child_masks
    if not reach(children, x) & y or reach([mask & ~widest for mask in children], x) & y:
        return []
    # A minimal set has only ancestors of y: condition 2 already blocks what other members would block.
    fit = list(bits(widest & reach(g.dag._parent_masks, y)))
    doors: list[int] = []
    sets = (mask_of(some) for size in range(1, len(fit) + 1) for some in combinations(fit, size))
    for z in islice(sets, _MOST_TRIED):
        if not any(z & one == one for one in doors) and is_front_door(g, x, y, z):
            doors.append(z)
    return doors


def _widest(g: CausalGraph, x: int, y: int) -> int:
    """The set that holds all sets with conditions 2 and 3, and has them itself.

    A member with an open back-door path to y keeps it in every smaller set, where fewer arrows are cut.
    """
    cut = g.cut(out_of=x)
    widest = g.observed & ~x & ~y & ~reached(cut, x, 0)
    while leaking := widest & reached(g.cut(out_of=widest), y, x):
        widest &= ~leaking
    return widest


# Of the minimal sets that separate a node from the effect, how many are tried.
_MOST_SETS = 1000


@dataclass(frozen=True)
class Instrument:
    """A node that is an instrument given a set of nodes.

    Attributes
    ----------
    node : node
        The instrument.
    given : frozenset
        The nodes to adjust for.

    See Also
    --------
    Identification : Its ``instruments``.

    Examples
    --------
    >>> import deciban as db
    >>> g = db.DAG([("draft", "service"), ("service", "wage")])
    >>> found = db.identify(g, cause="service", effect="wage", confounded=[("service", "wage")])
    >>> found.instruments
    (Instrument(draft),)
    """

    node: Node
    given: frozenset[Node] = frozenset()

    def __str__(self) -> str:
        return f"{self.node} given {', '.join(sorted(map(str, self.given)))}" if self.given else str(self.node)

    def __repr__(self) -> str:
        return f"Instrument({self})"


def find_instruments(g: CausalGraph, x: int, y: int) -> list[tuple[int, int]]:
    """Each instrument, a node, with the smallest set found that makes it one: those that need none first.

    >>> g = CausalGraph.read(DAG([("z", "x"), ("x", "y")]), confounded=[("x", "y")])
    >>> find_instruments(g, 0b010, 0b100)
    [(0, 0)]
    """
    if not causal_nodes(g, x, y):
        return []
    graph = back_door_graph(g, x, y)
    # What x causes does not move x.
    allowed = g.observed & ~x & ~forbidden(g, x, y)
    found = [
        (node, given)
        for node in bits(allowed & ~reach(g.dag._child_masks, x))
        if (given := _given(g.dag, graph, 1 << node, x, y, allowed & ~(1 << node))) is not None
    ]
    return sorted(found, key=lambda pair: (pair[1].bit_count(), pair[0]))


def _given(dag: DAG, graph: DAG, z: int, x: int, y: int, allowed: int) -> int | None:
    """A smallest set among those tried that makes z an instrument; None where there is none."""
    # Only z's connections to y that do not go through the effect of x are left in the graph.
    if not reached(graph, z, 0) & y:
        sets: list[int] = [0]
    else:
        whole = z | y
        beside = graph._moral_masks(whole | reach(graph._parent_masks, whole))
        sets = sorted(islice(minimal_separators(beside, z, y, allowed), _MOST_SETS), key=int.bit_count)
    return next((given for given in sets if reached(dag, z, given) & x), None)
