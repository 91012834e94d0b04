"""P(term | class) of a model of counts or documents, for all terms, some, or the most probable."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import InputError, ParameterError, UnfittedError

X, Y = {"ball": [2, 0, 1], "song": [1, 3, 0], "the": [4, 5, 2]}, ["sport", "music", "sport"]
DOCUMENTS = ["free prize now", "win a free prize", "lunch at noon", "noon today"]
LABELS = ["spam", "spam", "ham", "ham"]


def test_multinomial_probabilities_sum_to_one_in_each_class():
    model = db.MultinomialNB().fit(X, Y)
    table = model.term_probabilities()
    assert table.terms == ("ball", "song", "the")
    assert table.array == pytest.approx(np.exp(model.feature_log_prob_).T)
    assert table.array.sum(axis=0) == pytest.approx(1, abs=1e-14)


def test_bernoulli_probabilities_are_those_of_presence():
    table = db.BernoulliNB().fit(X, Y).term_probabilities("ball")
    assert table["ball"] == pytest.approx({"music": 1 / 3, "sport": 3 / 4})


@pytest.mark.parametrize("settings", [{"smoothing": 1.0}, {"smoothing": 0.0}, {}, {"smoothing": "kneser-ney"}])
@pytest.mark.parametrize("event", ["multinomial", "boolean"])
def test_text_probabilities_sum_to_one_with_any_smoothing(event, settings):
    table = db.TextNB(event, **settings).fit(DOCUMENTS, LABELS).term_probabilities()
    assert table.array.sum(axis=0) == pytest.approx(1, abs=1e-12)


def test_a_document_contains_a_token_with_its_probability():
    table = db.TextNB("bernoulli", smoothing=1.0).fit(DOCUMENTS, LABELS).term_probabilities(["free", "noon"])
    assert table["free"] == pytest.approx({"ham": 1 / 4, "spam": 3 / 4})


def test_the_most_probable_terms_come_first():
    model = db.TextNB("multinomial", smoothing=1.0).fit(DOCUMENTS, LABELS)
    table = model.term_probabilities(n=3)
    share = table.array @ np.exp(model.class_log_prior_)
    assert len(table) == 3 and share.tolist() == sorted(share, reverse=True)
    assert model.term_probabilities(["today", "noon"], n=1).terms == ("noon",)


def test_what_has_no_such_probabilities_is_refused():
    model = db.TextNB("multinomial").fit(DOCUMENTS, LABELS)
    with pytest.raises(InputError, match=r"does not know the term 'fre'. Did you mean 'free'\?"):
        model.term_probabilities(["fre"])
    with pytest.raises(ParameterError, match="hashed tokens have no names"):
        db.TextNB("multinomial", n_bits=8).fit(DOCUMENTS, LABELS).term_probabilities()
    with pytest.raises(ParameterError, match="of the other classes"):
        db.TextNB("complement").fit(DOCUMENTS, LABELS).term_probabilities()
    with pytest.raises(UnfittedError):
        db.TextNB().term_probabilities()
