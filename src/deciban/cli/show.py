"""Layout of the demonstration: headings, tables and signed bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

__all__ = ["show_body", "show_heading", "show_title", "signed_bar", "simple_table"]

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


def signed_bar(value: float, largest: float, width: int, *, below: str, above: str) -> Text:
    """Draw a bar from an axis in the middle: to the right for a positive value, to the left for a negative one.

    >>> (
    ...     signed_bar(-2.0, 4.0, 4, below="", above="").plain,
    ...     signed_bar(3.0, 4.0, 4, below="", above="").plain,
    ... )
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
