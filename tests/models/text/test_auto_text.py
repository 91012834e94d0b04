"""AutoText: a linear classifier of words and naive Bayes of characters, combined."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import DecibanError
from deciban.models.text.auto_text import pooled

WORDS = {"a": ["sun", "sea", "sand"], "b": ["rain", "wind", "cloud"], "c": ["snow", "ice", "frost"]}


def made(seed, rows, labels="abc"):
    """Short documents: words of their class among common ones."""
    rng = np.random.default_rng(seed)
    y = rng.choice(list(labels), rows)
    own = [rng.choice([*WORDS[label], "the", "and", "of", "to", "day"], 4).tolist() for label in y]
    return [" ".join(words) for words in own], y


@pytest.fixture(scope="module", params=["ab", "abc"])
def model(request):
    return db.AutoText().fit(*made(0, 120, request.param))


def test_posteriors_are_those_of_the_parts_by_their_weights(model):
    X, y = made(1, 40, model.classes_.tolist())
    parts = tuple(np.log(part.predict_proba(X)) for part in model.models_.values())
    prior = list(model.models_.values())[1].class_log_prior_
    assert np.log(model.predict_proba(X)) == pytest.approx(pooled(prior, parts, tuple(model.weights_.values())))
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert np.mean(model.predict(X) == y) > 0.8


@pytest.mark.parametrize("document", ["sun and rain, snow", "quite unknown", "", "Sea " * 30])
def test_an_explanation_sums_to_the_log_odds(model, document):
    log = dict(zip(model.classes_.tolist(), model.predict_log_proba([document])[0], strict=True))
    for against in (None, "b"):
        found = model.explain(document, against)
        odds = 10 * (log[found.label] - log[found.against]) / np.log(10)
        assert found.total_db == pytest.approx(odds, abs=1e-9)
    assert found.text == document


def test_words_and_characters_are_marked_and_named(model):
    found = model.explain("sun and sand")
    names = [reason.token for reason in found.reasons]
    assert "sun" in names
    assert '"sun"' in names
    assert "prior" in found.to_text()
    assert {(mark.start, mark.end) for mark in found.marks} >= {(0, 3), (0, 1), (8, 12)}


def test_the_report_shows_what_the_parts_added(model):
    report = model.report()
    assert [candidate.weight for candidate in report.candidates] == list(model.weights_.values())
    assert report.log_loss <= min(candidate.log_loss for candidate in report.candidates) + 0.02
    assert "characters: TextNB" in str(report)


def test_few_documents_give_equal_weights():
    model = db.AutoText().fit(["sun", "rain", "sea"], ["dry", "wet", "dry"])
    assert set(model.weights_.values()) == {0.5}
    with pytest.raises(DecibanError, match="fewer than 20"):
        model.report()


def test_where_words_say_nothing_the_characters_have_the_weight():
    rng = np.random.default_rng(0)
    y = rng.choice(["x", "y"], 150)
    X = ["".join(rng.choice(list("aeiou" if label == "x" else "bcdfg"), 9)) for label in y]  # no word occurs twice
    model = db.AutoText().fit(X, y)
    words, characters = model.weights_.values()
    assert characters >= words
    assert model.predict(["aeoiu", "bcgfd"]).tolist() == ["x", "y"]


def test_names_of_classes_change_nothing():
    X, y = made(3, 90)
    renamed = np.array([{"a": "z", "b": "k", "c": "m"}[label] for label in y])
    one, two = (db.AutoText().fit(X, labels).predict_proba(X) for labels in (y, renamed))
    assert one == pytest.approx(two[:, [2, 0, 1]], abs=1e-6)


def test_a_saved_model_predicts_the_same(model, tmp_path):
    X, _ = made(4, 30)
    db.save(model, tmp_path / "model")
    loaded = db.load(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.report() == model.report()
    assert loaded.explain(X[0]).total_db == model.explain(X[0]).total_db
