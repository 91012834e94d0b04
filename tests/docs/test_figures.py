"""The figures of the pages are what the graphs draw now."""

import runpy
from itertools import combinations
from pathlib import Path

from docs.update import PAGES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_figures_are_drawn_anew_when_the_drawing_changes():
    figures = runpy.run_path(str(DOCS / "figures" / "draw.py"))["FIGURES"]
    assert {path.stem for path in (DOCS / "figures").glob("*.svg")} == {*figures, "hero"}
    for name, graph in figures.items():
        drawn = (DOCS / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert drawn == graph.to_svg(), f"{name}.svg is out of date: python docs/figures/draw.py"


def test_curves_are_drawn_anew_when_the_numbers_change():
    curves = runpy.run_path(str(DOCS / "figures" / "curves.py"))["FIGURES"]
    assert {path.stem for path in (DOCS / "figures" / "notes").glob("*.svg")} == set(curves)
    for name, draw in curves.items():
        drawn = (DOCS / "figures" / "notes" / f"{name}.svg").read_text(encoding="utf-8")
        assert drawn == draw().to_svg(), f"{name}.svg is out of date: python docs/figures/curves.py"


def test_the_picture_of_the_readme_is_drawn_from_its_example():
    drawn = (DOCS / "figures" / "hero.svg").read_text(encoding="utf-8")
    assert drawn == runpy.run_path(str(DOCS / "figures" / "hero.py"))["drawn"]()


def test_every_figure_is_shown():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for path in (DOCS / "figures").rglob("*.svg"):
        assert path.relative_to(DOCS).as_posix() in text, path.name


def test_the_dependent_ballots_of_the_figure_are_those_of_one_subject():
    """The votes on a subject are made from one hidden opinion, and no others are dependent given the party."""
    subjects = runpy.run_path(str(DOCS / "data" / "make.py"))["SUBJECTS"]
    figures = runpy.run_path(str(DOCS / "figures" / "draw.py"))["FIGURES"]
    of_one_subject = {frozenset(pair) for bills in subjects.values() for pair in combinations(bills, 2)}
    assert {frozenset(edge) for edge in figures["ballots-pairs"].undirected_edges} == of_one_subject
