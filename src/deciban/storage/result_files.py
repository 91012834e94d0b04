"""What a file of a learned graph holds: the graph, the tests or moves that led to it, and the notes; not the rows.

So a file is small and shows nobody's data. What needs the rows again, such as ``bootstrap``, is done before, and its
result is a file of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NoReturn

import numpy as np

from deciban.errors import ParameterError
from deciban.nets import CPDAG, DAG, MAG, PAG, PDAG, Confidence, Discovery, Move, SearchResult
from deciban.nets.discovery.separations import Separations
from deciban.nets.discovery.skeleton import Implied, Skeleton, Step
from deciban.nets.graphs.citation import Origin
from deciban.nets.graphs.graph import Graph, Node
from deciban.nets.graphs.interventional import InterventionalCPDAG
from deciban.nets.independence.independence_test import SourceFacts
from deciban.storable import check_numbers, require, storable
from deciban.types import AnyArray

__all__ = ["LearnedResult", "NamedTest", "restored_result", "result_state"]

LearnedResult = Discovery | SearchResult | Confidence

_GRAPHS: dict[str, type[Graph]] = {kind.__name__: kind for kind in (DAG, PDAG, CPDAG, InterventionalCPDAG, MAG, PAG)}


@storable
@dataclass(frozen=True)
class NamedTest:
    """The test of a discovery that was read from a file: what it was, without the rows.

    Attributes
    ----------
    nodes : tuple
        The variables.
    name : str
        The name of the statistic.
    rules : tuple
        The significance level, the rows for each degree of freedom, and whether unsure tests count as independent.
    is_exact : bool
        Whether it was an oracle.
    """

    nodes: tuple[Node, ...]
    name: str
    rules: tuple[Any, ...]
    is_exact: bool

    @property
    def alpha(self) -> float:
        """The significance level."""
        return float(self.rules[0])

    def independent(self, x: Node, y: Node, given: Any = ()) -> NoReturn:
        """Refuse to test: the rows are not in the file."""
        raise ParameterError("this discovery was read from a file, which has no rows to test: discover again.")


def result_state(result: LearnedResult) -> dict[str, object]:
    """The state of a result, by name."""
    if isinstance(result, Confidence):
        return {field.name: getattr(result, field.name) for field in fields(result)}
    shared = {
        "graph": _graph_state(result.graph),
        "origin": Origin(result.rows, result.notes),
        "made_by": result.version,
    }
    if isinstance(result, SearchResult):
        sets = [tuple(sorted(nodes, key=str)) for nodes in result.interventions]
        return {**shared, **{name: getattr(result, name) for name in _SEARCHED}, "interventions": sets}
    facts, skeleton = SourceFacts.of(result.test), result.skeleton
    return {
        **shared,
        **{name: getattr(result, name) for name in _DISCOVERED},
        "test": NamedTest(facts.nodes, facts.measure, tuple(facts.rules), facts.is_exact),
        "skeleton": None if skeleton is None else _skeleton_state(skeleton),
    }


_SEARCHED = ("score", "moves", "method", "criterion", "dropped", "penalty", "visited", "is_converged")
_DISCOVERED = (
    "method", "colliders", "conflicts", "ambiguous", "tests", "unsure", "depth", "too_large", "reasons",
)  # fmt: skip


def restored_result(kind: type, state: Mapping[str, Any]) -> LearnedResult:
    """The result with this state; a ValueError where the state is inconsistent."""
    if kind is Confidence:
        return _checked_confidence(Confidence(**state))
    origin, made_by = state["origin"], state["made_by"]
    require(isinstance(origin, Origin) and isinstance(made_by, str), "it does not say where it comes from")
    graph: Any = _graph_of(state["graph"])
    if kind is SearchResult:
        require(all(isinstance(move, Move) for move in state["moves"]), "its moves are of an unknown kind")
        sets, rest = tuple(map(frozenset, state["interventions"])), {name: state[name] for name in _SEARCHED}
        return SearchResult(graph, interventions=sets, origin=origin, version=made_by, **rest)
    test, skeleton = state["test"], state["skeleton"]
    require(isinstance(test, NamedTest) and set(test.nodes) == set(graph.nodes), "its test is not one of its nodes")
    return Discovery(
        graph,
        test=test,
        skeleton=None if skeleton is None else _skeleton_of(skeleton, len(graph.nodes)),
        origin=origin,
        version=made_by,
        **{name: state[name] for name in _DISCOVERED},
    )


def _graph_state(graph: Graph) -> dict[str, object]:
    sets = [tuple(sorted(nodes, key=str)) for nodes in getattr(graph, "interventions", ())]
    return {"interventions": sets, "kind": type(graph).__name__, "nodes": graph.nodes, "edges": graph.edges}


def _graph_of(state: Mapping[str, Any]) -> Graph:
    kind, nodes, edges = _GRAPHS[state["kind"]], state["nodes"], state["edges"]
    if kind in (MAG, PAG):
        return kind(edges, nodes)
    arrows = [(a, b) for a, symbol, b in edges if symbol == "→"]
    if kind is DAG:
        return DAG(arrows, nodes)
    lines = [(a, b) for a, symbol, b in edges if symbol == "—"]
    if kind is InterventionalCPDAG:
        return InterventionalCPDAG(arrows, lines, nodes, interventions=state["interventions"])
    return kind(arrows, lines, nodes)  # type: ignore[call-arg]


def _skeleton_state(skeleton: Skeleton) -> dict[str, object]:
    return {
        "adjacent": np.asarray(skeleton.adjacent),
        "removed": [tuple(block) for block in skeleton.removed.blocks],
        "screened": [tuple(block) for block in skeleton.screened.blocks],
        "implied": [(*pair, one.node, one.given) for pair, one in skeleton.implied.items()],
        "steps": [(step.size, step.tests, step.edges) for step in skeleton.steps],
        "counts": (skeleton.depth, skeleton.unsure, skeleton.screening_tests, skeleton.too_large),
    }


def _skeleton_of(state: Mapping[str, Any], nodes: int) -> Skeleton:
    adjacent = state["adjacent"]
    require(adjacent.shape == (nodes, nodes) and adjacent.dtype == bool, "its adjacencies do not fit its nodes")
    depth, unsure, screening, too_large = state["counts"]
    implied = {}
    for x, y, node, given in state["implied"]:
        require(all(0 <= index < nodes for index in (x, y, node, *given)), "it names nodes that are not there")
        implied[x, y] = Implied(node, tuple(given))
    removed, screened = (_separations_of(state[name], nodes) for name in ("removed", "screened"))
    steps = tuple(Step(*step) for step in state["steps"])
    return Skeleton(adjacent, removed, screened, implied, steps, depth, unsure, screening, too_large)


def _separations_of(blocks: list[tuple[AnyArray, AnyArray, AnyArray]], nodes: int) -> Separations:
    found = Separations()
    for keys, sets, values in blocks:
        check_numbers(keys, (None,), "its pairs")
        check_numbers(sets, (len(keys), None), "its separating sets")
        require(values.shape == (len(keys), 4), "its tests do not fit its pairs")
        ends = keys >> 32, keys & 0xFFFFFFFF
        is_known = all(bool((indices < nodes).all()) for indices in (*ends, sets))
        require(is_known and bool((np.diff(keys) > 0).all()), "its pairs are not in order, or name unknown nodes")
        found += Separations.of_level(*ends, sets, values)
    return found


def _checked_confidence(found: Confidence) -> Confidence:
    known = set(found.nodes)
    shares = [*found.edges.items(), *found.arrows.items()]
    require(all(set(edge) <= known and 0 <= share <= 1 for edge, share in shares), "its shares are not those of edges")
    return found
