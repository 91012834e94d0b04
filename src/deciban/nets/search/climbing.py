"""Hill climbing over DAGs: add, delete or reverse the arrow with the largest gain, until no move gains.

A move changes one or two families, so only their columns of the table of gains are recomputed (Heckerman et al.,
1995). Tabu search accepts moves that lower the score, without returning to a graph of the last steps (Glover, 1989);
random restarts perturb the best graph and climb again. Ties are broken by the order of the variables (``order.py``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from deciban.nets.graphs.bits import bits, topological, transposed
from deciban.nets.scores.protocol import LocalScores
from deciban.nets.search.result import Move, Progress
from deciban.nets.search.rules import Rules
from deciban.ties import TIE, exceeds
from deciban.types import AnyArray

__all__ = ["Climb", "Step", "climb", "restart", "scale_of", "tabu"]

_TABU = 10  # length of the tabu list, and the most steps without a new best: bnlearn's defaults


@dataclass(frozen=True)
class Step:
    """A move, by node indices."""

    kind: str
    parent: int
    child: int
    gain: float


class Climb:
    """The state of a climb: the scores of the families, the gain of toggling each arrow, and the paths."""

    def __init__(self, scores: LocalScores, rules: Rules, parents: Sequence[int] | None = None) -> None:
        self.scores, self.rules = scores, rules
        self.parents = list(rules.required if parents is None else parents)
        count = len(self.parents)
        self._allowed, self._fixed = rules.allowed(), rules.fixed()
        self._candidates = [np.flatnonzero(column).tolist() for column in self._allowed.T]
        self._current = scores.local(list(enumerate(self.parents)))
        self.scale = scale_of(scores)
        self._gain = np.zeros((count, count))
        self._arrow = np.zeros((count, count), dtype=bool)
        for child, mask in enumerate(self.parents):
            self._arrow[list(bits(mask)), child] = True
        self._reaches = self._paths()
        self._refresh(range(count))

    @property
    def score(self) -> float:
        return float(self._current.sum())

    def best(self, tabu: Iterable[tuple[int, ...]] = ()) -> Step | None:
        """The move with the largest gain whose result is not in `tabu`; None if there is none."""
        known = set(tabu)
        gains, reversible, reversals = self._moves()
        while True:
            most = max(gains.max(initial=-np.inf), reversals.max(initial=-np.inf))
            if np.isneginf(most):
                return None
            step = self._first(gains, reversible, reversals, most - TIE * self.scale)
            if not known or tuple(self._after(step)) not in known:
                return step
            if step.kind == "reverse":
                reversals[(reversible[0] == step.parent) & (reversible[1] == step.child)] = -np.inf
            else:
                gains[step.parent, step.child] = -np.inf

    def random_move(self, rng: np.random.Generator) -> Step | None:
        """A random legal move, with uniform probability."""
        gains, reversible, reversals = self._moves()
        legal = np.flatnonzero(~np.isneginf(gains.ravel()))
        legal_reversals = np.flatnonzero(~np.isneginf(reversals))
        if not len(legal) + len(legal_reversals):
            return None
        at = int(rng.integers(len(legal) + len(legal_reversals)))
        if at < len(legal):
            return self._toggle(int(legal[at]), gains)
        return self._reverse(int(legal_reversals[at - len(legal)]), reversible, reversals)

    def make(self, step: Step) -> None:
        """Make a move."""
        self.parents = self._after(step)
        a, b = step.parent, step.child
        self._arrow[a, b] = step.kind == "add"
        if step.kind == "add":
            # A new arrow only adds paths, those through it; where one is gone the matrix has to be made again.
            self._reaches |= np.outer(self._reaches[:, a], self._reaches[b])
        else:
            self._arrow[b, a] = step.kind == "reverse"
            self._reaches = self._paths()
        changed = [b, a] if step.kind == "reverse" else [b]
        self._current[changed] = self.scores.local([(child, self.parents[child]) for child in changed])
        self._refresh(changed)

    def _after(self, step: Step) -> list[int]:
        parents = list(self.parents)
        parents[step.child] ^= 1 << step.parent
        if step.kind == "reverse":
            parents[step.parent] ^= 1 << step.child
        return parents

    def _moves(self) -> tuple[AnyArray, tuple[AnyArray, AnyArray], AnyArray]:
        """Gains of adding or deleting each arrow; the arrows; gains of reversing them. −∞ if not allowed."""
        has_room = np.array([mask.bit_count() < self.rules.most for mask in self.parents])
        may_add = self._allowed & ~self._reaches.T & has_room & ~self._arrow
        gains = np.where(may_add | (self._arrow & ~self._fixed), self._gain, -np.inf)
        tails, heads = np.nonzero(self._arrow)
        # Reversing an arrow closes a cycle if and only if there is another path from its tail to its head.
        detour = self._arrow[:, heads] & self._reaches[tails].T
        detour[tails, np.arange(len(tails))] = False
        may_reverse = ~detour.any(axis=0) & self._allowed[heads, tails] & has_room[tails] & ~self._fixed[tails, heads]
        reversals = np.where(may_reverse, self._gain[tails, heads] + self._gain[heads, tails], -np.inf)
        return gains, (tails, heads), reversals

    def _first(self, gains: AnyArray, reversible: tuple[AnyArray, AnyArray], reversals: AnyArray, least: float) -> Step:
        """The first by name of the moves with a gain of at least `least`; reversals come last."""
        good = gains.ravel() >= least
        at = int(np.argmax(good))
        if good[at]:
            return self._toggle(at, gains)
        return self._reverse(int(np.argmax(reversals >= least)), reversible, reversals)

    def _toggle(self, at: int, gains: AnyArray) -> Step:
        parent, child = divmod(at, len(self.parents))
        return Step("delete" if self._arrow[parent, child] else "add", parent, child, float(gains[parent, child]))

    def _reverse(self, at: int, reversible: tuple[AnyArray, AnyArray], reversals: AnyArray) -> Step:
        return Step("reverse", int(reversible[0][at]), int(reversible[1][at]), float(reversals[at]))

    def _refresh(self, children: Iterable[int]) -> None:
        """Score the families of some variables with each arrow to them toggled, all in one call."""
        pairs = [
            (parent, child)
            for child in children
            for parent in self._candidates[child]
            if self._has_room(child) or self.parents[child] >> parent & 1
        ]
        if pairs:
            rows, columns = np.array(pairs).T
            # One call, so that the core counts all families that are new at once.
            toggled = self.scores.local([(child, self.parents[child] ^ 1 << parent) for parent, child in pairs])
            self._gain[rows, columns] = toggled - self._current[columns]

    def _has_room(self, child: int) -> bool:
        return self.parents[child].bit_count() < self.rules.most

    def _paths(self) -> AnyArray:
        """The matrix [from, to]: whether there is a path, of length 0 or more."""
        children = transposed(self.parents)
        reaches = np.eye(len(self.parents), dtype=bool)
        for node in reversed(topological(self.parents)):
            for child in bits(children[node]):
                reaches[node] |= reaches[child]
        return reaches


def scale_of(scores: LocalScores) -> float:
    """The size of the local scores: gains are their differences, so their rounding errors are in proportion to it."""
    alone = scores.local([(child, 0) for child in range(len(scores.names))])
    return float(max(1.0, np.abs(alone).max(initial=0.0)))


def climb(state: Climb, report: Progress) -> tuple[list[Move], list[int]]:
    """Climb until no move raises the score; the moves, and the graph that they lead to."""
    moves = []
    while (step := state.best()) is not None and exceeds(step.gain, 0.0, state.scale):
        moves.append(_moved(state, step, report))
    return moves, state.parents


def tabu(state: Climb, report: Progress) -> tuple[list[Move], list[int]]:
    """Climb, accept some moves that lower the score, and repeat; the best graph found, and the moves to it."""
    moves: list[Move] = []
    best, best_score, best_moves = list(state.parents), state.score, 0
    recent: deque[tuple[int, ...]] = deque([tuple(state.parents)], maxlen=_TABU)
    idle = 0
    while idle < _TABU and (step := state.best(recent)) is not None:
        moves.append(_moved(state, step, report))
        # Whole graphs are kept, as in bnlearn, not moves: no sequence of moves leads back to one of them.
        recent.append(tuple(state.parents))
        idle += 1
        if exceeds(state.score, best_score, state.scale):
            best, best_score, best_moves, idle = list(state.parents), state.score, len(moves), 0
    return moves[:best_moves], best


def restart(state: Climb, rng: np.random.Generator, report: Progress) -> list[Move]:
    """Some random moves, a quarter as many as there are variables."""
    moves = []
    for _ in range(max(3, len(state.parents) // 4)):
        step = state.random_move(rng)
        if step is None:
            break
        moves.append(_moved(state, step, report))
    return moves


def _moved(state: Climb, step: Step, report: Progress) -> Move:
    """Make a move, and report it by name."""
    state.make(step)
    names = state.scores.names
    move = Move(step.kind, names[step.parent], names[step.child], step.gain)
    report(move)
    return move
