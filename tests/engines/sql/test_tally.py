"""A tally from a database is the one that the kernels make of the same rows."""

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
