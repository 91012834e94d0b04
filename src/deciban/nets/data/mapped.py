"""Rows that are not in memory: read once into temporary files, and mapped into memory from there.

Each column goes to a file of its own. At the end these become one table, in the order and in the type that
``code_rows`` and ``number_rows`` give, so tests and scores get the same arrays as from a table in memory.

**A column that is read in batches.** Its codes or its numbers go to a temporary file, its states are collected. The
codes are as wide as the states so far need, 8 or 16 bits; they are in the order in which the states first occurred, and
are put into sorted order at the end. Numbers with more different values than can be counted become 64-bit floats:
numbers with fractions beyond ``FEW`` different ones, whole numbers beyond ``MOST_STATES``.

**Arrays in temporary files** are written once from the front to the back, then mapped into memory. The files have no
names, so nothing is left behind when a program ends, however it ends: the system frees the room once no array uses it.
Mapped pages are read when they are needed, and the system takes them back when memory is short. They are in the folder
that ``tempfile`` uses, which the environment variable ``TMPDIR`` sets.
"""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike

from deciban.choices import check_choice, counted, did_you_mean
from deciban.engines.source import Source
from deciban.errors import (
    ColumnMismatchError,
    FileAccessError,
    InputError,
    InputTypeError,
    MissingValueError,
    ParameterError,
)
from deciban.nets.data.node_rows import (
    FEW,
    MOST_STATES,
    ColumnKind,
    NodeKind,
    Reads,
    Roles,
    Rows,
    check_kind,
    check_numbers,
    distinct_values,
    kind_of_counts,
    narrowest,
    numbers_of_labels,
    ordered_states,
    read_rows,
    treat_missing,
)
from deciban.nets.graphs.graph import Node
from deciban.read import MISSING, MISSING_LABEL, Column, Table, Variable, distinct, object_array, read_table
from deciban.types import AnyArray, Floats

__all__ = ["ColumnSpool", "MappedRows", "ScratchArray", "map_rows", "weight_column"]


@runtime_checkable
class _Readable(Protocol):
    """A source that gives its rows, as files do, in Arrow tables; some sources only count theirs."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def batches(self) -> Iterable[Any]: ...


def map_rows(
    source: Source,
    reads: Reads | None,
    *,
    roles: Roles | None = None,
    sample_weight: Any = None,
    missing: str = "error",
    choices: Sequence[str] = ("error",),
) -> MappedRows:
    """Read a source, all of its columns, once; `roles` says how some are read."""
    if not isinstance(source, _Readable):
        raise InputTypeError(
            f"tests and scores count the same rows many times, which a {type(source).__name__} cannot give. Write the "
            "rows to Parquet files, and name these."
        )
    names = [name for name in source.names if name != weight_column(source.names, sample_weight)]
    if not names:
        raise InputError("the source has no columns: there is nothing to count.")
    rows = MappedRows(names, sample_weight, missing, choices, roles or Roles({}, {}), is_raw=reads == "numbers")
    for batch in source.batches():
        rows.extend(batch)
    return rows


def weight_column(names: Sequence[str], sample_weight: Any) -> str | None:
    """The column of the weights; an error where `sample_weight` is not the name of one."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, str):
        raise ParameterError(
            "for rows that are not in memory, sample_weight is the name of a column, not "
            f"a {type(sample_weight).__name__}."
        )
    if sample_weight not in names:
        raise ColumnMismatchError(
            f"sample_weight names {sample_weight!r}, which is not a column.{did_you_mean(sample_weight, names)}"
        )
    return sample_weight


class MappedRows:
    """The rows of a source in temporary files, a file for each column.

    `names` are the columns without that of the weights, which is `sample_weight`. With `is_raw`, numbers are kept as
    numbers from the start, because they will not be counted.
    """

    def __init__(
        self,
        names: Sequence[str],
        sample_weight: str | None,
        missing: str,
        choices: Sequence[str],
        roles: Roles,
        *,
        is_raw: bool,
    ) -> None:
        check_choice("missing", missing, tuple(choices))
        self.columns = tuple(names)
        self._missing, self._choices = missing, tuple(choices)
        self._has_state = missing == "state"
        self._roles = roles
        self._spools: dict[Node, ColumnSpool] = {
            name: ColumnSpool(name, roles.kinds.get(name, "number" if is_raw else None)) for name in names
        }
        self._weight_name = sample_weight
        self._weights = None if sample_weight is None else ScratchArray(np.float64)
        self.dropped = self._read = self._length = 0

    def __len__(self) -> int:
        return self._length

    def extend(self, batch: Any) -> None:
        """Add the rows of an Arrow table."""
        if not len(batch):
            return
        table, weights = read_table(batch), None
        if self._weight_name is not None:
            table, weighed = table.without(self._weight_name)
            weights = weighed.numbers if weighed.is_numeric else weighed.states[weighed.indices]
        rows = self._treated(table, weights)
        self._read += len(table)
        self.dropped += rows.dropped
        self._length += len(rows)
        for name, column in rows.columns.items():
            self._spools[name].extend(column, rows.sample_weight)
        if self._weights is not None and rows.sample_weight is not None:
            self._weights.extend(rows.sample_weight)

    def _treated(self, table: Table, weights: Any) -> Rows:
        """The rows with missing values treated; those that become states are left as they are for now."""
        rows = read_rows(table, sample_weight=weights, missing="skip", choices=("skip",), is_part=True)
        if self._missing in ("skip", "state"):
            return rows
        return treat_missing(rows, self._missing, self._choices, is_part=True, first=self._read)

    def kinds(self) -> dict[Node, ColumnKind]:
        """What each column holds."""
        self._check_rows()
        # Unweighted, as of a table in memory.
        return {
            name: spool.kind(is_weighted=False, with_missing=self._has_state) for name, spool in self._spools.items()
        }

    def codes(self, numbers: str, names: Collection[Node] | None = None) -> tuple[dict[Node, Variable], AnyArray]:
        """The states of each variable, in the order of the names, and the codes, variables × rows.

        `numbers` says what to use for columns of numbers. The files of the columns are gone then.
        """
        self._check_rows()
        by_name = self._by_name(names)
        for name in by_name:
            self._spools[name].check_counted(numbers, with_missing=self._has_state)
        states: dict[Node, Variable] = {}
        for name in by_name:
            found = self._spools[name].states(with_missing=self._has_state)
            # No file keeps the order that a type has: a dictionary there is only a way to store values.
            if name in self._roles.orders:
                found = Variable.of_states(name, ordered_states(name, found.values, self._roles.orders[name]))
            states[name] = found
        codes = ScratchArray(narrowest(max(map(len, states.values()), default=1)))
        for name, variable in states.items():
            # Each file is freed as soon as it was read: the disk never holds more than the codes and one column twice.
            self._spools.pop(name).write_codes(variable, codes)
        return states, codes.mapped().reshape(len(states), len(self))

    def numbers(self, labels: str, names: Collection[Node] | None = None) -> tuple[tuple[Node, ...], Floats]:
        """The names in order, and the numbers, rows × variables; `labels` says what to use for columns of labels.

        The files of the columns are gone then.
        """
        self._check_rows()
        by_name = self._by_name(names)
        values = ScratchArray(np.float64)
        for name in by_name:
            self._spools.pop(name).write_numbers(values, labels)
        return by_name, values.mapped().reshape(len(by_name), len(self)).T

    @property
    def sample_weight(self) -> Floats | None:
        """The weight of each row, or None."""
        return None if self._weights is None else self._weights.mapped()

    def _by_name(self, names: Collection[Node] | None) -> tuple[Node, ...]:
        return tuple(sorted(self.columns if names is None else names, key=str))

    def _check_rows(self) -> None:
        if len(self):
            if self._has_state:
                for spool in self._spools.values():
                    spool.check_values()
            return
        if self.dropped:
            raise MissingValueError(
                f"each of the {counted(self._read, 'row')} has a missing value in some column, so that none is left. "
                "Leave out columns with many."
            )
        if self._read:
            raise InputError("every weight is 0: no row is left.")
        raise InputError("the source has no rows: there is nothing to count.")


# The largest code of a type stands for a missing value, so a byte has room for 255 states.
_MOST_IN_A_BYTE = 255


class ColumnSpool:
    """The values of one column, batch after batch; `given` is its kind where it is known before."""

    def __init__(self, name: Node, given: NodeKind | None = None) -> None:
        self.name = name
        self._given = given
        self._is_raw = False
        self._values = ScratchArray(np.uint8)
        self._code_of: dict[Any, int] = {}
        self._rows = self._missing = 0
        self._weight = self._missing_weight = 0.0
        self._has_fractions = False
        self._is_numeric = True

    def extend(self, column: Column, sample_weight: Floats | None) -> None:
        """Add the column's values in one batch."""
        is_missing = column.is_missing
        self._rows += len(column)
        self._missing += int(is_missing.sum())
        weights = np.ones(len(column)) if sample_weight is None else sample_weight
        self._weight += float(weights.sum())
        self._missing_weight += float(weights[is_missing].sum())
        self._is_numeric = self._is_numeric and column.is_numeric
        if self._given == "number" and not self._is_raw and column.is_numeric and not self._code_of:
            self._to_numbers()
        if self._is_raw:
            self._values.extend(self._numbers_of(column))
        else:
            self._add_states(column)

    def _add_states(self, column: Column) -> None:
        values, codes = distinct_values(column)
        if column.is_float and not column.is_codes():
            self._has_fractions = True
        new_codes = [self._code_of.setdefault(value, len(self._code_of)) for value in values]
        if len(self._code_of) > (FEW if self._has_fractions and self._given is None else MOST_STATES):
            self._to_numbers()
            self._values.extend(self._numbers_of(column))
            return
        if len(self._code_of) > _MOST_IN_A_BYTE and self._values.dtype == np.uint8:
            self._recode(np.arange(_MOST_IN_A_BYTE), MISSING, np.uint16)
        self._values.extend(np.array([*new_codes, MISSING])[codes].astype(self._values.dtype))

    def _to_numbers(self) -> None:
        """Keep numbers from here on; too many different labels are an error."""
        self._is_raw = True
        if not self._is_numeric:
            check_kind(self.name, self.kind(), "")
        self._recode(np.array([*map(float, self._code_of)]), np.nan, np.float64)

    def _recode(self, entries: AnyArray, missing: float, dtype: DTypeLike) -> None:
        """Replace every code by its entry."""
        values = ScratchArray(dtype)
        self._look_up(entries, missing, values)
        self._values = values

    def _look_up(self, entries: AnyArray, missing: float, out: ScratchArray) -> None:
        """Append the entry of every code; the largest code of the type is that of a missing value."""
        most = np.iinfo(self._values.dtype).max
        table = np.full(most + 1, missing).astype(out.dtype)
        table[: min(len(entries), most)] = entries[:most]
        for block in self._values.blocks():
            out.extend(table[block])

    def _numbers_of(self, column: Column) -> Floats:
        return np.asarray(column.numbers if column.is_numeric else numbers_of_labels(self.name, column, ""))

    def kind(self, *, is_weighted: bool = True, with_missing: bool = False) -> ColumnKind:
        """What the column holds.

        `is_weighted`: rows count by their weights. `with_missing`: a missing value is a state, so that the values are
        labels.
        """
        rows, missing = (self._weight, self._missing_weight) if is_weighted else (self._rows, self._missing)
        options = {"is_numeric": self._is_numeric, "has_fractions": self._has_fractions, "is_least": self._is_raw}
        kind = kind_of_counts(len(self._code_of), int(rows - missing), **options)
        if not (with_missing and self._missing):
            return kind
        check_kind(self.name, kind, "fill the missing values")
        return kind_of_counts(len(self._code_of) + 1, int(rows), is_numeric=False, has_fractions=False)

    def check_counted(self, numbers: str, *, with_missing: bool = False) -> None:
        """Refuse a column that cannot be counted; `numbers` says what to use where all columns are numbers."""
        if self._given is None or self._is_raw:
            check_kind(self.name, self.kind(with_missing=with_missing), numbers)

    def states(self, *, with_missing: bool = False) -> Variable:
        """The states in order; `with_missing` when a missing value is one of them."""
        self.check_values()
        # Batches without fractions gave whole numbers; a table in memory has one type for the whole column.
        states = [*map(float, self._code_of)] if self._has_fractions else [*self._code_of]
        if with_missing and self._missing:
            states.append(MISSING_LABEL)
        return Variable.of_states(self.name, distinct(object_array(states)))

    def write_codes(self, states: Variable, out: ScratchArray) -> None:
        """Append the codes of these states."""
        code_of = {state: code for code, state in enumerate(states.values)}
        self._look_up(np.array([code_of[value] for value in self._code_of]), code_of.get(MISSING_LABEL, MISSING), out)

    def write_numbers(self, out: ScratchArray, labels: str) -> None:
        """Append the numbers; `labels` says what to use for labels."""
        self.check_values()
        if not self._is_raw:
            self._recode(self._numbers_of_states(labels), np.nan, np.float64)
            self._is_raw = True
        begin = 0
        for block in self._values.blocks():
            check_numbers(self.name, block, first=begin, is_part=True)
            out.extend(block)
            begin += len(block)

    def check_values(self) -> None:
        """Refuse a column without any value."""
        if self._missing == self._rows:
            raise MissingValueError(f"column {self.name!r} has no value at all: every row is missing. Leave it out.")

    def _numbers_of_states(self, labels: str) -> Floats:
        states = object_array(self._code_of)
        column = Column(str(self.name), states, np.arange(len(states), dtype=np.int32))
        return numbers_of_labels(self.name, column, labels)


# Numbers that are read at a time: 8 MB of floats, small beside any table that is not in memory.
BLOCK = 1 << 20

# Batches of one column are small, and a write for each would be a call of the system for each.
_BUFFER = 1 << 18


class ScratchArray:
    """A one-dimensional array that grows in a file.

    >>> numbers = ScratchArray(np.uint8)
    >>> numbers.extend(np.array([1, 2]))
    >>> numbers.extend(np.array([3]))
    >>> len(numbers), numbers.mapped().tolist()
    (3, [1, 2, 3])
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self._length = 0
        try:
            self._file = tempfile.TemporaryFile(prefix="deciban-", buffering=_BUFFER)  # noqa: SIM115
        except OSError as error:
            raise _no_room(error) from None
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return self._length

    def extend(self, values: AnyArray) -> None:
        """Append numbers."""
        values = np.ascontiguousarray(values, dtype=self.dtype)
        try:
            self._file.write(values.data)
        except OSError as error:
            raise _no_room(error) from None
        self._length += len(values)

    def mapped(self) -> AnyArray:
        """All numbers so far; the array cannot be written to."""
        if not self._length:  # mmap refuses an empty file
            return np.empty(0, dtype=self.dtype)
        try:
            self._file.flush()
            memory = mmap.mmap(self._file.fileno(), self._length * self.dtype.itemsize, access=mmap.ACCESS_READ)
        except OSError as error:
            raise _no_room(error) from None
        return np.frombuffer(memory, dtype=self.dtype)  # it keeps the mapping, and so the file, alive

    def blocks(self) -> Iterator[AnyArray]:
        """All numbers so far, some at a time."""
        values = self.mapped()
        for begin in range(0, len(values), BLOCK):
            yield values[begin : begin + BLOCK]


def _no_room(error: OSError) -> FileAccessError:
    try:
        folder = repr(tempfile.gettempdir())
    except OSError:
        folder = "for temporary files"
    return FileAccessError(
        f"cannot write to the folder {folder}: {error.strerror or error}. Make room there, or set the environment "
        "variable TMPDIR to another folder."
    )
