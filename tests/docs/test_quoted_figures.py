"""Figures that pages quote from the benchmarks are those of docs/benchmarks.md, so a new measurement changes both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.update import ROOT

QUOTING = ["which-model.md", "known-limits.md"]
_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_FIGURE = re.compile(r"(?<![\w.,])\d+\.\d{3,}(?![\d%])|(?<![\w.,])\d+\.\d+(?=×)")


def figures(page: Path) -> set[str]:
    """The figures of a page outside of its examples: numbers with three decimals or more, and ratios."""
    return set(_FIGURE.findall(_BLOCK.sub("", page.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", QUOTING)
def test_quoted_figures_are_those_of_the_benchmarks(name: str) -> None:
    measured = figures(ROOT / "docs" / "benchmarks.md")
    quoted = figures(ROOT / "docs" / name)
    assert quoted, f"{name} quotes no figure"
    assert not quoted - measured, f"{name} quotes figures that docs/benchmarks.md does not have"
