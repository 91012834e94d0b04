"""The vectorizers give scikit-learn's vocabulary and matrix, so that pipelines change by one import."""

import re

import numpy as np
import pandas as pd
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
    {"stop_words": "english"},
    {"stop_words": ["to", "the"], "max_features": 3},
    {"stop_words": ["to", "the"], "ngram_range": (1, 2)},
    {"stop_words": ["the"], "vocabulary": ["be", "the"]},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"token_pattern": r"[a-z](\w)\w*"},
    {"preprocessor": str.swapcase},
    {"strip_accents": str.title, "lowercase": False},
    {"analyzer": lambda text: [len(word) for word in text.split()]},
    {"analyzer": lambda text: [len(word) for word in text.split()], "max_features": 2, "binary": True},
]
TABLES = [{"text": "to be", "n": 2}, {"text": "or not to be", "n": 4}]


def written(settings):
    """The settings as text that is the same in every process: without the addresses of functions."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(settings))


@pytest.mark.parametrize("settings", SETTINGS, ids=written)
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


@pytest.mark.parametrize(
    "settings",
    [
        {"analyzer": lambda row: row["text"].split()},
        {"preprocessor": lambda row: row["text"]},
        {"analyzer": lambda row: [row["n"]]},
    ],
)
def test_documents_that_are_not_text_reach_the_users_own_functions(settings):
    theirs, ours = sk.CountVectorizer(**settings), db.CountVectorizer(**settings)
    assert (ours.fit_transform(TABLES) != theirs.fit_transform(TABLES)).nnz == 0
    assert ours.vocabulary_ == theirs.vocabulary_
    assert (ours.transform(iter(TABLES)) != theirs.transform(TABLES)).nnz == 0


@pytest.mark.parametrize("null", [None, np.nan, float("nan"), pd.NA, pd.NaT], ids=str)
@pytest.mark.parametrize("settings", [{}, {"tokenizer": str.split, "token_pattern": None}, {"analyzer": str.split}])
@pytest.mark.parametrize("make", [db.CountVectorizer, db.HashingVectorizer])
def test_a_missing_document_is_an_error_that_names_its_row(make, settings, null):
    for column in (["be", null], ("be", null), np.array(["be", null], dtype=object), iter(["be", null])):
        with pytest.raises(ValueError, match="1") as raised:
            make(**settings).fit_transform(column)
        assert isinstance(raised.value, DecibanError)


@pytest.mark.parametrize("settings", [{}, {"tokenizer": str.split, "token_pattern": None}, {"token_pattern": r"\w"}])
@pytest.mark.parametrize("document", [3, ["be"], {"text": "be"}], ids=str)
def test_a_document_that_is_no_text_is_an_error_that_names_its_row(settings, document):
    for make in (db.CountVectorizer, db.HashingVectorizer):
        with pytest.raises(DecibanError, match=r"1.*(str|text)"):
            make(**settings).fit_transform(["be", document])


def test_bytes_are_decoded_as_named():
    documents = ["été à Paris".encode("latin-1"), b"plain"]
    assert "été" in db.CountVectorizer(encoding="latin-1").fit(documents).vocabulary_
    assert sorted(db.CountVectorizer(decode_error="ignore").fit(documents).vocabulary_) == ["paris", "plain"]
    for settings in ({}, {"analyzer": bytes.split}, {"encoding": "no such"}):
        with pytest.raises(DecibanError, match="document 0"):
            db.CountVectorizer(**settings).fit(documents)
    assert db.CountVectorizer(decode_error="replace").fit_transform(pa.array(documents)).shape == (2, 2)


def test_lone_surrogates_are_tokens_like_others():
    documents = ["\ud800x \udfff", "xx \ud800x"]
    for settings in ({"analyzer": "char"}, {"analyzer": str.split}, {"tokenizer": str.split, "token_pattern": None}):
        vectorizer = db.CountVectorizer(**settings)
        expected = sk.CountVectorizer(**settings)
        assert (vectorizer.fit_transform(documents) != expected.fit_transform(documents)).nnz == 0
        assert vectorizer.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


def test_a_vocabulary_can_be_set_as_in_scikit_learn():
    vectorizer = db.CountVectorizer()
    vectorizer.vocabulary_ = {"to": 1, "be": 0}
    assert vectorizer.transform(["to be to"]).toarray().tolist() == [[1, 2]]
    mixed = db.CountVectorizer(vocabulary=["to", 7])
    assert mixed.transform(["to be to"]).toarray().tolist() == [[2, 0]]


def test_any_column_of_documents():
    expected = db.CountVectorizer().fit_transform(DOCUMENTS)
    columns = [np.array(DOCUMENTS), np.array(DOCUMENTS, dtype=object), pa.array(DOCUMENTS), (d for d in DOCUMENTS)]
    columns += [pa.chunked_array([DOCUMENTS[:2], DOCUMENTS[2:]]), tuple(DOCUMENTS), [d.encode() for d in DOCUMENTS]]
    for column in columns:
        assert (db.CountVectorizer().fit_transform(column) != expected).nnz == 0


@pytest.mark.parametrize(
    ("settings", "documents"),
    [
        ({}, [""]),
        ({}, []),
        ({}, b"one"),
        ({"min_df": 3}, ["one two"]),
        ({"token_pattern": "x"}, ["one"]),
        ({"token_pattern": "("}, ["one"]),
        ({"token_pattern": None}, ["one"]),
        ({"analyzer": "letter"}, ["one"]),
        ({"stop_words": "klingon"}, ["one"]),
        ({"analyzer": lambda _: [[1], [2]]}, ["one"]),
        ({"analyzer": lambda _: ["a", 1]}, ["one"]),
        ({"max_df": 1, "min_df": 2}, ["one", "one"]),
        ({"ngram_range": (0, 1)}, ["one"]),
    ],
    ids=written,
)
def test_bad_settings_say_so(settings, documents):
    with pytest.raises(DecibanError):
        db.CountVectorizer(**settings).fit(documents)


def test_unfitted_says_so():
    for method in ("transform", "inverse_transform", "get_feature_names_out"):
        with pytest.raises(DecibanError, match="fit"):
            getattr(db.CountVectorizer(), method)(["one"])
