"""A text model as a distribution of documents: the product of table 6.2, p(x), and documents drawn from it."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.models.text.model import token_probabilities

DOCUMENTS = ["free prize now", "win a free prize", "lunch at noon", "noon today"]
LABELS = ["spam", "spam", "ham", "ham"]


def fitted(event, **settings):
    return db.TextNB(event, smoothing=1.0, **settings).fit(DOCUMENTS, LABELS)


def test_the_multinomial_is_the_product_over_positions():
    model = fitted("multinomial")
    p = token_probabilities(model._current().model)
    ids = [model.vocabulary_[token] for token in ("free", "free", "noon")]
    expected = 0.5 * p[:, ids].prod(axis=1)
    assert np.exp(model.log_likelihood(["free unknown free noon"])) == pytest.approx(expected.sum(), rel=1e-14)
    of_spam = model.log_likelihood(["free free noon"], ["spam"])
    assert np.exp(of_spam) == pytest.approx(expected[1], rel=1e-14)


def test_documents_of_one_token_sum_to_one():
    model = fitted("multinomial")
    whole = np.exp(model.log_likelihood(list(model.vocabulary_), per_row=True)).sum()
    assert whole == pytest.approx(1, abs=1e-12)


def test_the_bernoulli_model_sums_to_one_over_all_sets_of_tokens():
    model = db.TextNB("bernoulli").fit(["sun sea", "rain wind"], ["dry", "wet"])
    tokens = list(model.vocabulary_)
    sets = [" ".join(t for k, t in enumerate(tokens) if code >> k & 1) for code in range(2 ** len(tokens))]
    assert np.exp(model.log_likelihood(sets, per_row=True)).sum() == pytest.approx(1, abs=1e-12)


def test_temperature_and_length_do_not_matter():
    plain = fitted("multinomial", temperature=None)
    for settings in ({"temperature": 3.0}, {"length": "mean"}):
        assert fitted("multinomial", **settings).log_likelihood(DOCUMENTS) == plain.log_likelihood(DOCUMENTS)


def test_drawn_documents_have_the_probabilities_of_the_model():
    model = fitted("multinomial")
    documents, labels = model.sample(600, n_tokens=20, random_state=0)
    again = db.TextNB("multinomial", smoothing=0.0).fit(documents, labels)
    found = token_probabilities(again._current().model)[:, [again.vocabulary_[token] for token in model.vocabulary_]]
    assert found == pytest.approx(token_probabilities(model._current().model), abs=0.02)
    assert model.known_tokens(documents).tolist() == [20] * 600
    assert documents == model.sample(600, n_tokens=20, random_state=0)[0]


def test_drawn_sets_of_tokens_have_the_probabilities_of_the_model():
    model = fitted("bernoulli")
    documents, labels = model.sample(3000, random_state=0)
    is_spam = labels == "spam"
    free = np.array(["free" in document.split() for document in documents])
    expected = token_probabilities(model._current().model)[:, model.vocabulary_["free"]]
    assert [free[~is_spam].mean(), free[is_spam].mean()] == pytest.approx(expected, abs=0.04)


def test_documents_have_the_mean_length_by_default():
    assert set(map(len, map(str.split, fitted("multinomial").sample(5)[0]))) == {3}  # 10 known tokens in 4 documents


@pytest.mark.parametrize("event", ["boolean", "complement", "twcnb"])
def test_other_events_are_no_distribution(event):
    model = db.TextNB(event).fit(DOCUMENTS, LABELS)
    for ask in (model.log_likelihood, lambda _: model.sample(2)):
        with pytest.raises(ParameterError, match=f'event="{event}" scores documents'):
            ask(DOCUMENTS)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ParameterError, match="tokens of this model overlap"):
        fitted("multinomial", ngram_range=(1, 2)).sample(20, random_state=0)
    with pytest.raises(ParameterError, match="hashed tokens have no names"):
        fitted("multinomial", n_bits=10).sample(2)
    with pytest.raises(ParameterError, match='n_tokens is for event="multinomial"'):
        fitted("bernoulli").sample(2, n_tokens=3)
    with pytest.raises(ParameterError, match="n_tokens is a whole number"):
        fitted("multinomial").sample(2, n_tokens=-1)


def test_free_parameters_are_those_of_the_vocabulary():
    tokens = len(fitted("multinomial").vocabulary_)
    assert fitted("multinomial").n_parameters_ == 1 + 2 * (tokens - 1)
    assert fitted("boolean").n_parameters_ == 1 + 2 * (tokens - 1)
    assert fitted("bernoulli").n_parameters_ == 1 + 2 * tokens
    assert fitted("multinomial", n_bits=4).n_parameters_ == 1 + 2 * 15
    linear = db.LogCountRatio(analyzer="word", ngram_range=(1, 1)).fit(DOCUMENTS, LABELS)
    assert linear.n_parameters_ == tokens + 1
