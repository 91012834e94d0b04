"""A file whose tally does not fit its graph is refused: its counts would be added to the wrong cells."""

import pytest

import deciban as db
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.linear_gaussian import GaussianTally
from deciban.storage.net_files import restored_tally, tally_state

COUNTS = db.BayesNet([("a", "b")]).fit({"a": ["x", "y", "x"], "b": ["u", "v", "v"]}).tally_
NUMBERS = db.GaussianNet([("a", "b")]).fit({"a": [1.0, 2.0, 4.0], "b": [2.0, 3.0, 7.0]}).tally_


def test_the_state_of_a_tally_restores_it():
    assert restored_tally(FamilyTally, tally_state(COUNTS)) == COUNTS
    assert restored_tally(GaussianTally, tally_state(NUMBERS)) == NUMBERS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s["counts"].update(b=COUNTS.counts["b"][:1]), "do not fit its states"),
        (lambda s: s["totals"].update(a=COUNTS.totals["a"][:1]), "do not fit its states"),
        (lambda s: s["counts"].update(b=-COUNTS.counts["b"]), "is negative"),
        (lambda s: s.update(rows=-1), "is negative"),
    ],
)
def test_counts_that_do_not_fit_the_graph_are_refused(change, message):
    state = {name: dict(value) if hasattr(value, "items") else value for name, value in tally_state(COUNTS).items()}
    change(state)
    with pytest.raises(ValueError, match=message):
        restored_tally(FamilyTally, state)


def test_moments_that_do_not_fit_the_graph_are_refused():
    state = tally_state(NUMBERS)
    with pytest.raises(ValueError, match="do not fit its parents"):
        restored_tally(GaussianTally, state | {"moments": {**NUMBERS.moments, "b": NUMBERS.moments["a"]}})
