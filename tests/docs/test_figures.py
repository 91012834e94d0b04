"""The figures of the pages are what the graphs draw now."""

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_figures_are_drawn_anew_when_the_drawing_changes():
    figures = runpy.run_path(str(DOCS / "figures" / "draw.py"))["FIGURES"]
    assert {path.stem for path in (DOCS / "figures").glob("*.svg")} == set(figures)
    for name, graph in figures.items():
        drawn = (DOCS / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert drawn == graph.to_svg(), f"{name}.svg is out of date: python docs/figures/draw.py"


def test_every_figure_is_shown():
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    for path in (DOCS / "figures").rglob("*.svg"):
        assert f"({path.relative_to(DOCS).as_posix()})" in pages, path.name
