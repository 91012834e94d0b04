"""Hill climbing over DAGs: add, delete or reverse the arrow with the largest gain, until no move gains.

A move changes one or two families, so only their columns of the table of gains are recomputed (Heckerman et al.,
1995). Tabu search accepts moves that lower the score, without returning to a graph of the last steps (Glover, 1989);
random restarts perturb the best graph and climb again. Ties are broken by the order of the variables (``order.py``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deciban import _core
from deciban.nets.graphs.bits import lists_of, masks_of
from deciban.nets.scores.protocol import LocalScores, core_scores
from deciban.nets.search.result import Move, Progress
from deciban.nets.search.rules import Rules
from deciban.ties import exceeds

__all__ = ["Climb", "climb", "restart", "scale_of", "tabu"]

_TABU = 10  # length of the tabu list, and the most steps without a new best: bnlearn's defaults

Step = tuple[str, int, int, float]
"""A move: its kind, the indices of the parent and the child, and the gain."""


class Climb:
    """The state of a climb: a graph, and in the core the gain of toggling each arrow."""

    def __init__(self, scores: LocalScores, rules: Rules, parents: Sequence[int] | None = None) -> None:
        self.names, self.scale = scores.names, scale_of(scores)
        required, forbidden = lists_of(rules.required), lists_of(rules.forbidden)
        start = required if parents is None else lists_of(parents)
        self.core = _core.HillClimb(core_scores(scores), *required, *forbidden, rules.most, self.scale, *start)

    @property
    def parents(self) -> list[int]:
        return masks_of(self.core.parents())

    def make(self, step: Step, report: Progress) -> Move:
        """Make a move, and report it by name."""
        self.core.make(*step)
        kind, parent, child, gain = step
        move = Move(kind, self.names[parent], self.names[child], gain)
        report(move)
        return move


def scale_of(scores: LocalScores) -> float:
    """The size of the local scores: gains are their differences, so their rounding errors are in proportion to it."""
    alone = scores.local([(child, 0) for child in range(len(scores.names))])
    return float(max(1.0, np.abs(alone).max(initial=0.0)))


def climb(state: Climb, report: Progress) -> tuple[list[Move], list[int]]:
    """Climb until no move raises the score; the moves, and the graph that they lead to."""
    moves = []
    while (step := state.core.best()) is not None and exceeds(step[-1], 0.0, state.scale):
        moves.append(state.make(step, report))
    return moves, state.parents


def tabu(state: Climb, report: Progress) -> tuple[list[Move], list[int]]:
    """Climb, accept some moves that lower the score, and repeat; the best graph found, and the moves to it."""
    moves: list[Move] = []
    best, best_score, best_moves = state.parents, state.core.score(), 0
    # Whole graphs are kept, as in bnlearn, not moves: no sequence of moves leads back to one of them.
    state.core.remember(_TABU)
    idle = 0
    while idle < _TABU and (step := state.core.best()) is not None:
        moves.append(state.make(step, report))
        state.core.remember(_TABU)
        idle += 1
        if exceeds(state.core.score(), best_score, state.scale):
            best, best_score, best_moves, idle = state.parents, state.core.score(), len(moves), 0
    return moves[:best_moves], best


def restart(state: Climb, rng: np.random.Generator, report: Progress) -> list[Move]:
    """Some random moves, a quarter as many as there are variables; each is drawn from all allowed ones."""
    moves = []
    for _ in range(max(3, len(state.names) // 4)):
        count = state.core.count_allowed()
        if not count:
            break
        moves.append(state.make(state.core.allowed(int(rng.integers(count))), report))
    return moves
