"""Files as a source: their rows are read in pieces, and the pieces are counted on all cores, in order.

A checkpoint is one file with what was counted so far, and how far the source was read; it is replaced atomically. It is
written after a piece of the source was counted, when the writing of the last one took less than a twentieth of the time
since then. It names the source and what is counted of it, so a checkpoint of something else is refused, and left as it
is.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa

from deciban.choices import counted, did_you_mean
from deciban.engines.files.columnar import ArrowReader, ParquetReader
from deciban.engines.files.csv import CsvReader, text_file
from deciban.engines.files.json_lines import JsonReader, json_file
from deciban.engines.files.names import FileFormat, format_of, list_files
from deciban.engines.files.pieces import BadRow, Piece, Reader, check_same_names, given_types, without_missing
from deciban.engines.files.text_files import encodings_of
from deciban.engines.files.whole import WholeReader, is_array, read_array, read_sheet
from deciban.engines.source import Additive, OnBadRow, Progress, SourceCounting, reporting
from deciban.errors import (
    CheckpointError,
    ColumnMismatchError,
    DecibanWarning,
    FileError,
    InputError,
    ParameterError,
    warn_user,
)
from deciban.files import as_path, read_whole, write_whole
from deciban.storage.codec import Encoder, decode, pack, unpack
from deciban.thread_pool import threads

__all__ = ["Checkpoint", "FileSource"]


T = TypeVar("T", bound=Additive)
_MOST_WORKERS = 16
"""Each has a piece in memory."""
_LOOK, _LEAST_LOOK = 8 << 20, 1 << 16
"""The bytes by which encodings are found: of all files together, and of each file at least."""
_SHOWN = 5
"""The number of bad rows that a warning names."""


class _Position(NamedTuple):
    """Where the next piece begins: in which file, where in it; and what was read before."""

    file: int = 0
    start: int = 0
    bytes_read: int = 0
    rows: int = 0
    bad_rows: int = 0

    def next(self, reached: _Position, bad_rows: int) -> _Position:
        """The position behind a piece, of which `reached` has the rows alone."""
        return reached._replace(rows=self.rows + reached.rows, bad_rows=self.bad_rows + bad_rows)


Counted = tuple[T | None, tuple[BadRow, ...], int]
"""Of a piece: its tally, None where it has no rows, the rows that were left out, and the number of the others."""


@dataclass(frozen=True)
class FileSource:
    """A table in one file or several, all of one format, with the same columns.

    `on_bad_row` says what is done with rows that lack a value that is needed; the reader deals with those that it
    cannot read. `left_out` are columns that are not read.
    """

    files: tuple[Path, ...]
    reader: Reader
    checkpoint: Path | None = None
    progress: Progress = None
    on_bad_row: OnBadRow = "error"
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        source: object,
        *,
        schema: object = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Progress = None,
        on_bad_row: OnBadRow = "error",
        encoding: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
    ) -> FileSource:
        """Open files: look at their names, columns and types, and read nothing else.

        `decimal` is the decimal mark of numbers in CSV files; found from some rows when None.
        """
        if on_bad_row not in ("error", "skip"):
            raise ParameterError(f"on_bad_row is 'error' or 'skip', not {on_bad_row!r}.")
        if decimal not in (None, ".", ","):
            raise ParameterError(f"decimal is '.' or ',', not {decimal!r}.")
        files = list_files(source)
        reader = _reader(files, given_types(schema), on_bad_row, encoding, sheet, decimal)
        return cls(files, reader, None if checkpoint is None else as_path(checkpoint), progress, on_bad_row)

    def without(self, columns: Sequence[str]) -> FileSource:
        """The same rows without some columns."""
        self.check_columns(columns)
        return replace(self, left_out=(*self.left_out, *columns))

    def with_types(self, numbers: Collection[str], labels: Collection[str]) -> FileSource:
        """The same rows for a model that takes some columns as numbers, and others as labels.

        In a CSV file one odd cell makes text of a column of numbers: here it is a row that cannot be read. A column of
        labels may have values of another type anywhere.
        """
        reader = self.reader
        return replace(self, reader=reader.with_types(numbers, labels)) if isinstance(reader, CsvReader) else self

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.reader.schema.names if name not in self.left_out)

    @property
    def schema(self) -> pa.Schema:
        """The names and types of the columns."""
        return self.reader.schema

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The bytes of each file."""
        return tuple(file.stat().st_size for file in self.files)

    def check_columns(self, columns: Sequence[str] | None) -> None:
        """Raise an error that names the closest column where one of these does not exist."""
        for name in columns or ():
            if name not in self.names:
                raise ColumnMismatchError(f"{self._named()} has no column {name!r}.{did_you_mean(name, self.names)}")

    def sample(self, rows: int, columns: Sequence[str] | None = None) -> pa.Table:
        """About so many rows, spread over all files; all rows where there are fewer."""
        columns = self._read_columns(columns)
        shares = self.reader.shares(self.files, rows)
        parts = [self.reader.sample(file, share, columns) for file, share in shares.items()]
        table = pa.concat_tables(_plain(part) for part in parts)
        if not len(table):
            raise self._no_rows()
        return table

    def read_small(self, rows: int, required: Sequence[str]) -> pa.Table | None:
        """All rows, in memory, where there are at most about so many; None where there may be more.

        None too with a checkpoint, which is about pieces that are counted.
        """
        is_small = self.checkpoint is None and self.reader.has_at_most(self.files, rows)
        return self.read(required=required) if is_small else None

    def batches(self, columns: Sequence[str] | None = None, required: Sequence[str] = ()) -> Iterator[pa.Table]:
        """All rows in order, some at a time; a row without a value of a required column is a bad row."""
        columns = self._read_columns(columns)
        skipped = _Skipped()
        whole, rows = max(sum(self.sizes), 1), 0
        with reporting(self.progress, f"reading {self._named()}") as step:
            for reached, piece in self._pieces(_Position(), columns):
                for rows_read in piece.read():
                    read = without_missing(rows_read, required, self.files[reached.file], self.on_bad_row)
                    skipped.add(read.bad_rows)
                    rows += len(read.table)
                    if len(read.table):
                        yield read.table
                step(rows, min(reached.bytes_read / whole, 1.0))
        skipped.warn()

    def read(self, columns: Sequence[str] | None = None, required: Sequence[str] = ()) -> pa.Table:
        """All rows, in memory."""
        parts = [_plain(part) for part in self.batches(columns, required)]
        if not parts:
            raise self._no_rows()
        return pa.concat_tables(parts, promote_options="permissive")

    def count(self, counting: SourceCounting[T]) -> T:
        """The tally of all rows; pieces are counted in threads, and added in order."""
        self.check_columns(counting.columns)
        checkpoint = self._checkpoint(counting)
        total, position = _restored(checkpoint, counting)
        skipped = _Skipped(position.bad_rows)
        whole = max(sum(map(self.reader.size, self.files)), 1)
        name = self.files[0].name if len(self.files) == 1 else self._named()
        with reporting(self.progress, f"counting {name}") as step:
            for part, bad_rows, reached in self._counted(counting, position):
                position = position.next(reached, len(bad_rows))
                skipped.add(bad_rows)
                if part is not None:
                    total = part if total is None else total + part
                # Tally and position are of the same piece: a call that continues counts no row twice, and misses none.
                if checkpoint is not None and total is not None:
                    checkpoint.save(partial(_state, counting, total, position))
                step(position.rows, min(position.bytes_read / whole, 1.0))
        if total is None:
            raise self._no_rows()
        skipped.warn()
        # At the very end: a call that fails before this may be repeated and continue.
        if checkpoint is not None:
            checkpoint.remove()
        return total

    def _counted(
        self, counting: SourceCounting[T], position: _Position
    ) -> Iterator[tuple[T | None, tuple[BadRow, ...], _Position]]:
        """The tallies of the pieces, in order."""
        workers = min(threads(), _MOST_WORKERS)
        # In the order of the rows, whichever thread is first: sums of floats are the same for any number of threads.
        waiting: deque[tuple[Future[Counted[T]], _Position]] = deque()
        with ThreadPoolExecutor(workers) as pool:
            try:
                for reached, piece in self._pieces(position, self._read_columns(counting.columns)):
                    count = partial(self._count_piece, self.files[reached.file], piece, counting)
                    waiting.append((pool.submit(count), reached))
                    # One more than workers, so that none is idle, and no more, since each piece is in memory.
                    if len(waiting) > workers:
                        yield _finished(*waiting.popleft())
                while waiting:
                    yield _finished(*waiting.popleft())
            finally:  # of an error, and of Ctrl-C: the pool waits for what it has begun
                for future, _ in waiting:
                    future.cancel()

    def _count_piece(self, file: Path, piece: Piece, counting: SourceCounting[T]) -> Counted[T]:
        total: T | None = None
        bad_rows: list[BadRow] = []
        rows = 0
        for rows_read in piece.read():
            read = without_missing(rows_read, counting.required, file, self.on_bad_row)
            bad_rows += read.bad_rows
            rows += len(read.table)
            if len(read.table):
                part = counting(read.table)
                total = part if total is None else total + part
        return total, tuple(bad_rows), rows

    def _pieces(self, start: _Position, columns: Sequence[str] | None) -> Iterator[tuple[_Position, Piece]]:
        """Each piece, and where the next one begins."""
        read = start.bytes_read
        for i in range(start.file, len(self.files)):
            first = start.start if i == start.file else 0
            for piece in self.reader.pieces(self.files[i], first, columns):
                read += piece.size
                yield _Position(i, piece.end, read), piece

    def _checkpoint(self, counting: SourceCounting[T]) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        # Size and time of change stand for the content: reading all of it again would take as long as counting.
        described = {
            "files": [str(file.resolve()) for file in self.files],
            "sizes": list(self.sizes),
            "changed": [file.stat().st_mtime_ns for file in self.files],
            "columns": [f"{field.name}: {field.type}" for field in self.schema],
        }
        return Checkpoint(self.checkpoint, described, counting.described)

    def _read_columns(self, columns: Sequence[str] | None) -> Sequence[str] | None:
        """The columns to read; None for all of the files."""
        self.check_columns(columns)
        return self.names if columns is None and self.left_out else columns

    def _no_rows(self) -> InputError:
        return InputError(f"{self._named()} {'has' if len(self.files) == 1 else 'have'} no rows.")

    def _named(self) -> str:
        return str(self.files[0]) if len(self.files) == 1 else counted(len(self.files), "file")


class _Skipped:
    """The rows that were left out."""

    def __init__(self, before: int = 0) -> None:
        self._number = before
        self._first: list[BadRow] = []

    def add(self, rows: Sequence[BadRow]) -> None:
        self._number += len(rows)
        self._first += rows[: _SHOWN - len(self._first)]

    def warn(self) -> None:
        """Say how many rows were left out, and name the first ones."""
        if self._number:
            first = "; ".join(map(str, self._first))
            warn_user(f"{counted(self._number, 'row')} could not be read and were left out: {first}.", DecibanWarning)


def _reader(
    files: tuple[Path, ...],
    given: Mapping[str, pa.DataType] | None,
    on_bad_row: OnBadRow,
    encoding: str | None,
    sheet: str | None,
    decimal: str | None,
) -> Reader:
    formats: dict[FileFormat, Path] = {}
    for file in files:
        formats.setdefault(format_of(file)[0], file)
    if len(formats) > 1:
        a, b = list(formats.values())[:2]
        raise FileError(f"the files have different formats: {a.name} and {b.name}. Pass those of one format.")
    kind = next(iter(formats))
    if encoding is not None and kind not in ("csv", "json"):
        raise ParameterError(f"encoding={encoding!r} is for CSV and JSON files, and {files[0]} is none.")
    if sheet is not None and kind != "excel":
        raise ParameterError(f"sheet={sheet!r} is for Excel files, and {files[0]} is none.")
    if kind == "excel":
        sheets = {file: read_sheet(file, sheet) for file in files}
        names = {
            file: list(rows[0].values) for file, rows in sheets.items() if rows and isinstance(rows[0].values, dict)
        }
        if names:
            check_same_names(names)
        return WholeReader.of(sheets, given, on_bad_row)
    if kind == "parquet":
        return ParquetReader.of(files, given)
    if kind == "arrow":
        return ArrowReader.of(files, given)
    return _text_reader(files, given, on_bad_row, encoding, decimal, is_json=kind == "json")


def _text_reader(
    files: tuple[Path, ...],
    given: Mapping[str, pa.DataType] | None,
    on_bad_row: OnBadRow,
    encoding: str | None,
    decimal: str | None,
    *,
    is_json: bool,
) -> Reader:
    """The reader of CSV files, of JSON Lines, or of JSON arrays."""
    size, text = max(_LOOK // len(files), _LEAST_LOOK), json_file if is_json else text_file
    encodings = encodings_of({file: text(file).look(size) for file in files}, encoding)
    if not is_json:
        return CsvReader.of(files, given, on_bad_row, encodings, decimal)
    arrays = [file for file in files if is_array(file, encodings.get(file))]
    if not arrays:
        return JsonReader.of(files, given, on_bad_row, encodings)
    if len(arrays) < len(files):
        raise FileError(f"{arrays[0]} is one JSON array, and other files are not. Pass those of one format.")
    return WholeReader.of({file: read_array(file, encodings.get(file)) for file in files}, given, on_bad_row)


def _finished(future: Future[Counted[T]], reached: _Position) -> tuple[T | None, tuple[BadRow, ...], _Position]:
    tally, bad_rows, rows = future.result()
    return tally, bad_rows, reached._replace(rows=rows)


def _state(counting: SourceCounting[T], total: T, position: _Position) -> dict[str, object]:
    return {"position": list(position), "tally": dict(counting.state(total))}


def _restored(checkpoint: Checkpoint | None, counting: SourceCounting[T]) -> tuple[T | None, _Position]:
    state = None if checkpoint is None else checkpoint.load()
    if state is None:
        return None, _Position()
    return counting.restored(state["tally"]), _Position(*state["position"])


def _plain(table: pa.Table) -> pa.Table:
    """The same rows without encoded columns, whose dictionaries differ from part to part."""
    kinds = [f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in table.schema]
    return table.cast(pa.schema(list(zip(table.column_names, kinds, strict=True))))


_KIND = "Checkpoint"
_SHARE = 20
"""Writing takes at most one twentieth of the time."""
_LONGEST = 80


@dataclass
class Checkpoint:
    """A file that keeps the state of counting a source.

    `source` and `counted` describe what the state belongs to.
    """

    path: Path
    source: Mapping[str, object]
    counted: str
    _written: float = field(default_factory=time.perf_counter)
    _took: float = 0.0

    def load(self) -> Mapping[str, Any] | None:
        """The state of an interrupted call; None where there is none."""
        if not self.path.exists():
            return None
        try:
            header, arrays = unpack(read_whole(self.path), str(self.path))
            content = {name: decode(header[name], arrays) for name in ("source", "counted", "state")}
        except (FileError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(f"the checkpoint {self.path} cannot be read: {error!s}") from None
        self._check("source", dict(self.source), content["source"], "another source, or its files have changed")
        self._check("counted", self.counted, content["counted"], "another model or target")
        state: Mapping[str, Any] = content["state"]
        return state

    def _check(self, what: str, ours: object, theirs: object, reason: str) -> None:
        if ours != theirs:
            raise CheckpointError(
                f"the checkpoint {self.path} belongs to {reason} ({_difference(what, ours, theirs)}). Name another "
                "file, or remove it to begin again."
            )

    def save(self, state: Callable[[], Mapping[str, object]], *, now: bool = False) -> None:
        """Write the state, unless the last one was written just before."""
        start = time.perf_counter()
        if not now and start - self._written < _SHARE * self._took:
            return
        encoder = Encoder()
        values = {"source": dict(self.source), "counted": self.counted, "state": state()}
        content = {name: encoder.encode(value, name, f"the {name}") for name, value in values.items()}
        write_whole(self.path, pack({"model": _KIND, "parameters": {}, **content}, encoder.arrays))
        self._written = time.perf_counter()
        self._took = self._written - start

    def remove(self) -> None:
        """Remove the file: everything was counted."""
        self.path.unlink(missing_ok=True)


def _difference(what: str, ours: object, theirs: object) -> str:
    """The first values that differ, with the name that they have."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        name = next(name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name))
        return _difference(name, ours.get(name), theirs.get(name))
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return next(_difference(what, a, b) for a, b in zip(ours, theirs, strict=True) if a != b)
    return f"{what}: {_short(ours)}, there {_short(theirs)}"


def _short(value: object) -> str:
    text = str(value)
    # The end of a long path says more than its beginning.
    return text if len(text) <= _LONGEST else f"…{text[-_LONGEST:]}"
