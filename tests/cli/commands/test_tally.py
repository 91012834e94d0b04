"""`deciban tally`: the tally of the library."""

from __future__ import annotations

import deciban as db


def test_the_tally_is_that_of_the_library(run):
    run("tally", "tennis.csv", "-t", "PlayTennis", "-o", "t.tally")
    assert db.load("t.tally") == db.tally("tennis.csv", target="PlayTennis")


def test_without_a_file_it_is_printed(run):
    assert "Outlook      overcast   0    4" in run("tally", "tennis.csv", "-t", "PlayTennis").output


def test_an_unknown_target_is_named(run):
    assert "Did you mean 'PlayTennis'?" in run("tally", "tennis.csv", "-t", "PlayTenis", code=1).output
