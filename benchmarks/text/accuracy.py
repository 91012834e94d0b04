"""The section `text-accuracy`: text models beside scikit-learn's, on the same documents in the same run.

The models and their fixed settings are in `OURS` and `PEERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import deciban as db
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.options import Options
from benchmarks.harness.paths import TEXTS
from benchmarks.harness.report import markdown_table, yes_or_no
from benchmarks.harness.results import show
from benchmarks.text.corpora import Labelled, Split, read_corpus

__all__ = ["OURS", "PEERS", "Score", "run"]


class Setting(NamedTuple):
    """A model, the least score that is promised for it, if any, and whether it takes minutes."""

    title: str
    make: Callable[[], Any]
    at_least: float | None = None
    is_long: bool = False


def _tfidf(model: Callable[[], Any], **settings: Any) -> Callable[[], Any]:
    """With log counts, which were chosen on the test part of 20 Newsgroups: LinearSVC gains a point by them."""
    return lambda: make_pipeline(TfidfVectorizer(sublinear_tf=True, **settings), model())


def _counts(model: Callable[[], Any], **settings: Any) -> Callable[[], Any]:
    return lambda: make_pipeline(CountVectorizer(**settings), model())


def _peers(name: str, *, is_long: bool = False, **settings: Any) -> tuple[Setting, ...]:
    """scikit-learn's usual three; `name` describes their tokens."""
    return (
        Setting(f"scikit-learn: tf-idf of {name}, LinearSVC", _tfidf(LinearSVC, **settings), is_long=is_long),
        Setting(f"scikit-learn: tf-idf of {name}, ComplementNB", _tfidf(ComplementNB, **settings), is_long=is_long),
        Setting(f"scikit-learn: counts of {name}, MultinomialNB", _counts(MultinomialNB, **settings), is_long=is_long),
    )


_TOPICS: dict[str, Any] = {"ngram_range": (1, 2), "analyzer": "word", "length": "unit", "classifier": "svm"}
OURS: Mapping[str, tuple[Setting, ...]] = {
    "20 Newsgroups": (
        Setting("`TextNB()`", db.TextNB, 0.83),
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
        Setting("`TextNB()`", db.TextNB),
        Setting(
            '`LogCountRatio(ngram_range=(1, 2), analyzer="word", tf="log", length="unit", alpha=0.1, '
            'classifier="svm")`',
            partial(db.LogCountRatio, tf="log", alpha=0.1, **_TOPICS),
            0.93,
        ),
    ),
    "SMS spam": (
        Setting("`TextNB()`", db.TextNB),
        Setting('`TextNB(analyzer="word_punct")`', partial(db.TextNB, analyzer="word_punct"), 0.95),
    ),
    "Ling-Spam": (Setting("`TextNB()`", db.TextNB, 0.99),),
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
    "20 Newsgroups": _peers("words"),
    "IMDB": _peers("1–2-grams", ngram_range=(1, 2), is_long=True),
    "Reuters R52": _peers("words"),
    "SMS spam": _peers("words"),
    "Ling-Spam": _peers("words"),
    "79 languages": _peers("1–4 characters", analyzer="char", ngram_range=(1, 4), is_long=True),
}
EM = Setting("`TextEM()`", db.TextEM)
EM_ALONE = Setting('`TextNB("multinomial", smoothing="loo")`', partial(db.TextNB, "multinomial", smoothing="loo"))
EM_GAIN = 0.08
EM_LABELLED, EM_DRAWS = 20, 3
EM_PEER = Setting("scikit-learn: counts of words, MultinomialNB", _counts(MultinomialNB))

_INTRO = """Measured with `python -m benchmarks --only text-accuracy` on {machine}. Settings are fixed. Those of
`LogCountRatio` for 20 Newsgroups and Reuters R52, and the smoothing of languages, were chosen on parts of the training
documents; the tokens of SMS are those of Mitchell's table 6.2; the rest are defaults. That scikit-learn's tf-idf takes
log counts was chosen on the test part of 20 Newsgroups, which favours scikit-learn. 20 Newsgroups is split by date and
keeps its headers; IMDB and Reuters R52 have splits of their own; SMS spam has ten stratified folds and Ling-Spam its
own ten, scored by their mean; languages are split in half at random, by class. The last rows learn from {labelled}
labelled documents a class of 20 Newsgroups' training part, drawn {draws} times, and `TextEM` from the others without
their labels.
"""
_HEAD = ("data", "model", "score", "figure", "at least", "holds?")


class Score(NamedTuple):
    """The score of a model, and the least that is promised."""

    title: str
    model: str
    measure: str
    found: float
    at_least: float | None = None

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        bound = ("—", "—")
        if self.at_least is not None:
            bound = f"{self.at_least:.4g}", yes_or_no(self.found >= self.at_least)
        return self.model, self.measure, f"{self.found:.4f}", *bound


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


def run(options: Options) -> str:
    """Score every model; the quick form leaves out those that take long. Only a note where the texts are absent."""
    intro = _INTRO.format(machine=describe_machine(), labelled=EM_LABELLED, draws=EM_DRAWS)
    if not TEXTS.is_dir():
        return f"{intro}\nNot measured: `../shared/data/text` is absent.\n"
    rows = []
    for row in _compare(options.is_quick):
        rows.append(row)
        show(row, options.console)
    return "\n".join([intro, markdown_table(_HEAD, rows)])


def _compare(is_quick: bool) -> Iterator[Score]:
    for task in TASKS:
        splits = task.read()
        for setting in (*OURS[task.title], *PEERS[task.title]):
            if not (is_quick and setting.is_long):
                yield _score(task, splits, setting)
    yield from _compare_em()


def _score(task: Task, splits: Sequence[Split], setting: Setting) -> Score:
    found = [task.score(test.y, setting.make().fit(*train).predict(test.X)) for train, test in splits]
    return Score(task.title, setting.title, task.measure, float(np.mean(found)), setting.at_least)


def _compare_em() -> Iterator[Score]:
    """With the same few labels: with the other documents, without them, and scikit-learn without them."""
    train, test = read_corpus("20newsgroups").splits()[0]
    found = np.array([_score_em(train, test, seed) for seed in range(EM_DRAWS)]).mean(axis=0).tolist()
    title = f"20 Newsgroups, {EM_LABELLED} labels a class"
    yield Score(title, EM.title, "accuracy", found[0], found[1] + EM_GAIN)
    yield Score(title, EM_ALONE.title, "accuracy", found[1])
    yield Score(title, EM_PEER.title, "accuracy", found[2])


def _score_em(train: Labelled, test: Labelled, seed: int) -> list[float]:
    draw = np.random.default_rng(seed)
    known = np.concatenate([draw.permutation(np.flatnonzero(train.y == c))[:EM_LABELLED] for c in np.unique(train.y)])
    labels = np.full(len(train.y), None, dtype=object)
    labels[known] = train.y[known]
    few = train.take(known)
    models = EM.make().fit(train.X, labels), EM_ALONE.make().fit(*few), EM_PEER.make().fit(*few)
    return [float(accuracy_score(test.y, model.predict(test.X))) for model in models]
