"""Markovian parents: a causal graph from an order of the variables, and how a graph fits a distribution.

For an order X₁ … Xₙ the Markovian parents of Xⱼ are a set PA of its predecessors with

  P(Xⱼ | PA) = P(Xⱼ | X₁ … Xⱼ₋₁)

of which no proper subset has this property. The arrows from Markovian parents to their children form a causal graph
("Bayes Nets", Markovian parents; Pearl, 1988). A graph is compatible with a distribution when each node is independent
of its non-descendants given its parents; minimal when no proper subgraph is compatible; and the
distribution is stable when it has no independences other than those that the graph implies.

Sources of independences are a DAG or CPDAG, a joint table, a Bayes net, or any object with a method ``independent(x, y,
given)`` for single variables x and y, such as a test on data, and for sets of variables if ``takes_sets`` is True.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Protocol

from deciban.errors import GraphError, InputTypeError, UnknownNodeError
from deciban.nets.graphs.dag import CPDAG, DAG
from deciban.nets.graphs.graph import Node, sort_key
from deciban.nets.graphs.separation import Independence, Nodes, as_dag, d_separated, independencies
from deciban.nets.independence.exact_sources import JointTable

__all__ = ["MarkovianParents", "Verdict", "is_compatible", "is_minimal", "is_stable", "markovian_parents"]


class Independences(Protocol):
    """A source of answers to x ⊥ y | given."""

    def independent(self, x: Nodes, y: Nodes, given: Nodes, /) -> bool: ...


class MarkovianParents(Mapping[Node, frozenset[Node]]):
    """The parents of each variable for an order: a mapping from variables to sets.

    Parameters
    ----------
    parents : mapping
        Variable → its parents.

    Attributes
    ----------
    graph : DAG
        The causal graph that they form.

    See Also
    --------
    markovian_parents : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> chain = db.DAG([("a", "b"), ("b", "c")])
    >>> db.markovian_parents(chain, ["c", "b", "a"]).graph
    DAG(b → a, c → b)
    """

    def __init__(self, parents: Mapping[Node, Iterable[Node]]) -> None:
        self.graph = DAG([(up, node) for node, ups in parents.items() for up in ups], parents)

    def __getitem__(self, x: Node) -> frozenset[Node]:
        if x not in self.graph.nodes:
            raise KeyError(x)
        return self.graph.parents(x)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.graph.nodes)

    def __len__(self) -> int:
        return len(self.graph.nodes)

    def __repr__(self) -> str:
        key = sort_key(self.graph.nodes)
        shown = (f"{node}: {{{', '.join(map(str, sorted(up, key=key)))}}}" for node, up in self.items())
        return f"MarkovianParents({', '.join(shown)})"


@dataclass(frozen=True)
class Verdict:
    """Whether a property of a graph holds, and why: true if it does.

    Attributes
    ----------
    holds : bool
        Whether it holds.
    reason : str
        Why.
    triple : Independence or None
        If it does not hold, the violated statement X ⊥ Y | Z.

    See Also
    --------
    is_compatible : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import JointTable, is_minimal
    >>> found = is_minimal(db.DAG([("a", "b")]), JointTable([[1, 1], [1, 1]], ["a", "b"]))
    >>> found.holds, str(found.triple)
    (False, 'b ⊥ a')
    """

    holds: bool
    reason: str = field(compare=False)
    triple: Independence | None = None

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self.reason


def markovian_parents(source: Any, order: Sequence[Node] | None = None) -> MarkovianParents:
    """For each variable, a minimal set of predecessors given which it is independent of its other predecessors.

        P(Xⱼ | parents) = P(Xⱼ | X₁ … Xⱼ₋₁)      (Pearl, 1988)

    The arrows from these parents form a causal graph.

    Parameters
    ----------
    source : graph, table or source of independences
        A DAG or CPDAG, a ``JointTable`` (or a mapping or array that makes one), a ``BayesNet``, or an object with
        ``independent``.
    order : sequence of nodes, optional
        The variables, each after its possible causes. By default the topological order of a DAG or a net.

    Returns
    -------
    MarkovianParents
        Variable → its parents, and the graph that they form.

    See Also
    --------
    is_minimal : Whether a graph has no arrow too many.

    Notes
    -----
    If a set of predecessors has the property, so do its supersets. Removing one variable after another, the earliest
    first, therefore ends in a minimal set, for every distribution. With a source that answers for single variables
    only, dependent variables are added first, and those that the others make redundant are then removed (grow and
    shrink; Margaritis and Thrun, 2000). This uses small sets ``given`` and assumes that a variable that is independent
    of each of two others is independent of both.

    Examples
    --------
    >>> import deciban as db
    >>> sprinkler = db.DAG(
    ...     [("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet")]
    ... )
    >>> db.markovian_parents(sprinkler, ["season", "rain", "sprinkler", "wet"])
    MarkovianParents(season: {}, rain: {season}, sprinkler: {season}, wet: {rain, sprinkler})
    >>> db.markovian_parents(sprinkler, ["wet", "rain", "sprinkler", "season"])[
    ...     "sprinkler"
    ... ] == {"wet", "rain"}
    True
    """
    independences = _as_source(source)
    order = _order(source, independences, order)
    find = _shrink if _takes_sets(independences) else _grow_and_shrink
    return MarkovianParents({x: find(independences, x, order[:index]) for index, x in enumerate(order)})


def is_compatible(graph: DAG | CPDAG, source: Any) -> Verdict:
    """Whether each node is independent of its non-descendants given its parents.

    Parameters
    ----------
    graph : DAG or CPDAG
        The graph.
    source : graph, table or source of independences
        What is compared: a DAG or CPDAG, a ``JointTable`` (or a mapping or array that makes one), a ``BayesNet``, or an
        object with ``independent``, such as a test on data.

    Returns
    -------
    Verdict
        True if the graph is compatible; it prints the reason.

    See Also
    --------
    is_minimal : Compatible, and no arrow can be removed.
    is_stable : Exactly the independences of the graph hold.
    independencies : The statements that are checked.

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import JointTable, is_compatible
    >>> coins = JointTable([[2, 1], [1, 2]], ["a", "b"])
    >>> print(is_compatible(db.DAG(nodes=["a", "b"]), coins))
    not compatible: the graph implies a ⊥ b, which does not hold
    """
    independences = _as_source(source)
    for statement in independencies(graph):
        for fault in _faults(independences, statement):
            return Verdict(False, f"not compatible: the graph implies {fault}, which does not hold", fault)
    return Verdict(True, "compatible: every node is independent of its non-descendants given its parents")


def is_minimal(graph: DAG | CPDAG, source: Any) -> Verdict:
    """Whether the graph is compatible and no proper subgraph is.

    It is enough to remove single arrows: a graph with fewer arrows implies more independences, so if a proper subgraph
    is compatible, one with a single arrow less is, too.

    Parameters
    ----------
    graph : DAG or CPDAG
        The graph.
    source : graph, table or source of independences
        What is compared: see ``is_compatible``.

    Returns
    -------
    Verdict
        True if the graph is minimal; it prints the reason.

    See Also
    --------
    is_compatible : The first half.
    markovian_parents : Makes a minimal graph for an order.

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import JointTable, is_minimal
    >>> print(is_minimal(db.DAG([("a", "b")]), JointTable([[1, 1], [1, 1]], ["a", "b"])))
    not minimal: a → b can be removed, because b ⊥ a holds
    """
    independences, dag = _as_source(source), as_dag(graph)
    fits = is_compatible(dag, independences)
    if not fits:
        return Verdict(False, f"not minimal, as it is {fits.reason}", fits.triple)
    for parent, child in dag.directed_edges:
        rest = dag.parents(child) - {parent}
        if independences.independent(child, parent, rest):
            spare = Independence(frozenset([child]), frozenset([parent]), rest)
            return Verdict(False, f"not minimal: {parent} → {child} can be removed, because {spare} holds", spare)
    return Verdict(True, "minimal: compatible, and no arrow can be removed")


def is_stable(graph: DAG | CPDAG, source: Any, *, max_given: int | None = None) -> Verdict:
    """Whether exactly the independences that the graph implies hold (stability, also called faithfulness).

    Tests every two variables given every set of up to ``max_given`` others; statements about larger sets follow from
    these. The number of tests doubles with each variable.

    Parameters
    ----------
    graph : DAG or CPDAG
        The graph.
    source : graph, table or source of independences
        What is compared: see ``is_compatible``.
    max_given : int, optional
        The largest number of variables to condition on; all by default.

    Returns
    -------
    Verdict
        True if the distribution is stable; it prints the reason.

    See Also
    --------
    is_compatible : The independences of the graph hold, and perhaps others.

    Examples
    --------
    Two coins and whether they show the same: each two are independent, which no graph with arrows shows.

    >>> import deciban as db
    >>> from deciban.nets import JointTable, is_stable
    >>> outcomes = {("h", "h", 1): 1, ("h", "t", 0): 1, ("t", "h", 0): 1, ("t", "t", 1): 1}
    >>> coins = JointTable(outcomes, ["a", "b", "same"])
    >>> print(is_stable(db.DAG([("a", "same"), ("b", "same")]), coins))
    not stable: a ⊥ same holds in the source, but not in the graph
    """
    independences, dag = _as_source(source), as_dag(graph)
    nodes = sorted(dag.nodes, key=sort_key(dag.nodes))
    largest = max(len(nodes) - 2, 0) if max_given is None else max_given
    for size in range(largest + 1):
        for x, y in combinations(nodes, 2):
            for given in combinations([node for node in nodes if node not in (x, y)], size):
                shown, holds = d_separated(dag, x, y, list(given)), independences.independent(x, y, frozenset(given))
                if shown != holds:
                    fault = Independence(frozenset([x]), frozenset([y]), frozenset(given))
                    where = "in the graph, but not in the source" if shown else "in the source, but not in the graph"
                    return Verdict(False, f"not stable: {fault} holds {where}", fault)
    return Verdict(True, "stable: the graph implies exactly the independences that hold")


class _GraphOracle:
    """A graph that answers by d-separation."""

    def __init__(self, graph: DAG | CPDAG) -> None:
        self.graph = as_dag(graph)
        self.nodes = self.graph.nodes

    def independent(self, x: Nodes, y: Nodes, given: Nodes = ()) -> bool:
        return d_separated(self.graph, x, y, given)


def _as_source(source: Any) -> Independences:
    if isinstance(source, DAG | CPDAG):
        return _GraphOracle(source)
    if callable(getattr(source, "independent", None)):
        return source
    if isinstance(source, Mapping) or hasattr(source, "__array__") or isinstance(source, list):
        return JointTable(source)
    raise InputTypeError(
        f"{type(source).__name__} is not a source of independences: pass a DAG, a CPDAG, a JointTable, or an object "
        "with a method independent(x, y, given)"
    )


def _takes_sets(source: Independences) -> bool:
    return isinstance(source, JointTable | _GraphOracle) or getattr(source, "takes_sets", False) is True


def _order(source: object, independences: Independences, order: Sequence[Node] | None) -> list[Node]:
    if order is None:
        dag = getattr(source, "dag", source)
        if not isinstance(dag, DAG):
            raise GraphError("markovian_parents needs an order of the variables, unless the source is a DAG or a net")
        return list(dag.topological_order())
    listed = list(order)
    if isinstance(order, str) or len(set(listed)) != len(listed):
        raise GraphError(f"an order names each variable once, not {order!r}")
    known = getattr(independences, "nodes", None)
    unknown = [x for x in listed if known is not None and x not in known]
    if unknown:
        raise UnknownNodeError(f"the order names {unknown[0]!r}, which is not a variable of the source: {known!r}")
    return listed


def _shrink(source: Independences, x: Node, before: Sequence[Node]) -> list[Node]:
    kept = list(before)
    for other in before:
        rest = [node for node in kept if node != other]
        dropped = [node for node in before if node not in rest]
        # All that is dropped, as one set: node by node would need intersection, which may not hold.
        if source.independent([x], dropped, rest):
            kept = rest
    return kept


def _grow_and_shrink(source: Independences, x: Node, before: Sequence[Node]) -> list[Node]:
    kept: list[Node] = []
    growing = True
    while growing:
        growing = False
        for other in before:
            if other not in kept and not source.independent(x, other, frozenset(kept)):
                kept.append(other)
                growing = True
    for other in list(kept):
        rest = [node for node in kept if node != other]
        if source.independent(x, other, frozenset(rest)):
            kept = rest
    return kept


def _faults(source: Independences, statement: Independence) -> Iterator[Independence]:
    """The single-variable parts of a statement that do not hold, or the whole statement if each part holds."""
    (x,) = statement.x
    sets = _takes_sets(source)
    if sets and source.independent(statement.x, statement.y, statement.given):
        return
    for y in sorted(statement.y, key=sort_key(statement.y)):
        if not source.independent(x, y, statement.given):
            yield Independence(statement.x, frozenset([y]), statement.given)
    if sets:
        yield statement
