"""A query returns what the model computes: on DuckDB and SQLite here, on PostgreSQL in tests/servers."""

import pytest

from tests.export.sql.cases import CASES, case
from tests.export.sql.databases import assert_explains, assert_scores, duckdb_database, sqlite_database

DATABASES = {"duckdb": duckdb_database, "sqlite": sqlite_database}


@pytest.mark.parametrize("dialect", DATABASES)
@pytest.mark.parametrize("name", CASES)
def test_a_query_scores_rows_as_the_model_does(name, dialect):
    assert_scores(*case(name), DATABASES[dialect]())


@pytest.mark.parametrize("dialect", DATABASES)
@pytest.mark.parametrize("name", CASES)
def test_a_query_explains_rows_as_the_model_does(name, dialect):
    assert_explains(*case(name), DATABASES[dialect](), 12)
