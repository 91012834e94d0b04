"""LogCountRatio: Wang & Manning's ratios, by hand, and the classifiers on them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

import deciban as db
from deciban.errors import DecibanError
from deciban.models.text.log_count_ratio import log_count_ratio, presence
from deciban.read.documents import Documents

X = ["good good film", "good fun", "bad film", "bad no fun", "good film", "bad bad"] * 3
Y = ["pos", "pos", "neg", "neg", "pos", "neg"] * 3


def test_ratios_are_those_of_presence():
    model = db.LogCountRatio(ngram_range=(1, 1)).fit(X, Y)
    bag = model.tally_.parts[0]
    ratios = dict(zip(bag.vocabulary, log_count_ratio(bag, 1, 1.0), strict=True))
    p, q = 9 + 6 + 3 + 0 + 0 + 5, 9 + 3 + 3 + 3 + 0 + 5  # good, film, fun; bad, film, no, fun; and five tokens' alpha
    assert ratios["good"] == pytest.approx(np.log((10 / p) / (1 / q)))


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
    assert np.sort(model._features(model._terms(Documents(documents))[0]).data) == pytest.approx(
        np.sort(amounts[: len(documents)].data)
    )
    assert model.predict(documents).tolist() == labels


def test_processes_give_the_same_model():
    labels = [*Y, "meh", "meh"]
    one, two = (db.LogCountRatio(n_jobs=jobs).fit([*X, "so so", "so so"], labels) for jobs in (None, 2))
    assert np.array_equal(one.coef_, two.coef_)


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


def test_the_ratio_by_hand():
    # documents with a token: "good" in 2 of class a and 1 of class b, "bad" in 0 and 1; alpha 1
    model = db.TextNB("multinomial").fit(["good good", "good", "good bad"], ["a", "a", "b"])
    ratio = log_count_ratio(model.tally_.parts[0], 0, 1.0)
    p, q = np.array([2 + 1, 0 + 1]), np.array([1 + 1, 1 + 1])
    found = [ratio[model.vocabulary_[token]] for token in ("good", "bad")]
    assert found == pytest.approx(np.log(p / p.sum()) - np.log(q / q.sum()))


def test_presence_counts_a_token_once():
    assert presence(sp.csr_matrix([[0, 3], [1, 1]])).toarray().tolist() == [[0, 1], [1, 1]]
