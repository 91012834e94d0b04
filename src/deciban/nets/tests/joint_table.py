"""A joint table as an exact source of independences.

  X ⊥ Y | Z  ⟺  P(x, y, z) · P(z) = P(x, z) · P(y, z)  for all x, y, z

needs no division, so P(z) = 0 needs no special case. With integers or fractions in the table the answer is exact; with
floats it is up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import isclose
from typing import Any

import numpy as np

from deciban.errors import InputError, UnknownNodeError
from deciban.nets.graphs.base import Node

__all__ = ["JointTable"]

Nodes = Node | Iterable[Node]
Number = int | Fraction | float

_TOLERANCE = 1e-9


class JointTable:
    """The probability of every outcome of some variables, as an exact source of independences.

        X ⊥ Y | Z  ⟺  P(x, y, z) · P(z) = P(x, z) · P(y, z)  for all x, y, z

    With integers or fractions in the table the answer is exact; with floats it is up to rounding.

    Parameters
    ----------
    table : mapping or array
        A mapping from outcomes, tuples with a state for each variable, to probabilities or counts (0 for
        outcomes that are not listed); or an array with an axis for each variable.
    variables : sequence, optional
        Their names, in the order of the tuples or the axes. By default 0, 1, ….

    Attributes
    ----------
    nodes : tuple
        The names of the variables.

    See Also
    --------
    is_compatible : Whether a graph fits the table.
    discover : Takes it as a source.

    Examples
    --------
    Two coins and whether they show the same: any two are independent, but not given the third.

    >>> import deciban as db
    >>> outcomes = {("h", "h", 1): 1, ("h", "t", 0): 1, ("t", "h", 0): 1, ("t", "t", 1): 1}
    >>> coins = db.JointTable(outcomes, ["a", "b", "same"])
    >>> coins.independent("a", "same"), coins.independent("a", "same", given="b")
    (True, False)
    """

    def __init__(self, table: Any, variables: Sequence[Node] | None = None) -> None:
        cells = _cells(table)
        width = len(next(iter(cells)))
        self.nodes: tuple[Node, ...] = tuple(range(width) if variables is None else variables)
        if len(self.nodes) != width or len(set(self.nodes)) != width:
            raise InputError(f"a table of {width} variables, but the names {self.nodes!r}")
        self._index = {node: index for index, node in enumerate(self.nodes)}
        self._cells = cells
        self._is_exact = all(isinstance(number, int | Fraction) for number in cells.values())
        self._sums: dict[tuple[int, ...], dict[tuple[Any, ...], Number]] = {}

    def independent(
        self, x: Node | Iterable[Node], y: Node | Iterable[Node], given: Node | Iterable[Node] = ()
    ) -> bool:
        """Whether x ⊥ y | given holds in the table.

        Parameters
        ----------
        x, y : variable or iterable of variables
            The two sides.
        given : variable or iterable of variables, optional
            The conditioning set.

        Returns
        -------
        bool
        """
        a, b, c = self._indices(x), self._indices(y), self._indices(given)
        whole, left, right, base = (self._sum(c + part) for part in (a + b, a, b, ()))
        rights: dict[tuple[Any, ...], list[tuple[tuple[Any, ...], Number]]] = {}
        for key, number in right.items():
            rights.setdefault(key[: len(c)], []).append((key[len(c) :], number))
        return all(
            self._same(whole.get(key + other, 0) * base[key[: len(c)]], number * peer)
            for key, number in left.items()
            for other, peer in rights[key[: len(c)]]
        )

    def _same(self, one: Number, other: Number) -> bool:
        return one == other if self._is_exact else isclose(one, other, rel_tol=_TOLERANCE, abs_tol=1e-15)

    def _indices(self, names: Nodes) -> tuple[int, ...]:
        is_one = isinstance(names, str) or not isinstance(names, Iterable) or _is_in(names, self._index)
        listed: Iterable[Node] = [names] if is_one else names  # type: ignore[assignment, list-item]
        try:
            return tuple(sorted({self._index[name] for name in listed}))
        except (KeyError, TypeError):
            raise UnknownNodeError(f"{names!r} is not a variable of the table: {self.nodes!r}") from None

    def _sum(self, indices: tuple[int, ...]) -> dict[tuple[Any, ...], Number]:
        if indices not in self._sums:
            sums: dict[tuple[Any, ...], Number] = {}
            for outcome, number in self._cells.items():
                key = tuple(outcome[index] for index in indices)
                sums[key] = sums.get(key, 0) + number
            self._sums[indices] = sums
        return self._sums[indices]

    def __repr__(self) -> str:
        return f"JointTable({len(self._cells)} outcomes of {', '.join(map(str, self.nodes))})"


def _is_in(name: Any, names: Mapping[Node, int]) -> bool:
    try:
        return name in names
    except TypeError:
        return False


def _cells(table: Any) -> dict[tuple[Any, ...], Number]:
    """The outcomes with a probability above 0; floats are normalized."""
    if isinstance(table, Mapping):
        found = {key if isinstance(key, tuple) else (key,): _number(value) for key, value in table.items()}
    else:
        array = np.asarray(table)
        found = {cell: _number(array[cell]) for cell in np.ndindex(array.shape)}
    cells = {key: number for key, number in found.items() if number}
    if len({len(key) for key in found}) != 1 or not cells or min(cells.values()) < 0:
        raise InputError("a joint table needs outcomes of the same length and non-negative numbers, not all 0")
    total = sum(cells.values())
    if isinstance(total, float):
        return {key: float(number) / total for key, number in cells.items()}
    return cells


def _number(value: Any) -> Number:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, int | float | Fraction) and plain - plain == 0:
        return plain
    raise InputError(f"a joint table contains finite numbers, not {value!r}")
