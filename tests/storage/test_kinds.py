"""Files that were written before a rename load, give the same answers and go on learning."""

from pathlib import Path

import pytest

import deciban as db

FILES = Path(__file__).parent / "files"
ROWS = {"x": [1.0, 2.0, None, 4.0, 5.5, 6.0], "sky": ["a", None, "b", "a", "b", "b"]}
POSTERIOR = [0.999999537725834, 0.9998669561659468, 0.5714285714285714, 0.004273718923784817, 4.273028e-08, 8.9497e-10]


def test_missing_values_as_evidence(tmp_path):
    model = db.load(FILES / "naive_bayes_state.deciban")
    assert model.predict_proba(ROWS)[:, 0].tolist() == pytest.approx(POSTERIOR, rel=1e-5)
    db.save(model.partial_fit(ROWS, ["p"] * 6), tmp_path / "again")
    assert db.load(tmp_path / "again").tally_.total == 12


def test_the_settings_of_a_bayes_net():
    net = db.load(FILES / "bayes_net_skip.deciban")
    assert net.query("rain", {"wet": "y"})["n"] == pytest.approx(3 / 7)
    assert net.partial_fit({"rain": ["n", None], "wet": ["n", "y"]}).tally_.total == 6
