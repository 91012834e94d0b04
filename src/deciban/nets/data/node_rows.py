"""The rows of a table, as the columns of the nodes of a net: which column is whose, what it holds, which states it has.

**Columns.** A table is whatever `deciban.read` takes. A column belongs to the node of its name. Nodes need not be text:
a mapping is read by its own keys, and otherwise the name is the node as text. The columns of a table without names are
called ``x0``, ``x1`` and so on; where the nodes have other names, a node that is a number is the index of its column,
and a table with as many columns as there are nodes has them in the order of the nodes.

**Missing values.**

    missing="error"   a missing value is an error
    missing="skip"    it is left out where it is needed: of one test, of one family's counts
    missing="drop"    its row is left out
    missing="state"   it is a state of its own
    missing="em"      it is summed out by expectation maximization

Each function takes those that make sense there. A score with "skip" compares two families on the rows that both have,
since a family that left out the rows it lacks would look better for having fewer of them. A sample weight is the number
of rows that a row stands for: a row of weight 3 counts as three copies of it, a row of weight 0 is not there.

**Kinds.** What a column holds:

    category     labels, or at most 64 different numbers
    whole        whole numbers, more than 64 different ones: may be counted as categories
    number       fractions, more than 64 different ones or more than half as many as there are rows
    identifier   labels or whole numbers, more than 64 different ones and more than half as many as there are rows

``discover``, ``search``, ``BayesNet.fit`` and ``effect`` all use this rule, so they refuse the same columns with the
same error. Counting numbers that hardly repeat would give tables of zeros and ones, which say nothing about dependence.

Where nothing says how a table is read, numbers of 25 to 64 values, such as marks, and floats of fewer values are
numbers if all other columns can be; else they are categories.

In a net that takes both kinds, a column of more than 64 different numbers is a number. Where there is one, columns of
25 to 64 different numbers are numbers, too, and floats of fewer values if all other columns can be; every other column
is a category (``kinds_of_nodes``).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

import numpy as np

from deciban.choices import check_choice, closest, counted
from deciban.errors import (
    ColumnMismatchError,
    GraphError,
    InputError,
    InputTypeError,
    MissingValueError,
    ParameterError,
    UnseenStateError,
)
from deciban.nets.data.interventions import Interventions, columns_of_interventions, read_interventions
from deciban.nets.graphs.graph import Node
from deciban.read import (
    MISSING,
    MISSING_LABEL,
    Column,
    Table,
    Variable,
    check_lengths,
    column_of,
    container_of,
    generated_names,
    is_frame,
    listed,
    plain,
    read_table,
    read_weights,
)
from deciban.read.variable import Kind
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "FEW", "MOST_STATES", "UNSEEN", "ColumnKind", "ColumnRole", "NodeKind", "Reads", "Roles", "Rows", "States",
    "check_category", "check_kind", "check_nodes", "check_numbers", "check_part", "declared_orders", "declared_states",
    "distinct_values", "first_repeated", "kind_of", "kind_of_counts", "kind_of_node", "kind_of_table",
    "kinds_of_columns", "kinds_of_nodes", "match_columns", "match_indices", "narrowest", "notes_on_kinds",
    "numbers_of_labels", "ordered_states", "read_all_columns", "read_columns", "read_kinds", "read_rows",
    "read_states", "state_codes", "treat_missing", "what_is_read",
]  # fmt: skip

Name = TypeVar("Name", bound=Hashable)

_REMEDIES: Mapping[str, str] = {
    "skip": 'missing="skip" to leave it out where it is needed',
    "drop": 'missing="drop" to leave out its row',
    "state": 'missing="state" to make it a state of its own',
    "em": 'missing="em" to sum it out',
}


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns by name, the weight of each row or None, how many rows were left out, and the nodes without a column.

    `interventions` says which nodes were set in which rows; None where it is not known that any was.
    """

    columns: Mapping[Node, Column]
    sample_weight: Floats | None = None
    dropped: int = 0
    absent: tuple[Node, ...] = ()
    interventions: Interventions | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def take(self, kept: Ints) -> Rows:
        """Some of the rows, by index."""
        weights = None if self.sample_weight is None else self.sample_weight[kept]
        columns = {node: column.take(kept) for node, column in self.columns.items()}
        interventions = None if self.interventions is None else self.interventions.take(kept)
        return replace(self, columns=columns, sample_weight=weights, interventions=interventions)


def read_rows(
    data: Any,
    nodes: Sequence[Node] | None = None,
    *,
    sample_weight: Any = None,
    missing: str = "error",
    choices: Sequence[str] = ("error",),
    may_lack: Collection[Node] = (),
    only_nodes: bool = False,
    hint: str = "",
    is_part: bool = False,
    interventions: Any = None,
) -> Rows:
    """Read a table: all of its columns, or those of some nodes.

    A node without a column is an error unless `may_lack` has it, and `hint` says what else a user can do; with
    `only_nodes`, a column that is not a node is an error too. `choices` are the treatments of missing values that the
    caller allows. `is_part`: the table is a batch of a larger one, so no row may be left, and a column may have no
    value. `interventions` as in ``deciban.nets.data.interventions``; the columns that it names are no nodes.

    >>> rain = {"rain": ["no", None, "yes"], "wet": ["no", "yes", "yes"]}
    >>> read_rows(rain, missing="drop", choices=("error", "drop")).dropped
    1
    """
    check_choice("missing", missing, tuple(choices))
    beside = columns_of_interventions(interventions)
    if nodes is None:
        columns, absent = read_all_columns(data), tuple[Node, ...]()
        check_nodes(beside, columns, tuple(columns))
    else:
        if any(name in nodes for name in beside):
            raise ParameterError(f"interventions names the column {beside[0]!r}, which is a node: it cannot be both.")
        columns, names = read_columns(data, [*nodes, *beside], only_nodes=only_nodes)
        absent = check_nodes([*nodes, *beside], columns, names, may_lack, hint)
    conditions = {name: columns.pop(name) for name in beside}
    if not columns:
        raise InputError("the table has no columns but those of the interventions: there is nothing to count.")
    length = len(next(iter(columns.values())))
    actions = read_interventions(interventions, conditions, columns if nodes is None else nodes, length)
    rows = Rows(columns, read_weights(sample_weight, length), 0, absent, actions)
    weights = rows.sample_weight
    # Before missing values are looked at: a row of weight 0 is not there, so its missing values are no error.
    if weights is not None and not (weights > 0).all():
        if not weights.any() and not is_part:
            raise InputError("every weight is 0: no row is left.")
        rows = rows.take(np.flatnonzero(weights))
    return treat_missing(rows, missing, choices, is_part=is_part, first=None if is_part else 0)


def check_nodes(
    nodes: Sequence[Node],
    with_column: Collection[Node],
    names: Sequence[Hashable],
    may_lack: Collection[Node] = (),
    hint: str = "",
) -> tuple[Node, ...]:
    """The nodes that have no column; an error where one of them needs it. `names` are those of the columns."""
    absent = tuple(node for node in nodes if node not in with_column)
    lost = tuple(node for node in absent if node not in may_lack)
    if not lost and with_column:
        return absent
    lost = lost or absent
    shown = ", ".join(map(repr, lost[:8])) + (", …" if len(lost) > 8 else "")
    what = f"column {shown}" if len(lost) == 1 else f"column for {len(lost)} of the nodes: {shown}"
    known = ", ".join(map(str, names[:12])) + (", …" if len(names) > 12 else "")
    raise ColumnMismatchError(f"the table has no {what}; it has {known}.{closest(lost[0], names)}{hint}")


def treat_missing(
    rows: Rows, missing: str, choices: Sequence[str], *, is_part: bool = False, first: int | None = 0
) -> Rows:
    """The same rows with their missing values treated.

    `is_part` as in ``read_rows``; `first` is the number of the first row, None where it is not known.
    """
    incomplete = {node: column for node, column in rows.columns.items() if column.has_missing}
    if not incomplete or missing in ("skip", "em"):
        return rows
    for node, column in incomplete.items():
        if column.is_missing.all() and not is_part:
            raise MissingValueError(f"column {node!r} has no value at all: every row is missing. Leave it out.")
    if missing == "error":
        node, column = next(iter(incomplete.items()))
        remedies = [_REMEDIES[choice] for choice in choices if choice in _REMEDIES]
        advice = f"Pass {', or '.join(remedies)}, or fill it." if remedies else "Fill it."
        row = "" if first is None else f" (row {first + column.first_missing()})"
        raise MissingValueError(f"column {node!r} has a missing value{row}. {advice}")
    if missing == "state":
        columns = dict(rows.columns)
        for node, column in incomplete.items():
            # Before the missing state is one of its values: then they are labels, and too many numbers would pass.
            check_category(column, "fill the missing values", sample_weight=rows.sample_weight)
            columns[node] = column.with_missing_state()
        return replace(rows, columns=columns)
    kept = np.flatnonzero(~np.any([column.is_missing for column in incomplete.values()], axis=0))
    if not len(kept) and not is_part:
        worst = max(incomplete, key=lambda node: int(incomplete[node].is_missing.sum()))
        raise MissingValueError(
            f"each of the {counted(len(rows), 'row')} has a missing value in some column, so that none is left. Leave "
            f"out columns with many; {worst!r} has the most."
        )
    return replace(rows.take(kept), dropped=rows.dropped + len(rows) - len(kept))


def read_all_columns(data: Any) -> dict[Node, Column]:
    """Every column of a table, by its name."""
    _check_table(data)
    table = data if isinstance(data, Table) else read_table(data)
    labels = None if isinstance(data, Table) else _labels(container_of(data))
    names = table.names if labels is None else labels
    _check_names(names)
    return {name: _renamed(column, name) for name, column in zip(names, table.columns, strict=True)}


def read_columns(
    data: Any, nodes: Sequence[Node], *, only_nodes: bool = False
) -> tuple[dict[Node, Column], tuple[Hashable, ...]]:
    """The column of each node that has one, and the names of all columns.

    Other columns are not read; with `only_nodes` they are an error.
    """
    _check_table(data)
    if not nodes:
        raise GraphError("the graph has no nodes: there is nothing to learn")
    table = container_of(data)
    if isinstance(table, Mapping) and is_frame(table):  # one kind of sparse matrix is a mapping
        key_of = match_columns(list(table), nodes, only_nodes=only_nodes)
        return _from_mapping({node: table[key] for node, key in key_of.items()}), tuple(table)
    names = None
    if is_frame(table):
        from deciban.read.frame import column_names  # noqa: PLC0415  brings pyarrow, which takes long to load

        names = column_names(table)  # None where not all are text
    labels = _labels(table) if names is None else None
    # Numbers from 0 are what a frame has that was given no names: then columns are also found as x0, x1 and so on.
    if labels is not None and labels != tuple(range(len(labels))):
        _check_names(labels)
        label_of = match_columns(labels, nodes, only_nodes=only_nodes)
        every = dict(zip(labels, read_table(table).columns, strict=True))
        return {node: _renamed(every[label], node) for node, label in label_of.items()}, labels
    if names is None:
        columns = read_table(table).columns
        index_of = match_indices(len(columns), nodes, only_nodes=only_nodes)
        return {node: columns[index] for node, index in index_of.items()}, tuple(column.name for column in columns)
    name_of = match_columns(names, nodes, only_nodes=only_nodes)
    node_of = {name: node for node, name in name_of.items()}
    _check_names([name for name in names if name in node_of])
    columns = read_table(table, only=set(node_of)).columns if node_of else ()
    return {node_of[column.name]: column for column in columns}, names


def _labels(table: Any) -> tuple[Hashable, ...] | None:
    """The names of a frame or mapping where they are not all text, such as numbers or tuples; else None."""
    if not is_frame(table):
        return None
    if isinstance(table, Mapping):
        labels = tuple(map(plain, table))
    else:
        from deciban.read.frame import labels_of_columns  # noqa: PLC0415  brings pyarrow, which takes long to load

        labels = tuple(map(plain, labels_of_columns(table)))
    return None if all(isinstance(label, str) for label in labels) else labels


def _renamed(column: Column, name: Node) -> Column:
    return column if column.name == name else replace(column, name=str(name))


def match_columns(names: Sequence[Name], nodes: Sequence[Node], *, only_nodes: bool = False) -> dict[Node, Name]:
    """For each node that has a column, the name of the column.

    >>> match_columns(["wet", "rain", "day"], ["rain", "wet"])
    {'rain': 'rain', 'wet': 'wet'}
    """
    known: dict[Node, Name] = {name: name for name in names}
    keys = {node: node if node in known else str(node) for node in nodes}
    name_of = {node: known[key] for node, key in keys.items() if key in known}
    if only_nodes:
        used = set(name_of.values())
        for name in names:
            if name not in used:
                shown = list(map(str, nodes))
                raise ColumnMismatchError(
                    f"column {name!r} is not a node of the net; its nodes are: {listed(shown)}. Leave it out."
                    f"{closest(name, shown)}"
                )
    return name_of


def match_indices(count: int, nodes: Sequence[Node], *, only_nodes: bool = False) -> dict[Node, int]:
    """For each node that has a column, the index of the column, where the columns have no names.

    >>> match_indices(2, ["rain", "wet"]), match_indices(2, ["x1", "x0"])
    ({'rain': 0, 'wet': 1}, {'x1': 1, 'x0': 0})
    """
    named: dict[Node, int] = {name: index for index, name in enumerate(generated_names(count))}
    named |= {index: index for index in range(count)}
    index_of = {node: named[node] for node in nodes if node in named}
    if not index_of and count == len(nodes):
        return {node: index for index, node in enumerate(nodes)}
    if not index_of or (only_nodes and len(index_of) < count):
        raise ColumnMismatchError(
            f"the table has {count} columns without names, and there are {len(nodes)} nodes. Pass a frame or a "
            "mapping, whose columns are found by name."
        )
    return index_of


def _check_table(data: Any) -> None:
    if isinstance(data, str | bytes) or data is None:
        raise InputTypeError(f"data is a table, such as a frame or a mapping of columns, not {data!r}")


def _check_names(names: Sequence[Hashable]) -> None:
    if len(set(names)) < len(names):
        raise InputError(f"two columns are named {first_repeated(names)!r}. Rename one of them.")


def _from_mapping(values_of: Mapping[Node, Any]) -> dict[Node, Column]:
    columns = {node: column_of(node, values) for node, values in values_of.items()}
    lengths = {node: len(column) for node, column in columns.items()}
    check_lengths(lengths)
    if 0 in lengths.values():
        raise InputError("the table has no rows: there is nothing to count.")
    return columns


UNSEEN = -2
"""The code of a value that is not one of the known states."""

# The widest range that is looked up: its codes take 16 bits, and its tables are small beside the rows.
_NARROW = 1 << 12


@dataclass(frozen=True)
class States:
    """The states of a node as files and pickles store them: in order, and where they come from."""

    values: tuple[Hashable, ...]
    kind: Kind = "found"

    def variable(self, node: Node) -> Variable:
        """The states as a variable, which all computations use."""
        return Variable.of_states(node, self.values, self.kind)


def read_states(nodes: Sequence[Node], states: Any) -> dict[Node, Variable]:
    """The states that a user fixes: a list for each node, or a number n for the states 0 … n − 1."""
    if states is None:
        return {}
    if not isinstance(states, Mapping):
        raise ParameterError(f'states is a mapping such as {{"rain": ["no", "yes"]}}, not {states!r}')
    unknown = [node for node in states if node not in nodes]
    if unknown:
        raise ParameterError(f"states names {unknown[0]!r}, which is not a node of the graph")
    return {node: Variable.of_states(node, _state_list(node, listing), "fixed") for node, listing in states.items()}


def _state_list(node: Node, listing: Any) -> tuple[Hashable, ...]:
    listing = plain(listing)
    if isinstance(listing, int) and not isinstance(listing, bool):
        if listing < 1:
            raise ParameterError(f"{node!r} cannot have {listing} states")
        return tuple(range(listing))
    if isinstance(listing, str | bytes) or not hasattr(listing, "__iter__"):
        raise ParameterError(f"the states of {node!r} are a list of values or their number, not {listing!r}")
    states = tuple(map(plain, listing))
    if not states or len(set(states)) < len(states):
        raise ParameterError(f"the states of {node!r} must be different values, at least one, not {list(states)!r}")
    return states


def declared_states(node: Node, column: Column) -> Variable | None:
    """The states that the column's type lists, in its order; None where it lists none."""
    if not column.is_declared:
        return None
    states = [state for state in column.states.tolist() if state is not None and state == state]
    return Variable.of_states(node, states, "declared")


def declared_orders(columns: Mapping[Node, Column], roles: Roles) -> dict[Node, list[Hashable]]:
    """The order of the states of columns whose type has one, unless a user says how these are read."""
    return {
        name: column.states.tolist()
        for name, column in columns.items()
        if column.is_ordered and name not in roles.kinds
    }


def distinct_values(column: Column) -> tuple[list[Hashable], AnyArray]:
    """The distinct values of a column, sorted, and each row's index among them; ``MISSING`` where it has none.

    >>> distinct_values(
    ...     Column.of_values("sky", np.array(["sun", None, "fog", "sun"], dtype=object))
    ... )[0]
    ['fog', 'sun']
    """
    if (looked_up := _whole_numbers(column)) is not None:
        return looked_up
    variable = column.variable()
    labels = variable.labels.tolist()
    if column.is_float and column.is_codes():
        labels = [int(label) for label in labels]  # whole numbers that a missing value turned into floats
    return labels, column.codes(variable)


def _whole_numbers(column: Column) -> tuple[list[Hashable], AnyArray] | None:
    """The fast way for whole numbers in a narrow range: one look-up for each row. None where it does not apply."""
    if column.held is None or column.held.dtype.kind not in "iu" or not len(column):
        return None
    lowest, highest = column.extent
    # Beyond 62 bits the difference to the lowest may not fit into 64.
    if highest - lowest >= _NARROW or max(-lowest, highest) >= 1 << 62:
        return None
    offsets = np.subtract(column.numbers, lowest, dtype=np.int64, casting="unsafe")
    occurs = np.zeros(highest - lowest + 1, dtype=bool)
    occurs[offsets] = True
    codes = np.cumsum(occurs, dtype=np.int16) - np.int16(1)
    values: list[Hashable] = [lowest + offset for offset in np.flatnonzero(occurs).tolist()]
    return values, codes.take(offsets, mode="clip")  # "clip" skips a check: every offset is within the range


def state_codes(column: Column, variable: Variable) -> AnyArray:
    """The codes of given states; ``MISSING`` where a row has no value, ``UNSEEN`` where its value is not a state.

    A value of another type than the states is the state that it stands for (`deciban.read.scalar`).

    >>> sky = Column.of_values("sky", np.array(["fog", None, "sun", "hail"], dtype=object))
    >>> state_codes(sky, Variable.of_states("sky", ["sun", "fog"], "fixed")).tolist()
    [1, -1, 0, -2]
    """
    values, indices = distinct_values(column) if column.is_numeric else (column.states.tolist(), column.indices)
    code_of = np.array([*map(variable.code_of, values), MISSING], dtype=np.int32)
    return np.where(code_of == len(variable), np.int32(UNSEEN), code_of)[indices]  # MISSING is −1: the last entry


def first_repeated(items: Iterable[Hashable]) -> Hashable:
    """The first item that equals an earlier one.

    >>> first_repeated("abcb")
    'b'
    """
    seen = set[Hashable]()
    return next(item for item in items if item in seen or seen.add(item))  # type: ignore[func-returns-value]


def narrowest(states: int) -> type[np.signedinteger[Any]]:
    """The narrowest type of codes of so many states."""
    # Signed, so that MISSING, −1, has a code: read as unsigned, it is the largest of all.
    return np.int8 if states <= 1 << 7 else np.int16 if states <= 1 << 15 else np.int32


def numbers_of_labels(name: Node, column: Column, labels: str) -> Floats:
    """The numbers of a column of objects, such as whole numbers of more than 64 bits; `labels` as in `number_rows`."""
    known = [state for state in column.states.tolist() if state is not None and state == state]  # NaN is not itself
    label = next((state for state in known if isinstance(state, bool) or not isinstance(state, int | float)), None)
    if label is not None:
        raise InputTypeError(f"column {name!r} holds labels such as {label!r}, not numbers. {labels}")
    states = [np.nan if state is None else float(state) for state in column.states.tolist()]
    return np.append(states, np.nan)[column.indices]  # the index of a missing value is −1: the last entry


# Its square is 1e300: 10⁸ of them can be summed before a double overflows, at 1.8e308.
_LARGEST = 1e150


def check_numbers(name: Node, values: Floats, *, first: int = 0, is_part: bool = False) -> None:
    """Refuse numbers that are too large, and, unless they are a part of a column, a column without any number.

    `first` is the row of the first of them.
    """
    # Of a missing value both are NaN: no comparison holds.
    if values.min(initial=0.0) >= -_LARGEST and values.max(initial=0.0) <= _LARGEST:
        return
    is_missing = np.isnan(values)
    if is_missing.all():
        if not is_part:
            raise MissingValueError(f"column {name!r} has no value at all: every row is missing. Leave it out.")
    elif np.abs(values[~is_missing]).max() > _LARGEST:
        row = int(np.nanargmax(np.abs(values)))
        raise InputError(
            f"column {name!r} has {values[row]:g} (row {first + row}): numbers must not exceed {_LARGEST:g}."
        )


Reads = Literal["categories", "numbers", "mixed"]
"""What a test or a score needs its columns to be; a mixed table has columns of both kinds."""

# What 16 bits can code, with the largest code for a missing value.
MOST_STATES = (1 << 16) - 1

# The most different numbers that are categories where nothing else is said.
FEW = 64

FEW_WHOLE = 24
"""Numbers of more values, such as marks or ages, are numbers among numbers."""


@dataclass(frozen=True)
class ColumnKind:
    """The kind of a column, the number of its different values, and the number of rows that have a value.

    `is_numeric` when the values are numbers; `is_least` when there may be more different values than `values`.
    """

    kind: Literal["category", "whole", "number", "identifier"]
    values: int
    rows: int
    is_numeric: bool = False
    is_least: bool = False
    is_float: bool = False

    @property
    def is_graded(self) -> bool:
        """Whether the column holds numbers that may be categories, but are numbers among numbers."""
        return self.is_numeric and self.kind == "category" and self.values > FEW_WHOLE

    @property
    def is_measured(self) -> bool:
        """Whether the column is read as numbers where nothing else is said."""
        return self.is_numeric and self.kind != "category"

    @property
    def shown(self) -> str:
        """The number of different values, for a message."""
        return f"{'at least ' if self.is_least else ''}{self.values:,}"


def kind_of(column: Column, distinct: int | None = None, sample_weight: Floats | None = None) -> ColumnKind:
    """What a column holds; `distinct` is the number of its distinct values, where it is known.

    >>> import numpy as np
    >>> kind_of(Column.of_values("age", np.arange(100) % 80)).kind
    'identifier'
    >>> kind_of(Column.of_values("age", np.arange(1000) % 80)).kind
    'whole'
    """
    if column.is_declared or _is_narrow(column):
        is_numeric = column.is_numeric and not column.is_declared
        return ColumnKind("category", _narrow_values(column) if is_numeric else 0, len(column), is_numeric)
    values = len(column.variable()) if distinct is None else distinct
    has_fractions = column.is_float and not column.is_codes()
    if sample_weight is not None:  # a row of weight 3 is three rows
        rows = int(sample_weight[~column.is_missing].sum())
    else:
        rows = len(column) - int(column.is_missing.sum()) if column.has_missing else len(column)
    kind = kind_of_counts(values, rows, is_numeric=column.is_numeric, has_fractions=has_fractions)
    return replace(kind, is_float=column.is_float and not column.is_whole)


def kind_of_counts(
    values: int, rows: int, *, is_numeric: bool, has_fractions: bool, is_least: bool = False
) -> ColumnKind:
    """What a column holds that has so many different values in so many rows.

    >>> kind_of_counts(80, 1000, is_numeric=True, has_fractions=True).kind
    'number'
    """
    is_rare = 2 * values > rows
    options = (values, rows, is_numeric, is_least, has_fractions)
    if has_fractions:
        # Two values are two groups, however few rows there are.
        return ColumnKind("number" if values > FEW or (values > 2 and is_rare) else "category", *options)
    if values <= FEW:
        return ColumnKind("category", *options)
    if is_rare:
        return ColumnKind("identifier", *options)
    return ColumnKind("whole" if is_numeric else "category", *options)


NodeKind = Literal["category", "number"]
"""What a node of a net is."""

_SOME_ROWS = 1_000
"""So many rows show of most columns of numbers that they have more than ``FEW`` different ones."""


def kind_of_node(column: Column, sample_weight: Floats | None = None) -> ColumnKind:
    """What a column holds, without counting more different numbers than are needed to know.

    >>> import numpy as np
    >>> kind_of_node(Column.of_values("height", np.arange(1000) / 3)).shown
    'at least 65'
    """
    if column.is_numeric and not column.is_declared and len(column) > FEW:
        some = column.numbers[:_SOME_ROWS]
        some = some[~np.isnan(some)] if some.dtype.kind == "f" else some
        if len(np.unique(some)) > FEW:
            has_fractions = some.dtype.kind == "f" and bool((some != np.trunc(some)).any())
            return ColumnKind(
                "number" if has_fractions else "whole", FEW + 1, len(column), is_numeric=True, is_least=True
            )
    return kind_of(column, sample_weight=sample_weight)


def kinds_of_nodes(
    kinds: Mapping[Node, ColumnKind], given: Mapping[Node, NodeKind] | None = None
) -> dict[Node, tuple[NodeKind, str]]:
    """Which node is a category and which a number, and why; `given` are the kinds that a user has set.

    >>> kinds = {
    ...     "sex": ColumnKind("category", 2, 99),
    ...     "height": ColumnKind("number", 80, 99, True),
    ... }
    >>> kinds_of_nodes(kinds)
    {'sex': ('category', 'labels'), 'height': ('number', '80 different numbers')}
    """
    given = given or {}
    open_kinds = [kind for name, kind in kinds.items() if name not in given]
    has_measured = any(kind.is_measured for kind in open_kinds)
    can_be = has_measured and all(kind.is_measured or kind.is_graded or kind.is_float for kind in open_kinds)
    out: dict[Node, tuple[NodeKind, str]] = {}
    for name, kind in kinds.items():
        if name in given:
            out[name] = given[name], "as given"
        elif kind.is_measured or (has_measured and kind.is_graded) or can_be:
            out[name] = "number", f"{kind.shown} different numbers"
        elif not kind.is_numeric:
            out[name] = "category", "labels"
        else:
            numbers = "numbers" if kind.is_float else "whole numbers"
            out[name] = "category", f"{kind.shown} different {numbers}"
    return out


def read_kinds(nodes: Collection[Node], columns: Mapping[Any, Any] | None) -> dict[Node, NodeKind]:
    """The kinds of nodes that a user sets.

    >>> read_kinds(["age", "sex"], {"age": "number"})
    {'age': 'number'}
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise ParameterError(f'columns is a mapping such as {{"age": "number"}}, not {columns!r}')
    for node, kind in columns.items():
        if node not in nodes:
            raise ParameterError(f"columns names {node!r}, which is not a node of the graph.{closest(node, nodes)}")
        check_choice(f"columns[{node!r}]", kind, ("category", "number"))
    return dict(columns)


ColumnRole = NodeKind | Literal["ordered"] | Sequence[Any]
"""How a column is read: as a category, a number, or a category whose states are in the order of their values, or in a
given one."""


@dataclass(frozen=True)
class Roles:
    """What a user says of columns: their kinds, and the order of the states of some; None for that of their values."""

    kinds: Mapping[Node, NodeKind]
    orders: Mapping[Node, tuple[Hashable, ...] | None]

    @classmethod
    def of(cls, names: Collection[Node], columns: Mapping[Any, ColumnRole] | None) -> Roles:
        """Read ``columns=`` of a test or a score.

        >>> Roles.of(["age", "size"], {"age": "number", "size": ["S", "M", "L"]})
        Roles(kinds={'age': 'number', 'size': 'category'}, orders={'size': ('S', 'M', 'L')})
        """
        if columns is not None and not isinstance(columns, Mapping):
            raise ParameterError(f'columns is a mapping such as {{"age": "number"}}, not {columns!r}')
        kinds: dict[Node, NodeKind] = {}
        orders: dict[Node, tuple[Hashable, ...] | None] = {}
        for name, role in (columns or {}).items():
            if name not in names:
                raise ColumnMismatchError(f"columns names {name!r}, which is no column.{closest(name, names)}")
            if isinstance(role, str):
                other = ", or the states of an ordered category in a list"
                check_choice(f"columns[{name!r}]", role, ("category", "number", "ordered"), other=other)
            kinds[name] = "number" if role == "number" else "category"
            if role not in ("category", "number"):
                orders[name] = None if role == "ordered" else _state_list(name, role)
        return cls(kinds, orders)


def ordered_states(name: Node, states: Sequence[Hashable], order: Sequence[Hashable] | None) -> list[Hashable]:
    """The states of a column in their order; `states` are sorted, and None stands for this order.

    >>> ordered_states("size", ["L", "S"], ["S", "M", "L"])
    ['S', 'L']
    """
    if MISSING_LABEL in states:
        raise ParameterError(
            f"column {name!r} is ordered, and a missing value has no place in the order: leave missing values out, or "
            f'pass columns={{{name!r}: "category"}}.'
        )
    if order is None:
        label = next((state for state in states if isinstance(state, str)), None)
        if label is not None:
            raise ParameterError(
                f"column {name!r} holds labels such as {label!r}, which have no order of their own. Pass the states, "
                f"from the least to the greatest: columns={{{name!r}: [{label!r}, …]}}."
            )
        return list(states)
    known = set(states)
    unknown = [state for state in states if state not in set(order)]
    if unknown:
        raise UnseenStateError(
            f"column {name!r} has value {unknown[0]!r}, which is not one of its states in columns: {listed(order)}. "
            "Add it, or mark it as missing."
        )
    return [state for state in order if state in known]


def _is_narrow(column: Column) -> bool:
    """Whether few values can occur, which is known without looking at the rows: few labels, or a narrow range."""
    if column.held is None:
        return len(column.states) <= FEW
    if column.held.dtype.kind not in "iu" or not len(column):
        return False
    lowest, highest = column.extent
    return highest - lowest < FEW


def _narrow_values(column: Column) -> int:
    """How many whole numbers of a narrow range occur; the width of the range where that says enough."""
    lowest, highest = column.extent
    if highest - lowest < FEW_WHOLE:  # not graded, however many of them occur: no need to count
        return highest - lowest + 1
    return int(np.count_nonzero(np.bincount(np.subtract(column.numbers, lowest, dtype=np.int64, casting="unsafe"))))


def check_category(
    column: Column, numbers: str, distinct: int | None = None, sample_weight: Floats | None = None
) -> None:
    """Refuse a column that cannot be counted; `numbers` says what to use where all columns are numbers."""
    check_kind(column.name, kind_of(column, distinct, sample_weight), numbers)


def check_kind(name: Node, kind: ColumnKind, numbers: str) -> None:
    """Refuse a kind of column that cannot be counted."""
    if kind.kind == "number":
        raise InputError(
            f"column {name!r} holds {kind.shown} different numbers in {kind.rows:,} rows, too many to "
            f"count as categories. Bin it first (pandas.cut, pandas.qcut), leave it out, or, if all columns are "
            f"numbers, {numbers}."
        )
    if kind.kind == "identifier":
        other = f", or, if it is a number and all other columns are, {numbers}" if kind.is_numeric else ""
        raise InputError(
            f"column {name!r} has {kind.shown} different values in {kind.rows:,} rows: it names rows "
            f"instead of grouping them. Leave it out, or put its values into groups (numbers with pandas.cut){other}."
        )
    if kind.values > MOST_STATES:
        raise InputError(
            f"column {name!r} has {kind.shown} different values; a net takes at most {MOST_STATES:,}. Leave "
            "it out, or put its values into groups."
        )


def check_part(column: Column, numbers: str, distinct: int) -> None:
    """Refuse a column as soon as some of its rows show that the whole column cannot be counted."""
    if distinct > MOST_STATES or (distinct > FEW and column.is_float and not column.is_codes()):
        check_category(column, numbers, distinct)


def kind_of_table(kinds: Mapping[Node, ColumnKind]) -> Reads:
    """Whether a table with columns of these kinds holds categories or numbers, or is mixed."""
    if not any(kind.is_measured for kind in kinds.values()) and not all(kind.is_graded for kind in kinds.values()):
        return "categories"
    can_be = [kind.is_measured or kind.is_graded or kind.is_float for kind in kinds.values()]
    return "numbers" if all(can_be) else "mixed"


def kinds_of_columns(
    kinds: Mapping[Node, ColumnKind], given: Mapping[Node, NodeKind] | None = None
) -> dict[Node, tuple[NodeKind, str]]:
    """The same as ``kinds_of_nodes`` for tests and scores: where all columns can be numbers, they are."""
    open_kinds = {name: kind for name, kind in kinds.items() if name not in (given or {})}
    if open_kinds and kind_of_table(open_kinds) == "numbers":
        given = {**dict.fromkeys(open_kinds, "number"), **(given or {})}
        reasons = {name: f"{kind.shown} different numbers" for name, kind in open_kinds.items()}
        return {name: (given[name], reasons.get(name, "as given")) for name in kinds}
    return kinds_of_nodes(kinds, given)


def what_is_read(chosen: Mapping[Node, tuple[NodeKind, str]]) -> Reads:
    """What a table holds whose columns are of these kinds."""
    found = {kind for kind, _ in chosen.values()}
    return "mixed" if len(found) > 1 else "numbers" if found == {"number"} else "categories"


def notes_on_kinds(
    kinds: Mapping[Node, ColumnKind], chosen: Mapping[Node, tuple[NodeKind, str]], reads: Reads, other: str
) -> tuple[str, ...]:
    """How columns were read that could be read in another way; `other` says how to read them the other way."""
    if reads == "mixed":
        shown = {name: f"{name} ({why})" if kinds[name].is_numeric else str(name) for name, (_, why) in chosen.items()}
        hows: dict[NodeKind, str] = {"number": "read as numbers", "category": "counted as categories"}
        names = {kind: [shown[name] for name, (own, _) in chosen.items() if own == kind] for kind in hows}
        return tuple(f"{how}: {_listed(names[kind], 12)}" for kind, how in hows.items() if names[kind])
    is_open = [name for name, (_, why) in chosen.items() if why != "as given"]
    graded = [f"{name} ({kinds[name].shown} different)" for name in is_open if kinds[name].is_graded]
    if not graded:
        return ()
    how = "read as numbers" if reads == "numbers" else "counted as categories, as other columns are"
    return (f"whole numbers, {_listed(graded)}, were {how}{f'; {other} to count them' if other else ''}",)


def _listed(names: list[str], most: int = 4) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
