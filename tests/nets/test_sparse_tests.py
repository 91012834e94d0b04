"""Tests of independence on tables with few rows for their size keep their level, or have no verdict."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

import deciban as db
from deciban.nets import GSquared
from tests.reference.independence import _moments


def share(states, rows, skew, draws=300, seed=0):
    """How often independent columns are called dependent at alpha = 0.01."""
    rng = np.random.default_rng(seed)
    x, y, *given = states

    def column(size):
        weight = 1 / np.arange(1, size + 1) ** skew
        return rng.choice(size, rows, p=weight / weight.sum()).astype(str)

    wrong = 0
    for _ in range(draws):
        data = {"x": column(x), "y": column(y)} | {f"z{i}": column(size) for i, size in enumerate(given)}
        wrong += GSquared(data).test("x", "y", [name for name in data if name[0] == "z"]).verdict == "dependent"
    return wrong / draws


@pytest.mark.parametrize(
    ("states", "rows"), [((2, 150), 320), ((2, 30), 120), ((8, 12), 250), ((3, 3, 3, 4), 350), ((2, 3, 6, 6), 400)]
)
@pytest.mark.parametrize("skew", [0.0, 1.0])
def test_independent_columns_are_seldom_called_dependent(states, rows, skew):
    """Without correction up to 97 of 100 such samples are called dependent."""
    assert share(states, rows, skew) <= 0.04


def test_the_moments_are_those_of_all_tables_with_the_margins():
    x, y = (0, 0, 0, 1, 1, 2), (0, 1, 1, 1, 2, 2)
    values = [_moments(Counter(zip(x, order, strict=True)))[0] for order in permutations(y)]
    _, mean, variance = _moments(Counter(zip(x, y, strict=True)))
    assert (np.mean(values), np.var(values)) == pytest.approx((mean, variance))


def test_more_degrees_of_freedom_than_rows_have_no_verdict():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 120, 400)
    found = db.discover({"x": x, "y": x + rng.integers(-2, 3, 400)}, test="g2")
    assert found.removal("x", "y").verdict == "none" and "1 pair without verdict" in repr(found)
    assert any("x and y (df =" in note for note in found.notes)


def test_strata_of_two_rows_say_nothing():
    data = {"x": [0, 1] * 40, "y": [0, 1] * 40, "z": [i // 2 % 40 for i in range(80)]}
    assert GSquared(data).test("x", "y", ["z"]).verdict == "none"


@pytest.mark.parametrize("name", ["pigs", "pathfinder"])
def test_large_networks_with_few_rows_come_to_an_end(shared_data, name):
    net = db.read_net(shared_data / "nets" / f"{name}.bif.gz")
    found = db.discover(net.sample(1000, random_state=1))
    assert found.too_large is not None and any("not tested" in note for note in found.notes)


def test_a_number_of_neighbours_that_rows_cannot_carry_is_noted():
    rng = np.random.default_rng(2)
    cause = rng.integers(0, 3, 150)
    data = {f"v{i}": np.where(rng.random(150) < 0.6, cause, rng.integers(0, 3, 150)) for i in range(8)}
    found = db.discover(data | {"cause": cause})
    assert found.too_large == 2
    assert db.discover(data | {"cause": cause}, max_given=1).too_large is None


def chain(states, rows, columns, seed=3):
    """v0 → v1 → v2 …: each column is that before it, or one of its two neighbours."""
    rng = np.random.default_rng(seed)
    found = {"v0": rng.integers(0, states, rows)}
    for i in range(1, columns):
        found[f"v{i}"] = (found[f"v{i - 1}"] + rng.choice([-1, 0, 1], rows, p=[0.1, 0.8, 0.1])) % states
    return found


def test_columns_with_many_states_keep_no_false_edge():
    """The full table of three columns has 9 rows for 100 degrees of freedom; of most of these no state occurs."""
    found = db.discover(chain(30, 2_500, 4), test="g2")
    assert [edge[::2] for edge in found.graph.edges] == [("v0", "v1"), ("v1", "v2"), ("v2", "v3")]
    kept = db.discover(chain(30, 2_500, 4), test=GSquared(rows_per_df=500))
    assert len(kept.graph.edges) == 6 and kept.too_large == 1
