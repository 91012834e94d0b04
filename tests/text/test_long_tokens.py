"""Very long tokens, and tokens with long shared beginnings: no step may recurse once per some bytes of a token."""

import numpy as np
import pytest
import sklearn.feature_extraction.text as sk

import deciban as db
from deciban.text.kernels import Vocabulary

LONG = 600_000


def test_tokens_that_agree_in_600_000_letters_are_sorted():
    documents = ["a" * LONG + "b", "a" * LONG, "a" * (LONG - 1), "a" * LONG + "é"]
    vectorizer = db.CountVectorizer().fit(documents)
    assert vectorizer.get_feature_names_out().tolist() == sorted(documents)


@pytest.mark.parametrize("shared", [0, 1, 7, 8, 9, 1000, 50_000])
def test_order_is_that_of_code_points(shared):
    ends = ["", "\0", "\0\0", "b", "ba", "b" * 8, "b" * 9, "é", "😀", "\ud800"]
    tokens = ["x" * shared + end for end in ends]
    shuffled = [tokens[i] for i in np.random.default_rng(shared).permutation(len(tokens))]
    order = Vocabulary.of(shuffled).order().tolist()
    assert [shuffled[i] for i in order] == sorted(tokens)


@pytest.mark.parametrize(
    "settings",
    [{}, {"ngram_range": (1, 3)}, {"analyzer": "char", "ngram_range": (2, 2)}, {"analyzer": "char_wb"}],
    ids=str,
)
def test_long_words_count_as_in_scikit_learn(settings):
    documents = ["a" * 30_000 + " bb " + "ab" * 10_000, ("a" * 30_000 + "c") * 2 + " bb", "é" * 20_000, " " * 10_000]
    expected = sk.CountVectorizer(**settings).fit_transform(documents)
    assert (db.CountVectorizer(**settings).fit_transform(documents) != expected).nnz == 0


def test_models_learn_and_predict_long_words():
    documents, labels = ["a" * LONG, "a" * LONG + "b", "c " * 100_000], ["x", "y", "y"]
    for model in (db.TextNB(), db.TextNB(n_bits=8), db.TextNB(analyzer="unicode_word"), db.LogCountRatio()):
        assert model.fit(documents, labels).predict(documents).tolist() == labels
