"""Connections that the tests of databases share."""

import sqlite3

import duckdb
import pytest

CONNECT = {"duckdb": duckdb.connect, "sqlite": lambda: sqlite3.connect(":memory:")}


@pytest.fixture(params=CONNECT, scope="module")
def connection(request):
    """An empty database of each engine."""
    held = CONNECT[request.param]()
    yield held
    held.close()
