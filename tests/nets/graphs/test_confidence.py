"""How often an edge comes again when rows are drawn anew: certain edges always, absent ones never."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
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
    assert repr(found).splitlines()[:2] == ["Confidence from 4 draws", "a — b: 1.00 (a → b 0.50, b → a 0.25)"]


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
