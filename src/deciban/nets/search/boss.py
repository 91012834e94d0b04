r"""Best order score search (Andrews, Ramsey, Sánchez-Romero, Camchong and Kummerfeld, NeurIPS 2023).

An order of the variables has a graph: each takes its parents from those before it, first adding the variable that
raises its score most, until none does, then removing, likewise. The score of an order is that of its graph,

    score(π) = Σ_v local(v, parents of v),    parents of v = shrink(grow(v, those before v in π))

Each variable in turn is moved to the position with the highest score, until none moves. Then edges are deleted as in
the backward phase of greedy equivalence search, while that raises the score. With a large sample of a distribution that
is faithful to a DAG, the graph of any order contains that DAG's class, which is then the result (Chickering, 2002).

What a variable takes from a set is kept (in the core, as a grow–shrink tree), so that a move costs little, and a search
that begins again from another order less than the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from deciban import _core
from deciban.nets.graphs.bits import bits, lists_of, masks_of, topological
from deciban.nets.scores.protocol import LocalScores, core_scores
from deciban.nets.search.climbing import scale_of
from deciban.nets.search.result import Move, Progress
from deciban.nets.search.rules import Rules
from deciban.ties import exceeds

__all__ = ["boss"]


def boss(
    scores: LocalScores,
    rules: Rules,
    report: Progress,
    restarts: tuple[int, int | None] = (0, None),
    found: tuple[Sequence[int], list[Move]] | None = None,
) -> tuple[list[int], list[Move]]:
    """The parents in the graph of the best order found, and the moves that led to it.

    It begins with the order of the variables; then with one of a graph that has been `found`, which is given by its
    parents and the moves to it; and as often as `restarts` says with a random order.
    """
    search = _Search(scores, rules, report)
    best: list[int] = []
    best_moves: list[Move] = []
    for order, before in _begins(len(scores.names), restarts, found):
        moves, parents = search.run(_parents_first(order, rules.required))
        if not best or exceeds(_total(scores, parents), _total(scores, best), search.scale):
            best, best_moves = parents, [*before, *moves]
    return best, best_moves


def _begins(
    count: int, restarts: tuple[int, int | None], found: tuple[Sequence[int], list[Move]] | None
) -> Iterator[tuple[Sequence[int], list[Move]]]:
    """The orders to begin with, and the moves that led to each."""
    yield range(count), []
    if found is not None:
        yield topological(found[0]), found[1]
    rng = np.random.default_rng(restarts[1])
    for _ in range(restarts[0]):
        yield rng.permutation(count).tolist(), []


class _Search:
    """The search in the core, with its trees."""

    def __init__(self, scores: LocalScores, rules: Rules, report: Progress) -> None:
        self.names, self.report, self.scale = scores.names, report, scale_of(scores)
        lists = (*lists_of(rules.required), *lists_of(rules.forbidden))
        self._state = _core.OrderSearch(core_scores(scores), *lists, rules.most, self.scale)

    def run(self, order: Sequence[int]) -> tuple[list[Move], list[int]]:
        """Sweep over the variables until none moves: the moves, and the parents in the graph of the last order."""
        self._state.start(np.array(order, dtype=np.int64))
        moves: list[Move] = []
        while swept := self._state.sweep():
            for variable, beside, is_last, gain in swept:
                kind = "after" if is_last else "before"
                moves.append(Move(kind, self.names[variable], self.names[beside], gain))
                self.report(moves[-1])
        return moves, masks_of(self._state.parents())


def _parents_first(order: Iterable[int], required: Sequence[int]) -> list[int]:
    """An order, with required parents moved before their children."""
    placed: dict[int, None] = {}

    def place(variables: Iterable[int]) -> None:
        for variable in variables:
            if variable not in placed:
                place(bits(required[variable]))
                placed[variable] = None

    place(order)
    return list(placed)


def _total(scores: LocalScores, parents: Sequence[int]) -> float:
    return float(scores.local(list(enumerate(parents))).sum())
