"""The effect of an intervention as a table: the distribution of the effect for each state of the cause.

From data, each number has a bootstrap standard error (Efron, 1979). If a formula needs P(a | b) for a b that does not
occur in the data, *positivity* fails (Rosenbaum and Rubin, 1983): without smoothing the effect is undefined there, and
in both cases the cell is listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import product
from typing import Any

import numpy as np

from deciban.choices import closest, counted
from deciban.errors import ImpossibleEvidenceError, InputError, UnseenStateError
from deciban.nets.graphs.graph import Node
from deciban.nets.network import State
from deciban.read import plain
from deciban.types import Floats

__all__ = ["Effect"]

Key = State | tuple[State, ...] | Mapping[Any, State]
"""A state of the cause, a tuple of states, or a mapping from nodes to states."""


@dataclass(frozen=True, eq=False)
class Effect(Mapping[Key, dict[State, float]]):
    """P(effect | do(cause), given) for every state of cause and given: a mapping to mappings.

    ``effect["on"]["wet"]`` is P(wet | do(on)). With several causes, or with ``given``, a key is a tuple of states
    in the order of ``condition``, or a mapping from nodes to states. The outcomes of several effects are tuples of
    states. Undefined cells are omitted, and reading one raises an error with the reason.

    Attributes
    ----------
    title, formula : str
        The two sides of the equation.
    condition, effect : tuple of nodes
        The nodes of the keys (the causes, then ``given``), and of the distributions.
    states : mapping
        The states of each of these nodes.
    unsupported : tuple of dicts
        Conditions that the formula needs and that do not occur in the data.
    rows : float or None
        From data, the weight of the rows.
    left_out : int
        From data, the number of rows with a missing value.

    See Also
    --------
    effect : Returns it.
    Estimand : The formula.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {
    ...     "ill": [0, 0, 0, 0, 1, 1, 1, 1],
    ...     "drug": [0, 0, 1, 1, 0, 0, 1, 1],
    ...     "well": [0, 1, 0, 1, 0, 1, 0, 1],
    ... }
    >>> times = [20, 60, 2, 18, 18, 2, 60, 20]
    >>> g = db.DAG([("ill", "drug"), ("ill", "well"), ("drug", "well")])
    >>> found = db.effect(rows, g, cause="drug", effect="well", sample_weight=times)
    >>> (
    ...     round(found[1][1], 3),
    ...     round(found.difference(1, 0)[1], 3),
    ...     round(found.error(1, 0)[1], 2),
    ... )
    (0.575, 0.15, 0.06)
    """

    title: str
    formula: str
    condition: tuple[Node, ...]
    effect: tuple[Node, ...]
    states: Mapping[Node, tuple[State, ...]]
    unsupported: tuple[dict[Node, State], ...]
    rows: float | None = None
    left_out: int = 0
    _table: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    _bootstrap: Floats | None = field(default=None, repr=False)

    def __getitem__(self, key: Key) -> dict[State, float]:
        row = self._table[self._index(key)]
        if np.isnan(row).any():
            raise ImpossibleEvidenceError(self._why_undefined(key))
        return dict(zip(self._outcomes, row.ravel().tolist(), strict=True))

    def __iter__(self) -> Iterator[State]:
        return (key for key in self._keys if not np.isnan(self._table[self._index(key)]).any())

    def __contains__(self, key: object) -> bool:
        return key in list(self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def difference(self, key: Key, other: Key) -> dict[State, float]:
        """The effect of one action compared with another.

        Parameters
        ----------
        key, other : state, tuple of states or mapping
            Two actions: keys of the effect.

        Returns
        -------
        dict
            P(outcome | do(key)) − P(outcome | do(other)) of each outcome.
        """
        one, two = self[key], self[other]
        return {outcome: one[outcome] - two[outcome] for outcome in one}

    def error(self, key: Key, other: Key | None = None) -> dict[State, float]:
        """The standard error of each probability, or of each difference between two actions.

        Parameters
        ----------
        key : state, tuple of states or mapping
            An action: a key of the effect.
        other : state, tuple of states or mapping, optional
            Another action, for the standard error of ``difference(key, other)``.

        Returns
        -------
        dict
            The bootstrap standard error of each outcome.

        Raises
        ------
        InputError
            If the effect is exact, or was estimated with ``bootstrap=0``.
        """
        if self._bootstrap is None:
            raise InputError("there are no standard errors: the effect is exact, or bootstrap=0 was passed")
        values = self._bootstrap_values(key, other)
        if len(values) < 2:
            raise ImpossibleEvidenceError(self._why_undefined(key))
        return dict(zip(self._outcomes, values.std(axis=0, ddof=1).tolist(), strict=True))

    def _bootstrap_values(self, key: Key, other: Key | None = None) -> Floats:
        """The values of the bootstrap samples in which they are defined: one row each."""
        if self._bootstrap is None:
            return np.empty((0, len(self._outcomes)))
        tables = np.array([table[self._index(key)] for table in self._bootstrap])
        if other is not None:
            tables -= np.array([table[self._index(other)] for table in self._bootstrap])
        flat = tables.reshape(len(tables), -1)
        return flat[~np.isnan(flat).any(axis=1)]

    @property
    def _keys(self) -> list[State]:
        return _combined([self.states[node] for node in self.condition])

    @property
    def _outcomes(self) -> list[State]:
        return _combined([self.states[node] for node in self.effect])

    def _index(self, key: Key) -> tuple[int, ...]:
        if isinstance(key, Mapping):
            key = self._listed(key)
        elif len(self.condition) == 1:
            key = (key,)
        if not isinstance(key, tuple) or len(key) != len(self.condition):
            raise InputError(
                f"a key has a state for each of {', '.join(map(str, self.condition))}, in this order: {key!r}"
            )
        return tuple(self._code(node, state) for node, state in zip(self.condition, key, strict=True))

    def _listed(self, key: Mapping[Node, State]) -> tuple[State, ...]:
        if set(key) != set(self.condition):
            raise InputError(f"a key has exactly the nodes {', '.join(map(str, self.condition))}: {dict(key)!r}")
        return tuple(key[node] for node in self.condition)

    def _code(self, node: Node, state: State) -> int:
        try:
            return self.states[node].index(plain(state))
        except ValueError:
            known = ", ".join(map(repr, self.states[node]))
            meant = closest(state, self.states[node])
            raise UnseenStateError(f"{node!r} has no state {state!r}; its states are: {known}.{meant}") from None

    def _why_undefined(self, key: Key) -> str:
        codes = zip(self.condition, self._index(key), strict=True)
        shown = _assigned((node, self.states[node][code]) for node, code in codes)
        needed = "; ".join(_assigned(cell.items()) for cell in self.unsupported[:3]) or "some condition"
        return (
            f"{self.title} is undefined for {shown}: the formula needs {needed}, which has probability 0. "
            "From data, pass smoothing=db.Laplace()."
        )

    def __str__(self) -> str:
        heads = [f"{_shown(self.effect)} = {_shown(outcome)}" for outcome in self._outcomes]
        lines = [[_shown(self.condition), *heads]] + [[_shown(key), *self._figures(key)] for key in self._keys]
        widths = [max(len(line[column]) for line in lines) for column in range(len(heads) + 1)]
        shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([f"{self.title} = {self.formula}", *(line.rstrip() for line in shown), *self._remarks()])

    def _figures(self, key: Key) -> list[str]:
        # Not by ``in``, which lists all keys for each of them.
        if np.isnan(self._table[self._index(key)]).any():
            return ["—"] * len(self._outcomes)
        values = self[key]
        if len(self._bootstrap_values(key)) < 2:
            return [f"{value:.4f}" for value in values.values()]
        errors = self.error(key)
        return [f"{value:.4f} ± {errors[outcome]:.4f}" for outcome, value in values.items()]

    def _remarks(self) -> list[str]:
        remarks = [f"not in the data: {_assigned(cell.items())}" for cell in self.unsupported[:5]]
        if len(self.unsupported) > 5:
            remarks.append(f"not in the data: {len(self.unsupported) - 5} more")
        if self.left_out:
            remarks.append(f"dropped for missing values: {counted(self.left_out, 'row')}")
        return remarks

    def __repr__(self) -> str:
        size = " × ".join(str(len(self.states[node])) for node in (*self.condition, *self.effect))
        rows = "" if self.rows is None else f", {self.rows:,g} rows"
        return f"Effect({self.title} = {self.formula}; {size} table{rows})"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _combined(states: list[tuple[State, ...]]) -> list[State]:
    return list(states[0]) if len(states) == 1 else list(product(*states))


def _shown(state: State) -> str:
    return ", ".join(map(str, state)) if isinstance(state, tuple) else str(state)


def _assigned(pairs: Iterable[tuple[Node, State]]) -> str:
    return ", ".join(f"{node} = {state}" for node, state in pairs)
