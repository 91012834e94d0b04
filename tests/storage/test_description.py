"""What is in a model, a net, a tally and a file."""

from __future__ import annotations

import json

import pytest

import deciban as db
from deciban.errors import InputTypeError, UnfittedError
from deciban.storage.description import describe, describe_file

TABLE = {"sky": ["sun", "rain", "sun", "rain"], "warm": [1.5, 0.5, 2.5, 0.0]}
PLAY = ["yes", "no", "yes", "no"]
NET = db.BayesNet(db.DAG([("rain", "wet")])).fit({"rain": [0, 1, 1], "wet": [0, 1, 1]})
HELD = {
    "naive": db.NaiveBayes(priors="uniform").fit({**TABLE, "play": PLAY}, "play"),
    "tan": db.TAN().fit(TABLE, PLAY),
    "auto": db.AutoBayes().fit(TABLE, PLAY),
    "array": db.GaussianNB().fit([[0.0], [1.0], [0.5], [2.0]], PLAY),
    "text": db.TextNB().fit(["free prize", "lunch noon"] * 4, ["spam", "ham"] * 4),
    "ratio": db.LogCountRatio().fit(["free prize", "lunch noon"] * 4, ["spam", "ham"] * 4),
    "one text": db.NaiveBayes({"note": db.Text()}).fit({"note": ["free prize", "lunch noon"] * 4}, ["spam", "ham"] * 4),
    "forest": db.CountForest(n_trees=2).fit({**TABLE, "dry": [0, 1, 1, 0]}, PLAY),
    "kdb": db.KDB().fit({**TABLE, "dry": [0, 1, 1, 0]}, PLAY),
    "discriminant": db.Discriminant().fit(TABLE, PLAY),
    "few labels": db.TextEM().fit(["free prize", "lunch noon"] * 4, ["spam", "ham", None, None] * 2),
    "svm": db.LogCountRatio(classifier="svm").fit(["free prize", "lunch noon"] * 4, ["spam", "ham"] * 4),
    "tally": db.tally({**TABLE, "play": PLAY}, target="play"),
    "net": NET,
    "net tally": NET.tally_,
    "gaussian net": db.GaussianNet(db.DAG([("a", "b")])).fit({"a": [0.0, 1.0, 2.0], "b": [0.1, 1.2, 1.9]}),
}


@pytest.mark.parametrize("name", HELD)
def test_everything_that_can_be_saved_is_described(name, tmp_path):
    db.save(HELD[name], tmp_path / "held.deciban")
    found = describe_file(tmp_path / "held.deciban")
    assert found.kind == type(HELD[name]).__name__ in str(found)
    assert found.file.size == (tmp_path / "held.deciban").stat().st_size and found.file.deciban == db.__version__
    assert json.loads(json.dumps(found.to_dict()))["kind"] == found.kind
    assert describe(HELD[name]).columns == found.columns


def test_a_model_says_its_classes_columns_and_settings():
    found = describe(HELD["naive"])
    assert (found.target, found.rows, found.classes) == ("play", 4, {"no": 2, "yes": 2})
    assert [column.name for column in found.columns] == ["sky", "warm"]
    assert found.settings["priors"] == "'uniform'"
    assert "tokens" in describe(HELD["text"]).settings and "models" in describe(HELD["auto"]).settings


def test_an_ignored_column_has_no_weight():
    """Weights of 1.00 stand beside columns that are used."""
    ignoring = db.NaiveBayes({"warm": db.Ignore()}, weights={"sky": 0.5}).fit(TABLE, PLAY)
    assert [column.weight for column in describe(ignoring).columns] == [0.5, None]
    (line,) = [line.split() for line in str(describe(ignoring)).splitlines() if line.startswith("warm")]
    assert line[1] == "Ignore"


def test_a_net_says_its_states_and_parents(tmp_path):
    NET.write(tmp_path / "net.bif")
    found = describe_file(tmp_path / "net.bif")
    assert [(c.name, c.kind, c.note) for c in found.columns] == [("rain", "0, 1", ""), ("wet", "0, 1", "rain")]
    assert describe(NET).rows == 3 and found.rows is None


def test_something_else_is_an_error():
    with pytest.raises(InputTypeError, match="a list is not a model"):
        describe([])
    with pytest.raises(UnfittedError):
        describe(db.NaiveBayes())
