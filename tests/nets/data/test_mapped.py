"""Rows that are read in batches: the sample, and the graph, of the table in memory, however it is split."""

import tempfile
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import (
    ColumnMismatchError,
    DecibanError,
    InputError,
    InputTypeError,
    MissingValueError,
    ParameterError,
)
from deciban.nets.data.mapped import map_rows
from deciban.nets.data.samples import Advice, read_variables
from tests.nets.data.batches import Batches, split

CHOICES = ("error", "skip", "drop", "state")


@st.composite
def tables(draw):
    """Labels, whole numbers, truth values and a few fractions, with missing values; one column has many states."""
    rows = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    share = draw(st.sampled_from([0.0, 0.2]))
    columns = {
        "d": np.array(["sun", "rain", "fog"])[rng.integers(0, 3, rows)],
        "a": rng.integers(0, 4, rows),
        "c": rng.integers(0, 2, rows) > 0,
        "b": rng.integers(0, 2, rows) / 2,
    }
    return pa.table({name: pa.array(held, mask=rng.random(rows) < share) for name, held in columns.items()})


def same(found, want):
    """Whether two samples are equal."""
    parts = "codes" if want.reads == "categories" else "values"
    a, b = getattr(found, parts), getattr(want, parts)
    heads = [(s.names, s.columns, s.dropped, s.total, getattr(s, "states", None), s.reads) for s in (found, want)]
    return heads[0] == heads[1] and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def outcome(read):
    try:
        return read()
    except DecibanError as error:
        return type(error)


@given(tables(), st.lists(st.integers(0, 99), max_size=5), st.sampled_from(CHOICES), st.booleans())
def test_any_split_gives_the_sample_of_the_whole(table, ends, missing, is_weighted):
    weights = np.random.default_rng(len(table)).integers(0, 3, len(table)) / 2 if is_weighted else None
    whole = table if weights is None else table.append_column("w", pa.array(weights))
    options = {"missing": missing, "choices": CHOICES}
    for reads in (None, "categories", "numbers"):
        name = None if weights is None else "w"
        want = outcome(partial(read_variables, table, reads, Advice(), sample_weight=weights, **options))
        found = outcome(partial(read_variables, split(whole, ends), reads, Advice(), sample_weight=name, **options))
        assert found is want if isinstance(want, type) else same(found, want)
        if weights is not None and not isinstance(want, type):
            assert np.array_equal(found.sample_weight, want.sample_weight)


def chain(rows=3_000, seed=0):
    """a → b → c of labels and codes, with a state of b in the last rows only; 300 states of the column d."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, rows)
    b = np.where(rng.random(rows) < 0.8, a, rng.integers(0, 3, rows))
    c = np.where(rng.random(rows) < 0.8, b, rng.integers(0, 3, rows))
    names = np.array(["low", "middle", "top", "last"])
    b[-5:] = 3
    return pa.table({"c": c, "b": names[b], "a": names[a], "d": np.arange(rows) * 300 // rows})


@pytest.mark.parametrize("ends", [[], [1], [500, 500, 2_999], range(0, 3_000, 211)])
def test_discover_and_search_find_the_same(ends):
    table = chain()
    source = split(table, ends)
    found, want = db.discover(source, test="g2"), db.discover(table, test="g2")
    assert found.graph == want.graph and found.removed == want.removed and found.tests == want.tests
    assert found.test.sample.codes.dtype == np.int16 and len(found.test.sample.states["d"]) == 300
    mine, theirs = db.search(source, "bic"), db.search(table, "bic")
    assert (mine.graph, mine.score, mine.moves) == (theirs.graph, theirs.score, theirs.moves)


def test_numbers_are_tested_and_scored_as_in_memory():
    rng = np.random.default_rng(1)
    x = rng.normal(1e6, 1, 4_000)
    y = x + rng.normal(size=4_000)
    table = pa.table({"x": x, "y": y, "z": y + rng.normal(size=4_000)})
    source = split(table, range(0, 4_000, 333))
    found, want = db.discover(source), db.discover(table)
    assert found.graph == want.graph and found.removed == want.removed
    assert db.search(source).score == db.search(table).score
    holes = table.set_column(0, "x", pa.array(x, mask=rng.random(4_000) < 0.1))
    source = split(holes, [1_000])
    found, want = db.discover(source, missing="skip"), db.discover(holes, missing="skip")
    assert found.graph == want.graph and found.removed == want.removed


def test_the_sample_outlives_the_search_and_leaves_no_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found = db.discover(split(chain(), [1_000]), test="g2")
    assert not list(tmp_path.iterdir())
    assert found.bootstrap(3).edge("a", "b") == 1
    with pytest.raises(MissingValueError):
        db.discover(Batches([pa.table({"a": pa.array([1, None])})]))
    assert not list(tmp_path.iterdir())


def test_a_missing_value_is_named_with_its_row_in_the_source():
    table = pa.table({"a": [1, 2] * 50, "b": pa.array([1] * 77 + [None] + [2] * 22)})
    with pytest.raises(MissingValueError, match=r"column 'b' has a missing value \(row 77\)"):
        db.discover(split(table, [50]))


def test_rows_that_are_all_left_out_are_an_error():
    table = pa.table({"a": pa.array([1, None]), "b": pa.array([None, 1]), "w": [0.0, 0.0]})
    with pytest.raises(MissingValueError, match="each of the 2 rows has a missing value"):
        db.discover(split(table, [1]), missing="drop")
    with pytest.raises(InputError, match="every weight is 0"):
        db.discover(split(table, [1]), missing="skip", sample_weight="w")
    with pytest.raises(InputError, match="no rows"):
        db.discover(Batches([table.slice(0, 0)]))
    with pytest.raises(InputError, match="no columns"):
        db.discover(Batches([table.select(["w"])]), sample_weight="w")


def test_a_source_that_only_counts_is_refused():
    class Counts:
        names = ("a", "b")

        def count(self, counting):
            raise AssertionError

    with pytest.raises(InputTypeError, match=r"which a Counts cannot give.*Parquet"):
        map_rows(Counts(), None, sample_weight=None, missing="error", choices=("error",))


def test_weights_are_a_column():
    source = split(chain(), [100])
    with pytest.raises(ParameterError, match="sample_weight is the name of a column, not a list"):
        db.discover(source, sample_weight=[1.0] * 3_000)
    with pytest.raises(ColumnMismatchError, match=r"sample_weight names 'aa', which is not a column"):
        db.discover(source, sample_weight="aa")
