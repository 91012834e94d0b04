"""Markdown tables, and docs/benchmarks.md: each section between two markers, in the order of the registry."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

__all__ = ["BestInBold", "Row", "digits", "markdown_table", "read_sections", "write_sections", "yes_or_no"]

_TITLE = """# Benchmarks

Speed is a ratio against a named peer, measured in the same run after both were found to give the same answers. Accuracy
is measured on the same folds for all. `make bench` measures again and rewrites this file; the figures are of the
machine that each section names.
"""
_SECTION = re.compile(r"<!-- begin: (\S+) -->\n(.*?)\n<!-- end: \1 -->\n?", re.DOTALL)


class Row(Protocol):
    """A line of a table."""

    @property
    def title(self) -> str: ...
    def figures(self) -> tuple[str, ...]: ...


class BestInBold(NamedTuple):
    """A row of figures of which the best is in bold, as it is printed.

    >>> BestInBold("iris", [0.95, 0.953, 0.9], 2, is_more_better=True).figures()
    ('**0.95**', '**0.95**', '0.90')
    """

    title: str
    values: Sequence[float]
    digits: int
    is_more_better: bool

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        rounded = [round(value, self.digits) for value in self.values]
        best = max(rounded) if self.is_more_better else min(rounded)
        return tuple(f"**{v:.{self.digits}f}**" if v == best else f"{v:.{self.digits}f}" for v in rounded)


def markdown_table(head: Sequence[str], rows: Sequence[Row]) -> str:
    """A table with full titles; a bound that does not hold is in bold."""
    rule = ["---", *("---:" for _ in head[1:])]
    lines = [(row.title, *("**no**" if cell == "no" else cell for cell in row.figures())) for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *lines))


def digits(number: float) -> str:
    """A number with about three significant digits."""
    for decimals, from_here in ((0, 100), (1, 10), (2, 0.1)):
        if number >= from_here:
            return f"{number:,.{decimals}f}"
    return f"{number:.4f}"


def yes_or_no(holds: bool) -> str:
    """The cell that says whether a bound holds."""
    return "yes" if holds else "no"


def read_sections(page: Path) -> dict[str, str]:
    """The sections of the page by name, in their order there; none where there is no page."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return dict(_SECTION.findall(text))


def write_sections(page: Path, order: Sequence[str], texts: Mapping[str, str]) -> None:
    """Replace the given sections; all sections of the page are put in the given order.

    >>> import tempfile
    >>> page = Path(tempfile.mkdtemp()) / "benchmarks.md"
    >>> write_sections(page, ["speed", "text"], {"text": "short"})
    >>> write_sections(page, ["speed", "text"], {"speed": "fast"})
    >>> read_sections(page)
    {'speed': 'fast', 'text': 'short'}
    """
    found = read_sections(page) | {name: text.strip() for name, text in texts.items()}
    names = [*(name for name in order if name in found), *(name for name in found if name not in order)]
    parts = [f"<!-- begin: {name} -->\n{found[name]}\n<!-- end: {name} -->\n" for name in names]
    page.write_text("\n".join([_TITLE, *parts]), encoding="utf-8")
