"""The figures of the pages are what the graphs draw now."""

import runpy
from pathlib import Path

import pandas as pd

import deciban as db
from docs.update import PAGES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_figures_are_drawn_anew_when_the_drawing_changes():
    figures = runpy.run_path(str(DOCS / "figures" / "draw.py"))["FIGURES"]
    assert {path.stem for path in (DOCS / "figures").glob("*.svg")} == {*figures, "hero"}
    for name, graph in figures.items():
        drawn = (DOCS / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert drawn == graph.to_svg(), f"{name}.svg is out of date: python docs/figures/draw.py"


def test_the_picture_of_the_readme_is_drawn_from_its_example():
    drawn = (DOCS / "figures" / "hero.svg").read_text(encoding="utf-8")
    assert drawn == runpy.run_path(str(DOCS / "figures" / "hero.py"))["drawn"]()


def test_every_figure_is_shown():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for path in (DOCS / "figures").rglob("*.svg"):
        assert path.relative_to(DOCS).as_posix() in text, path.name


def test_the_figures_of_the_votes_are_what_is_found_in_them(shared_data):
    votes = pd.read_csv(shared_data / "tables" / "votes.csv.gz", na_values=["?"])
    party = votes.pop("party")
    figures = runpy.run_path(str(DOCS / "figures" / "draw.py"))["FIGURES"]
    model = db.TAN().fit(votes, party)
    assert model.tree_ == figures["votes-tree"]
    strong = {frozenset(pair) for pair, nats in model.conditional_mutual_information().items() if nats > 0.1}
    assert strong == {frozenset(edge) for edge in figures["votes-pairs"].undirected_edges}
