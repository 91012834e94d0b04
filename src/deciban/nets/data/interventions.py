"""Which nodes were set from outside in which rows: what ``interventions=`` of ``search`` and ``fit`` says.

A row in which a node was set says nothing of what the node depends on otherwise, as its value was chosen; it still says
what the value does to other nodes. So it counts in every family but that of the node (Cooper and Yoo, 1999).

``interventions`` is one of these; the columns that it names are read for this alone, and are no nodes:

=====================================  =================================================================================
``"target"``                           the name of a column: in each row the node that was set, several with commas
                                       between them, or missing or empty where none was
``{"drug": {"A": "x", "none": None}}`` column → value → the node or nodes that it sets, None for none
``{"knocked": "x"}``                   column → the node or nodes that were set in the rows where the column is true, or
                                       1; None for a condition that sets none
a sequence                             for each row a node, several in a tuple, list or set, or None
=====================================  =================================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.nets.graphs.graph import Node, is_among
from deciban.read import Column, is_missing, plain
from deciban.types import AnyArray, Ints

__all__ = ["Interventions", "columns_of_interventions", "read_interventions"]


@dataclass(frozen=True, eq=False)
class Interventions:
    """For each row the index of the set of nodes that were set in it; these sets, each once."""

    index: Ints
    sets: tuple[frozenset[Node], ...]

    def take(self, rows: Ints) -> Interventions:
        """Some of the rows."""
        return replace(self, index=self.index[rows])

    def was_set(self, node: Node) -> AnyArray:
        """In which rows a node was set."""
        return np.array([node in nodes for nodes in self.sets], dtype=bool)[self.index]

    @property
    def nodes(self) -> frozenset[Node]:
        """The nodes that were set in some row."""
        return frozenset().union(*self.occurring)

    @property
    def occurring(self) -> tuple[frozenset[Node], ...]:
        """The sets that some row has."""
        return tuple(self.sets[index] for index in np.unique(self.index).tolist())

    def by_rows(self, nodes: Iterable[Node]) -> list[tuple[tuple[Node, ...], Ints | None]]:
        """The nodes in groups, with the rows in which those of the group were not set; None for all rows."""
        groups: dict[frozenset[int], list[Node]] = {}
        for node in nodes:
            groups.setdefault(frozenset(i for i, held in enumerate(self.sets) if node in held), []).append(node)
        return [
            (tuple(group), np.flatnonzero(~np.isin(self.index, list(own))) if own else None)
            for own, group in groups.items()
        ]


def columns_of_interventions(interventions: Any) -> tuple[Node, ...]:
    """The columns of the table that ``interventions`` names."""
    if isinstance(interventions, str):
        return (interventions,)
    return tuple(interventions) if isinstance(interventions, Mapping) else ()


def read_interventions(
    interventions: Any, columns: Mapping[Node, Column], nodes: Collection[Node], rows: int
) -> Interventions | None:
    """What was set in each row; `columns` are those that ``interventions`` names. None where it is None."""
    if interventions is None:
        return None
    if isinstance(interventions, str):
        found = [_by_value(columns[interventions], None, nodes)]
    elif isinstance(interventions, Mapping):
        found = [_of_column(columns[name], effect, nodes) for name, effect in interventions.items()]
    else:
        found = [_of_sequence(interventions, nodes, rows)]
    return _joined(found, rows)


def _of_column(column: Column, effect: Any, nodes: Collection[Node]) -> Interventions:
    if isinstance(effect, Mapping):
        return _by_value(column, effect, nodes)
    own = _nodes_of(effect, nodes, f"interventions names it for column {column.name!r}")
    labels, codes = _values(column)
    for label in labels:
        if own and label not in (0, 1):
            raise ParameterError(
                f"column {column.name!r} has the value {label!r}; a column of which interventions names the node has 1 "
                f"in the rows in which it was set, and 0 in others. Pass {{{column.name!r}: {{value: node}}}} to say "
                "what each value sets."
            )
    is_set = np.array([bool(own) and label == 1 for label in labels] + [False], dtype=bool)[codes]
    return Interventions(is_set.astype(np.int64), (frozenset(), own))


def _by_value(column: Column, effects: Mapping[Any, Any] | None, nodes: Collection[Node]) -> Interventions:
    """The value of each row is a node, or one of which `effects` say what it sets."""
    labels, codes = _values(column)
    sets = []
    for code, label in enumerate(labels):
        where = f"column {column.name!r} has it in row {int(np.argmax(codes == code))}"
        if effects is None:
            sets.append(_nodes_of(label, nodes, where, " Pass a mapping {column: {value: node}} for other values."))
        elif label in effects:
            sets.append(_nodes_of(effects[label], nodes, f"interventions has it for {label!r}"))
        else:
            row = int(np.argmax(codes == code))
            raise ParameterError(
                f"interventions says nothing of the value {label!r} of column {column.name!r} (row {row}): name the "
                f"nodes that it sets, or None.{did_you_mean(label, effects)}"
            )
    return Interventions(codes.astype(np.int64) % (len(sets) + 1), (*sets, frozenset()))


def _of_sequence(interventions: Any, nodes: Collection[Node], rows: int) -> Interventions:
    try:
        values = list(interventions)
    except TypeError:
        raise ParameterError(
            "interventions is the name of a column, a mapping from columns, or a sequence with a node, several, or "
            f"None for each row; not {interventions!r}."
        ) from None
    if len(values) != rows:
        raise ColumnMismatchError(f"interventions has {len(values):,} entries, and the table {rows:,} rows.")
    index: dict[frozenset[Node], int] = {}
    codes = np.empty(rows, dtype=np.int64)
    known: dict[Hashable, frozenset[Node]] = {}
    for row, value in enumerate(values):
        key = frozenset(value) if isinstance(value, set | list) else plain(value)
        if not is_among(key, known):
            known[key] = _nodes_of(value, nodes, f"interventions has it for row {row}")
        codes[row] = index.setdefault(known[key], len(index))
    return Interventions(codes, tuple(index))


def _joined(found: Sequence[Interventions], rows: int) -> Interventions:
    """What several columns set together."""
    sets, index = [frozenset[Node]()], np.zeros(rows, dtype=np.int64)
    for one in found:
        pairs, index = np.unique(index * len(one.sets) + one.index, return_inverse=True)
        sets = [sets[pair // len(one.sets)] | one.sets[pair % len(one.sets)] for pair in pairs.tolist()]
    distinct = {nodes: number for number, nodes in enumerate(dict.fromkeys(sets))}
    return Interventions(np.array([distinct[nodes] for nodes in sets], dtype=np.int64)[index], tuple(distinct))


def _values(column: Column) -> tuple[list[Any], AnyArray]:
    """The distinct values of a column, and each row's index among them, −1 where it is missing."""
    variable = column.variable()
    return [plain(label) for label in variable.labels.tolist()], column.codes(variable)


def _nodes_of(entry: Any, nodes: Collection[Node], where: str, advice: str = "") -> frozenset[Node]:
    """The nodes that an entry names."""
    value = plain(entry)
    if is_missing(value) or value == "":
        return frozenset()
    if is_among(value, nodes):
        return frozenset([value])
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",")]
    else:
        parts = list(value) if isinstance(value, tuple | list | set | frozenset) else [value]
    for part in parts:
        if not is_among(part, nodes):
            raise ParameterError(
                f"interventions sets {part!r}, which is not a node ({where}).{did_you_mean(part, nodes)}{advice}"
            )
    return frozenset(parts)
