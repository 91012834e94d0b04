"""Expressions give the same doubles in every dialect."""

import math
import sqlite3

import duckdb
import numpy as np
import pytest

from deciban.errors import ParameterError
from deciban.export.sql.expressions import expressions_for

RUN = {
    "duckdb": lambda text: duckdb.connect().execute(text).fetchone()[0],
    "sqlite": lambda text: sqlite3.connect(":memory:").execute(text).fetchone()[0],
}
NUMBERS = [0.0, 1.5, -2.0, 1e-300, -1.2345678901234567e-100, 1.7976931348623157e308, 0.1 + 0.2, math.inf, -math.inf]


def value_of(dialect, make):
    sql = expressions_for(dialect, "a test")
    return RUN[dialect](f"SELECT {make(sql).sql(dialect)}")


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize("number", NUMBERS)
def test_doubles_keep_all_digits(dialect, number):
    assert math.isclose(value_of(dialect, lambda sql: sql.number(number)), number, rel_tol=3e-16)


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize("text", ["", "it's", 'a "b"', "back\\slash", "näme", "new\nline", "%s ? :x $1"])
def test_text_is_quoted(dialect, text):
    assert value_of(dialect, lambda sql: sql.literal(text)) == text


@pytest.mark.parametrize("dialect", RUN)
@pytest.mark.parametrize("size", [1, 3, 40])
def test_numbers_are_looked_up_by_index(dialect, size):
    values = np.random.default_rng(0).normal(size=size).tolist()
    values[-1] = -math.inf
    for index in range(size):
        found = value_of(dialect, lambda sql, index=index: sql.lookup(values, lambda: sql.integer(index)))
        assert math.isclose(found, values[index], rel_tol=3e-16)


@pytest.mark.parametrize("dialect", RUN)
def test_a_number_at_a_cut_is_below_it(dialect):
    cuts = [-1.0, 0.0, 2.5, 7.0]
    for x in (-2.0, -1.0, -0.5, 0.0, 2.0, 2.5, 3.0, 7.0, 8.0):
        found = value_of(
            dialect, lambda sql, x=x: sql.below(lambda: sql.number(x), cuts, [sql.integer(k) for k in range(5)])
        )
        assert found == np.searchsorted(cuts, x)


@pytest.mark.parametrize("dialect", RUN)
def test_long_sums_are_not_nested_deeply(dialect):
    assert value_of(dialect, lambda sql: sql.add([sql.number(float(k)) for k in range(2000)])) == 1999000.0


def test_values_without_a_type_in_sql_are_refused():
    with pytest.raises(ParameterError, match="cannot be written"):
        expressions_for("duckdb", "a test").literal((1, 2))


def test_postgres_limits_what_it_raises_errors_for():
    sql = expressions_for("postgresql", "a test")
    assert sql.exponential(lambda: sql.column("x")).sql("postgres").startswith("CASE WHEN")
    assert "DOUBLE PRECISION" in sql.number(1.5).sql("postgres")
