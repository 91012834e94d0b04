"""Families counted batch by batch: the tally of the whole table, and the refusals of ``fit``."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.engines.source import tally_source
from deciban.errors import ColumnMismatchError, InputError, MissingValueError, ParameterError, TooLargeError
from deciban.nets.learning.from_source import FamilyCounting, MomentCounting
from deciban.read import Variable
from tests.nets.data.batches import Batches, split
from tests.nets.learning.samples import as_table, net_samples

ENDS = st.lists(st.integers(0, 99), max_size=5)


def arrow(columns, weights=None):
    table = pa.table({str(name): pa.array(held) for name, held in as_table(columns).items()})
    return table if weights is None else table.append_column("weights", pa.array(weights, pa.float64()))


@given(net_samples(), ENDS)
def test_any_split_gives_the_tally_of_the_whole(sample, ends):
    graph, columns, weights = sample
    whole = db.BayesNet(graph).fit(as_table(columns), missing="skip", sample_weight=weights)
    name = None if weights is None else "weights"
    counting = FamilyCounting(whole.dag, name, "skip")
    total = tally_source(split(arrow(columns, weights), ends), counting)
    assert total == whole.tally_
    assert db.BayesNet.from_tally(total) == whole


@given(net_samples(), ENDS)
def test_a_tally_can_travel_and_be_continued(sample, ends):
    graph, columns, _ = sample
    counting = pickle.loads(pickle.dumps(FamilyCounting(db.BayesNet(graph).dag, None, "skip")))  # noqa: S301
    parts = [counting(batch) for batch in split(arrow(columns), ends).tables]
    total = sum(parts[1:], parts[0])
    assert counting.restored(counting.state(total)) == total
    assert pickle.loads(pickle.dumps(total)) == total  # noqa: S301


NET = db.BayesNet([("a", "b")])


def test_a_state_of_the_last_batch_enlarges_the_tables():
    table = pa.table({"a": ["x", "y"] * 50 + ["new"], "b": [*range(99), 0, 1]})
    counting = FamilyCounting(NET.dag)
    total = counting(table.slice(0, 99)) + counting(table.slice(99))
    assert total.states["a"] == ("new", "x", "y") and total["b"].shape == (3, 99)


def test_a_column_may_have_no_value_in_some_batches():
    table = pa.table({"a": pa.array([None, None, "x", "y"]), "b": [1, 2, 1, 2]})
    total = tally_source(split(table, [2]), FamilyCounting(NET.dag, None, "skip"))
    assert total == NET.fit(table, missing="skip").tally_
    with pytest.raises(MissingValueError, match="column 'a' has no value at all"):
        tally_source(split(table.slice(0, 2), [1]), FamilyCounting(NET.dag, None, "skip"))


def test_rows_of_weight_zero_are_not_there():
    table = pa.table({"a": ["x", "z", "y"], "b": ["u", "u", "v"], "w": [1.0, 0.0, 2.0]})
    total = tally_source(split(table, [1, 2]), FamilyCounting(NET.dag, "w"))
    assert total.states["a"] == ("x", "y") and total.rows == 3
    with pytest.raises(InputError, match="no row has a weight above 0"):
        tally_source(Batches([table.slice(1, 1)]), FamilyCounting(NET.dag, "w"))


def test_empty_batches_count_nothing():
    table = pa.table({"a": ["x", "y"], "b": ["u", "v"]})
    assert tally_source(split(table, [0, 0, 1, 1, 2]), FamilyCounting(NET.dag)) == NET.fit(table).tally_


def test_a_column_is_judged_as_a_whole():
    """Seventy different numbers name the rows of a batch of 80, not those of ten such batches."""
    values = np.tile(np.arange(70), 12)
    table = pa.table({"a": values, "b": values % 2})
    assert tally_source(split(table, range(80, 840, 80)), FamilyCounting(NET.dag)) == (
        NET.fit(table, columns={"a": "category"}).tally_
    )
    identifiers = pa.table({"a": np.arange(100), "b": np.zeros(100, dtype=int)})
    with pytest.raises(InputError, match="column 'a' has 100 different values in 100 rows: it names rows"):
        tally_source(split(identifiers, range(0, 100, 30)), FamilyCounting(NET.dag))


@pytest.mark.parametrize("batch", [10, 50, 400])
def test_numbers_with_fractions_are_not_counted(batch):
    table = pa.table({"a": np.arange(400) / 8, "b": np.zeros(400, dtype=int)})
    with pytest.raises(InputError, match=r"too many to count as categories.*use deciban\.GaussianNet"):
        tally_source(split(table, range(batch, 400, batch)), FamilyCounting(NET.dag))


def test_whole_numbers_become_floats_where_a_later_batch_has_fractions():
    table = pa.table({"a": [1.0, 2.0, 1.0, 2.5] * 9, "b": [0, 1, 1, 0] * 9})
    total = tally_source(split(table, [2]), FamilyCounting(NET.dag))
    assert total == NET.fit(table).tally_ and {type(state) for state in total.states["a"]} == {float}


def test_what_cannot_be_counted_is_refused():
    table = pa.table({"a": ["x"], "b": ["u"], "w": [1.0]})
    with pytest.raises(ParameterError, match=r"needs the rows many times.*call fit"):
        FamilyCounting(NET.dag, None, "em")
    with pytest.raises(ParameterError, match="sample_weight names 'a', which is a node"):
        FamilyCounting(NET.dag, "a")
    with pytest.raises(ColumnMismatchError, match=r"no column 'b'; it has a, bb\. Did you mean 'bb'"):
        tally_source(Batches([pa.table({"a": [1], "bb": [1]})]), FamilyCounting(NET.dag))
    with pytest.raises(ColumnMismatchError, match=r"sample_weight names 'ww'"):
        tally_source(Batches([table]), FamilyCounting(NET.dag, "ww"))
    with pytest.raises(TooLargeError):
        tally_source(Batches([table]), FamilyCounting(NET.dag, limit=1))


def test_the_description_tells_countings_apart():
    other = db.BayesNet([("b", "a")]).dag
    fixed = {"a": Variable.of_states("a", ("x", "y"), "fixed")}
    described = [
        counting.described
        for counting in (
            FamilyCounting(NET.dag),
            FamilyCounting(other),
            FamilyCounting(NET.dag, "w"),
            FamilyCounting(NET.dag, missing="skip"),
            FamilyCounting(NET.dag, fixed=fixed),
            MomentCounting(NET.dag),
        )
    ]
    assert len(set(described)) == len(described)
    assert FamilyCounting(NET.dag).described == FamilyCounting(db.BayesNet([("a", "b")]).dag).described


@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_moments_of_batches_are_those_of_the_whole(holes):
    rng = np.random.default_rng(3)
    a = rng.normal(1e6, 1, 500)
    b = a + rng.normal(size=500)
    table = pa.table({"a": pa.array(a, mask=rng.random(500) < holes), "b": b, "w": rng.integers(0, 3, 500) / 2})
    counting = MomentCounting(NET.dag, "w", "skip")
    total = tally_source(split(table, [1, 100, 100, 350]), counting)
    want = db.GaussianNet(NET.dag).fit(table, sample_weight=table["w"].to_numpy(), missing="skip").tally_
    for node in "ab":
        np.testing.assert_allclose(total[node].mean, want[node].mean, rtol=1e-15)
        np.testing.assert_allclose(total[node].cross, want[node].cross, rtol=1e-12)
    assert counting.restored(counting.state(total)) == total
    with pytest.raises(InputError, match="no row has a weight above 0"):
        tally_source(Batches([table.slice(0, 0)]), counting)
