"""Speed and memory of text: raw documents in, against scikit-learn's CountVectorizer and MultinomialNB.

Parity comes first: the same vocabulary, the same predictions, and joint log-probabilities that agree to 1e-9 relative.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline

import deciban as db
from benchmarks.corpora import CORPORA, Labelled, Split, read_split
from benchmarks.linear import linear_trainers
from benchmarks.machine import describe_machine, others_since, read_usage
from benchmarks.parity import ParityError
from benchmarks.promises import Limit, Rate, Ratio, clock, race
from benchmarks.report import Row, markdown_table
from benchmarks.text_memory import BUCKETS, weigh_text

__all__ = ["TextFindings", "measure_text", "render_text"]

Task = Callable[[], object]

_SAME = 1e-9
_PEER = "CountVectorizer + MultinomialNB"
_TOKENS, _ONE_CALLS = 80, 200
_LONG_ROUNDS = 5  # scikit-learn takes 5 to 20 seconds a round


class Work(NamedTuple):
    """A corpus and the sizes of its n-grams."""

    title: str
    corpus: str
    ngrams: tuple[int, int]
    rounds: int | None = None


WORKS = (
    Work("20 Newsgroups, unigrams", "20newsgroups", (1, 1)),
    Work("20 Newsgroups, 1–2-grams", "20newsgroups", (1, 2), _LONG_ROUNDS),
    Work("IMDB, 1–2-grams", "imdb", (1, 2), _LONG_ROUNDS),
)
FIT_AT_LEAST = PREDICT_AT_LEAST = 20.0
ONE_AT_LEAST = VECTORS_AT_LEAST = 10.0
RATE_AT_LEAST = 150.0
MEMORY_BELOW = {None: 600.0, BUCKETS: 150.0}

_INTRO = """## Speed and memory of text

Measured with `python -m benchmarks --only text` on {machine}.{others}

Both libraries get raw documents as a list of `str`: the training part to fit, the test part to predict. Before timing,
`TextNB("multinomial", smoothing=1)` and scikit-learn's `CountVectorizer` + `MultinomialNB` have the same vocabulary,
the same predictions, and joint log-probabilities that agree to 1e-9 relative. Times are medians of alternating runs
after a warm-up (at least 11; 5 for n-grams); a ratio is the peer's time over deciban's.
"""
_LINEAR = """fastText and Vowpal Wabbit train with two threads and their defaults, but for sequences of one and two
words. What they read is written to files before, already cut into words, which is not in their time; deciban's time is
from raw text. Vowpal Wabbit hashes all tokens and keeps no vocabulary, so deciban is timed in that way, too.
"""
_LIMITS = """Throughput is the text in UTF-8 over the seconds of fit. Memory is the rise of the peak resident size over
one call in a fresh process: above the documents, and with the model.
"""
_RATIO_HEAD = ("work", "peer", "peer ms", "deciban ms", "ratio", "at least", "holds?")
_LIMIT_HEAD = ("work", "deciban", "bound", "holds?")


class TextFindings(NamedTuple):
    """All that was measured; `notes` say what was not, and why."""

    ratios: list[Ratio]
    limits: list[Rate | Limit]
    notes: list[str]
    others: float | None


def measure_text(console: Console, scale: float = 1.0) -> TextFindings:
    """Check parity, then time and weigh; nothing but a note where the texts are absent."""
    if not CORPORA.is_dir():
        return TextFindings([], [], ["Not measured: `../shared/data/text` is absent."], None)
    start = read_usage()
    found = TextFindings([], [], [], None)
    for row in _measure(scale):
        if isinstance(row, str):
            found.notes.append(row)
            console.print(row)
            continue
        console.print(f"[bold]{row.title}[/]: {', '.join(row.figures())}")
        found.ratios.append(row) if isinstance(row, Ratio) else found.limits.append(row)
    return found._replace(others=others_since(start))


def render_text(found: TextFindings) -> str:
    """The section, in Markdown."""
    others = "" if found.others is None else f" Other processes took {100 * found.others:.0f} % of it meanwhile."
    parts = [_INTRO.format(machine=describe_machine(), others=others)]
    if found.ratios:
        limits: list[Row] = [*found.limits]
        parts += [markdown_table(_RATIO_HEAD, found.ratios), _LINEAR, _LIMITS, markdown_table(_LIMIT_HEAD, limits)]
    return "\n".join([*parts, *(f"{note}\n" for note in found.notes)])


def _measure(scale: float) -> Iterator[Ratio | Rate | Limit | str]:
    for work in WORKS:
        split = read_split(work.corpus, scale)
        theirs, ours = (make(work).fit(*split.train) for make in (_theirs, _ours))
        _check(work, theirs, ours, split.test.X)
        fit, predict = _race(work, split, theirs, ours)
        yield from (fit, predict)
        if work is WORKS[0]:
            rate = split.train.bytes / 1e6 / fit.our_seconds
            yield Rate(f"{work.title}: throughput of fit", rate, RATE_AT_LEAST, "MB/s")
            yield _race_one(theirs, ours, split.test.X)
            yield _race_vectors(split.train.X)
    yield from _race_linear(WORKS[-1], split.train)
    for bits, below in MEMORY_BELOW.items():
        yield from (weigh_text(verb, bits, below, scale) for verb in ("fit", "predict"))


def _theirs(work: Work) -> Pipeline:
    return make_pipeline(CountVectorizer(ngram_range=work.ngrams), MultinomialNB(alpha=1.0))


def _ours(work: Work) -> db.TextNB:
    return db.TextNB("multinomial", ngrams=work.ngrams, smoothing=1.0)


def _check(work: Work, theirs: Pipeline, ours: db.TextNB, X: list[str]) -> None:
    """Raise a ParityError unless both have learned the same."""
    if theirs[0].vocabulary_.keys() != ours.vocabulary_.keys():
        raise ParityError(f"{work.title}: the vocabularies differ.")
    expected = theirs[1].predict_joint_log_proba(theirs[0].transform(X))
    gap = float(np.max(np.abs(ours.predict_joint_log_proba(X) / expected - 1.0)))
    if not gap <= _SAME:
        raise ParityError(f"{work.title}: joint log-probabilities differ by {gap:.1e} relative, more than {_SAME:.0e}.")
    if not np.array_equal(theirs.predict(X), ours.predict(X)):
        raise ParityError(f"{work.title}: predictions differ.")
    del ours.vocabulary_  # a dict of all tokens, which only the comparison needs


def _race(work: Work, split: Split, theirs: Pipeline, ours: db.TextNB) -> tuple[Ratio, Ratio]:
    (X, y), test = split.train, split.test.X
    tasks: tuple[tuple[str, Task, Task, float], ...] = (
        ("fit from", lambda: _theirs(work).fit(X, y), lambda: _ours(work).fit(X, y), FIT_AT_LEAST),
        ("predict", lambda: theirs.predict(test), lambda: ours.predict(test), PREDICT_AT_LEAST),
    )
    fit, predict = (
        race(f"{work.title}: {verb} raw text", _PEER, clock(peer), clock(mine), at_least, work.rounds)
        for verb, peer, mine, at_least in tasks
    )
    return fit, predict


def _race_one(theirs: Pipeline, ours: db.TextNB, X: list[str]) -> Ratio:
    """The first document that is long enough, cut after its 80th token."""
    analyze = theirs[0].build_analyzer()
    tokens = next(found for found in map(analyze, X) if len(found) >= _TOKENS)[:_TOKENS]
    document = [" ".join(tokens)]
    peer, mine = _repeat(lambda: theirs.predict_proba(document)), _repeat(lambda: ours.predict_proba(document))
    title = f"One document of {_TOKENS} tokens: predict_proba"
    return race(title, _PEER, clock(peer, _ONE_CALLS), clock(mine, _ONE_CALLS), ONE_AT_LEAST)


def _race_vectors(X: list[str]) -> Ratio:
    expected, found = CountVectorizer().fit_transform(X), db.CountVectorizer().fit_transform(X)
    if expected.shape != found.shape or (expected != found).nnz:  # scikit-learn's columns are in no order in a row
        raise ParityError("the matrices of CountVectorizer differ.")
    peer, mine = clock(lambda: CountVectorizer().fit_transform(X)), clock(lambda: db.CountVectorizer().fit_transform(X))
    return race(f"{WORKS[0].title}: CountVectorizer().fit_transform", "CountVectorizer", peer, mine, VECTORS_AT_LEAST)


def _race_linear(work: Work, train: Labelled) -> Iterator[Ratio | str]:
    """Against trainers of other models, where being faster is all that is promised."""
    ours = clock(lambda: _ours(work).fit(*train))
    with tempfile.TemporaryDirectory() as folder:
        for peer, task, bits in linear_trainers(train, Path(folder)):
            if task is None:
                yield f"{peer} is not installed, and not compared."
                continue
            yield race(f"{work.title}: fit", peer, clock(task), ours, 1.0, _LONG_ROUNDS)
            if bits is not None:
                hashed = clock(lambda bits=bits: _ours(work).set_params(n_bits=bits).fit(*train))  # type: ignore[misc]
                title = f"{work.title}, hashed to 2^{bits} as the peer does: fit"
                yield race(title, peer, clock(task), hashed, 1.0, _LONG_ROUNDS)


def _repeat(task: Task) -> Callable[[], None]:
    def run() -> None:
        for _ in range(_ONE_CALLS):
            task()

    return run
