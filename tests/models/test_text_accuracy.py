"""What text models reach on real texts: the figures that are promised, with settings chosen on training data."""

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import deciban as db

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "text"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="needs ../shared/data/text")


def read(name):
    table = pq.read_table(FOLDER / f"{name}.parquet")
    return table, np.array(table["label"].to_pylist())


def split(name):
    table, labels = read(name)
    is_train = np.array(table["split"].to_pylist()) == "train"
    parts = [np.flatnonzero(is_train), np.flatnonzero(~is_train)]
    return [item for rows in parts for item in (table["text"].take(rows), labels[rows])]


@pytest.fixture(scope="module")
def posts():
    return split("20newsgroups")


@pytest.mark.parametrize(
    ("settings", "least"),
    [
        ({}, 0.83),
        ({"ngram_range": (1, 2)}, 0.84),
        ({"event": "complement"}, 0.82),
        ({"event": "twcnb", "ngram_range": (1, 2)}, 0.855),
        ({"n_bits": 20}, 0.83),
    ],
    ids=str,
)
def test_accuracy(posts, settings, least):
    X, y, X_test, y_test = posts
    assert db.TextNB(**settings).fit(X, y).score(X_test, y_test) >= least


def test_reviews():
    X, y, X_test, y_test = split("imdb")
    assert db.TextNB("boolean", ngram_range=(1, 2)).fit(X, y).score(X_test, y_test) >= 0.865


def test_news_under_ratios():
    X, y, X_test, y_test = split("reuters_r52")
    settings = {"analyzer": "word", "tf": "log", "length": "unit", "alpha": 0.1, "classifier": "svm"}
    assert db.LogCountRatio(**settings).fit(X, y).score(X_test, y_test) >= 0.94


def test_spam_among_mails_of_a_list():
    table, y = read("lingspam")
    folds = np.array(table["fold"].to_pylist())
    right = 0
    for fold in np.unique(folds):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        model = db.TextNB().fit(table["text"].take(train), y[train])
        right += (model.predict(table["text"].take(test)) == y[test]).sum()
    assert right / len(y) >= 0.99


def test_languages():
    table, y = read("language_sentences")
    train, test = np.split(np.random.default_rng(0).permutation(len(y)), [len(y) // 2])
    model = db.TextNB(analyzer="char", ngram_range=(1, 4), lowercase=False, smoothing="kneser-ney")
    assert model.fit(table["text"].take(train), y[train]).score(table["text"].take(test), y[test]) >= 0.976


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
