"""Layout shared by the commands: headings, tables and signed bars."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from deciban.decide.report import Report

__all__ = [
    "aligned",
    "scores_text",
    "show_body",
    "show_heading",
    "show_title",
    "signed_bar",
    "simple_table",
    "widths_of",
]

_EIGHTHS = " ▏▎▍▌▋▊▉█"  # the last character of a bar to the right; for bars to the left there are only halves
_HALVES = " ▐█"


def show_title(console: Console, title: str, subtitle: str) -> None:
    """Print the title of an example."""
    console.print()
    console.rule(Text(title, style="bold"), style="bold", characters="━")
    console.print(Text(subtitle, style="dim"), justify="center")


def show_heading(console: Console, title: str, call: str = "") -> None:
    """Print the heading of a step, with the call that returns the result below it."""
    console.print()
    console.print(Text(title, style="bold cyan"))
    if call:
        show_body(console, Text(call, style="dim"))
    console.print()


def show_body(console: Console, body: RenderableType) -> None:
    """Print text or a table below a heading."""
    console.print(Padding(body, (0, 0, 0, 2), expand=False))


def simple_table(heads: Sequence[str | Text], rows: Iterable[Sequence[str | Text]], *, title: str = "") -> Table:
    """Make a table with a line below its header; all columns after the first are right-aligned."""
    table = Table(
        box=box.SIMPLE_HEAD,
        title=title or None,
        title_style="bold",
        title_justify="left",
        show_edge=False,
        pad_edge=False,
        collapse_padding=True,
    )
    for i, head in enumerate(heads):
        table.add_column(head, justify="right" if i else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def aligned(
    heads: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    *,
    right: Collection[str] = (),
    widths: Sequence[int] | None = None,
) -> str:
    """Rows below the names of their columns; nothing is cut off.

    Columns of numbers, and those in `right`, are aligned on the right. `widths` are at least those of the columns.

    >>> print(aligned(["label", "rows"], [{"label": "ham", "rows": 12}, {"label": None, "rows": 3}]))
    label  rows
    ham      12
              3
    """
    widths = widths_of(heads, rows) if widths is None else widths
    is_right = [head in right or _is_numeric(rows, head) for head in heads]
    lines = [list(heads), *([_cell(row[head]) for head in heads] for row in rows)]
    return "\n".join("  ".join(map(_padded, line, widths, is_right)).rstrip() for line in lines)


def widths_of(heads: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """The width of each column: that of its longest value."""
    return [max(cell_len(cell) for cell in (head, *(_cell(row[head]) for row in rows))) for head in heads]


def _is_numeric(rows: Sequence[Mapping[str, Any]], head: str) -> bool:
    return all(row[head] is None or isinstance(row[head], int | float) for row in rows)


def _padded(cell: str, width: int, is_right: bool) -> str:
    space = " " * (width - cell_len(cell))
    return space + cell if is_right else cell + space


def scores_text(report: Report) -> str:
    """Accuracy, log loss, Brier score and calibration error, with their intervals and the baseline."""
    heads = ("", "value", "95 % interval", "baseline")
    rows = [
        (name, f"{held.value:.4f}", f"{held.low:.4f} to {held.high:.4f}", "" if base is None else f"{base:.4f}")
        for name, held, base in report.summary()
    ]
    widths = [max(len(row[k]) for row in (heads, *rows)) for k in range(len(heads))]
    lines = ((row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])) for row in (heads, *rows))
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def signed_bar(value: float, largest: float, width: int, *, below: str, above: str) -> Text:
    """Draw a bar from an axis in the middle: to the right for a positive value, to the left for a negative one.

    >>> signed_bar(-2.0, 4.0, 4, below="", above="").plain, signed_bar(3.0, 4.0, 4, below="", above="").plain
    ('  ██│    ', '    │███ ')
    """
    length = abs(value) / largest * width if largest > 0 else 0.0
    if value < 0:
        return Text.assemble((_left_bar(length).rjust(width), below), "│", " " * width)
    return Text.assemble(" " * width, "│", (_right_bar(length).ljust(width), above))


def _right_bar(length: float) -> str:
    eighths = round(length * 8)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _left_bar(length: float) -> str:
    halves = round(length * 2)
    return (_HALVES[halves % 2] + "█" * (halves // 2)).lstrip()
