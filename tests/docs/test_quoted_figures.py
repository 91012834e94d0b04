"""Figures that pages quote from the benchmarks are those of docs/benchmarks.md, so a new measurement changes both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.update import ROOT

QUOTING = ["which-model.md", "known-limits.md", "notes.md"]
_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_FIGURE = re.compile(r"(?<![\w.,])\d+\.\d{3,}(?![\d%])|(?<![\w.,])\d+\.\d+(?=×)")


def figures(page: Path, *, is_text: bool = False) -> set[str]:
    """The figures of a page outside of its examples: numbers with three decimals or more, and ratios.

    With `is_text`, only those of paragraphs that link to the benchmarks: a page may compute other figures itself.
    """
    paragraphs = _BLOCK.sub("", page.read_text(encoding="utf-8")).split("\n\n")
    return set(_FIGURE.findall("\n\n".join(p for p in paragraphs if not is_text or "](benchmarks.md" in p)))


@pytest.mark.parametrize("name", QUOTING)
def test_quoted_figures_are_those_of_the_benchmarks(name: str) -> None:
    measured = figures(ROOT / "docs" / "benchmarks.md")
    quoted = figures(ROOT / "docs" / name, is_text=name == "notes.md")
    assert quoted, f"{name} quotes no figure"
    assert not quoted - measured, f"{name} quotes figures that docs/benchmarks.md does not have"
