"""A table that is not in memory → a sample whose codes or numbers are memory-mapped files.

The source is read once. Each column goes to a file of its own (``spool.py``); at the end these become one table, in the
order and in the type that ``code_rows`` and ``number_rows`` give, so that tests and scores find what they find in
memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from deciban.choices import check_choice, counted
from deciban.errors import InputError, InputTypeError, MissingValueError
from deciban.nets.data.kinds import Reads, check_kind, kind_of_table
from deciban.nets.data.rows import Rows, read_rows, treat_missing
from deciban.nets.data.samples import CodedSample, NumberSample, narrowest
from deciban.nets.data.scratch import ScratchArray
from deciban.nets.data.sources import weight_column
from deciban.nets.data.spool import ColumnSpool
from deciban.nets.data.states import States
from deciban.nets.graphs.base import Node
from deciban.read import Table, read_table

__all__ = ["MappedRows", "map_rows"]


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
        states: dict[Node, States] = {name: self._columns[name].states(with_missing=self._has_state) for name in names}
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
