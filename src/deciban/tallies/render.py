"""A tally as text and as HTML: the tables of counts, as a lecture writes them. Each part gives its own rows."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deciban.tallies.tally import Tally

__all__ = ["rows_as_html", "rows_as_text", "tally_html", "tally_text"]

_MOST_ROWS = 40

Row = tuple[str, str, list[str]]


def tally_text(tally: Tally) -> str:
    """Columns, states and counts in aligned columns."""
    heads = [str(label) for label in tally.classes.labels.tolist()]
    shown, hidden = _rows(tally)
    first = max([len(r[0]) for r in shown] + [len(tally.classes.name)])
    second = max(len(r[1]) for r in shown)
    width = [max([len(head)] + [len(r[2][j]) for r in shown]) for j, head in enumerate(heads)]
    lines = [_title(tally), _line("", "", heads, first, second, width)]
    lines += [_line(*row, first, second, width) for row in shown]
    return "\n".join(lines + ([f"… {hidden} more"] if hidden > 0 else []))


def tally_html(tally: Tally) -> str:
    """The same as a table."""
    heads = "".join(f"<th>{escape(str(label))}</th>" for label in tally.classes.labels.tolist())
    shown, hidden = _rows(tally)
    body = "".join(
        f"<tr><th>{escape(name)}</th><th>{escape(state)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, state, cells in shown
    )
    more = f"<p>… {hidden} more</p>" if hidden > 0 else ""
    head = f"<caption>{escape(_title(tally))}</caption><thead><tr><th></th><th></th>{heads}</tr></thead>"
    return f"<table>{head}<tbody>{body}</tbody></table>{more}"


def rows_as_text(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title, and rows of text in aligned columns."""
    lines = [heads, *rows[:_MOST_ROWS]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([title, *shown, *([f"… {len(rows) - _MOST_ROWS} more"] if len(rows) > _MOST_ROWS else [])])


def rows_as_html(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same as an HTML table."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[:_MOST_ROWS])
    more = f"<p>… {len(rows) - _MOST_ROWS} more</p>" if len(rows) > _MOST_ROWS else ""
    return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>{more}"


def _title(tally: Tally) -> str:
    rows, classes = "row" if tally.total == 1 else "rows", "class" if len(tally.classes) == 1 else "classes"
    return f"Tally of {_text(tally.total)} {rows}, {len(tally.classes)} {classes} of {tally.classes.name!r}"


def _rows(tally: Tally) -> tuple[list[Row], int]:
    """The first rows, that of the class counts before all others, and how many are left out."""
    found = [("", "rows", tally.class_counts.tolist())]
    found += [row for part in tally.parts for row in part.shown(_MOST_ROWS)]
    shown = [(name, state, [_text(cell) for cell in cells]) for name, state, cells in found[: _MOST_ROWS + 1]]
    return shown, len(found) - len(shown)


def _line(name: str, state: str, cells: list[str], first: int, second: int, width: list[int]) -> str:
    right = "  ".join(cell.rjust(w) for cell, w in zip(cells, width, strict=True))
    return f"{name:<{first}}  {state:<{second}}  {right}".rstrip()


def _text(cell: Any) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
