"""How often an edge comes again when rows are drawn anew: certain edges always, absent ones never."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ParameterError
from deciban.nets.graphs.bits import find_cycle
from deciban.nets.graphs.confidence import Confidence

rng = np.random.default_rng(0)
A = rng.integers(0, 2, 500)
ROWS = {"a": A, "b": np.where(rng.random(500) < 0.95, A, 1 - A), "c": rng.integers(0, 2, 500)}


def test_shares_of_draws():
    found = db.discover(ROWS).bootstrap(20, random_state=0)
    assert found.draws == 20
    assert found.edge("a", "b") == found.edge("b", "a") == 1.0
    assert found.edge("a", "c") < 0.5
    assert found.arrow("a", "b") <= found.edge("a", "b")


def test_the_same_seed_gives_the_same_shares():
    one, other = (db.discover(ROWS).bootstrap(5, random_state=3) for _ in range(2))
    assert one.edges == other.edges and one.arrows == other.arrows


def test_shares_of_graphs():
    nodes = ("a", "b", "c")
    graphs = [db.DAG([("a", "b")], nodes), db.DAG([("b", "a")], nodes), db.PDAG((), [("a", "b")], nodes)]
    found = Confidence.of(nodes, [*graphs, db.DAG([("a", "b"), ("b", "c")])])
    assert (found.draws, found.edge("a", "b"), found.edge("c", "b"), found.edge("a", "c")) == (4, 1.0, 0.25, 0.0)
    assert (found.arrow("a", "b"), found.arrow("b", "a"), found.arrow("b", "c")) == (0.5, 0.25, 0.25)
    assert repr(found).splitlines()[:2] == [
        "Confidence from 4 draws: 1 edge above the threshold of 0.25",
        "a — b: 1.00 (a → b 0.50, b → a 0.25)",
    ]


@pytest.mark.parametrize("method", ["ges", "hc"])
def test_a_search_is_repeated_on_other_rows(method):
    result = db.search(ROWS, method=method)
    one, other = result.bootstrap(10, random_state=1), result.bootstrap(10, random_state=1)
    assert one.edge("a", "b") == 1.0 and one.edge("a", "c") < 0.5 and one.edges == other.edges
    two = db.search({name: ROWS[name] for name in "ab"}, method=method).bootstrap(10)
    assert two.edge("a", "b") == 1.0 and two.arrows == {}, "the data do not decide between a → b and b → a"


def test_a_search_among_numbers_is_repeated_too():
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    found = db.search({"x": x, "y": x + rng.normal(size=300), "z": rng.normal(size=300)}).bootstrap(5)
    assert found.edge("x", "y") == 1.0


def test_an_oracle_has_no_rows():
    oracle = db.Oracle(db.DAG([("a", "b")]))
    for result in (db.search(oracle), db.discover(oracle)):
        with pytest.raises(ParameterError, match="no rows to resample"):
            result.bootstrap(3)
    with pytest.raises(ParameterError, match="at least 1, not 0"):
        db.search(ROWS).bootstrap(0)


def of_shares(shares, nodes="abcd"):
    """A confidence with these shares of edges, all without directions."""
    return Confidence(tuple(nodes), 100, {e: s for e, s in zip(combinations(nodes, 2), shares, strict=True) if s}, {})


def test_the_threshold_of_the_paper():
    """Scutari and Nagarajan (2013), section 3: three of six edges are significant."""
    found = of_shares([0.0460, 0.2242, 0.3921, 0.7689, 0.8935, 0.9439])
    assert found.threshold == 0.3921 and len(found.averaged().undirected_edges) == 3


@given(st.lists(st.integers(0, 20), min_size=6, max_size=6))
def test_the_threshold_is_nearest_to_the_distribution_of_the_shares(twentieths):
    shares = np.sort(twentieths) / 20
    at = (np.arange(2000) + 0.5) / 2000
    ascent = np.searchsorted(shares, at, side="right") / 6
    distances = [np.abs(ascent - t).mean() for t in np.arange(7) / 6]  # a median is one of the values
    t = np.searchsorted(shares, of_shares(shares).threshold, side="right") / 6
    assert np.abs(ascent - t).mean() == pytest.approx(min(distances))


arrow_lists = st.lists(st.sampled_from([(a, b) for a in range(5) for b in range(5) if a != b]), max_size=8)


@given(st.lists(arrow_lists, min_size=1, max_size=6), st.sampled_from([None, 0.0, 0.3]))
def test_an_average_has_no_cycle_and_a_dag_of_the_same_adjacencies(draws, threshold):
    graphs = [
        db.DAG([(min(e), max(e)) if i % 2 else (max(e), min(e)) for e in d], range(5)) for i, d in enumerate(draws)
    ]
    found = Confidence.of(tuple(range(5)), graphs)
    graph, dag = found.averaged(threshold), found.averaged_dag(threshold)
    kept = {
        pair for pair, share in found.edges.items() if share > (found.threshold if threshold is None else threshold)
    }
    assert graph.skeleton() == dag.cpdag().skeleton() == db.PDAG((), kept, range(5))
    assert not find_cycle(graph._parent_masks) and set(graph.directed_edges) <= set(dag.directed_edges)


def test_an_arrow_that_would_close_a_cycle_is_named():
    arrows = {("a", "b"): 1.0, ("b", "c"): 0.9, ("c", "a"): 0.8}
    found = Confidence(("a", "b", "c"), 10, {("a", "b"): 1.0, ("b", "c"): 1.0, ("a", "c"): 1.0}, arrows)
    assert found.averaged() == db.PDAG([("a", "b"), ("b", "c")], [("a", "c")])
    assert found.conflicts() == ("c → a (0.80) would close a cycle of more frequent arrows",)
    assert found.averaged_dag() == db.DAG([("a", "b"), ("b", "c"), ("a", "c")])


@pytest.mark.parametrize("find", [db.discover, db.search])
def test_threads_change_nothing_and_draws_are_reported(find, any_threads):
    found, done = find(ROWS), []
    results = []
    for count in (1, 3):
        db.set_threads(count)
        results.append(found.bootstrap(7, progress=done.append))
    assert results[0].edges == results[1].edges and results[0].arrows == results[1].arrows
    assert done == [*range(1, 8), *range(1, 8)]


def test_a_table_and_a_picture():
    found = Confidence(("a", "b", "c"), 4, {("a", "b"): 1.0, ("b", "c"): 0.25}, {("a", "b"): 0.75})
    frame = found.to_frame("pyarrow").to_pydict()
    assert frame == {
        "x": ["a", "b"], "y": ["b", "c"], "edge": [1.0, 0.25], "forward": [0.75, 0.0], "backward": [0.0, 0.0],
        "is_kept": [True, False],
    }  # fmt: skip
    svg = found.to_svg()
    assert svg.count("<polyline") == 1 and 'stroke-width="3.2"' in svg, "a certain edge is thick, a rare one not drawn"
    assert 'stroke-width="3.2"' in found._repr_html_() and "<td>b — c</td>" in found._repr_html_()
    assert found.to_svg(0.1).count("<polyline") == 2


def test_marks_have_no_average():
    found = Confidence.of(("a", "b"), [db.PAG([("a", "o→", "b")])])
    with pytest.raises(ParameterError, match="read the shares of edges"):
        found.averaged()
    assert "<polyline" in found.to_svg()
