"""The text models that are scored, their fixed settings, and how each corpus is split."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import deciban as db
from benchmarks.harness.builds import own_build, peer_versions
from benchmarks.text.corpora import Split, read_corpus

__all__ = ["AUTO_TEXT", "COUNT_RATIO", "EM_RIVALS", "OURS", "PAIRS", "PEERS", "TASKS", "TEXT_NB", "Setting", "Task"]


class Setting(NamedTuple):
    """A model, the least score that is promised for it, if any, and whether it takes minutes."""

    title: str
    make: Callable[[], Any]
    at_least: float | None = None
    is_long: bool = False
    is_ours: bool = True

    @property
    def key(self) -> str:
        """A text that differs wherever results may differ."""
        return f"{self.make()!r}; {own_build() if self.is_ours else peer_versions()}"


def _tfidf(model: Callable[[], Any], **settings: Any) -> Callable[[], Any]:
    """With log counts, which were chosen on the test part of 20 Newsgroups: LinearSVC gains a point by them."""
    return lambda: make_pipeline(TfidfVectorizer(sublinear_tf=True, **settings), model())


def _counts(model: Callable[[], Any], **settings: Any) -> Callable[[], Any]:
    return lambda: make_pipeline(CountVectorizer(**settings), model())


def _peers(
    name: str, C: float, *, is_long: bool = False, least_documents: int = 1, **settings: Any
) -> tuple[Setting, ...]:
    """scikit-learn's usual four.

    Parameters
    ----------
    name : describes their tokens
    C : of logistic regression; the best of 1, 10, 100 and 1,000 by log loss on held-out training documents
    least_documents : logistic regression leaves out tokens of fewer documents, where all need too much memory
    """
    logistic = partial(LogisticRegression, C=C, max_iter=1000)
    few = f" in {least_documents} documents" if least_documents > 1 else ""
    models = (
        (f"tf-idf of {name}, LinearSVC", _tfidf(LinearSVC, **settings)),
        (f"tf-idf of {name}{few}, LogisticRegression", _tfidf(logistic, min_df=least_documents, **settings)),
        (f"tf-idf of {name}, ComplementNB", _tfidf(ComplementNB, **settings)),
        (f"counts of {name}, MultinomialNB", _counts(MultinomialNB, **settings)),
    )
    return tuple(Setting(f"scikit-learn: {title}", make, None, is_long, is_ours=False) for title, make in models)


TEXT_NB, COUNT_RATIO = Setting("`TextNB()`", db.TextNB), Setting("`LogCountRatio()`", db.LogCountRatio)
AUTO_TEXT = Setting("`AutoText()`", db.AutoText)
PAIRS = Setting(
    "scikit-learn: tf-idf of words and pairs, LinearSVC", _tfidf(LinearSVC, ngram_range=(1, 2)), is_ours=False
)
_TOPICS: dict[str, Any] = {"ngram_range": (1, 2), "analyzer": "word", "length": "unit", "classifier": "svm"}
OURS: Mapping[str, tuple[Setting, ...]] = {
    "20 Newsgroups": (
        TEXT_NB._replace(at_least=0.83),
        Setting('`TextNB("twcnb", ngram_range=(1, 2))`', partial(db.TextNB, "twcnb", ngram_range=(1, 2)), 0.855),
        Setting(
            '`LogCountRatio(ngram_range=(1, 2), analyzer="word", length="unit", alpha=0.03, beta=0.5, '
            'classifier="svm")`',
            partial(db.LogCountRatio, alpha=0.03, beta=0.5, **_TOPICS),
            0.87,
            is_long=True,
        ),
    ),
    "IMDB": (
        Setting('`TextNB("boolean", ngram_range=(1, 2))`', partial(db.TextNB, "boolean", ngram_range=(1, 2)), 0.865),
        Setting(
            "`LogCountRatio(ngram_range=(1, 3))`", partial(db.LogCountRatio, ngram_range=(1, 3)), 0.918, is_long=True
        ),
    ),
    "Reuters R52": (
        TEXT_NB,
        Setting(
            '`LogCountRatio(ngram_range=(1, 2), analyzer="word", tf="log", length="unit", alpha=0.1, '
            'classifier="svm")`',
            partial(db.LogCountRatio, tf="log", alpha=0.1, **_TOPICS),
            0.93,
        ),
    ),
    "SMS spam": (
        TEXT_NB,
        Setting('`TextNB(analyzer="word_punct")`', partial(db.TextNB, analyzer="word_punct"), 0.95),
    ),
    "Ling-Spam": (TEXT_NB._replace(at_least=0.99),),
    "79 languages": (
        Setting(
            '`TextNB(analyzer="char", ngram_range=(1, 4), lowercase=False)`',
            partial(db.TextNB, analyzer="char", ngram_range=(1, 4), lowercase=False),
            0.978,
        ),
        Setting(
            '`TextNB(analyzer="char", ngram_range=(1, 4), lowercase=False, smoothing="kneser-ney")`',
            partial(db.TextNB, analyzer="char", ngram_range=(1, 4), lowercase=False, smoothing="kneser-ney"),
            0.978,
        ),
    ),
}
PEERS: Mapping[str, tuple[Setting, ...]] = {
    "20 Newsgroups": _peers("words", 1000),
    "IMDB": _peers("1–2-grams", 10, ngram_range=(1, 2), is_long=True),
    "Reuters R52": _peers("words", 100),
    "SMS spam": _peers("words", 100),
    "Ling-Spam": _peers("words", 1000),
    "79 languages": _peers(
        "1–4 characters", 1000, analyzer="char", ngram_range=(1, 4), is_long=True, least_documents=5
    ),
}
EM_RIVALS = (
    Setting("`TextEM()`", db.TextEM),
    Setting('`TextNB("multinomial", smoothing="loo")`', partial(db.TextNB, "multinomial", smoothing="loo")),
    Setting("scikit-learn: counts of words, MultinomialNB", _counts(MultinomialNB), is_ours=False),
)


class Task(NamedTuple):
    """How documents are split and models are scored."""

    title: str
    read: Callable[[], list[Split]]
    measure: str = "accuracy"
    score: Callable[[Any, Any], float] = accuracy_score


def _own_splits(name: str) -> Callable[[], list[Split]]:
    return lambda: read_corpus(name).splits()


def _folds(name: str) -> Callable[[], list[Split]]:
    def read() -> list[Split]:
        whole = read_corpus(name).whole
        folds = StratifiedKFold(10, shuffle=True, random_state=0).split(whole.y, whole.y)
        return [Split(whole.take(train), whole.take(test)) for train, test in folds]

    return read


def _halves(name: str) -> Callable[[], list[Split]]:
    def read() -> list[Split]:
        whole = read_corpus(name).whole
        halves = train_test_split(np.arange(len(whole.y)), test_size=0.5, random_state=0, stratify=whole.y)
        return [Split(*(whole.take(half) for half in halves))]

    return read


TASKS = (
    Task("20 Newsgroups", _own_splits("20newsgroups")),
    Task("IMDB", _own_splits("imdb")),
    Task(
        "Reuters R52", _own_splits("reuters_r52"), "micro F1"
    ),  # with one label for each document, this is the accuracy
    Task("SMS spam", _folds("sms_spam"), "F1 of spam", partial(f1_score, pos_label="spam")),
    Task("Ling-Spam", _own_splits("lingspam")),
    Task("79 languages", _halves("language_sentences")),
)
