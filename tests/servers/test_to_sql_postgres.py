"""Scoring in a real PostgreSQL server: the same cases as in DuckDB and SQLite."""

import pytest

from tests.export.sql.cases import CASES, case
from tests.export.sql.databases import Database, assert_explains, assert_scores

pytestmark = pytest.mark.servers


@pytest.fixture
def database(postgres):
    with postgres.connect() as connection:
        yield Database("postgres", connection)
        connection.rollback()


@pytest.mark.parametrize("name", CASES)
def test_postgres_scores_rows_as_the_model_does(name, database):
    assert_scores(*case(name), database)


@pytest.mark.parametrize("name", CASES)
def test_postgres_explains_rows_as_the_model_does(name, database):
    assert_explains(*case(name), database, 12)
