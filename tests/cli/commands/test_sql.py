"""`deciban sql`: the query of the library."""

from __future__ import annotations

import deciban as db


def test_the_query_is_that_of_the_library(run):
    shown = run("sql", "tennis.deciban", "--dialect", "sqlite", "--table", "days", "--explain", "--key", "day").output
    assert shown == db.load("tennis.deciban").to_sql("sqlite", "days", explain=True, key="day") + "\n"


def test_a_model_without_sql_is_an_error(run):
    run("fit", "tennis.csv", "-t", "PlayTennis", "--model", "kdb", "-o", "k.deciban", "-q")
    assert "a KDB cannot be written as SQL" in run("sql", "k.deciban", code=1).output
