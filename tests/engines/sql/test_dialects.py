"""What dialects differ in."""

import sqlite3

import duckdb
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deciban.engines.sql.database import open_database
from deciban.engines.sql.dialects import as_double, column, expressions, has_grouping_sets, in_parts, is_nan

LITE, DUCK = sqlite3.connect(":memory:"), duckdb.connect()


@pytest.mark.parametrize("connection", [LITE, DUCK])
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
    ((found,),) = open_database(DUCK, "t")[0].rows(expressions().select(is_nan(as_double(float("nan")), "duckdb")))
    assert found is True


def test_parts():
    assert list(in_parts(range(5), 2)) == [[0, 1], [2, 3], [4]] and not list(in_parts([], 2))
    assert has_grouping_sets("duckdb") and not has_grouping_sets("sqlite")
