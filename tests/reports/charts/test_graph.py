"""A graph in a page: in its colours, with ids of its own, and never so small that it cannot be read."""

import deciban as db
from deciban.nets.graphs.picture import picture_of
from deciban.reports.markup import draw_graph


def test_colours_and_ids_are_those_of_the_page():
    html = draw_graph(picture_of(db.DAG([("a", "b")])), "own", label="A graph", caption="Two <nodes>.")
    assert 'id="own-arrow"' in html and "url(#own-arrow)" in html
    assert "var(--ink)" in html and "#666" not in html
    assert 'aria-label="A graph"' in html and "<figcaption>Two &lt;nodes&gt;.</figcaption>" in html


def test_a_wide_graph_scrolls():
    wide = picture_of(db.DAG([(f"a cause with a long name {i}", "effect") for i in range(12)]))
    narrow = picture_of(db.DAG([("a", "b")]))
    assert "Scroll sideways" in draw_graph(wide, "k", label="x")
    assert "Scroll sideways" not in draw_graph(narrow, "k", label="x")
