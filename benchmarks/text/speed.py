"""The section `text`: raw documents, against scikit-learn's CountVectorizer and MultinomialNB.

Parity comes first: the same vocabulary, the same predictions, and joint log-probabilities that agree to 1e-9 relative.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline

import deciban as db
from benchmarks.harness.machine import describe_run, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.parity import ParityError
from benchmarks.harness.paths import TEXTS
from benchmarks.harness.results import Findings, Limit, Rate, Ratio, race
from benchmarks.harness.timing import Task, clock, repeated
from benchmarks.text.corpora import Labelled, Split, read_split
from benchmarks.text.linear import linear_trainers
from benchmarks.text.memory import BITS, measure_memory
from benchmarks.text.tasks import ONE_CALLS, ONE_TOKENS, WORKS, Work, new_text_nb, one_document, text_tasks

__all__ = ["run"]

_SAME = 1e-9
_PEER = "CountVectorizer + MultinomialNB"
_FIT_AT_LEAST = _PREDICT_AT_LEAST = 20.0
_ONE_AT_LEAST = _VECTORS_AT_LEAST = 10.0
_RATE_AT_LEAST = 150.0
_MEMORY_BELOW = {None: 600.0, BITS: 150.0}

_INTRO = """Measured with `python -m benchmarks --only text` on {machine}.{others}

Both libraries get raw documents as a list of `str`: the training part to fit, the test part to predict. Before timing,
`TextNB("multinomial", smoothing=1)` and scikit-learn's `CountVectorizer` + `MultinomialNB` have the same vocabulary,
the same predictions, and joint log-probabilities that agree to 1e-9 relative. Times are medians of alternating runs
after a warm-up (at least 11; 5 for n-grams); a ratio is the peer's time over deciban's.
"""
_BOUNDS = """fastText and Vowpal Wabbit train with two threads and their defaults, except for 1- and 2-grams. Their
input is written to files before, already tokenized, which is not in their time; deciban's time is from raw text. Vowpal
Wabbit hashes all tokens and keeps no vocabulary, so deciban is timed in that way too.

Throughput is the text in UTF-8 over the seconds of fit. Memory is the rise of the peak resident size over one call in a
fresh process: above the documents, and with the model.
"""


def run(options: Options) -> str:
    """Check parity, then measure times and memory; only a note where the texts are absent."""
    start = read_usage()
    found = Findings()
    if TEXTS.is_dir():
        found.collect(_measure(options.scale), options.console)
    else:
        found.notes.append("Not measured: `../shared/data/text` is absent.")
    return found.render(_INTRO.format(**describe_run(start)), _BOUNDS)


def _measure(scale: float) -> Iterator[Ratio | Rate | Limit | str]:
    for work in WORKS:
        split = read_split(work.corpus, scale)
        theirs, ours = _theirs(work).fit(*split.train), new_text_nb(work).fit(*split.train)
        _check(work, theirs, ours, split.test.X)
        fit, predict = _race(work, split, theirs, ours)
        yield from (fit, predict)
        if work is WORKS[0]:
            rate = split.train.bytes / 1e6 / fit.our_seconds
            yield Rate(f"{work.title}: throughput of fit", rate, _RATE_AT_LEAST, "MB/s")
            yield _race_one(theirs, ours, split.test.X)
            yield _race_vectors(split.train.X)
    yield from _race_linear(WORKS[-1], split.train)
    for bits, below in _MEMORY_BELOW.items():
        yield from (measure_memory(verb, bits, below, scale) for verb in ("fit", "predict"))


def _theirs(work: Work) -> Pipeline:
    return make_pipeline(CountVectorizer(ngram_range=work.ngram_range), MultinomialNB(alpha=1.0))


def _check(work: Work, theirs: Pipeline, ours: db.TextNB, X: list[str]) -> None:
    """Raise a ParityError unless both models are equal."""
    if theirs[0].vocabulary_.keys() != ours.vocabulary_.keys():
        raise ParityError(f"{work.title}: the vocabularies differ.")
    expected = theirs[1].predict_joint_log_proba(theirs[0].transform(X))
    worst = float(np.max(np.abs(ours.predict_joint_log_proba(X) / expected - 1.0)))
    if not worst <= _SAME:
        raise ParityError(
            f"{work.title}: joint log-probabilities differ by {worst:.1e} relative, more than {_SAME:.0e}."
        )
    if not np.array_equal(theirs.predict(X), ours.predict(X)):
        raise ParityError(f"{work.title}: predictions differ.")
    ours.__dict__.pop("vocabulary_", None)  # a cached dict of all tokens, which only the comparison needs


def _race(work: Work, split: Split, theirs: Pipeline, ours: db.TextNB) -> Iterator[Ratio]:
    (X, y), test = split.train, split.test.X
    peers: dict[str, Task] = {"fit": lambda: _theirs(work).fit(X, y), "predict": lambda: theirs.predict(test)}
    titles = {"fit": ("fit from", _FIT_AT_LEAST), "predict": ("predict", _PREDICT_AT_LEAST)}
    for verb, task in text_tasks(work, split, ours).items():
        title, at_least = titles[verb]
        yield race(f"{work.title}: {title} raw text", _PEER, clock(peers[verb]), clock(task), at_least, work.rounds)


def _race_one(theirs: Pipeline, ours: db.TextNB, X: list[str]) -> Ratio:
    """The first document that is long enough, cut after its 80th token."""
    analyze = theirs[0].build_analyzer()
    tokens = next(found for found in map(analyze, X) if len(found) >= ONE_TOKENS)[:ONE_TOKENS]
    document = " ".join(tokens)
    peer, mine = repeated(lambda: theirs.predict_proba([document]), ONE_CALLS), one_document(ours, document)
    title = f"One document of {ONE_TOKENS} tokens: predict_proba"
    return race(title, _PEER, clock(peer, ONE_CALLS), clock(mine, ONE_CALLS), _ONE_AT_LEAST)


def _race_vectors(X: list[str]) -> Ratio:
    expected, found = CountVectorizer().fit_transform(X), db.CountVectorizer().fit_transform(X)
    if expected.shape != found.shape or (expected != found).nnz:  # scikit-learn does not sort the columns of a row
        raise ParityError("the matrices of CountVectorizer differ.")
    peer, mine = clock(lambda: CountVectorizer().fit_transform(X)), clock(lambda: db.CountVectorizer().fit_transform(X))
    return race(f"{WORKS[0].title}: CountVectorizer().fit_transform", "CountVectorizer", peer, mine, _VECTORS_AT_LEAST)


def _race_linear(work: Work, train: Labelled) -> Iterator[Ratio | str]:
    """Against trainers of other models: the promise is only to be faster."""
    with tempfile.TemporaryDirectory() as folder:
        for peer, task, bits in linear_trainers(train, Path(folder)):
            if task is None:
                yield f"{peer} is not installed, and not compared."
                continue
            for hashed in dict.fromkeys((None, bits)):
                tokens = "" if hashed is None else f", hashed to 2^{hashed} as the peer does"
                ours = clock(lambda hashed=hashed: new_text_nb(work, hashed).fit(*train))  # type: ignore[misc]
                yield race(f"{work.title}{tokens}: fit", peer, clock(task), ours, 1.0, work.rounds)
