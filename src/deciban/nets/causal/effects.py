"""The effect of an action as a table: for each thing that may be done, the distribution that follows.

From data each number has a standard error, by drawing as many rows again and again and evaluating the formula anew
(Efron, 1979). Where a formula needs P(a | b) for a b that no row has, *positivity* fails (Rosenbaum and Rubin, 1983):
what rests on it has no value without smoothing, and either way the cell is named.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import product
from typing import Any

import numpy as np

from deciban.choices import counted
from deciban.errors import ImpossibleEvidenceError, InputError, UnseenStateError
from deciban.nets.graphs.base import Node
from deciban.nets.network import State
from deciban.read import plain
from deciban.suggest import closest
from deciban.types import Floats

__all__ = ["Effect"]

Key = Hashable | Mapping[Any, Any]


@dataclass(frozen=True, eq=False)
class Effect(Mapping[Any, dict[Any, float]]):
    """P(effect | do(cause), given) for every state of cause and given: a mapping to mappings.

    ``effect["on"]["wet"]`` is P(wet | do(on)). Where there are several causes, or causes and ``given``, a key is a
    tuple of states in the order of ``acted``, or a mapping from nodes to states. Several effects have tuples of states,
    too. What has no value is no key, and an error says why.

    Attributes
    ----------
    title, formula : what is told, and from what
    acted, effect : the nodes of the keys, and of the distributions
    states : the states of each
    unsupported : conditions that the formula needs and that no row has
    rows, left_out : from data, the weight of the rows, and how many rows lack a value
    """

    title: str
    formula: str
    acted: tuple[Node, ...]
    effect: tuple[Node, ...]
    states: Mapping[Node, tuple[State, ...]]
    unsupported: tuple[dict[Node, State], ...]
    rows: float | None = None
    left_out: int = 0
    _table: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    _drawn: Floats | None = field(default=None, repr=False)

    def __getitem__(self, key: Key) -> dict[Any, float]:
        row = self._table[self._place(key)]
        if np.isnan(row).any():
            raise ImpossibleEvidenceError(self._lack(key))
        return dict(zip(self._outcomes, row.ravel().tolist(), strict=True))

    def __iter__(self) -> Iterator[Any]:
        return (key for key in self._keys if not np.isnan(self._table[self._place(key)]).any())

    def __contains__(self, key: object) -> bool:
        return key in list(self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def difference(self, key: Key, other: Key) -> dict[Any, float]:
        """How much more probable each outcome is when the one is done than when the other is."""
        one, two = self[key], self[other]
        return {outcome: one[outcome] - two[outcome] for outcome in one}

    def error(self, key: Key, other: Key | None = None) -> dict[Any, float]:
        """The standard error of each probability, or of each difference between two actions."""
        if self._drawn is None:
            raise InputError("there are no standard errors: the effect is exact, or bootstrap=0 was passed")
        known = self._spread(key, other)
        if len(known) < 2:
            raise ImpossibleEvidenceError(self._lack(key))
        return dict(zip(self._outcomes, known.std(axis=0, ddof=1).tolist(), strict=True))

    def _spread(self, key: Key, other: Key | None = None) -> Floats:
        """What the draws gave that gave anything: one row each."""
        if self._drawn is None:
            return np.empty((0, len(self._outcomes)))
        drawn = np.array([one[self._place(key)] for one in self._drawn])
        if other is not None:
            drawn -= np.array([one[self._place(other)] for one in self._drawn])
        flat = drawn.reshape(len(drawn), -1)
        return flat[~np.isnan(flat).any(axis=1)]

    @property
    def _keys(self) -> list[Any]:
        return _combined([self.states[node] for node in self.acted])

    @property
    def _outcomes(self) -> list[Any]:
        return _combined([self.states[node] for node in self.effect])

    def _place(self, key: Key) -> tuple[int, ...]:
        if isinstance(key, Mapping):
            key = self._listed(key)
        elif len(self.acted) == 1:
            key = (key,)
        if not isinstance(key, tuple) or len(key) != len(self.acted):
            raise InputError(f"a key has a state for each of {', '.join(map(str, self.acted))}, in this order: {key!r}")
        return tuple(self._code(node, state) for node, state in zip(self.acted, key, strict=True))

    def _listed(self, key: Mapping[Node, State]) -> tuple[State, ...]:
        if set(key) != set(self.acted):
            raise InputError(f"a key names each of {', '.join(map(str, self.acted))} and nothing else: {dict(key)!r}")
        return tuple(key[node] for node in self.acted)

    def _code(self, node: Node, state: State) -> int:
        try:
            return self.states[node].index(plain(state))
        except ValueError:
            known = ", ".join(map(repr, self.states[node]))
            meant = closest(state, self.states[node])
            raise UnseenStateError(f"{node!r} has no state {state!r}; its states are: {known}.{meant}") from None

    def _lack(self, key: Key) -> str:
        held = zip(self.acted, self._place(key), strict=True)
        shown = _assigned((node, self.states[node][code]) for node, code in held)
        lacking = "; ".join(_assigned(cell.items()) for cell in self.unsupported[:3]) or "some condition"
        return (
            f"{self.title} has no value for {shown}: the formula needs {lacking}, which has probability 0. "
            "From data, pass smoothing=db.Laplace() to fill what was never seen."
        )

    def __str__(self) -> str:
        heads = [f"{_shown(self.effect)} = {_shown(outcome)}" for outcome in self._outcomes]
        lines = [[_shown(self.acted), *heads]] + [[_shown(key), *self._figures(key)] for key in self._keys]
        widths = [max(len(line[column]) for line in lines) for column in range(len(heads) + 1)]
        shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([f"{self.title} = {self.formula}", *(line.rstrip() for line in shown), *self._remarks()])

    def _figures(self, key: Any) -> list[str]:
        if key not in self:
            return ["—"] * len(self._outcomes)
        values = self[key]
        if len(self._spread(key)) < 2:
            return [f"{value:.4f}" for value in values.values()]
        errors = self.error(key)
        return [f"{value:.4f} ± {errors[outcome]:.4f}" for outcome, value in values.items()]

    def _remarks(self) -> list[str]:
        said = [f"never seen: {_assigned(cell.items())}" for cell in self.unsupported[:5]]
        if len(self.unsupported) > 5:
            said.append(f"never seen: {len(self.unsupported) - 5} more")
        if self.left_out:
            said.append(f"left out for a missing value: {counted(self.left_out, 'row')}")
        return said

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _combined(states: list[tuple[State, ...]]) -> list[Any]:
    return list(states[0]) if len(states) == 1 else list(product(*states))


def _shown(state: Any) -> str:
    return ", ".join(map(str, state)) if isinstance(state, tuple) else str(state)


def _assigned(pairs: Any) -> str:
    return ", ".join(f"{node} = {state}" for node, state in pairs)
