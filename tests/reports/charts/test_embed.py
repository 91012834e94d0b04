"""Drawings of graphs in a page: several of them have different ids."""

import re

import deciban as db
from deciban.reports.charts.embed import embed


def test_two_graphs_have_different_ids_which_are_used():
    svg = db.DAG([("a", "b")]).to_svg()
    both = embed(svg, "one", title="<One>") + embed(svg, "two", title="Two")
    ids = re.findall(r'id="([^"]+)"', both)
    assert len(ids) == len(set(ids)) == 2
    assert all(f"url(#{name})" in both for name in ids)
    assert 'aria-label="&lt;One&gt;"' in both and both.count("<title>") == both.count("<desc>") == 2
    assert embed("<svg><g/></svg>", "x", title="X", description="<Y>").count("<desc>&lt;Y&gt;</desc>") == 1
