"""A tally as text and as HTML: the count tables, the way a lecture writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from deciban.tallies.counts import Counts
from deciban.tallies.moments import Moments
from deciban.tallies.with_missing import Gapped

if TYPE_CHECKING:
    from deciban.tallies.tally import Tally

__all__ = ["rows_as_html", "rows_as_text", "tally_html", "tally_text"]

_MOST_ROWS = 40

Row = tuple[str, str, list[str]]


def tally_text(tally: Tally) -> str:
    """Columns, states and counts in aligned columns."""
    heads = [str(label) for label in tally.classes.labels.tolist()]
    rows: list[Row] = [("", "rows", [_number(n) for n in tally.class_counts.tolist()]), *_rows(tally)]
    shown, hidden = rows[: _MOST_ROWS + 1], len(rows) - _MOST_ROWS - 1
    first = max([len(r[0]) for r in shown] + [len(tally.classes.name)])
    second = max(len(r[1]) for r in shown)
    width = [max([len(head)] + [len(r[2][j]) for r in shown]) for j, head in enumerate(heads)]
    title = f"Tally of {_number(tally.total)} rows, {len(heads)} classes of {tally.classes.name!r}"
    lines = [title, _line("", "", heads, first, second, width)]
    lines += [_line(*row, first, second, width) for row in shown]
    return "\n".join(lines + ([f"… {hidden} more"] if hidden > 0 else []))


def tally_html(tally: Tally) -> str:
    """The same as a table."""
    heads = "".join(f"<th>{escape(str(label))}</th>" for label in tally.classes.labels.tolist())
    rows: list[Row] = [("", "rows", [_number(n) for n in tally.class_counts.tolist()]), *_rows(tally)]
    body = "".join(
        f"<tr><th>{escape(name)}</th><th>{escape(state)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, state, cells in rows[: _MOST_ROWS + 1]
    )
    hidden = len(rows) - _MOST_ROWS - 1
    more = f"<p>… {hidden} more</p>" if hidden > 0 else ""
    return f"<table><thead><tr><th></th><th></th>{heads}</tr></thead><tbody>{body}</tbody></table>{more}"


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


def _rows(tally: Tally) -> Iterator[Row]:
    for part in tally.parts:
        yield from _part_rows(part)


def _part_rows(part: Any) -> Iterator[Row]:
    if isinstance(part, Counts):
        yield from _count_rows(part)
    elif isinstance(part, Moments):
        yield from _moment_rows(part)
    elif isinstance(part, Gapped):
        yield from _part_rows(part.part)
        yield "", "(missing)", [_number(n) for n in part.gaps[:, 1].tolist()]
    elif hasattr(part, "shown"):
        yield from ((name, state, [_number(n) for n in counts]) for name, state, counts in part.shown(_MOST_ROWS))
    else:
        for k, name in enumerate(part.names):
            yield name, "sum", [_number(n) for n in part.sums[:, k].tolist()]


def _count_rows(counts: Counts) -> Iterator[Row]:
    for v, label in enumerate(counts.variable.labels.tolist()):
        name = counts.variable.name if v == 0 else ""
        yield name, str(label), [_number(n) for n in counts.table[:, v].tolist()]


def _moment_rows(moments: Moments) -> Iterator[Row]:
    weight = np.maximum(moments.weight, 1e-300)
    spread = np.sqrt(moments.deviation / weight)
    for k, name in enumerate(moments.names):
        cells = zip(moments.mean[:, k].tolist(), spread[:, k].tolist(), strict=True)
        yield name, "mean ± sd", [f"{mean:.4g} ± {sd:.3g}" for mean, sd in cells]


def _line(name: str, state: str, cells: list[str], first: int, second: int, width: list[int]) -> str:
    right = "  ".join(cell.rjust(w) for cell, w in zip(cells, width, strict=True))
    return f"{name:<{first}}  {state:<{second}}  {right}".rstrip()


def _number(n: Any) -> str:
    return str(n) if isinstance(n, int) else f"{n:.6g}"
