r"""Greedy interventional equivalence search (Hauser and Bühlmann, 2012).

As greedy equivalence search (``ges``) steps between Markov equivalence classes, it steps between interventional ones
(``InterventionalCPDAG``), by the score of each family on the rows in which its child was not set. A third phase turns
edges, as interventions tell directions apart that observations leave open. With N the neighbours of v that are adjacent
to u, C a clique of neighbours of v, P the parents of v, and Q those of u:

    insert u → v    C ⊇ N          gains s(v, P ∪ C ∪ u) − s(v, P ∪ C)
    delete u → v    C ⊆ N          gains s(v, P ∪ C \ u) − s(v, P ∪ C ∪ u)
    turn v → u      C ⊇ N          gains s(v, P ∪ C ∪ u) − s(v, P ∪ C) + s(u, R) − s(u, R ∪ v),    R = Q \ v
    turn v — u      u ∉ C, C ⊄ N   gains s(v, P ∪ C ∪ u) − s(v, P ∪ C) + s(u, R) − s(u, R ∪ v),    R = Q ∪ (C ∩ N)

A step is made on a DAG of the class in which the neighbours C of v are its parents and its other neighbours children:
it is possible where there is such a DAG, and the DAG after the step has no cycle. The three phases are repeated until
none of them raises the score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from deciban.nets.graphs.bits import bits, find_cycle, transposed
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.interventional import interventional_class_of
from deciban.nets.graphs.orientation import Masks, extend
from deciban.nets.scores.protocol import Arrival, LocalScores, gains_of
from deciban.nets.search.climbing import scale_of
from deciban.nets.search.ges import directed_by
from deciban.nets.search.result import Move, Progress
from deciban.nets.search.rules import Rules
from deciban.ties import exceeds, largest_first

__all__ = ["gies"]

PHASES = ("insert", "delete", "turn")


@dataclass(frozen=True)
class _Step:
    """An edge between u and v, the neighbours of v that become its parents, and what is scored.

    `gained` and `lost` are the arrivals whose gains are added and subtracted.
    """

    u: int
    v: int
    clique: int
    gained: tuple[Arrival, ...] = ()
    lost: tuple[Arrival, ...] = ()


def gies(
    scores: LocalScores,
    interventions: Sequence[int],
    rules: Rules,
    report: Progress,
    names: Sequence[Node],
    start: Sequence[int] | None = None,
) -> tuple[Masks, list[int], list[Move]]:
    """Arrows and undirected edges of the resulting class, a DAG of it, and the moves.

    `interventions` are the sets of nodes that were set together, as masks. It begins with the class of the DAG `start`,
    given by its parents.
    """
    search = _Search(scores, interventions, rules, rules.required if start is None else start)
    moves: list[Move] = []
    before = -1
    while before < len(moves):
        before = len(moves)
        for phase in PHASES:
            while (made := search.best(phase)) is not None:
                step, gain = made
                together = tuple(names[node] for node in bits(step.clique))
                moves.append(Move(phase, names[step.u], names[step.v], gain, together))
                report(moves[-1])
    found = search.up, search.free
    return found if rules.is_free else directed_by(rules, *found), search.dag, moves


class _Search:
    """The class so far, a DAG of it, and the steps of each node with their gains."""

    def __init__(self, scores: LocalScores, interventions: Sequence[int], rules: Rules, start: Sequence[int]) -> None:
        self.scores, self.interventions, self.rules = scores, interventions, rules
        self.scale = scale_of(scores)
        self._known: dict[tuple[str, int], tuple[object, list[tuple[_Step, float]]]] = {}
        self._take(list(start))

    def _take(self, dag: list[int]) -> None:
        self.dag = dag
        self.up, self.free = interventional_class_of(dag, self.interventions)
        self.down = transposed(self.up)
        masks = zip(self.up, self.down, self.free, strict=True)
        self.adjacent = [up | down | free for up, down, free in masks]

    def best(self, phase: str) -> tuple[_Step, float] | None:
        """Make the best step of a phase that raises the score and is possible; None if there is none."""
        for step, gain in largest_first(self._steps(phase), lambda one: one[1], self.scale):
            dag = self._after(phase, step)
            if dag is not None:
                self._take(dag)
                return step, gain
        return None

    def _steps(self, phase: str) -> list[tuple[_Step, float]]:
        """All steps that raise the score, by their nodes; those of a node are scored again where it has changed."""
        count = len(self.dag)
        keys = [self._surroundings(phase, v) for v in range(count)]
        stale = [v for v in range(count) if self._known.get((phase, v), (None,))[0] != keys[v]]
        listed = [(v, list(self._candidates(phase, v))) for v in stale]
        asked = [arrival for _, steps in listed for step in steps for arrival in step.gained + step.lost]
        gains = iter(gains_of(self.scores, asked).tolist() if asked else ())
        for v, steps in listed:
            kept = []
            for step in steps:
                gain = sum(next(gains) for _ in step.gained) - sum(next(gains) for _ in step.lost)
                if exceeds(gain, 0.0, self.scale):
                    kept.append((step, gain))
            self._known[phase, v] = (keys[v], kept)
        return [one for v in range(count) for one in self._known[phase, v][1]]

    def _surroundings(self, phase: str, v: int) -> object:
        """All that the steps at a node depend on."""
        own = (self.up[v], self.free[v], self.adjacent[v], *(self.adjacent[w] for w in bits(self.free[v])))
        if phase != "turn":
            return own
        others = bits(self.down[v] | self.free[v])
        return own, tuple((self.up[u], self.free[u], self.adjacent[u]) for u in others)

    def _candidates(self, phase: str, v: int) -> Iterator[_Step]:
        up, free, adjacent = self.up, self.free, self.adjacent
        if phase == "insert":
            for u in bits(~adjacent[v] & ~(1 << v) & ((1 << len(up)) - 1) & ~self.rules.forbidden[v]):
                for clique in self._cliques_with(free[v] & adjacent[u], free[v]):
                    if (given := up[v] | clique).bit_count() < self.rules.most:
                        yield _Step(u, v, clique, gained=((v, u, given),))
        elif phase == "delete":
            for u in bits((up[v] | free[v]) & ~self.rules.required[v]):
                for clique in self._cliques_with(0, free[v] & adjacent[u]):
                    yield _Step(u, v, clique, lost=((v, u, (up[v] | clique) & ~(1 << u)),))
        else:
            for u in bits((self.down[v] | free[v]) & ~self.rules.forbidden[v]):
                common = free[v] & adjacent[u]
                if self.rules.required[u] >> v & 1:
                    continue
                is_line = free[v] >> u & 1
                for clique in self._cliques_with(0 if is_line else common, free[v] & ~(1 << u)):
                    given = up[v] | clique
                    # Neighbours of both alone turn v — u within the class.
                    if given.bit_count() < self.rules.most and (not is_line or clique & ~common):
                        before = up[u] & ~(1 << v) | (clique & common if is_line else 0)
                        yield _Step(u, v, clique, gained=((v, u, given),), lost=((u, v, before),))

    def _cliques_with(self, base: int, within: int) -> Iterator[int]:
        """Every clique of `within` that contains `base`; none where it is no clique itself."""
        if all(not base & ~self.adjacent[node] & ~(1 << node) for node in bits(base)):
            yield from self._grown(base, within & ~base)

    def _grown(self, base: int, within: int) -> Iterator[int]:
        yield base
        for node in bits(within):
            if not base & ~self.adjacent[node]:
                # Only nodes after this one, so that each clique is listed once.
                yield from self._grown(base | 1 << node, within & self.adjacent[node] & -(2 << node))

    def _after(self, phase: str, step: _Step) -> list[int] | None:
        """The DAG after a step; None where it is not possible or violates a rule."""
        u, v = step.u, step.v
        is_line = self.free[v] >> u & 1
        # Most steps that are not possible would close a cycle through these nodes, which is found without a DAG.
        if phase != "delete" and not is_line and self._leads(v, u, step.clique | self.free[u] * (phase == "turn")):
            return None
        arrows, lines = list(self.up), list(self.free)
        _direct(arrows, lines, v, step.clique | (1 << u if phase == "delete" else 0))
        if phase == "turn":
            # u comes right after v and their common neighbours in the clique; where v → u is an arrow, it comes first.
            _direct(arrows, lines, u, step.clique & self.free[u])
        dag = extend(arrows, lines)
        if dag is None:
            return None
        if phase == "delete":
            dag[v] &= ~(1 << u)
        else:
            dag[v] |= 1 << u
            dag[u] &= ~(1 << v)
        if find_cycle(dag):
            return None
        return dag if self.rules.is_free else self._within_rules(dag)

    def _leads(self, start: int, goal: int, block: int) -> bool:
        """Whether there is a semi-directed path of two edges or more from one node to another that avoids `block`."""
        visited, waiting = block | 1 << start, (self.down[start] | self.free[start]) & ~block & ~(1 << goal)
        while waiting and not waiting >> goal & 1:
            low = waiting & -waiting
            node = low.bit_length() - 1
            visited |= low
            waiting = (waiting | self.down[node] | self.free[node]) & ~visited
        return bool(waiting)

    def _within_rules(self, dag: list[int]) -> list[int] | None:
        """A DAG of the same class that knowledge allows, if there is one."""
        allowed = extend(*directed_by(self.rules, *interventional_class_of(dag, self.interventions)))
        if allowed is None:
            return None
        known = zip(allowed, self.rules.required, self.rules.forbidden, strict=True)
        return None if any(must & ~mask or mask & must_not for mask, must, must_not in known) else allowed


def _direct(arrows: list[int], lines: list[int], node: int, parents: int) -> None:
    """Direct the undirected edges of a node: from some of its neighbours, and to all others."""
    around, lines[node] = lines[node], 0
    for peer in bits(around):
        lines[peer] &= ~(1 << node)
        if parents >> peer & 1:
            arrows[node] |= 1 << peer
        else:
            arrows[peer] |= 1 << node
