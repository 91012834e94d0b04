"""How often an edge comes again when rows are drawn anew: certain edges always, absent ones never."""

import numpy as np

import deciban as db

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
