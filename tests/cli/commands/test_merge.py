"""`deciban merge`: sums of tallies and models."""

from __future__ import annotations

import deciban as db


def test_the_sum_of_tallies_is_the_tally_of_all_rows(run):
    for name in ("tennis", "monday"):
        run("tally", f"{name}.csv", "-t", "PlayTennis", "-o", f"{name}.tally", "-q")
    run("merge", "tennis.tally", "monday.tally", "-o", "both.tally")
    assert db.load("both.tally") == db.load("tennis.tally") + db.load("monday.tally")


def test_models_are_merged(run):
    run("merge", "tennis.deciban", "tennis.deciban", "-o", "tennis.deciban")
    assert db.load("tennis.deciban").tally_.total == 28


def test_different_kinds_cannot_be_merged(run):
    run("tally", "tennis.csv", "-t", "PlayTennis", "-o", "t.tally", "-q")
    shown = run("merge", "t.tally", "tennis.deciban", "-o", "m.deciban", code=1).output
    assert "a Tally cannot be merged with a NaiveBayes" in shown
