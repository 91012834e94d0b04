"""What dialects differ in."""

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deciban.engines.sql.database import (
    as_double,
    column,
    expressions,
    has_grouping_sets,
    in_parts,
    is_nan,
    mean_of,
    open_database,
    square,
)
from deciban.engines.sql.table import parse_source


@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False))
@example(0.1)
@example(-1.7e9 - 1e-6)
def test_numbers_go_into_queries_with_all_their_digits(connection, number):
    database = open_database(connection, "t")[0]
    ((found,),) = database.rows(expressions().select(as_double(number)))
    assert found == pytest.approx(number, rel=3e-16, abs=0)


def test_names_are_quoted():
    assert column('a"b').sql("duckdb") == '"a""b"'


def test_nan():
    assert is_nan(column("x"), "sqlite") is None
    assert is_nan(column("x"), "postgres").sql("postgres") == "\"x\" = CAST('NaN' AS DOUBLE PRECISION)"
    with duckdb.connect() as connection:
        asked = expressions().select(is_nan(as_double(float("nan")), "duckdb"))
        assert open_database(connection, "t")[0].rows(asked) == [(True,)]


def test_parts():
    assert list(in_parts(range(5), 2)) == [[0, 1], [2, 3], [4]] and not list(in_parts([], 2))


def test_sets_of_groups():
    table, query = parse_source("t", "postgres"), parse_source("SELECT * FROM t", "postgres")
    assert has_grouping_sets("duckdb", table) and not has_grouping_sets("sqlite", table)
    assert has_grouping_sets("postgres", query) and not has_grouping_sets("postgres", table)


def test_means_and_squares(connection):
    database = open_database(connection, "t")[0]
    exp = expressions()
    numbers = exp.union(exp.select(exp.alias_(as_double(1.5), "x")), exp.select(as_double(-4.0)), distinct=False)
    asked = exp.select(mean_of(column("x")), exp.Sum(this=square(column("x"), database.dialect)))
    assert database.rows(asked.from_(numbers.subquery("n"))) == [(-1.25, 18.25)]


def test_squares_do_not_overflow_in_postgresql():
    found = square(column("x"), "postgres").sql("postgres")
    assert found.startswith("CASE WHEN ABS(\"x\") < CAST('1e-150' AS DOUBLE PRECISION)") and "'inf'" in found
