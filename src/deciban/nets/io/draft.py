"""A net under construction from a file, with line numbers for errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal

import numpy as np

from deciban.errors import CycleError, DecibanError, FileError
from deciban.limits import check_memory
from deciban.nets.data.node_rows import first_repeated
from deciban.nets.graphs.bits import mask_of, reach
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.network import ROW_TOLERANCE, Network
from deciban.types import Floats

__all__ = ["Draft", "LineOf"]

_MOST_AXES = 32  # NumPy's arrays have up to 64, and inference multiplies tables
_EXACT = 10**15
_PER_ENTRY = 24
"""The bytes per table entry while a net is built: in the draft, in the net, and in the normalized table."""

LineOf = Callable[[int], int]
"""Maps the index of a row to its line."""


class Draft:
    """A net under construction from a file: variables and tables in its order, with line numbers for errors.

    A reader adds each variable, then for each node its parents and its table, and returns ``network()``.

    Parameters
    ----------
    file : str
        The file's name, for errors.

    See Also
    --------
    Format : A file format.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.nets.io.draft import Draft
    >>> draft = Draft("coin.txt")
    >>> draft.add_variable("coin", ["head", "tail"], line=1)
    >>> draft.add_family("coin", [], line=2)
    (2,)
    >>> draft.add_table("coin", np.array([0.5, 0.5]), line=2)
    >>> draft.network()
    Network(1 node, 0 arrows, 2 table entries)
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self.states: dict[Node, tuple[str, ...]] = {}
        self.parents: dict[Node, tuple[str, ...]] = {}
        self.tables: dict[Node, Floats] = {}
        self._filled = 0
        self._lines: dict[Node, int] = {}

    def fail(self, line: int, message: str) -> FileError:
        """An error at a line, to be raised.

        Parameters
        ----------
        line : int
            The number of the line.
        message : str
            What is wrong.

        Returns
        -------
        FileError
        """
        return FileError(f"{self._file}, line {line}: {message}")

    def add_variable(self, name: str, states: Sequence[str], line: int) -> None:
        """Add a variable and its states.

        Parameters
        ----------
        name : str
            The variable.
        states : sequence of str
            Its states.
        line : int
            The number of the line.
        """
        if name in self.states:
            raise self.fail(line, f"the variable {name!r} is defined a second time")
        if not states:
            raise self.fail(line, f"the variable {name!r} has no states")
        if len(set(states)) < len(states):
            raise self.fail(line, f"the variable {name!r} has the state {first_repeated(states)!r} twice")
        self.states[name] = tuple(states)
        self._lines[name] = line

    def add_family(self, node: str, parents: Sequence[str], line: int) -> tuple[int, ...]:
        """Add the parents of a node.

        Parameters
        ----------
        node : str
            The variable.
        parents : sequence of str
            Its parents, in the order of the table.
        line : int
            The number of the line.

        Returns
        -------
        tuple of int
            The shape of its table, the node's own states last.
        """
        for name in (node, *parents):
            if name not in self.states:
                raise self.fail(line, f"the table of {node!r} names {name!r}, which is not a variable of this file")
        if len({node, *parents}) <= len(parents):
            raise self.fail(line, f"the table of {node!r} names a variable twice: {', '.join((node, *parents))}")
        if node in self.parents:
            raise self.fail(line, f"{node!r} has a second table; the first is in line {self._lines[node]}")
        if len(parents) >= _MOST_AXES:
            raise self.fail(line, f"{node!r} has {len(parents)} parents; at most {_MOST_AXES - 1} can be read")
        self.parents[node] = tuple(parents)
        self._lines[node] = line
        return tuple(len(self.states[name]) for name in (*parents, node))

    def check_filled(self, node: str, line: int) -> None:
        """Refuse a table filled from a default, if it and the earlier ones would take too much memory.

        Parameters
        ----------
        node : str
            The variable.
        line : int
            The number of the line.
        """
        shape = [len(self.states[name]) for name in (*self.parents[node], node)]
        what = f"the table of {node!r} in line {line}"
        check_memory(what, *shape, itemsize=_PER_ENTRY)
        self._filled += math.prod(shape)
        check_memory(f"{what} and the earlier ones, which are filled from defaults,", self._filled, itemsize=_PER_ENTRY)

    def add_table(self, node: str, values: Floats, line: int, line_of: LineOf | None = None) -> None:
        """Add a node's table.

        Parameters
        ----------
        node : str
            The variable.
        values : array
            The probabilities, the node's own states fastest.
        line : int
            The number of the line.
        line_of : function, optional
            Maps the index of a row to its line.
        """
        shape = tuple(len(self.states[name]) for name in (*self.parents[node], node))
        if values.size != math.prod(shape):
            product = " × ".join(map(str, shape)) + " = " if len(shape) > 1 else ""
            needed = math.prod(shape)
            # As a Decimal: the product of many numbers of states may be more than the largest double.
            shown = needed if needed < _EXACT else f"{Decimal(needed):.3E}"
            raise self.fail(line, f"the table of {node!r} needs {product}{shown} values, not {values.size}")
        table = values.reshape(shape)
        self._check_rows(node, table.reshape(-1, shape[-1]), line, line_of)
        self.tables[node] = table

    def network(self) -> Network:
        """The net.

        Returns
        -------
        Network

        Raises
        ------
        FileError
            If a variable has no table, or the arrows form a cycle.
        """
        for node in self.states:
            if node not in self.tables:
                raise self.fail(self._lines[node], f"the variable {node!r} has no table")
        try:
            dag = DAG([(up, node) for node in self.states for up in self.parents[node]], self.states)
            return Network(dag, self.states, self.tables, self.parents)
        except CycleError as error:
            raise FileError(f"{self._file}, line {self._cycle_line()}: {error}") from None
        except DecibanError as error:
            raise FileError(f"{self._file}: {error}") from None

    def _cycle_line(self) -> int:
        """The line of the first table that closes a cycle."""
        index = {node: number for number, node in enumerate(self.states)}
        above = [0] * len(index)
        for node, parents in self.parents.items():
            number = index[node]
            above[number] = mask_of(index[up] for up in parents)
            if reach(above, 1 << number) >> number & 1:
                return self._lines[node]
        return 1

    def _check_rows(self, node: str, rows: Floats, line: int, line_of: LineOf | None) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # numbers of a file may be huge or not finite: see below
            sums = rows.sum(axis=1)
        is_wrong = ~(np.isfinite(rows) & (rows >= 0)).all(axis=1) | ~(np.abs(sums - 1) <= ROW_TOLERANCE)
        if not is_wrong.any():
            return
        row = int(is_wrong.argmax())
        indices = (
            np.unravel_index(row, [len(self.states[up]) for up in self.parents[node]]) if self.parents[node] else ()
        )
        given = ", ".join(f"{up}={self.states[up][at]}" for up, at in zip(self.parents[node], indices, strict=True))
        where = f"of {node!r}" + (f" given {given}" if given else "")
        invalid = [value for value in rows[row].tolist() if not (math.isfinite(value) and value >= 0)]
        what = f"contains {invalid[0]}" if invalid else f"sums to {sums[row]:.9g}"
        rule = "probabilities are finite and not negative" if invalid else f"rows sum to 1 within {ROW_TOLERANCE:g}"
        raise self.fail(line_of(row) if line_of else line, f"the row {where} {what}; {rule}")
