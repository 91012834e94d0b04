"""Views and chains: their codes, and what they have in common."""

import numpy as np

import deciban as db
from deciban.models.families.structures import Chain, ChainForm, Chains, View
from deciban.read import read_table

TABLE = read_table({"n": [0.5, 1.0, 1.5, np.nan, 9.0], "s": ["a", "b", "a", None, "b"]})
CUTS = db.Cut(at=[1, 2], missing="state"), db.Cut(at=[1.25], missing="skip")
VIEWS = (View(0, CUTS[0]), View(0, CUTS[1]), View(1, db.Categorical()))
CHAINS = Chains(VIEWS, (Chain(0, (2,), 0.5), Chain(1, (), 0.5), Chain(2, (1, 0), 1.0)), ((1.0, 0.5, 0.0),) * 2, 10.0)


def test_codes_are_those_of_each_distribution():
    variables = CHAINS.variables(TABLE)
    found = CHAINS.codes(TABLE, variables, "KDB")
    assert found.dtype == np.uint8
    assert found.tolist() == [[0, 0, 1, 3, 2], [0, 0, 1, 2, 1], [0, 1, 0, 2, 1]]  # missing: a state, or the code behind
    for row, view, variable in zip(found, VIEWS, variables, strict=True):
        plain = view.distribution.codes(TABLE.columns[view.column], variable, "KDB")
        assert row.tolist() == np.where(plain < 0, len(variable), plain).tolist()


def test_sets_have_parents_first():
    assert CHAINS.sets().tolist() == [[2, 0, -1], [1, -1, -1], [1, 0, 2]]
    assert CHAINS.k == 2
    assert CHAINS.columns() == [0, 0, 1]


def test_parents_by_name():
    assert CHAINS.parents_of(["n", "s"]) == {"n": {"s": 0.5}, "s": {"n": 2.0}}


def test_merging_averages_by_rows():
    other = Chains(VIEWS, CHAINS.chains, ((0.0, 0.0, 1.0),) * 2, 30.0)
    assert CHAINS.merged(other).weights == ((0.25, 0.125, 0.75),) * 2
    assert CHAINS.merged(other).rows == 40.0
    untaught = Chains(VIEWS, CHAINS.chains, ((9.0, 9.0, 9.0),) * 2)
    assert CHAINS.merged(untaught).weights == CHAINS.weights
    assert ChainForm(2, chains=CHAINS).merged(ChainForm(2, chains=other)).chains == CHAINS.merged(other)


def test_counts_are_comparable_where_cuts_and_chains_are_equal():
    assert CHAINS.has_same_counts(Chains(VIEWS, CHAINS.chains))
    assert not CHAINS.has_same_counts(Chains((View(0, db.Cut(at=[1, 3], missing="state")), *VIEWS[1:]), CHAINS.chains))
    assert not CHAINS.has_same_counts(Chains(VIEWS, CHAINS.chains[1:]))


def test_numbers_at_cuts_are_below_them():
    numbers = [0.99, 1.0, np.nextafter(1.0, 2), 1.25, 1.26, 2.0, 2.5]
    table = read_table({"n": numbers, "s": ["a"] * len(numbers)})
    found = CHAINS.codes(table, CHAINS.variables(table), "KDB")
    assert found[0].tolist() == [0, 0, 1, 1, 1, 1, 2]
    assert found[1].tolist() == [0, 0, 0, 0, 1, 1, 1]
