"""TextNB: what scikit-learn's vectorizer and naive Bayes say of the same documents, in parts or at once, and more."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.naive_bayes as nb
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import deciban as db
from deciban.errors import DecibanError, InputTypeError, ParameterError

rng = np.random.default_rng(0)
WORDS = [f"w{i}" for i in range(40)]
Y = np.array([["ham", "spam", "eggs"][i % 3] for i in range(60)])
X = [" ".join(rng.choice(WORDS, size=1 + i % 9, p=np.roll(np.arange(40) + 1, 13 * (i % 3)) / 820)) for i in range(60)]
EVENTS = ["multinomial", "bernoulli", "boolean", "complement"]


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
@pytest.mark.parametrize("alpha", [1.0, 0.1])
@pytest.mark.parametrize("event", EVENTS)
def test_scores_are_scikit_learns(event, alpha, ngram_range):
    vectorizer = CountVectorizer(ngram_range=ngram_range)
    counts = vectorizer.fit_transform(X[:40])
    test = vectorizer.transform(X[40:])
    if event == "boolean":
        counts, test = (counts > 0).astype(int), (test > 0).astype(int)
    peers = {"bernoulli": nb.BernoulliNB, "complement": nb.ComplementNB}
    peer = peers.get(event, nb.MultinomialNB)(alpha=alpha).fit(counts, Y[:40])
    model = db.TextNB(event, smoothing=alpha, ngram_range=ngram_range, temperature=None).fit(X[:40], Y[:40])
    assert model.known_tokens(X[40:]).min() > 0
    assert model.predict_joint_log_proba(X[40:]) == pytest.approx(peer.predict_joint_log_proba(test), abs=1e-9)
    assert model.predict(X[40:]).tolist() == peer.predict(test).tolist()
    assert set(model.vocabulary_) == set(vectorizer.vocabulary_)


@pytest.mark.parametrize("event", [*EVENTS, "twcnb"])
@pytest.mark.parametrize("smoothing", ["auto", "loo", 0, 0.5, db.Laplace(), db.MEstimate(3)], ids=str)
def test_nothing_is_ever_nan(event, smoothing):
    model = db.TextNB(event, smoothing=smoothing).fit(X, Y)
    strange = [*X, "", "unknown words", "w1 unknown", " ".join(WORDS)]
    assert not np.isnan(model.predict_joint_log_proba(strange)).any()
    assert model.predict_proba(strange).sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("event", ["multinomial", "boolean", "complement", "twcnb"])
def test_a_document_without_a_known_token_gets_the_prior_and_is_flagged(event):
    model = db.TextNB(event).fit(X[:50], Y[:50])
    assert model.predict_proba(["nothing known", ""]) == pytest.approx(np.exp([model.class_log_prior_] * 2))
    assert model.known_tokens(["nothing known", "w1 w1 x", ""]).tolist()[0::2] == [0, 0]
    told = model.explain("nothing known")
    assert told.is_unknown
    assert "No token of the document is known" in str(told)
    assert not model.explain("w1").is_unknown


def test_any_column_of_documents():
    expected = db.TextNB().fit(X, Y).predict_proba(X)
    makers = [tuple, np.array, pd.Series, pl.Series, pa.array, iter, lambda x: np.array(x, dtype=object)]
    makers += [lambda x: pa.chunked_array([x[:7], x[7:]]), lambda x: pd.Series(x, dtype=object)]
    makers += [lambda x: pa.array(x, type=pa.large_string()), lambda x: pa.array(["junk", *x])[1:]]
    for make in makers:
        assert db.TextNB().fit(make(X), Y).predict_proba(make(X)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("bad", ["one string", np.eye(60), {"text": X}, pd.DataFrame({"text": X}), 7], ids=type)
def test_what_is_no_column_of_documents_says_so(bad):
    with pytest.raises(DecibanError):
        db.TextNB().fit(bad, Y)


def test_one_string_is_not_a_list_of_letters():
    with pytest.raises(InputTypeError, match=r"\[document\]"):
        db.TextNB().fit(X, Y).predict("one document")


def test_a_callable_cuts_as_the_core_would():
    tokenized = db.TextNB(tokenizer=lambda text: text.split(), ngram_range=(1, 2)).fit(X, Y)
    core = db.TextNB(ngram_range=(1, 2)).fit(X, Y)
    assert tokenized.predict_joint_log_proba(X) == pytest.approx(core.predict_joint_log_proba(X), abs=1e-9)


def test_pruning_never_counts_again():
    full = db.TextNB(temperature=None).fit(X, Y)
    pruned = db.TextNB.from_tally(full.tally_, drop_top=5, min_count=3, select=10, measure="chi2")
    again = db.TextNB(drop_top=5, min_count=3, select=10, measure="chi2", temperature=None).fit(X, Y)
    assert len(pruned.vocabulary_) == 10
    assert pruned.predict_proba(X) == pytest.approx(again.predict_proba(X))
    assert pruned.tally_ == full.tally_


def test_pruned_buckets_are_silent():
    hashed = db.TextNB("multinomial", n_bits=20, min_count=4, smoothing=1e-9, temperature=None).fit(X, Y)
    exact = db.TextNB("multinomial", min_count=4, smoothing=1e-9, temperature=None).fit(X, Y)
    assert hashed.predict_proba(X) == pytest.approx(exact.predict_proba(X), abs=1e-4)


def test_temperature_and_length_against_saturation():
    sure = db.TextNB("multinomial", temperature=None).fit(X, Y).predict_proba(X[:9]).max(axis=1)
    cool = db.TextNB("multinomial", temperature=10).fit(X, Y).predict_proba(X[:9]).max(axis=1)
    assert (cool < sure).all()
    level = db.TextNB("multinomial", length="mean", priors="uniform", temperature=None).fit(X, Y)
    assert level.predict_proba([X[8]]) == pytest.approx(level.predict_proba([" ".join([X[8]] * 50)]))
    with pytest.raises(ParameterError, match="length"):
        db.TextNB("bernoulli", length="mean").fit(X, Y)


def test_a_cap_keeps_memory_and_states_its_error():
    model = db.TextNB(max_terms=8)
    for a in range(0, 60, 10):
        model.partial_fit(X[a : a + 10], Y[a : a + 10])
    bag, truth = model.tally_.parts[0], db.TextNB().fit(X, Y).tally_.parts[0]
    assert bag.size == 8
    exact = dict(zip(truth.vocabulary, truth.sums().tolist(), strict=True))
    for token, count in zip(bag.vocabulary, bag.sums().tolist(), strict=True):
        assert 0 <= exact[token] - count <= bag.error


@pytest.mark.parametrize(
    "settings", [{}, {"n_bits": 10}, {"event": "twcnb"}, {"analyzer": "char", "ngram_range": (1, 3)}]
)
def test_a_model_is_saved_and_goes_on(settings, tmp_path):
    model = db.TextNB(**settings).fit(X, Y)
    db.save(model, tmp_path / "model")
    loaded = db.load(tmp_path / "model")
    assert loaded.tally_ == model.tally_
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    if model.event != "twcnb":
        assert loaded.partial_fit(["w1 new"], ["ham"]).tally_ == model.partial_fit(["w1 new"], ["ham"]).tally_


def test_rules_losses_and_rejection_apply():
    model = db.TextNB(reject=0.9999).fit(X, Y)
    assert None in model.predict(X).tolist()
    assert db.TextNB(rule="ml").fit(X, Y).predict(X).shape == (60,)


@pytest.mark.parametrize("make", [list, pd.Series, pa.array, np.array], ids=lambda m: m.__name__)
def test_scikit_learns_tools(make):
    data = make(X)
    assert cross_val_score(db.TextNB(), data, Y, cv=3).mean() > 0.5
    grid = GridSearchCV(make_pipeline(db.TextNB()), {"textnb__event": ["boolean", "multinomial"]}, cv=3).fit(data, Y)
    assert grid.predict(data).shape == (60,)
    pipe = make_pipeline(db.CountVectorizer(), db.MultinomialNB()).fit(data, Y)
    assert pipe.predict(data).shape == (60,)


def test_parameters_survive_a_clone_and_bad_ones_say_so():
    model = db.TextNB("complement", ngram_range=(1, 2), smoothing=db.Jeffreys(), min_count=2)
    assert clone(model).get_params() == model.get_params()
    bad_settings = ({"event": "guess"}, {"smoothing": -1}, {"n_bits": 99}, {"analyzer": "lines"}, {"temperature": 0})
    for bad in bad_settings:
        with pytest.raises(DecibanError):
            db.TextNB(**bad).fit(X, Y)


@pytest.mark.parametrize(
    "settings", [{}, {"event": "multinomial"}, {"event": "complement"}, {"smoothing": 0.3}], ids=str
)
def test_tokens_sum_to_the_log_odds(settings):
    model = db.TextNB(priors="uniform", temperature=None, **settings).fit(X, Y)
    for document in X[:5]:
        joint = dict(zip(model.classes_, model.predict_joint_log_proba([document])[0], strict=True))
        weights = model.token_weights(document, "spam", against="ham")
        assert sum(w for _, _, w in weights) == pytest.approx(10 / np.log(10) * (joint["spam"] - joint["ham"]))
    (first, weight), *_ = model.top_tokens("spam", "ham")
    assert model.token_weights(first, "spam", against="ham") == [(first, 1, pytest.approx(weight))]
    with pytest.raises(DecibanError, match="no class 'fish'"):
        model.top_tokens("fish", "ham")


@pytest.mark.parametrize("event", ["complement", "twcnb"])
def test_without_priors_the_complement_decides_as_with_them(event):
    """Its score has no prior in it, so leaving priors out changes nothing; rare classes are not favoured."""
    documents = ["sun fun", "sun sea", "fun sea sun", "sea sun", "rain wind"]
    labels = ["+", "+", "+", "+", "-"]
    new = ["sun", "rain", "wind sea", "fun rain sea", "sea"]
    chosen = db.TextNB(event).fit(documents, labels).predict(new).tolist()
    assert db.TextNB(event, rule="ml").fit(documents, labels).predict(new).tolist() == chosen
    told = db.TextNB(event, rule="ml").fit(documents, labels).explain("sea")
    assert (told.total_db > 0) == (told.label == "+" or told.against == "+")


def test_emoji_are_evidence_and_words_are_scikit_learns():
    documents, labels = ["love it 😀", "so good 😀👍", "hate it 😡", "so bad 😡"], ["yes", "yes", "no", "no"]
    model = db.TextNB().fit(documents, labels)
    assert model.analyzer_ == "word_emoji"
    assert {"😀", "😡", "👍"} <= set(model.vocabulary_)
    assert model.predict(["😀", "😡"]).tolist() == ["yes", "no"]
    assert "😀" in [reason.token for reason in model.explain("it 😀").reasons]
    assert "😀" not in db.TextNB(analyzer="word").fit(documents, labels).vocabulary_
    column = db.NaiveBayes({"text": db.Text()}).fit({"text": documents}, labels)
    assert column.predict({"text": ["😀", "😡"]}).tolist() == ["yes", "no"]
