"""LogCountRatio: linear classifiers on log-count ratios."""

from functools import partial

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

import deciban as db
from deciban.errors import DecibanError, DecibanWarning
from deciban.models.text.log_count_ratio import log_count_ratios, terms_in_use
from deciban.read.documents import Documents
from deciban.text.kernels import LinearOptions, fit_one_vs_rest

X = ["good good film", "good fun", "bad film", "bad no fun", "good film", "bad bad"] * 3
Y = ["pos", "pos", "neg", "neg", "pos", "neg"] * 3


@pytest.mark.parametrize("classifier", ["logistic", "svm"])
@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0])
def test_it_learns(classifier, beta):
    model = db.LogCountRatio(classifier=classifier, beta=beta).fit(X, Y)
    assert model.predict(["good", "bad", "no fun"]).tolist() == ["pos", "neg", "neg"]
    assert model.decision_function(["good"]) > 0


@pytest.mark.parametrize("tf", ["presence", "log"])
@pytest.mark.parametrize("length", ["none", "unit"])
def test_amounts_are_the_same_in_learning_and_in_predicting(tf, length):
    documents, labels = [*X, "so so film", "so fun"], [*Y, "meh", "meh"]
    model = db.LogCountRatio(tf=tf, length=length, classifier="svm", beta=1.0, ngram_range=(1, 1)).fit(
        documents, labels
    )
    new = [*documents, "good so", "unknown"]
    counts = CountVectorizer(vocabulary=list(model.tally_.parts[0].vocabulary)).fit_transform(new).astype(float)
    counts.data = 1 + np.log(counts.data) if tf == "log" else np.ones(len(counts.data))
    amounts = normalize(counts) if length == "unit" else counts
    assert model.decision_function(new) == pytest.approx(amounts @ model.coef_.T + model.intercept_)
    matrix, _ = terms_in_use(Documents(documents), model._fitted.analyzer, 1, 1.0)
    assert np.sort(model._fitted.settings.features(matrix).data) == pytest.approx(
        np.sort(amounts[: len(documents)].data)
    )
    assert model.predict(documents).tolist() == labels


@pytest.mark.parametrize("classifier", ["logistic", "svm"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_weights_are_those_of_liblinear(classifier, weighted):
    documents, labels = made(2, 150)
    documents = [f"{document} own{i}" for i, document in enumerate(documents)]  # tokens of single documents
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(labels)) if weighted else np.ones(len(labels))
    bag = db.LogCountRatio(ngram_range=(1, 1)).fit(documents, labels, weights).tally_.parts[0]
    counts = CountVectorizer(vocabulary=list(bag.vocabulary), binary=True).fit_transform(documents).astype(float)
    ratios = log_count_ratios(bag, range(3), 1.0)
    options = LinearOptions(classifier, 1e-9, 10_000)
    found = fit_one_vs_rest(counts, 0.5 * weights, labels, np.arange(3), ratios, options)
    assert found[2] == 0
    linear = LinearSVC if classifier == "svm" else partial(LogisticRegression, solver="liblinear")
    for j, (w, b) in enumerate(zip(*found[:2], strict=True)):
        peer = linear(C=0.5, dual=True, tol=1e-9, max_iter=100_000, random_state=0)
        peer.fit(counts.multiply(ratios[j]).tocsr(), labels == j, sample_weight=weights)
        assert w == pytest.approx(peer.coef_[0], abs=1e-6)
        assert b == pytest.approx(peer.intercept_[0], abs=1e-6)


def test_threads_do_not_change_the_model():
    documents, labels = made(3, 60)
    before = db.threads()
    try:
        found = []
        for threads in (1, 2):
            db.set_threads(threads)
            found.append(db.LogCountRatio().fit(documents, labels).coef_)
    finally:
        db.set_threads(before)
    assert np.array_equal(*found)


def test_too_few_iterations_are_a_warning():
    with pytest.warns(DecibanWarning, match="raise max_iter"):
        db.LogCountRatio(max_iter=1, temperature=None).fit(X, Y)


def test_several_classes_and_probabilities():
    model = db.LogCountRatio().fit([*X, "so so", "so so"], [*Y, "meh", "meh"])
    assert model.predict(["so so", "good fun"]).tolist() == ["meh", "pos"]
    assert model.predict_proba(["so so", "", "good"]).sum(axis=1) == pytest.approx(1.0)


def test_bad_input_says_so():
    for call in (
        lambda: db.LogCountRatio().fit(X, ["one"] * len(X)),
        lambda: db.LogCountRatio(beta=2).fit(X, Y),
        lambda: db.LogCountRatio(length="idf").fit(X, Y),
        lambda: db.LogCountRatio().predict(X),
        lambda: db.LogCountRatio(min_df=99).fit(X, Y),
        lambda: db.LogCountRatio(classifier="svm").fit(X, Y).predict_proba(X),
    ):
        with pytest.raises(DecibanError):
            call()


def made(seed, rows):
    """Documents of three classes, each with words of its own among common ones."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, rows)
    words = [
        [f"w{j}" for j in rng.integers(0, 60, 8)] + [f"w{20 * c + j}" for j in rng.integers(0, 20, 3)] for c in labels
    ]
    return [" ".join(row) for row in words], labels


def test_the_temperature_lowers_the_log_loss_and_changes_no_decision():
    X, y = made(0, 300)
    new, truth = made(1, 300)
    plain, learned = (db.LogCountRatio(temperature=t).fit(X, y) for t in (None, "auto"))
    assert plain.temperature_ is None and 0 < learned.temperature_ < 1
    assert (learned.predict(new) == plain.predict(new)).all()
    assert (learned.decision_function(new) == plain.decision_function(new)).all()
    assert log_loss(truth, learned.predict_proba(new)) < log_loss(truth, plain.predict_proba(new)) - 0.1
    assert (learned.predict_proba(new).argmax(axis=1) == learned.predict(new)).all()
    told, posterior = learned.explain(new[0]), learned.predict_proba_one(new[0])
    odds = np.log(posterior[told.label] / posterior[told.against])
    assert told.total_db == pytest.approx(10 / np.log(10) * odds)


def test_a_temperature_is_given_or_saved(tmp_path):
    X, y = made(0, 90)
    model = db.LogCountRatio(temperature=2.5).fit(X, y)
    assert model.temperature_ == 2.5
    for fitted in (model, db.LogCountRatio().fit(X, y)):
        db.save(fitted, tmp_path / "model")
        loaded = db.load(tmp_path / "model")
        assert loaded.temperature_ == fitted.temperature_
        assert (loaded.predict_proba(X) == fitted.predict_proba(X)).all()
    assert db.LogCountRatio().fit(X[:30], y[:30]).temperature_ == 1.0  # too few to learn it
    assert db.LogCountRatio(classifier="svm").fit(X, y).temperature_ is None


def test_scripts_without_spaces_are_split_into_characters(tmp_path):
    X, y = ["今天天气很好", "天气好", "公园很脏", "很脏很乱"] * 3, ["+", "+", "-", "-"] * 3
    model = db.LogCountRatio().fit(X, y)
    assert model.analyzer_ == "char"
    assert model.predict(["天气", "脏"]).tolist() == ["+", "-"]
    db.save(model, tmp_path / "model")
    assert db.load(tmp_path / "model").predict(["天气", "脏"]).tolist() == ["+", "-"]
    assert db.LogCountRatio().fit(["good film", "bad film"], [1, 0]).analyzer_ == "word_punct"


def test_a_batch_without_known_tokens_is_a_warning():
    model = db.LogCountRatio().fit(["good film", "bad film"], [1, 0])
    with pytest.warns(DecibanWarning, match="no known token"):
        model.predict(["zork"] * 10)
    assert model.predict_one("zork") in (0, 1)
