"""Where results go: to the standard output or to a file, as a table for reading, JSON, CSV or Parquet.

A file is written beside its final name and renamed at the end, so an error or Ctrl-C leaves no half-written file.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal, get_args

import typer

from deciban.errors import FileAccessError

if TYPE_CHECKING:
    from deciban.decide.evaluation import Report
    from deciban.engines.files.writing import RowWriter


Format = Literal["table", "json", "csv", "parquet"]
"""The form of a result."""


TextFormat = Literal["text", "json"]
"""The form of a result that is no table."""


TextFormatOption = Annotated[TextFormat, typer.Option("--format", help="The form of the result.")]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", help="The form of the result; by default as the file's name says, or table."),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the result to this file, not to the standard output.")
]


@contextmanager
def writing(output: Path | None, form: Format | None = None) -> Iterator[RowWriter]:
    """A writer of rows; the file appears at the end, complete, or not at all."""
    form = chosen_format(form, output)
    with _sink(output, is_binary=form == "parquet") as sink:
        writer = _writer(form, sink)
        yield writer
        writer.close()


def write_table(rows: Any, output: Path | None = None, form: Format | None = None) -> None:
    """Write all rows of a result."""
    with writing(output, form) as writer:
        writer.write(rows)


def write_records(
    records: Sequence[Mapping[str, object]], output: Path | None = None, form: Format | None = None
) -> None:
    """Write rows that are mappings; a row without a column has a missing value there."""
    names = list(dict.fromkeys(name for record in records for name in record))
    filled = [{name: record.get(name) for name in names} for record in records]
    chosen = chosen_format(form, output)
    if chosen == "table":
        write_text(aligned(names, filled), output)
    elif chosen == "json":
        write_json(filled, output)
    else:
        from deciban.read.frame import make_frame

        columns = {name: _alike([record[name] for record in filled]) for name in names}
        write_table(make_frame(columns, "pyarrow"), output, chosen)


def write_text(text: str, output: Path | None = None) -> None:
    """Write a text, with a newline at its end."""
    with _sink(output) as sink:
        sink.write(_encoded(text if text.endswith("\n") else f"{text}\n"))


def write_json(value: object, output: Path | None = None) -> None:
    """Write a value as one JSON document."""
    write_text(json.dumps(_finite(value), indent=2, ensure_ascii=False, default=str, allow_nan=False), output)


def _finite(value: object) -> object:
    """The value without numbers that JSON does not have: infinities are texts, and NaN is null."""
    if isinstance(value, Mapping):
        return {str(name): _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def chosen_format(form: Format | None, output: Path | None) -> Format:
    """The format that was chosen, else that of the file's name, else a table for reading."""
    if form is not None or output is None:
        return form or "table"
    suffix = output.suffix.lower().removeprefix(".")
    return next((known for known in get_args(Format) if known == suffix), "table")


def _alike(values: list[object]) -> list[object]:
    """Values of one type: texts, where there are several types or one that files do not have."""
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int, float} or kinds in ({str}, {bool}):
        return values
    return [None if value is None else str(value) for value in values]


@contextmanager
def _sink(output: Path | None, *, is_binary: bool = False) -> Iterator[BinaryIO]:
    if output is not None:
        from deciban.files import replacing

        with replacing(output) as file:
            yield file
        return
    if sys.stdout is None:
        raise FileAccessError("the standard output is closed: name a file with -o.")
    if is_binary and sys.stdout.isatty():
        raise typer.BadParameter("Parquet is not text: name a file with -o.", param_hint="--format")
    try:
        # bytes pass by the text layer: what was printed before must come first
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except OSError as error:
        if isinstance(error, FileAccessError | BrokenPipeError) or error.filename is not None:
            raise  # it is not about the standard output, or its reader has seen enough
        raise FileAccessError(f"the standard output cannot be written: {error.strerror}.") from None


def _encoded(text: str) -> bytes:
    """Text as UTF-8, in which a lone surrogate is an escape; in JSON it stands for the same character."""
    return text.encode("utf-8", "backslashreplace")


def _writer(form: Format, sink: BinaryIO) -> RowWriter:
    if form == "table":
        return _ShownTable(sink)
    from deciban.engines.files.writing import row_writer

    return row_writer(form, sink)


class _ShownTable:
    """Aligned columns, as wide as the longest value of the first rows; nothing is cut off."""

    def __init__(self, sink: BinaryIO) -> None:
        self._sink = sink
        self._widths: list[int] | None = None

    def write(self, rows: Any) -> None:
        names, records = rows.column_names, rows.to_pylist()
        is_first = self._widths is None
        self._widths = self._widths or widths_of(names, records)
        lines = aligned(names, records, widths=self._widths)
        self._sink.write(_encoded(f"{lines if is_first else lines.partition(chr(10))[2]}\n"))

    def close(self) -> None:
        """Every call of `write` has written all of its rows."""


def aligned(
    heads: Sequence[str],
    rows: Sequence[Mapping[str, object]],
    *,
    right: Collection[str] = (),
    widths: Sequence[int] | None = None,
) -> str:
    """Rows below the names of their columns; nothing is cut off.

    Columns of numbers, and those in `right`, are aligned on the right. `widths` are at least those of the columns.

    >>> print(
    ...     aligned(
    ...         ["label", "rows"], [{"label": "ham", "rows": 12}, {"label": None, "rows": 3}]
    ...     )
    ... )
    label  rows
    ham      12
              3
    """
    widths = widths_of(heads, rows) if widths is None else widths
    is_right = [head in right or _is_numeric(rows, head) for head in heads]
    lines = [list(heads), *([_cell(row[head]) for head in heads] for row in rows)]
    return "\n".join("  ".join(map(_padded, line, widths, is_right)).rstrip() for line in lines)


def widths_of(heads: Sequence[str], rows: Sequence[Mapping[str, object]]) -> list[int]:
    """The width of each column: that of its longest value."""
    from rich.cells import cell_len  # most commands show no table

    return [max(cell_len(cell) for cell in (head, *(_cell(row[head]) for row in rows))) for head in heads]


def _is_numeric(rows: Sequence[Mapping[str, object]], head: str) -> bool:
    return all(row[head] is None or isinstance(row[head], int | float) for row in rows)


def _padded(cell: str, width: int, is_right: bool) -> str:
    from rich.cells import cell_len  # characters of Chinese are two cells wide, and accents none

    space = " " * (width - cell_len(cell))
    return space + cell if is_right else cell + space


def scores_text(report: Report) -> str:
    """Accuracy, log loss, Brier score and calibration error, with their intervals and the baseline."""
    heads = ("", "value", "95 % interval", "baseline")
    rows = [
        (name, f"{score.value:.4f}", f"{score.low:.4f} to {score.high:.4f}", "" if base is None else f"{base:.4f}")
        for name, score, base in report.summary()
    ]
    widths = [max(len(row[k]) for row in (heads, *rows)) for k in range(len(heads))]
    lines = ((row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])) for row in (heads, *rows))
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
