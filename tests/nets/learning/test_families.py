"""Tallies of families form a group, whatever states and order of nodes they have."""

import numpy as np
import pytest
from hypothesis import given

import deciban as db
from deciban.errors import ColumnMismatchError, NegativeCountError
from tests.nets.learning.samples import DAYS, SPRINKLER, net_samples


def tally(columns, g=SPRINKLER, weights=None):
    return db.BayesNet(g).fit(columns, missing="skip", sample_weight=weights).tally_


def part(rows):
    return {name: column[rows] for name, column in DAYS.items()}


@given(net_samples(), net_samples())
def test_sums_do_not_depend_on_order(one, other):
    g = one[0]
    columns = {node: [other[1].get(node, [None])[0], 1] for node in g.nodes}
    a, b = tally(one[1], g, one[2]), tally(columns, g)
    assert a + b == b + a
    assert (a + b) - b == a
    assert (a + b).scaled(2) == a.scaled(2) + b.scaled(2)
    assert a + a == a.scaled(2.0)


def test_states_that_one_sample_lacks():
    first, last = tally(part(slice(0, 3))), tally(part(slice(7, 8)))
    assert first.states["season"] == ("summer",)
    whole = first + last
    assert whole.states["season"] == ("summer", "winter")
    assert whole["rain"].tolist() == [[3], [1]]
    assert whole - last == first


def test_nodes_in_another_order():
    turned = db.DAG(SPRINKLER.directed_edges, SPRINKLER.nodes[::-1])
    assert tally(DAYS) + tally(DAYS, turned) == tally(DAYS).scaled(2)
    assert tally(DAYS, turned).parents["wet"] == tally(DAYS).parents["wet"][::-1]
    np.testing.assert_array_equal(tally(DAYS, turned)["wet"], tally(DAYS)["wet"].transpose(1, 0, 2))


def test_what_cannot_be_joined_or_taken_out():
    with pytest.raises(ColumnMismatchError, match="different graphs"):
        _ = tally(DAYS) + tally(DAYS, db.DAG([("season", "rain")]))
    with pytest.raises(NegativeCountError, match="would be -1"):
        _ = tally(part(slice(0, 9))) - tally(DAYS)
    assert tally(DAYS) != "a tally"
