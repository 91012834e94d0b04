"""Every token's weight, the prior's and what is lacking sum to the log-odds, and each stands where it belongs."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import DecibanError, InputTypeError, UnfittedError

rng = np.random.default_rng(0)
WORDS = [f"w{i}" for i in range(40)]
Y = np.array([["ham", "spam", "eggs"][i % 3] for i in range(60)])
X = [" ".join(rng.choice(WORDS, size=1 + i % 9, p=np.roll(np.arange(40) + 1, 13 * (i % 3)) / 820)) for i in range(60)]
EVENTS = ["multinomial", "boolean", "bernoulli", "complement", "twcnb"]
SETTINGS = [
    *({"event": event} for event in EVENTS),
    *({"event": event, "ngram_range": (1, 2), "smoothing": 0.5, "priors": "uniform"} for event in EVENTS),
    *({"event": event, "analyzer": "char_wb", "ngram_range": (1, 3), "temperature": 2.5} for event in EVENTS),
    *({"event": event, "n_bits": 5, "ngram_range": (1, 2)} for event in EVENTS),
    *({"event": event, "n_bits": 5, "drop_top": 3} for event in EVENTS),
    {"event": "multinomial", "length": "mean"},
    {"event": "boolean", "length": "root", "temperature": 3.0},
    {"event": "complement", "length": "root", "priors": [0.1, 0.2, 0.7]},
    {"analyzer": "word_punct", "select": 10},
    {"analyzer": "unicode_word"},
    {"analyzer": "char", "ngram_range": (2, 3)},
    {"tokenizer": str.split, "ngram_range": (1, 2)},
    {"rule": "ml"},
    {"event": "complement", "rule": "ml"},
    {"reject": 0.99},
]
DECIBAN = 10 / np.log(10)

documents = st.lists(st.sampled_from([*WORDS[:20], "W3", "new", "w1,w2", "é", "!", "W\u03a3"]), max_size=20).map(
    " ".join
)


@pytest.fixture(scope="module")
def fitted():
    made = {}

    def fit(settings):
        key = str(settings)
        if key not in made:
            made[key] = db.TextNB(**settings).fit(X, Y)
        return made[key]

    return fit


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@given(document=documents, against=st.sampled_from([None, "ham", "spam", "eggs"]))
def test_the_weights_sum_to_the_log_odds(fitted, settings, document, against):
    model = fitted(settings)
    told = model.explain(document, against)
    joint = model.predict_joint_log_proba([document])[0]
    if settings.get("rule") == "ml":
        joint = joint - model.class_log_prior_
    odds = joint[model.classes_ == told.label][0] - joint[model.classes_ == told.against][0]
    assert told.total_db == pytest.approx(DECIBAN * odds, abs=1e-9)
    assert told.against == against or (against is None and told.label != told.against)
    predicted = model.predict([document])[0]
    assert predicted is None or predicted in (told.label, against)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@given(document=documents)
def test_marks_say_what_the_placed_terms_say(fitted, settings, document):
    told = fitted(settings).explain(document)
    padding = sum(reason.weight_db for reason in told.reasons if not reason.token.strip())
    assert sum(mark.weight_db for mark in told.marks) == pytest.approx(
        sum(reason.weight_db for reason in told.reasons) - padding, abs=1e-9
    )
    assert all(mark.weight_db == 0 for mark in told.marks if not mark.is_known)
    assert told.to_text(shaded=False) and told._repr_html_()


def test_the_example_by_hand():
    model = db.TextNB("multinomial", smoothing=1).fit(["free free prize", "lunch"], ["spam", "ham"])
    told = model.explain("Free lunch, FREE zork")
    weights = {reason.token: (reason.count, reason.weight_db) for reason in told.reasons}
    assert (told.label, told.against, told.prior_db) == ("spam", "ham", 0.0)
    free, lunch = 2 * DECIBAN * np.log((3 / 6) / (1 / 4)), DECIBAN * np.log((1 / 6) / (2 / 4))
    assert weights == {"free": (2, pytest.approx(free)), "lunch": (1, pytest.approx(lunch))}
    assert told.unknown == ("zork",)
    marks = {told.text[m.start : m.end]: (m.weight_db, m.is_known) for m in told.marks}
    half = pytest.approx(free / 2)
    assert marks == {
        "Free": (half, True),
        "lunch": (pytest.approx(lunch), True),
        "FREE": (half, True),
        "zork": (0.0, False),
    }


def test_the_bernoulli_model_hears_what_is_lacking():
    model = db.TextNB("bernoulli", smoothing=1).fit(["a1 b1", "a1", "c1", "c1 b1"], ["x", "x", "y", "y"])
    told = model.explain("a1")
    (reason,) = told.reasons
    assert reason.weight_db == pytest.approx(DECIBAN * np.log((3 / 4) / (1 / 4)))
    assert told.absent_db == pytest.approx(DECIBAN * (np.log((2 / 4) / (2 / 4)) + np.log((3 / 4) / (1 / 4))))
    assert db.TextNB().fit(["a1", "b1"], [0, 1]).explain("a1").absent_db is None


@pytest.mark.parametrize("event", EVENTS)
def test_nothing_is_nan_without_smoothing(event):
    model = db.TextNB(event, smoothing=0).fit(X, Y)
    for document in [*X[:12], "", "new", "w0 w1 w2 w39 w20", " ".join(WORDS)]:
        for against in (None, "ham", "spam"):
            told = model.explain(document, against)
            assert not np.isnan(told.total_db)
            assert not np.isnan([mark.weight_db for mark in told.marks]).any()


def test_an_impossible_document_rests_on_the_priors():
    model = db.TextNB("multinomial", smoothing=0).fit(["a1", "b1", "b1"], ["x", "y", "y"])
    told = model.explain("a1 b1")
    assert told.is_impossible and told.label == "y"
    assert told.total_db == pytest.approx(DECIBAN * np.log(2))
    assert "depends on the priors" in str(told)


def test_bytes_and_bad_text():
    model = db.TextNB().fit(["sun é", "rain"], [0, 1])
    for document in (b"sun \xff\xe2\x82 sun", "sun \ud800", "", "\x00", b"\xce\xa3" * 20):
        told = model.explain(document)
        told._repr_html_().encode()
        told.to_text(shaded=True).encode()


def test_what_cannot_be_explained_says_so():
    model = db.TextNB().fit(X, Y)
    with pytest.raises(InputTypeError, match="explain takes one document, str or bytes, not a list"):
        model.explain(X[:2])
    assert str(model.explain(X[:1])) == str(model.explain(X[0]))
    with pytest.raises(DecibanError, match="no class 'fish'"):
        model.explain(X[0], against="fish")
    with pytest.raises(UnfittedError):
        db.TextNB().explain("a")


def test_one_class_alone_weighs_nothing():
    told = db.TextNB().fit(["a1", "b1"], ["x", "x"]).explain("a1")
    assert told.label == told.against == "x" and told.total_db == 0


def test_hashed_tokens_are_named_by_the_document():
    told = db.TextNB(n_bits=20, ngram_range=(1, 2)).fit(X, Y).explain("w1 w2 new")
    assert {reason.token for reason in told.reasons} == {"w1", "w2", "new", "w1 w2", "w2 new"}


@pytest.mark.parametrize("classifier", ["logistic", "svm"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("amounts", [{}, {"tf": "log", "length": "unit"}], ids=["presence", "unit-log"])
@given(document=documents)
def test_log_count_ratios_sum_to_the_decision(classifier, classes, amounts, document):
    kept = [i for i in range(60) if i % 3 < classes]
    model = db.LogCountRatio(classifier=classifier, **amounts).fit([X[i] for i in kept], Y[kept])
    told = model.explain(document)
    decision = model.decision_function([document])
    scores = np.array([0.0, decision[0]]) if decision.ndim == 1 else decision[0]
    odds = scores[model.classes_ == told.label][0] - scores[model.classes_ == told.against][0]
    assert told.total_db == pytest.approx(DECIBAN * odds, abs=1e-9)
    assert told.label == model.predict([document])[0]
    assert told.weights()[0][0] == "intercept"


def test_log_count_ratios_of_two_classes_are_log_odds():
    model = db.LogCountRatio().fit(["good film", "good fun", "bad film", "bad, no fun"], ["pos", "pos", "neg", "neg"])
    told = model.explain("a good, good film")
    p = model.predict_proba(["a good, good film"])[0].max()
    assert told.total_db == pytest.approx(DECIBAN * np.log(p / (1 - p)))
    assert model.top_tokens("pos", "neg", n=1)[0][0] == "good"
    with pytest.raises(UnfittedError):
        db.LogCountRatio().explain("a")


LONG = {
    "words": {},
    "pairs": {"ngram_range": (1, 2)},
    "hashed": {"n_bits": 8},
    "hashed pairs": {"n_bits": 8, "ngram_range": (1, 2)},
    "characters": {"analyzer": "char_wb", "ngram_range": (2, 3)},
    "a callable": {"tokenizer": str.split, "ngram_range": (1, 2)},
}


@pytest.mark.parametrize("settings", LONG.values(), ids=LONG)
@pytest.mark.parametrize("event", ["multinomial", "boolean"])
def test_a_long_document_is_explained_by_its_distinct_tokens(settings, event):
    model = db.TextNB(event, **settings).fit(X, Y)
    document = " ".join([*WORDS[:25], "new1 new2 new1 É"] * 1_000)
    told, joint = model.explain(document), model.predict_joint_log_proba([document])[0]
    odds = joint[model.classes_ == told.label][0] - joint[model.classes_ == told.against][0]
    assert told.text == document and told.total_db == pytest.approx(DECIBAN * odds, rel=1e-9)
    assert max(mark.end for mark in told.marks) < 10_000 < len(document)
    if "n_bits" not in settings and "analyzer" not in settings:
        known = {told.text[mark.start : mark.end]: mark.is_known for mark in told.marks}
        assert known["w3"] and not known["new1"]
        assert told.unknown[:2] == ("new1", "new2") and told.unknown_count == len(told.unknown)
        weight = {reason.token: reason.weight_db for reason in told.reasons}["w3"]
        if "ngram_range" not in settings:  # else its pairs weigh, too
            marks = [mark.weight_db for mark in told.marks if told.text[mark.start : mark.end] == "w3"]
            assert marks[0] == pytest.approx(weight / 1_000)


def test_a_document_of_megabytes_takes_memory_by_its_distinct_tokens():
    model, document = db.TextNB("multinomial").fit(X, Y), " ".join([*WORDS, "new"] * 10_000)
    tracemalloc.start()
    told = model.explain(document)
    shown = len(str(told)) + len(told._repr_html_()) + len(str(told.to_dict()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(document) > 1_000_000 and peak < 4_000_000 and shown < 500_000


def test_unknown_tokens_are_the_first_ones_and_counted():
    told = db.TextNB().fit(X, Y).explain(" ".join(f"u{i} w1" for i in range(80)))
    assert told.unknown == tuple(f"u{i}" for i in range(50)) and told.unknown_count == 80
    pairs = db.TextNB(ngram_range=(2, 2), smoothing=1).fit(["a1 b1", "c1 d1"], [0, 1])
    assert pairs.explain("a1 b1 d1").unknown == ("d1",) and pairs.explain("b1").unknown == ("b1",)


def test_labels_are_values_of_python():
    for kind in (db.TextNB(), db.LogCountRatio(), db.TextEM()):
        model = kind.fit(["free win", "noon"] * 3, [1, 0] * 3)
        assert type(model.predict_one("free")) is type(model.explain("free").label) is int


def test_semi_supervised_models_explain_as_their_model_does():
    model = db.TextEM().fit(["sun and sea", "sea and sand", "rain and wind", "sand"], ["dry", None, "wet", None])
    assert model.explain("sand").total_db == model.model_.explain("sand").total_db
    assert model.top_tokens("dry", "wet", n=2) == model.model_.top_tokens("dry", "wet", n=2)
