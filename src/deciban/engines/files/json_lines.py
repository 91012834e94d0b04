"""JSON Lines files (also called NDJSON): one object a line, read by pyarrow into columns of known types.

The types are found from lines that are spread over all files, unless they are given: those of most values of a key. A
key that a line lacks is a missing value, as null is. Objects and lists inside a line are not columns.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import json as arrow_json

from deciban.engines.files.names import format_of
from deciban.engines.files.pieces import BadRow, Piece, Read, raise_bad_row, typed
from deciban.engines.files.text_files import Block, TextFile, count_lines, have_at_most, text_shares
from deciban.engines.source import OnBadRow
from deciban.errors import DamagedTableError, InputError

__all__ = ["JsonReader", "found_types", "json_file", "read_lines", "types_of"]

_SAMPLE = 4 << 20
"""The bytes from which types are found."""
_FILES = 64
"""The number of files that they are from, at most."""
_BLOCK = 32 << 20
"""The bytes of a piece. Lines of text are long, and the more of them are counted at a time, the faster."""
_TYPES = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
# What pyarrow says of a value of another type; its wording is no promise, so another message is passed on as it is.
_CHANGED = re.compile(r"Column\(/(.*)\) changed from (\w+) to (\w+)")


@dataclass(frozen=True)
class JsonReader:
    """Reads JSON Lines files; `schema` are the names and types of the columns."""

    schema: pa.Schema
    on_bad_row: OnBadRow
    encodings: Mapping[Path, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        files: Sequence[Path],
        given: Mapping[str, pa.DataType] | None,
        on_bad_row: OnBadRow,
        encodings: Mapping[Path, str] | None = None,
    ) -> JsonReader:
        """The reader of files; `encodings` are those that are not UTF-8."""
        encodings = encodings or {}
        some = files[:: -(-len(files) // _FILES)]
        texts = [json_file(file, encodings.get(file)) for file in some]
        runs = [run for text in texts for run in text.sample(0, _SAMPLE // len(some))]
        types = found_types(line for run in runs for line in run.splitlines())
        if not types:
            says = f"{files[0]} has no line that is a JSON object with values."
            # A file with anything else in it is damaged, one without is empty.
            raise DamagedTableError(says) if any(run.strip() for run in runs) else InputError(says)
        return cls(typed(pa.schema(list(types.items())), given), on_bad_row, encodings)

    def has_at_most(self, files: Sequence[Path], rows: int) -> bool:
        return have_at_most([self._text_file(file) for file in files], rows)

    def shares(self, files: Sequence[Path], rows: int) -> Mapping[Path, int]:
        return text_shares([self._text_file(file) for file in files], rows)

    def sample(self, file: Path, share: int, columns: Sequence[str] | None = None) -> pa.Table:
        return read_lines(b"".join(self._text_file(file).sample(0, share)), self._schema_of(columns))[0]

    def size(self, file: Path) -> int:
        return self._text_file(file).size

    def pieces(self, file: Path, start: int, columns: Sequence[str] | None = None) -> Iterator[Piece]:
        text, schema = self._text_file(file), self._schema_of(columns)
        for block in text.blocks(start, _BLOCK):
            yield Piece(_Reading(text, block, schema, self.on_bad_row), block.end, block.size)

    def _text_file(self, file: Path) -> TextFile:
        return json_file(file, self.encodings.get(file))

    def _schema_of(self, columns: Sequence[str] | None) -> pa.Schema:
        return self.schema if columns is None else pa.schema([self.schema.field(name) for name in columns])


@dataclass(frozen=True)
class _Reading:
    """Reads one block."""

    text: TextFile
    block: Block
    schema: pa.Schema
    on_bad_row: OnBadRow

    def __call__(self) -> Iterator[Read]:
        table, bad = read_lines(self.block.buffer, self.schema)
        bad_rows = tuple(BadRow(str(self.text.path), self._first_line + line, reason) for line, reason in bad)
        if bad_rows and self.on_bad_row == "error":
            raise_bad_row(bad_rows[0])
        yield Read(table, bad_rows, _RowLines(self, frozenset(line for line, _ in bad), len(table)))

    @cached_property
    def _first_line(self) -> int:
        return count_lines(self.text, self.block.start) + 1


@dataclass(frozen=True)
class _RowLines:
    """The line of the file that a row is in; 0 where lines have several rows."""

    reading: _Reading
    bad: frozenset[int]
    rows: int

    def __call__(self, row: int) -> int:
        lines = enumerate(self.reading.block.rows.split(b"\n"))
        kept = [number for number, line in lines if line.strip() and number not in self.bad]
        return self.reading._first_line + kept[row] if len(kept) == self.rows else 0


def read_lines(rows: bytes | pa.Buffer, schema: pa.Schema) -> tuple[pa.Table, list[tuple[int, str]]]:
    r"""The lines of a buffer as a table with these columns; and the lines that cannot be read, with the reasons.

    Lines are numbered from 0. Where a line cannot be read, the lines are halved until it is found.

    Examples
    --------
    >>> schema = pa.schema([("text", pa.string())])
    >>> table, bad = read_lines(b'{"text": "to be"}\n{"text": 7}\n{}\n', schema)
    >>> table["text"].to_pylist(), [line for line, _ in bad]
    (['to be', None], [1])
    """
    tables: list[pa.Table] = []
    bad: list[tuple[int, str]] = []
    waiting = [(0, pa.py_buffer(rows))]
    while waiting:
        first, part = waiting.pop()
        try:
            tables.append(_parsed(part, schema))
        except (pa.ArrowException, OSError) as error:
            lines = part.to_pybytes()
            cut = _middle(lines)
            # The first half is read next, so that tables and bad lines stay in the order of the file.
            if cut:
                waiting += [(first + lines.count(b"\n", 0, cut), part.slice(cut)), (first, part.slice(0, cut))]
            elif lines.strip():
                bad.append((first, _reason(error, lines)))
    return pa.concat_tables(tables) if tables else schema.empty_table(), bad


def _parsed(rows: pa.Buffer, schema: pa.Schema) -> pa.Table:
    if rows.size == 0:
        return schema.empty_table()
    parse = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    read = arrow_json.ReadOptions(use_threads=False, block_size=rows.size + 1)  # a line must not exceed a block
    table = arrow_json.read_json(pa.BufferReader(rows), read_options=read, parse_options=parse)
    table.validate(full=True)  # pyarrow does not check that texts are UTF-8
    return table


def _middle(lines: bytes) -> int:
    """Where a line begins, near the middle; 0 where there is one line only."""
    half = len(lines) // 2
    after = lines.find(b"\n", half) + 1
    return after if 0 < after < len(lines) else lines.rfind(b"\n", 0, half) + 1


def _reason(error: Exception, line: bytes) -> str:
    """Why a line cannot be read, without pyarrow's number of the row, which is that of a part."""
    start = repr(line[:80].decode("utf-8", "replace").strip())
    changed = _CHANGED.search(str(error))
    if changed:
        name, kind, other = changed.groups()
        return f"column {name!r} has a {other}, not a {kind}: {start}"
    message = re.sub(r"^JSON parse error: |\.? in row \d+$", "", str(error).partition("\n")[0])
    return f"it is not a JSON object that can be read ({message}): {start}"


def found_types(lines: Iterable[bytes]) -> dict[str, pa.DataType]:
    """The type of most values of each key that has numbers, text or booleans; keys in the order of their occurrence.

    >>> found_types([b'{"a": 1, "b": "x", "c": [1]}', b'{"a": 2.5, "b": null}'])
    {'a': DataType(double), 'b': DataType(string)}
    """
    return types_of(map(_object, lines))


def types_of(objects: Iterable[Mapping[str, Any]]) -> dict[str, pa.DataType]:
    """The same for objects that have been parsed."""
    kinds: dict[str, Counter[type]] = {}
    for values in objects:
        for name, value in values.items():
            # pyarrow has no whole numbers of more than 64 bits, so larger ones are floats.
            is_large = type(value) is int and not -(1 << 63) <= value < 1 << 63
            kinds.setdefault(name, Counter())[float if is_large else type(value)] += 1
    return {name: kind for name, counts in kinds.items() if (kind := _most_frequent(counts)) is not None}


def _object(line: bytes) -> Mapping[str, Any]:
    """The object that a line is; an empty one where it is something else."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _most_frequent(counts: Counter[type]) -> pa.DataType | None:
    """The type of a key's values: null without any, None for objects and lists."""
    counts.pop(type(None), None)
    if not counts:
        return pa.null()
    # A whole number is a float, too, where others of the key are floats: 2 and 2.5 are one type in JSON.
    if counts[float]:
        counts[float] += counts.pop(int, 0)
    return _TYPES.get(counts.most_common(1)[0][0])


def json_file(file: Path, encoding: str | None = None) -> TextFile:
    """A file of JSON Lines as text."""
    return TextFile(file, format_of(file)[1], is_quoted=False, encoding=encoding)
