"""The vectorizers give scikit-learn's vocabulary and matrix, so that pipelines change by one import."""

import numpy as np
import pyarrow as pa
import pytest
import sklearn.feature_extraction.text as sk

import deciban as db
from deciban.errors import DecibanError

DOCUMENTS = [
    "To be, or not to be: that is the question.",
    "Whether 'tis nobler in the mind to suffer",
    "the slings and arrows of outrageous fortune",
    "Ça alors! Où est passé l'été? naïve façade",
    "числа 123 и слова_и_знаки ΟΔΟΣ İstanbul",
    "",
]
SETTINGS = [
    {},
    {"ngram_range": (1, 3)},
    {"ngram_range": (2, 2), "lowercase": False},
    {"analyzer": "char", "ngram_range": (1, 4)},
    {"analyzer": "char_wb", "ngram_range": (2, 3)},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii"},
    {"min_df": 2},
    {"max_df": 0.3},
    {"max_features": 3},
    {"binary": True, "dtype": np.float32},
    {"vocabulary": ["be", "the", "zzz"]},
    {"vocabulary": {"the": 1, "mind": 0}},
    {"tokenizer": str.split, "token_pattern": None, "ngram_range": (1, 2)},
    {"analyzer": str.split},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_counts_are_scikit_learns(settings):
    theirs = sk.CountVectorizer(**settings)
    expected = theirs.fit_transform(DOCUMENTS)
    ours = db.CountVectorizer(**settings)
    found = ours.fit_transform(DOCUMENTS)
    assert found.dtype == expected.dtype
    assert ours.vocabulary_ == theirs.vocabulary_
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert (found != expected).nnz == 0
    assert (ours.transform(DOCUMENTS[::-1]) != theirs.transform(DOCUMENTS[::-1])).nnz == 0


@pytest.mark.parametrize(
    "settings",
    [{}, {"n_features": 16}, {"alternate_sign": False, "norm": None}, {"ngram_range": (1, 2), "norm": "l1"}],
    ids=str,
)
def test_hashes_are_scikit_learns(settings):
    expected = sk.HashingVectorizer(**settings).fit_transform(DOCUMENTS)
    found = db.HashingVectorizer(**settings).fit_transform(DOCUMENTS)
    assert abs(found - expected).max() < 1e-12


def test_any_column_of_documents():
    expected = db.CountVectorizer().fit_transform(DOCUMENTS)
    columns = [np.array(DOCUMENTS), np.array(DOCUMENTS, dtype=object), pa.array(DOCUMENTS), (d for d in DOCUMENTS)]
    columns += [pa.chunked_array([DOCUMENTS[:2], DOCUMENTS[2:]]), tuple(DOCUMENTS), [d.encode() for d in DOCUMENTS]]
    for column in columns:
        assert (db.CountVectorizer().fit_transform(column) != expected).nnz == 0


@pytest.mark.parametrize(
    ("settings", "documents"),
    [({}, [""]), ({"min_df": 3}, ["one two"]), ({"token_pattern": "x"}, ["one"]), ({"analyzer": "letter"}, ["one"])],
    ids=str,
)
def test_bad_settings_say_so(settings, documents):
    with pytest.raises(DecibanError):
        db.CountVectorizer(**settings).fit(documents)


def test_unfitted_says_so():
    with pytest.raises(DecibanError, match="fit"):
        db.CountVectorizer().transform(["one"])
