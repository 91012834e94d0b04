"""The models and documents that are timed, for the section and for the comparison of two builds."""

from __future__ import annotations

from typing import NamedTuple

import deciban as db
from benchmarks.harness.names import with_known_names
from benchmarks.harness.timing import Task, repeated
from benchmarks.text.corpora import Split

__all__ = ["ONE_CALLS", "ONE_TOKENS", "WORKS", "Work", "new_text_nb", "one_document", "text_tasks"]

ONE_TOKENS, ONE_CALLS = 80, 200
_LONG_ROUNDS = 5  # scikit-learn takes 5 to 20 seconds for each


class Work(NamedTuple):
    """A corpus and the sizes of its n-grams."""

    title: str
    corpus: str
    ngram_range: tuple[int, int]
    rounds: int | None = None


WORKS = (
    Work("20 Newsgroups, unigrams", "20newsgroups", (1, 1)),
    Work("20 Newsgroups, 1–2-grams", "20newsgroups", (1, 2), _LONG_ROUNDS),
    Work("IMDB, 1–2-grams", "imdb", (1, 2), _LONG_ROUNDS),
)


def new_text_nb(work: Work, bits: int | None = None) -> db.TextNB:
    """The multinomial model that scikit-learn's `CountVectorizer` + `MultinomialNB` is equal to."""
    settings = with_known_names(db.TextNB, ngram_range=work.ngram_range, smoothing=1.0, n_bits=bits)
    return db.TextNB("multinomial", **settings)


def text_tasks(work: Work, split: Split, model: db.TextNB) -> dict[str, Task]:
    """Fit from raw text, and predict raw text with a fitted model."""
    (X, y), test = split.train, split.test.X
    return {"fit": lambda: new_text_nb(work).fit(X, y), "predict": lambda: model.predict(test)}


def one_document(model: db.TextNB, document: str) -> Task:
    """The posterior of one short document, many times."""
    return repeated(lambda: model.predict_proba([document]), ONE_CALLS)
