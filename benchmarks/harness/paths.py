"""Where the project, its page of benchmarks and the data sets are."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FIGURES", "NETS", "PAGE", "RESULTS", "ROOT", "TABLES", "TEXTS"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
RESULTS = ROOT / "benchmarks" / ".results"
FIGURES = ROOT / "docs" / "figures" / "benchmarks"

_DATA = ROOT.parent / "shared" / "data"
TABLES, TEXTS, NETS = _DATA / "tables", _DATA / "text", _DATA / "nets"
