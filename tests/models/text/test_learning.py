"""Documents in parts, in any order and merged, are one fit; what was learned can be forgotten."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import DecibanError, DecibanWarning, NegativeCountError, ParameterError

rng = np.random.default_rng(0)
WORDS = [f"w{i}" for i in range(40)]
Y = np.array([["ham", "spam", "eggs"][i % 3] for i in range(60)])
X = [" ".join(rng.choice(WORDS, size=1 + i % 9, p=np.roll(np.arange(40) + 1, 13 * (i % 3)) / 820)) for i in range(60)]
EVENTS = ["multinomial", "bernoulli", "boolean", "complement"]

cuts = st.lists(st.integers(1, 59), max_size=4, unique=True).map(lambda c: [0, *sorted(c), 60])


@pytest.mark.parametrize("settings", [{"event": e} for e in EVENTS] + [{"n_bits": 8}, {"ngram_range": (1, 2)}], ids=str)
@given(cut=cuts, seed=st.integers(0, 5), w=st.sampled_from([None, rng.uniform(0.1, 3, 60)]))
def test_batches_and_merges_in_any_order_are_one_fit(settings, cut, seed, w):
    order = np.random.default_rng(seed).permutation(60)
    weights = None if w is None else w[order]
    documents, labels = [X[i] for i in order], Y[order]
    settings = {**settings, "temperature": None}  # the first batch, and the mean of the shards, decide on "auto"
    whole = db.TextNB(**settings).fit(X, Y, sample_weight=w)
    batches, shards = db.TextNB(**settings), []
    for a, b in pairwise(cut):
        part = None if weights is None else weights[a:b]
        batches.partial_fit(documents[a:b], labels[a:b], sample_weight=part)
        shards.append(db.TextNB(**settings).fit(documents[a:b], labels[a:b], sample_weight=part))
    for other in shards[1:]:
        shards[0].merge(other)
    for model in (batches, shards[0]):
        assert w is not None or model.tally_ == whole.tally_
        assert model.classes_.tolist() == whole.classes_.tolist()
        expected = whole.predict_joint_log_proba(X)
        assert model.predict_joint_log_proba(X) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("event", EVENTS)
@given(cut=st.integers(1, 59))
def test_forgetting_undoes_learning(event, cut):
    model = db.TextNB(event).fit(X, Y)
    model.forget(X[:cut], Y[:cut])
    rest = db.TextNB(event).fit(X[cut:], Y[cut:]).tally_
    assert model.tally_ == rest.with_classes(model.tally_.classes)
    assert model.forget(X[cut:], Y[cut:]).tally_.is_empty
    with pytest.warns(DecibanWarning, match="no known token"):
        assert np.isfinite(model.predict_proba(X)).all()


def test_what_was_never_learned_cannot_be_forgotten():
    model = db.TextNB().fit(["sun and rain", "snow", "hail"], ["a", "b", "a"])
    before = model.tally_
    with pytest.raises(NegativeCountError, match="token 'snow' in class 'a' would be -1"):
        model.forget(["snow"], ["a"])
    assert model.tally_ is before


@pytest.mark.parametrize(
    ("settings", "documents"),
    [({}, ["a", ""]), ({"n_bits": 4}, ["a", ""]), ({"min_count": 9}, ["to be", "be"]), ({"drop_top": 9}, ["to", "be"])],
    ids=str,
)
def test_an_empty_vocabulary_is_an_error_and_leaves_the_model_as_it_was(settings, documents):
    with pytest.raises(DecibanError, match=r"empty vocabulary|no token remains"):
        db.TextNB(**settings).fit(documents, ["x", "y"])
    model = db.TextNB().fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(DecibanError, match="empty vocabulary"):
        model.fit(["a", ""], ["x", "y"])
    assert (model.predict_proba(X) == before).all()
    stream = db.TextNB(**settings).partial_fit(documents, ["x", "y"]).partial_fit(["sun " * 10 + "sea sand"], ["x"])
    assert stream.tally_.total == 3


def test_twcnb_is_fitted_in_one_go():
    model = db.TextNB("twcnb").fit(X, Y)
    assert model.score(X, Y) > 0.6
    for call in (lambda: model.partial_fit(X, Y), lambda: model.forget(X, Y), lambda: model.merge(model)):
        with pytest.raises(ParameterError, match="twcnb"):
            call()
