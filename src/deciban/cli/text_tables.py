"""Tables as plain text: aligned columns, and the scores of a report."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

if TYPE_CHECKING:
    from deciban.decide.evaluation import Report

__all__ = ["aligned", "scores_text", "widths_of"]


def aligned(
    heads: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
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
