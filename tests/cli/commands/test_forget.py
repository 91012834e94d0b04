"""`deciban forget`: exact subtraction, in place or into another file."""

from __future__ import annotations

from pathlib import Path

import deciban as db


def test_the_counts_are_those_without_the_rows(run):
    whole = db.load("tennis.deciban").tally_
    run("forget", "tennis.deciban", "monday.csv", "-o", "left.deciban")
    left = db.load("left.deciban").tally_
    assert left.total == 13 and db.load("tennis.deciban").tally_ == whole
    run("forget", "tennis.deciban", "monday.csv")
    assert db.load("tennis.deciban").tally_ == left


def test_rows_that_were_never_learned_are_an_error_and_the_file_stays(run, tmp_path):
    before = Path("tennis.deciban").read_bytes()
    (tmp_path / "odd.csv").write_text("Outlook,Temperature,Humidity,Wind,PlayTennis\novercast,hot,high,weak,no\n")
    assert "overcast" in run("forget", "tennis.deciban", "odd.csv", code=1).output
    assert Path("tennis.deciban").read_bytes() == before
