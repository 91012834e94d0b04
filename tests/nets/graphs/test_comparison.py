"""Distances decide which method is called better."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import GraphError
from tests.nets.named_graphs import SPRINKLER, dags


def test_each_kind_of_difference_counts_one():
    g = db.DAG([("a", "b"), ("b", "c")], ["a", "b", "c", "d"])
    assert db.shd(g, g) == 0
    assert db.shd(g, db.DAG([("a", "b"), ("b", "c"), ("c", "d")])) == 1
    assert db.shd(g, db.DAG([("a", "b")], g.nodes)) == 1
    assert db.shd(g, db.DAG([("a", "b"), ("c", "b")], g.nodes)) == 1
    assert db.shd(g, db.PDAG([("a", "b")], [("b", "c")], g.nodes)) == 1
    with pytest.raises(GraphError, match="different nodes"):
        db.shd(g, SPRINKLER)


def test_precision_and_recall():
    found = db.PDAG([("season", "rain"), ("wet", "rain")], [("wet", "slippery"), ("season", "wet")], SPRINKLER.nodes)
    score = db.compare_graphs(found, SPRINKLER)
    assert (score.skeleton_precision, score.skeleton_recall) == (3 / 4, 3 / 5)
    assert (score.arrow_precision, score.arrow_recall) == (1 / 2, 1 / 5)
    assert score.skeleton_f1 == pytest.approx(2 / 3) and score.arrow_f1 == pytest.approx(2 / 7)
    assert score.shd == 5
    empty = db.compare_graphs(db.DAG(nodes=SPRINKLER.nodes), SPRINKLER)
    assert (empty.skeleton_precision, empty.skeleton_recall, empty.skeleton_f1, empty.shd) == (1, 0, 0, 5)


@given(st.data())
def test_it_is_a_distance(data):
    count = data.draw(st.integers(1, 5))
    a, b, c = (data.draw(dags(min_nodes=count, max_nodes=count)) for _ in range(3))
    assert db.shd(a, b) == db.shd(b, a) and (db.shd(a, b) == 0) == (a == b)
    assert db.shd(a, c) <= db.shd(a, b) + db.shd(b, c)


def test_each_difference_is_named_and_drawn():
    found = db.PDAG([("season", "rain"), ("wet", "rain")], [("wet", "slippery"), ("season", "wet")], SPRINKLER.nodes)
    compared = db.compare_graphs(found, SPRINKLER)
    assert compared.common == (("season", "→", "rain"),)
    assert compared.reversed == (("wet", "→", "rain"), ("slippery", "—", "wet"))
    assert compared.extra == (("season", "—", "wet"),)
    assert compared.missing == (("season", "→", "sprinkler"), ("sprinkler", "→", "wet"))
    svg = compared.to_svg()
    assert compared._repr_html_() == svg and svg.count("<polyline") == 6 + 4, "edges, and the lines of the legend"
    for colour, edges in {"#a463c2": 2, "#d98c00": 1, "#2b7bba": 2, "currentColor": 1}.items():
        assert svg.count(f'stroke="{colour}" stroke-width') == edges + 1
    assert svg.count("stroke-dasharray") == 3, "what is missing is dashed"
    assert "2 edges of the true graph not found" in svg and "url(#deciban-arrow-a463c2)" in svg
    assert "not found" not in db.compare_graphs(found, found).to_svg()


def test_marks_are_compared_and_drawn():
    found, true = db.PAG([("a", "o→", "b")], ["c"]), db.PAG([("a", "↔", "b"), ("b", "o—o", "c")])
    compared = db.compare_graphs(found, true)
    assert (compared.reversed, compared.missing) == ((("a", "o→", "b"),), (("b", "o—o", "c"),))
    assert "ring" in compared.to_svg()
