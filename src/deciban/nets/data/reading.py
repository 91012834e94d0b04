"""All columns of a table, in memory or in files, as codes or as numbers: what ``discover`` and ``search`` read.

A table that is not in memory → a sample whose codes or numbers are memory-mapped files.

The source is read once. Each column goes to a file of its own (``spool.py``); at the end these become one table, in the
order and in the type that ``code_rows`` and ``number_rows`` give, so that tests and scores find what they find in
memory.

A column that is read in batches: its codes or its numbers go to a temporary file, its states are collected.

The codes of a column are as wide as the states so far need, 8 or 16 bits; they are in the order in which the states
were found, and are put into sorted order at the end. Numbers with more different values than can be counted become
64-bit floats: numbers with fractions beyond ``FEW`` different ones, whole numbers beyond ``MOST_STATES``.

Arrays in temporary files: written once from the front to the back, then mapped into memory.

The files have no names, so nothing is left behind when a program ends, however it ends: the system frees the room once
no array uses it. Mapped pages are read when they are needed, and the system takes them back when memory is short.
They are in the folder that ``tempfile`` uses, which the environment variable ``TMPDIR`` sets.
"""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciban.choices import check_choice, counted, did_you_mean
from deciban.engines.source import is_source, open_source
from deciban.errors import (
    ColumnMismatchError,
    FileAccessError,
    InputError,
    InputTypeError,
    MissingValueError,
    ParameterError,
)
from deciban.nets.data.kinds import (
    FEW,
    MOST_STATES,
    ColumnKind,
    Reads,
    check_kind,
    kind_of,
    kind_of_counts,
    kind_of_table,
    notes_on_kinds,
)
from deciban.nets.data.node_rows import Rows, read_rows, treat_missing
from deciban.nets.data.samples import (
    CodedSample,
    NumberSample,
    check_numbers,
    code_rows,
    narrowest,
    number_rows,
    numbers_of_labels,
)
from deciban.nets.data.states import distinct_values
from deciban.nets.graphs.graph import Node
from deciban.read import MISSING, MISSING_LABEL, Column, Table, Variable, distinct, read_table
from deciban.read.variable import object_array
from deciban.types import AnyArray, Floats

__all__ = [
    "Advice",
    "ColumnSpool",
    "ScratchArray",
    "is_not_in_memory",
    "map_rows",
    "read_codes",
    "read_numbers",
    "read_variables",
    "source_of",
    "weight_column",
]


@dataclass(frozen=True)
class Advice:
    """What a user can do with columns that cannot be read, for error messages.

    `categories` is what to do to count all columns, `numbers` to read all of them as numbers, `labels` with a column
    of labels among numbers.
    """

    categories: str = ""
    numbers: str = ""
    labels: str = ""


def read_variables(
    data: Any,
    reads: Reads | None,
    advice: Advice,
    *,
    sample_weight: Any = None,
    missing: str = "error",
    choices: Sequence[str] = ("error",),
) -> CodedSample | NumberSample:
    """All columns of a table as categories or as numbers; where `reads` is None, as what they hold.

    Parameters
    ----------
    data
        A table, or rows in files: a name, a pattern, a folder, a list of names, or a source. Rows in files are read
        once; the sample then is in temporary files, which are mapped into memory. A sample stays as it is.
    reads
        "categories", "numbers", or None for what the columns hold; a mixture is an error then.
    advice
        Ends of error messages.
    sample_weight
        How many rows each row stands for; of files, the name of a column.
    missing, choices
        What to do with missing values, and what the caller allows.
    """
    if isinstance(data, CodedSample | NumberSample) and data.reads == reads:
        return data
    _check_state(reads, missing)
    options = {"sample_weight": sample_weight, "missing": missing, "choices": choices}
    if is_not_in_memory(data):
        mapped = map_rows(source_of(data), reads, **options)
        reads = reads or mapped.reads(advice.categories, advice.numbers)
        _check_state(reads, missing)
        return mapped.coded(advice.numbers) if reads == "categories" else mapped.numbers(advice.labels)
    rows = read_rows(data, **options)
    notes: tuple[str, ...] = ()
    if reads is None:
        kinds = {name: kind_of(column) for name, column in rows.columns.items()}
        reads = kind_of_table(kinds, advice.categories, advice.numbers)
        notes = notes_on_kinds(kinds, reads, advice.categories if reads == "numbers" else "")
    _check_state(reads, missing)
    if reads == "categories":
        return replace(code_rows(rows, numbers=advice.numbers), notes=notes)
    return replace(number_rows(rows, labels=advice.labels), notes=notes)


def read_codes(data: Any, *, numbers: str, **options: Any) -> CodedSample:
    """All columns of a table as codes; `numbers` says what to use for columns of numbers."""
    return read_variables(data, "categories", Advice(numbers=numbers), **options)  # type: ignore[return-value]


def read_numbers(data: Any, *, labels: str, **options: Any) -> NumberSample:
    """All columns of a table as numbers; `labels` says what to use for labels."""
    return read_variables(data, "numbers", Advice(labels=labels), **options)  # type: ignore[return-value]


def _check_state(reads: Reads | None, missing: str) -> None:
    if reads == "numbers" and missing == "state":
        raise ParameterError('missing="state" is for categories: among numbers a missing value cannot be a state.')


class MappedRows:
    """The rows of a source in temporary files.

    Parameters
    ----------
    names
        The columns, without that of the weights.
    sample_weight
        The column of the weights, or None.
    missing, choices
        What to do with missing values, and what the caller allows.
    is_raw
        Whether numbers are kept as numbers from the start.
    """

    def __init__(
        self, names: Sequence[str], sample_weight: str | None, missing: str, choices: Sequence[str], *, is_raw: bool
    ) -> None:
        check_choice("missing", missing, tuple(choices))
        self._names = tuple(names)
        self._missing, self._choices = missing, tuple(choices)
        self._has_state = missing == "state"
        self._columns: dict[Node, ColumnSpool] = {name: ColumnSpool(name, is_raw=is_raw) for name in names}
        self._weight_name = sample_weight
        self._weights = None if sample_weight is None else ScratchArray(np.float64)
        self._read = self._dropped = self._length = 0

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
        self._dropped += rows.dropped
        self._length += len(rows)
        for name, column in rows.columns.items():
            self._columns[name].extend(column, rows.sample_weight)
        if self._weights is not None and rows.sample_weight is not None:
            self._weights.extend(rows.sample_weight)

    def _treated(self, table: Table, weights: Any) -> Rows:
        """The rows with missing values treated; those that become states are left as they are for now."""
        rows = read_rows(table, sample_weight=weights, missing="skip", choices=("skip",), is_part=True)
        if self._missing in ("skip", "state"):
            return rows
        return treat_missing(rows, self._missing, self._choices, is_part=True, first=self._read)

    def reads(self, categories: str, numbers: str) -> Reads:
        """Whether the columns hold categories or numbers: see ``kind_of_table``."""
        self._check_rows()
        options = {"is_weighted": False, "with_missing": self._has_state}
        return kind_of_table({name: held.kind(**options) for name, held in self._columns.items()}, categories, numbers)

    def coded(self, numbers: str) -> CodedSample:
        """The rows as codes; `numbers` says what to use for columns of numbers."""
        self._check_rows()
        names = self._ordered()
        for name in names:
            check_kind(name, self._columns[name].kind(with_missing=self._has_state), numbers)
        states: dict[Node, Variable] = {
            name: self._columns[name].states(with_missing=self._has_state) for name in names
        }
        codes = ScratchArray(narrowest(max(map(len, states.values()))))
        for name in names:
            self._columns.pop(name).write_codes(states[name], codes)
        table = codes.mapped().reshape(len(names), len(self))
        return CodedSample(names, states, table, self._sample_weight(), self._names, (), self._dropped)

    def numbers(self, labels: str) -> NumberSample:
        """The rows as numbers; `labels` says what to use for columns of labels."""
        self._check_rows()
        names = self._ordered()
        values = ScratchArray(np.float64)
        for name in names:
            self._columns.pop(name).write_numbers(values, labels)
        table = values.mapped().reshape(len(names), len(self)).T
        return NumberSample(names, table, self._sample_weight(), self._names, self._dropped)

    def _ordered(self) -> tuple[str, ...]:
        return tuple(sorted(self._names, key=str))

    def _sample_weight(self) -> Any:
        return None if self._weights is None else self._weights.mapped()

    def _check_rows(self) -> None:
        if len(self):
            for held in self._columns.values() if self._has_state else ():
                held.check_values()
            return
        if self._dropped:
            raise MissingValueError(
                f"each of the {counted(self._read, 'row')} has a missing value in some column, so that none is left. "
                "Leave out columns with many."
            )
        if self._read:
            raise InputError("every weight is 0: no row is left.")
        raise InputError("the source has no rows: there is nothing to count.")


def map_rows(
    source: Any,
    reads: Reads | None,
    *,
    sample_weight: str | None,
    missing: str,
    choices: Sequence[str],
) -> MappedRows:
    """Read a source, all of its columns, once."""
    if not hasattr(source, "batches"):
        raise InputTypeError(
            f"tests and scores count the same rows many times, which a {type(source).__name__} cannot give. Write the "
            "rows to Parquet files, and name these."
        )
    names = [name for name in source.names if name != weight_column(source.names, sample_weight)]
    if not names:
        raise InputError("the source has no columns: there is nothing to count.")
    rows = MappedRows(names, sample_weight, missing, choices, is_raw=reads == "numbers")
    batches: Iterable[Any] = source.batches()
    for batch in batches:
        rows.extend(batch)
    return rows


_MOST_IN_A_BYTE = 255
"""The largest code of a type stands for a missing value."""


class ColumnSpool:
    """The values of one column, batch after batch.

    Parameters
    ----------
    name
        The name of the column.
    is_raw
        Whether numbers are kept as they are from the start, because they will not be counted.
    """

    def __init__(self, name: Any, *, is_raw: bool = False) -> None:
        self.name = name
        self._wants_numbers = is_raw
        self._is_raw = False
        self._held = ScratchArray(np.uint8)
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
        if self._wants_numbers and not self._is_raw and column.is_numeric and not self._code_of:
            self._to_numbers()
        if self._is_raw:
            self._held.extend(self._numbers_of(column))
        else:
            self._add_states(column)

    def _add_states(self, column: Column) -> None:
        values, codes = distinct_values(column)
        if column.is_float and not column.is_codes():
            self._has_fractions = True
        new_codes = [self._code_of.setdefault(value, len(self._code_of)) for value in values]
        if len(self._code_of) > (FEW if self._has_fractions else MOST_STATES):
            self._to_numbers()
            self._held.extend(self._numbers_of(column))
            return
        if len(self._code_of) > _MOST_IN_A_BYTE and self._held.dtype == np.uint8:
            self._recode(np.arange(_MOST_IN_A_BYTE), MISSING, np.uint16)
        self._held.extend(np.array([*new_codes, MISSING])[codes].astype(self._held.dtype))

    def _to_numbers(self) -> None:
        """Keep numbers from here on; labels of which there are too many are an error."""
        self._is_raw = True
        if not self._is_numeric:
            check_kind(self.name, self.kind(), "")
        self._recode(np.array([*map(float, self._code_of)]), np.nan, np.float64)

    def _recode(self, entries: AnyArray, missing: Any, dtype: Any) -> None:
        """Replace every code by its entry."""
        held = ScratchArray(dtype)
        self._look_up(entries, missing, held)
        self._held = held

    def _look_up(self, entries: AnyArray, missing: Any, out: ScratchArray) -> None:
        """Append the entry of every code; the largest code of the type is that of a missing value."""
        most = np.iinfo(self._held.dtype).max
        table = np.full(most + 1, missing).astype(out.dtype)
        table[: min(len(entries), most)] = entries[:most]
        for block in self._held.blocks():
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
        found = kind_of_counts(len(self._code_of), int(rows - missing), **options)
        if not (with_missing and self._missing):
            return found
        check_kind(self.name, found, "fill the missing values")
        return kind_of_counts(len(self._code_of) + 1, int(rows), is_numeric=False, has_fractions=False)

    def states(self, *, with_missing: bool = False) -> Variable:
        """The states in order; `with_missing` when a missing value is one of them."""
        self.check_values()
        found = list(map(float, self._code_of)) if self._has_fractions else list(self._code_of)
        if with_missing and self._missing:
            found.append(MISSING_LABEL)
        return Variable.of_states(self.name, distinct(object_array(found)))

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
        for block in self._held.blocks():
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


BLOCK = 1 << 20
"""How many numbers are read at a time."""

_BUFFER = 1 << 18


class ScratchArray:
    """A one-dimensional array that grows in a file.

    >>> numbers = ScratchArray(np.uint8)
    >>> numbers.extend(np.array([1, 2]))
    >>> numbers.extend(np.array([3]))
    >>> len(numbers), numbers.mapped().tolist()
    (3, [1, 2, 3])
    """

    def __init__(self, dtype: Any) -> None:
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
        held = np.ascontiguousarray(values, dtype=self.dtype)
        try:
            self._file.write(held.data)
        except OSError as error:
            raise _no_room(error) from None
        self._length += len(held)

    def mapped(self) -> AnyArray:
        """All numbers so far; the array cannot be written to."""
        if not self._length:
            return np.empty(0, dtype=self.dtype)
        try:
            self._file.flush()
            held = mmap.mmap(self._file.fileno(), self._length * self.dtype.itemsize, access=mmap.ACCESS_READ)
        except OSError as error:
            raise _no_room(error) from None
        return np.frombuffer(held, dtype=self.dtype)

    def blocks(self) -> Iterator[AnyArray]:
        """All numbers so far, some at a time."""
        held = self.mapped()
        for begin in range(0, len(held), BLOCK):
            yield held[begin : begin + BLOCK]


def _no_room(error: OSError) -> FileAccessError:
    try:
        folder = repr(tempfile.gettempdir())
    except OSError:
        folder = "for temporary files"
    return FileAccessError(
        f"cannot write to the folder {folder}: {error.strerror or error}. Make room there, or set the environment "
        "variable TMPDIR to another folder."
    )


def is_not_in_memory(data: Any) -> bool:
    """True for names of files, and for a source that was opened."""
    return _is_open(data) or is_source(data)


def source_of(data: Any, **options: Any) -> Any:
    """The source of some rows; `options` are those of ``open_source``, for one that is not open yet."""
    return data if _is_open(data) else open_source(data, **options)


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


def _is_open(data: Any) -> bool:
    return hasattr(data, "names") and callable(getattr(data, "batches", None))
