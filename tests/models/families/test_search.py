"""Which parents and cuts are found."""

import numpy as np
import pytest

import deciban as db
from deciban.models.families.kdb import ChainSearch
from deciban.models.schema import Defaults, plan_columns
from deciban.read import read_table, read_target
from deciban.tallies import Sample

rng = np.random.default_rng(0)
N = 2_000
Y = rng.integers(0, 2, N)
STRONG = Y ^ (rng.random(N) < 0.1)
CHILD = STRONG ^ (rng.random(N) < 0.2)
ALONE = (rng.random(N) < 0.4 + 0.3 * Y).astype(int)
NUMBER = rng.normal(Y, 1.0)
TABLE = {"alone": ALONE.astype(str), "child": CHILD.astype(str), "strong": STRONG.astype(str), "number": NUMBER}


def search(table=TABLE, y=Y, weights=None):
    data = read_table(table)
    sample = Sample.of(read_target(y, len(data)), weights)
    schema = plan_columns(data, "auto", Defaults(db.Laplace(), "skip", "smooth"))
    return ChainSearch(data, sample, schema, [column.is_numeric for column in data.columns])


def parents(chains, names=tuple(TABLE)):
    return {
        names[chains.views[c.view].column]: [names[chains.views[p].column] for p in c.parents] for c in chains.chains
    }


def test_one_member_is_the_classical_model():
    found = parents(search().find(1, 1, np.random.default_rng(0)))
    assert found["strong"] == []  # it has the most information on the class
    assert found["child"] == ["strong"]
    assert len(found["alone"]) == 1


def test_no_parents():
    assert all(not held for held in parents(search().find(0, 1, np.random.default_rng(0))).values())


def test_members_differ_and_their_shares_sum_to_1():
    chains = search().find(2, 8, np.random.default_rng(0))
    cuts = {view.distribution.at for view in chains.views if view.column == 3}
    assert len(cuts) > 4
    shares = np.zeros(4)
    for chain in chains.chains:
        shares[chains.views[chain.view].column] += chain.share
    assert shares == pytest.approx(1)
    assert [view.column for view in chains.views] == sorted(view.column for view in chains.views)
    assert len({view.distribution.coding for view in chains.views if view.column == 0}) == 1


def test_cuts_lie_between_the_numbers_at_quantiles():
    chains = search().find(1, 4, np.random.default_rng(0))
    for view in chains.views:
        if view.column == 3:
            shares = [(at >= NUMBER).mean() for at in view.distribution.at]
            assert (np.diff(shares) > 0).all() and 0 < shares[0] < shares[-1] < 1
            assert not np.isin(view.distribution.at, NUMBER).any()


def test_rows_without_weight_do_not_count():
    weights = (np.arange(N) < 1_000).astype(float)
    spoilt = {**TABLE, "child": np.where(weights > 0, TABLE["child"], TABLE["alone"])}
    first = {name: values[:1_000] for name, values in TABLE.items()}
    one, other = search(spoilt, Y, weights), search(first, Y[:1_000])
    assert one.find(1, 1, np.random.default_rng(0)).chains == other.find(1, 1, np.random.default_rng(0)).chains


def test_a_column_of_one_number_has_one_bin():
    chains = search({**TABLE, "same": np.ones(N)}).find(1, 2, np.random.default_rng(0))
    assert [view.distribution.at for view in chains.views if view.column == 4] == [()]
