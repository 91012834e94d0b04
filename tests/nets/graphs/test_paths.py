"""A verdict that cannot be explained is not believed."""

import re

import pytest
from hypothesis import given

import deciban as db
from tests.nets.graphs.test_separation import is_open, questions
from tests.nets.named_graphs import SPRINKLER


def test_an_open_path_is_shown_and_why_it_is_open():
    why = db.explain_separation(SPRINKLER, "sprinkler", "rain", ["season", "slippery"])
    assert not why and why.open_path == ("sprinkler", "wet", "rain")
    assert str(why) == (
        "sprinkler and rain are not separated given season, slippery: sprinkler → wet ← rain is open, "
        "through the collider wet, whose effect slippery is given"
    )
    assert "which is given" in str(db.explain_separation(SPRINKLER, "sprinkler", "rain", ["season", "wet"]))


def test_blockers_are_named():
    why = db.explain_separation(SPRINKLER, "slippery", "season", "wet")
    assert why and [blocked.at for blocked in why.blocked] == ["wet", "wet"] and not why.has_more
    assert "no path" in str(db.explain_separation(db.DAG(nodes=["a", "b"]), "a", "b"))


@given(questions())
def test_the_reason_is_one(question):
    g, x, y, z = question
    why = db.explain_separation(g, x, y, z, max_paths=50)
    assert bool(why) == db.d_separated(g, x, y, z)
    if why.open_path:
        assert why.open_path[0] in x and why.open_path[-1] in y and len(set(why.open_path)) == len(why.open_path)
        assert is_open(g, why.open_path, z)
    assert all(not is_open(g, blocked.path, z) for blocked in why.blocked)
    lengths = [len(blocked.path) for blocked in why.blocked]
    assert lengths == sorted(lengths) and len({blocked.path for blocked in why.blocked}) == len(lengths)


@pytest.mark.parametrize("limit", [1, 5])
def test_many_paths_are_cut_short(limit):
    many = db.DAG([(i, j) for j in range(1, 20) for i in range(max(0, j - 4), j)])
    why = db.explain_separation(many, 0, 19, [15, 16, 17, 18], max_paths=limit)
    assert why and why.has_more and len(why.blocked) == limit


def test_a_notebook_shows_the_paths_and_where_they_are_blocked():
    why = db.explain_separation(SPRINKLER, "sprinkler", "rain", "season")
    html = why._repr_html_().replace('<td style="text-align:left">', "<td>")
    assert html.count("<svg") == 1 and html.count("<tr>") == 2
    assert "<td>sprinkler ← season → rain</td><td>blocked at season</td><td>given</td>" in html
    assert html.count("#d98c0033") == 1, "the given node is filled"
    assert html.count("<ellipse") == 4, "only nodes of the paths are drawn: not slippery"


def test_the_open_path_is_thick():
    html = db.explain_separation(SPRINKLER, "sprinkler", "rain", ["season", "slippery"])._repr_html_()
    widths = re.findall(r'<polyline[^>]*stroke-width="([\d.]+)"', html)
    assert sorted(widths) == ["0.9", "0.9", "0.9", "3.2", "3.2"]
    assert "through the collider wet" in html and html.count("#d98c0033") == 2


def test_without_a_path_there_is_no_picture_and_names_are_escaped():
    why = db.explain_separation(db.DAG(nodes=["<a>", "b"]), "<a>", "b")
    assert "<svg" not in why._repr_html_() and "&lt;a&gt; and b" in why._repr_html_()


def test_repr_is_one_line():
    why = db.explain_separation(SPRINKLER, "sprinkler", "rain", "season")
    assert repr(why) == "Separation(sprinkler and rain are separated given season, 2 blocked paths)"
    assert repr(db.explain_separation(SPRINKLER, "wet", "rain")) == "Separation(wet and rain are not separated)"
