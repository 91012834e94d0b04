"""Means and variances from a database keep their digits, whatever the size of the numbers."""

import sqlite3

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import deciban as db
from deciban.engines.sql.classes import Sums
from deciban.errors import InputError
from tests.engines.sql.tables import ENGINES, assert_same, opened

ROWS = 400


def columns_of(x, y):
    return {"x": ("DOUBLE", np.asarray(x, dtype=float).tolist()), "y": ("TEXT", list(y))}


def check(x, y):
    columns = columns_of(x, y)
    expected = db.tally({name: values for name, (_, values) in columns.items()}, target="y")
    for engine in ENGINES:
        with opened(engine, columns) as source:
            assert_same(db.tally(*source, target="y"), expected)


@pytest.mark.parametrize("offset", [0.0, 1.7e9, -4e15])
@pytest.mark.parametrize("spread", [1e-6, 1.0, 1e6])
def test_numbers_far_from_zero(offset, spread):
    rng = np.random.default_rng(0)
    check(offset + spread * rng.normal(size=ROWS), rng.choice(["p", "q"], ROWS))


def test_classes_that_are_far_apart():
    rng = np.random.default_rng(1)
    y = rng.choice(["p", "q", "r"], ROWS)
    centre = {"p": 0.0, "q": 1e9, "r": -1e12}
    check([centre[label] + rng.normal() for label in y], y)


def test_a_column_that_is_constant_in_a_class_has_no_deviation():
    y = ["p", "q"] * 50
    x = [0.1 if label == "p" else 1e9 + i for i, label in enumerate(y)]
    check(x, y)
    with opened("sqlite table", columns_of(x, y)) as source:
        part = db.tally(*source, target="y").parts[0]
    assert part.deviation[0, 0] == 0 and part.mean[0, 0] == 0.1


def test_rows_that_come_sorted_do_not_mislead():
    check(np.sort(np.random.default_rng(2).lognormal(5, 4, ROWS * 10)), ["p", "q"] * (ROWS * 5))


def test_nan_is_missing_as_in_memory():
    table = pa.table({"x": [1.0, float("nan"), 3.0, None, 5.0], "y": list("ppqqq")})
    connection = duckdb.connect()
    connection.register("rows", table)
    found = db.tally(connection, "rows", target="y")
    assert_same(found, db.tally(table, target="y"))
    assert found.parts[0].weight.ravel().tolist() == [1, 2]


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_infinity_is_the_error_that_it_is_in_memory(infinite):
    columns = columns_of([1.0, infinite, float("nan"), 2.0], "ppqq")
    for engine in ENGINES:
        with opened(engine, columns) as source, pytest.raises(InputError, match=r"contains infinity .*column 'x'"):
            db.tally(*source, target="y")


def test_a_column_without_any_value():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x REAL, y TEXT)")
    connection.execute("INSERT INTO t VALUES (NULL, 'p')")
    assert db.tally(connection, "t", target="y").parts[0].weight.tolist() == [[0.0]]


def test_more_columns_than_one_query_takes():
    rng = np.random.default_rng(3)
    table = pa.table({f"x{i}": rng.normal(i, 1, 20) for i in range(450)} | {"y": ["p", "q"] * 10})
    lite = sqlite3.connect(":memory:")
    lite.execute(f"CREATE TABLE t ({', '.join(f'x{i} REAL' for i in range(450))}, y TEXT)")
    rows = [tuple(row.values()) for row in table.to_pylist()]
    lite.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 451)})", rows)  # noqa: S608
    expected = db.tally(table, target="y")
    assert_same(db.tally(lite, "t", target="y"), expected)
    assert_same(db.tally(duckdb.from_arrow(table), target="y"), expected)


def test_a_table_may_have_any_name(connection):
    rows = "SELECT 1.5e0 AS x, 'p' AS y UNION ALL SELECT 1.5e0, 'p' UNION ALL SELECT 1e12, 'q'"
    for name in ("q", "t", "m", "s", "one"):
        connection.execute(f"CREATE TABLE {name} AS {rows}")
        assert db.tally(connection, name, target="y").parts[0].mean.ravel().tolist() == [1.5, 1e12]


def test_sums_are_far_from_their_shift_where_digits_would_be_lost():
    near = Sums(np.array([2.0]), np.array([0.0]), np.array([2.0]), np.array([4.0]))  # 0 and 2
    far = Sums(np.array([2.0]), np.array([0.0]), np.array([2e9 + 1]), np.array([2e18 + 2e9 + 1]))  # 1e9 and 1e9 + 1
    assert not near.is_far and far.is_far
