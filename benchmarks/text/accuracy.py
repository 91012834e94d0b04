"""The section `text-accuracy`: text models beside scikit-learn's, on the same documents.

The models and their fixed settings are in `benchmarks.text.settings`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.metrics import accuracy_score

from benchmarks.accuracy.halves import record
from benchmarks.accuracy.scores import MEASURES, Measure
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.options import Options
from benchmarks.harness.paths import TEXTS
from benchmarks.harness.report import BestInBold, markdown_table, yes_or_no
from benchmarks.harness.results import show
from benchmarks.text.corpora import Labelled, Split, read_corpus
from benchmarks.text.settings import AUTO_TEXT, COUNT_RATIO, EM_RIVALS, OURS, PAIRS, PEERS, TASKS, TEXT_NB, Setting
from benchmarks.text.trials import TextScore, TextTrials, fingerprint, open_store

__all__ = ["PARTS", "Row", "run"]

PARTS = ("text-peers",)
_EM_LABELLED, _EM_DRAWS, _EM_GAIN = 20, 3, 0.08
_OURS = ("`TextNB()`", "`LogCountRatio()`", "`AutoText()`")
_NO_PROBABILITIES = ("tf-idf of pairs, LinearSVC", "tf-idf, LinearSVC")
_DEFAULTS = (*_OURS, *_NO_PROBABILITIES, "tf-idf, LogisticRegression")
_MACRO_F1 = Measure("macro_f1", "macro F1", 4, is_more_better=True)

_INTRO = """Measured with `python -m benchmarks --only text-accuracy` on {machine}. Settings are fixed. 20 Newsgroups is
split by date and keeps its headers; IMDB and Reuters R52 have splits of their own; SMS spam has ten stratified folds
and Ling-Spam its own ten, scored by their mean; languages are split in half at random, by class.

The first three tables compare deciban's defaults with scikit-learn's tf-idf of words (IMDB: 1–2-grams; languages: 1–4
characters, for logistic regression only those in 5 documents or more, because all need too much memory) by macro F1, by
log loss in nats, and by the calibration error of the most probable class in 15 bins of equal width. LinearSVC, which
also takes words and pairs of words of each corpus, has no probabilities, so it is left out of two of them. That tf-idf
takes log counts was chosen on the test part of 20 Newsgroups, which favours scikit-learn. The C of logistic regression
was chosen for each corpus among 1, 10, 100 and 1,000 by log loss on held-out training documents, on documents of all
folds for SMS spam and Ling-Spam.
"""
_SETTINGS = """Single settings, and what is promised for them. Those of `LogCountRatio` for 20 Newsgroups and Reuters
R52, and the smoothing of languages, were chosen on parts of the training documents; the tokens of SMS are those of
Mitchell's table 6.2; the rest are defaults. The last rows learn from {labelled} labelled documents a class of 20
Newsgroups' training part, drawn {draws} times, and `TextEM` from the others without their labels.
"""
_HEAD = ("data", "model", "score", "figure", "at least", "holds?")


class Row(NamedTuple):
    """The score of a model by the measure of its corpus, and the least that is promised."""

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


def run(options: Options) -> str | None:
    """Score every model; the quick form leaves out those that take long. Only a note where the texts are absent."""
    intro = _INTRO.format(machine=describe_machine())
    if not TEXTS.is_dir():
        return f"{intro}\nNot measured: `../shared/data/text` is absent.\n"
    if options.parts:
        _keep_peers(options)
        return None
    rows: list[Row] = []
    defaults: dict[str, list[TextScore]] = {}
    for task in TASKS:
        trials = TextTrials(task, options)
        for setting in _chosen((*OURS[task.title], *PEERS[task.title]), options):
            rows.append(Row(task.title, setting.title, task.measure, trials.score(setting).own, setting.at_least))
            show(rows[-1], options.console)
        compared = TEXT_NB, COUNT_RATIO, AUTO_TEXT, PAIRS, *PEERS[task.title][:2]
        if len(_chosen(compared, options)) == len(compared):
            defaults[task.title] = [trials.score(setting) for setting in compared]
    rows += _compare_em(options)
    promised = _SETTINGS.format(labelled=_EM_LABELLED, draws=_EM_DRAWS)
    return "\n".join([intro, *_default_tables(defaults), promised, markdown_table(_HEAD, rows)])


def _keep_peers(options: Options) -> None:
    """Fit scikit-learn's models only, and keep their results."""
    for task in TASKS:
        trials = TextTrials(task, options)
        for setting in _chosen((PAIRS, *PEERS[task.title]), options):
            options.console.print(f"{task.title}, {setting.title}: {trials.score(setting)}", markup=False)
    _compare_em(options, peers_only=True)


def _chosen(settings: Sequence[Setting], options: Options) -> list[Setting]:
    return [setting for setting in settings if not (options.is_quick and setting.is_long)]


def _default_tables(scores: Mapping[str, Sequence[TextScore]]) -> Iterator[str]:
    """By macro F1, log loss and calibration error; then wins and losses."""
    f1 = {title: [score.macro_f1 for score in found] for title, found in scores.items()}
    yield _default_table(_MACRO_F1, _DEFAULTS, f1)
    for measure in MEASURES[1:]:
        values = {
            title: [getattr(score.score, measure.name) for score in found if score.score]
            for title, found in scores.items()
        }
        yield _default_table(measure, [name for name in _DEFAULTS if name not in _NO_PROBABILITIES], values)


def _default_table(measure: Measure, names: Sequence[str], values: Mapping[str, Sequence[float]]) -> str:
    bests = [BestInBold(title, found, measure.digits, measure.is_more_better) for title, found in values.items()]
    mean = np.mean(list(values.values()), axis=0).tolist()
    rows = [*bests, BestInBold("mean", mean, measure.digits, measure.is_more_better)]
    sign = 1 if measure.is_more_better else -1
    verdicts = []
    for ours in range(len(_OURS)):
        for peer in range(len(_OURS), len(names)):
            leads = [sign * round(found[ours] - found[peer], measure.digits) for found in values.values()]
            verdicts.append(f"{names[ours]} against {names[peer]}: {record(leads)}")
    return f"{markdown_table((measure.title, *names), rows)}\n{'. '.join(verdicts)}.\n"


def _compare_em(options: Options, peers_only: bool = False) -> list[Row]:
    """With the same few labels: with the other documents, without them, and scikit-learn without them."""
    train, test = read_corpus("20newsgroups").splits()[0]
    store, data = open_store(options), fingerprint(Split(train, test))
    title = f"20 Newsgroups, {_EM_LABELLED} labels a class"
    found = [
        np.mean(
            [
                store.get(
                    title,
                    rival.title,
                    {"data": data, "settings": rival.key, "seed": seed},
                    partial(_score_em, rival, train, test, seed),
                )
                for seed in range(_EM_DRAWS)
            ]
        )
        for rival in EM_RIVALS
        if not (peers_only and rival.is_ours)
    ]
    if peers_only:
        return []
    bounds = float(found[1]) + _EM_GAIN, None, None
    return [
        Row(title, rival.title, "accuracy", float(figure), bound)
        for rival, figure, bound in zip(EM_RIVALS, found, bounds, strict=True)
    ]


def _score_em(rival: Setting, train: Labelled, test: Labelled, seed: int) -> float:
    """The accuracy after the labels that a seed draws; `TextEM` gets the other documents too."""
    draw = np.random.default_rng(seed)
    known = np.concatenate([draw.permutation(np.flatnonzero(train.y == c))[:_EM_LABELLED] for c in np.unique(train.y)])
    labels = np.full(len(train.y), None, dtype=object)
    labels[known] = train.y[known]
    data = (train.X, labels) if rival is EM_RIVALS[0] else train.take(known)
    return float(accuracy_score(test.y, rival.make().fit(*data).predict(test.X)))
