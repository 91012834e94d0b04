"""What text models reach on 20 Newsgroups by date: the figures that the documentation promises, with fixed settings."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import deciban as db

FILE = Path(__file__).parents[3] / "shared" / "data" / "text" / "20newsgroups.parquet"
pytestmark = pytest.mark.skipif(not FILE.exists(), reason="needs ../shared/data/text")


@pytest.fixture(scope="module")
def posts():
    table = pq.read_table(FILE)
    is_train = np.array(table["split"].to_pylist()) == "train"
    labels = np.array(table["label"].to_pylist())
    parts = [np.flatnonzero(is_train), np.flatnonzero(~is_train)]
    return [item for rows in parts for item in (table["text"].take(rows), labels[rows])]


@pytest.mark.parametrize(
    ("settings", "least"),
    [
        ({}, 0.83),
        ({"ngrams": (1, 2)}, 0.84),
        ({"event": "complement"}, 0.82),
        ({"event": "twcnb", "ngrams": (1, 2)}, 0.855),
        ({"n_bits": 20}, 0.825),
    ],
    ids=str,
)
def test_accuracy(posts, settings, least):
    X, y, X_test, y_test = posts
    assert db.TextNB(**settings).fit(X, y).score(X_test, y_test) >= least


@pytest.mark.parametrize("seed", [0, 1])
def test_unlabelled_posts_add_eight_points(posts, seed):
    X, y, X_test, y_test = posts
    rng = np.random.default_rng(seed)
    known = np.concatenate([rng.permutation(np.flatnonzero(y == c))[:20] for c in np.unique(y)])
    labels = np.full(len(y), None, dtype=object)
    labels[known] = y[known]
    # The same model: TextEM smooths by Lidstone's law. Discounting alone is better than that, and EM better than both.
    alone, discounted = (
        db.TextNB("multinomial", smoothing=smoothing).fit(X.take(known), y[known]).score(X_test, y_test)
        for smoothing in ("loo", "discount")
    )
    found = db.TextEM().fit(X, labels).score(X_test, y_test)
    assert found >= alone + 0.08
    assert found > discounted + 0.04
