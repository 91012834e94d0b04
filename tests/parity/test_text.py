"""On real documents: scikit-learn's vocabulary, matrix and scores, to the token and to 1e-9."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import sklearn.naive_bayes as nb
from sklearn.feature_extraction.text import CountVectorizer

import deciban as db

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "text"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="needs ../shared/data/text")
SETS = ["sms_spam", "20newsgroups", "imdb", "reuters_r52", "lingspam", "language_sentences"]
ROWS = 600


def sample(name):
    table = pq.read_table(FOLDER / f"{name}.parquet")
    rows = np.random.default_rng(0).permutation(len(table))[:ROWS]
    return table["text"].take(rows), np.array(table["label"].take(rows).to_pylist())


@pytest.mark.parametrize("settings", [{}, {"analyzer": "char_wb", "ngram_range": (1, 3)}], ids=str)
@pytest.mark.parametrize("name", SETS)
def test_vocabulary_and_matrix(name, settings):
    documents, _ = sample(name)
    theirs, ours = CountVectorizer(**settings), db.CountVectorizer(**settings)
    expected = theirs.fit_transform(documents.to_pylist())
    assert (ours.fit_transform(documents) != expected).nnz == 0
    assert ours.vocabulary_ == theirs.vocabulary_


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
@pytest.mark.parametrize("name", ["sms_spam", "reuters_r52"])
def test_scores(name, event):
    documents, labels = sample(name)
    train, test = documents[: ROWS // 2], documents[ROWS // 2 :]
    y = labels[: ROWS // 2]
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(train.to_pylist())
    peer = {"multinomial": nb.MultinomialNB, "bernoulli": nb.BernoulliNB, "complement": nb.ComplementNB}[event]()
    peer.fit(counts, y)
    model = db.TextNB(event, smoothing=1.0, temperature=None).fit(train, y)
    known = model.known_tokens(test) > 0  # scikit-learn's complement gives others no prior
    expected = peer.predict_joint_log_proba(vectorizer.transform(test.to_pylist()))
    assert model.predict_joint_log_proba(test)[known] == pytest.approx(expected[known], rel=1e-9, abs=1e-9)
