"""A tally from a database is the one that the kernels make of the same rows."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import deciban as db
from tests.engines.sql.tables import ENGINES, SQLITE, arrow, assert_same, opened, tables

PLAIN = tuple(SQLITE)


@pytest.mark.parametrize("engine", ["duckdb table", "duckdb relation", "ibis"])
@given(tables())
@settings(max_examples=25)
def test_every_type_is_counted_as_in_memory(engine, columns):
    expected = db.tally(arrow(columns), target="y")
    with opened(engine, columns) as source:
        assert_same(db.tally(*source, target="y"), expected)


@pytest.mark.parametrize("engine", ["sqlite table", "sqlite query", "adbc sqlite"])
@given(tables(PLAIN))
@settings(max_examples=25)
def test_sqlite_counts_as_in_memory(engine, columns):
    if engine != "sqlite table":  # what a query gives has types only where it has values
        columns = {name: held for name, held in columns.items() if name in "wy" or any(v is not None for v in held[1])}
    expected = db.tally(arrow(columns), target="y")
    with opened(engine, columns) as source:
        assert_same(db.tally(*source, target="y"), expected)


@pytest.mark.parametrize("engine", ENGINES)
@given(tables(PLAIN))
@settings(max_examples=15)
def test_rows_count_for_their_weights(engine, columns):
    columns = {name: held for name, held in columns.items() if name in "wy" or any(v is not None for v in held[1])}
    expected = db.tally(arrow(columns), target="y", sample_weight="w")
    with opened(engine, columns) as source:
        assert_same(db.tally(*source, target="y", sample_weight="w"), expected)


def test_tallies_of_databases_and_of_memory_add_up(tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table({
        "sky": rng.choice(["sun", "rain", "fog"], 300).tolist(),
        "wind": pa.array(rng.integers(0, 4, 300), mask=rng.random(300) < 0.1),
        "heat": 1.7e9 + rng.normal(size=300),
        "play": rng.choice(["yes", "no"], 300).tolist(),
    })  # fmt: skip
    whole = db.tally(table, target="play")
    with duckdb.connect() as connection:
        connection.register("first", table.slice(0, 200))
        first = db.tally(connection, "first", target="play")
    rest = db.tally(table.slice(200), target="play")
    assert_same(first + rest, whole)
    assert_same(whole - first, rest)
    db.save(first + rest, tmp_path / "days.tally")
    model = db.NaiveBayes.from_tally(db.load(tmp_path / "days.tally"))
    rows = table.drop(["play"])
    expected = db.NaiveBayes.from_tally(whole).predict_proba(rows)
    np.testing.assert_allclose(model.predict_proba(rows), expected, rtol=1e-9)
