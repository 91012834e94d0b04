"""The section `nets-classifiers`: deciban's classifiers beside scikit-learn's strong ones, on the same folds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from benchmarks.accuracy.halves import ABSENT, BOUNDS, describe_halves, missing_tables, record
from benchmarks.accuracy.ours import OURS, own_classifiers
from benchmarks.accuracy.peers import PEERS, strong_peers
from benchmarks.accuracy.scores import MEASURES, Measure, Score, best_candidate
from benchmarks.accuracy.tables import HALVES, Table, read_tables
from benchmarks.accuracy.times import time_section
from benchmarks.accuracy.trials import FOLDS, SEEDS, Contestant, Trials
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.options import Options
from benchmarks.harness.report import BestInBold, markdown_table
from benchmarks.harness.results import Findings, Limit
from deciban.errors import InputError

__all__ = ["PARTS", "bounds", "describe_losses", "mean_ranks", "run"]

PARTS = ("classifiers-peers", "classifiers-scores", "classifiers-times")
_PEERS_ONLY, _SCORES, _TIMES = PARTS
_FOREST = PEERS[1]
_PROMISED = ("KDB", "AutoBayes")
Scores = dict[str, dict[str, Score]]

_INTRO = """{folds} stratified, shuffled folds and {seeds} seeds, measured with `python -m benchmarks --only
nets-classifiers` on {machine}. {halves}

deciban's classifiers have their default parameters. Logistic regression (at most 1,000 iterations) and the random
forest (100 trees) get one column per label, with a missing label as one more, and the median of missing numbers with a
column that says where they are; logistic regression gets numbers standardized. `HistGradientBoostingClassifier` gets
labels as categories and reads missing values. Numbers that are codes of categories by their documentation (soybean,
horse_colic) are labels for scikit-learn's. deciban's get the table as the file has it. A forest that gives the true
class the probability 0 pays 36 nats, as in scikit-learn's `log_loss`.

Ranks are over all columns, 1 is the best, ties share. Purely categorical: {categorical}.
"""
_AGAINST = """On the reporting half, each of deciban's classifiers against each of scikit-learn's, with the mean of the
differences, where more than 0 is better. The last column is the mean rank by log loss of deciban's classifier and of
logistic regression, random forest and HistGradientBoosting, among these four.
"""


class Against(NamedTuple):
    """One of deciban's classifiers and one of scikit-learn's by each measure."""

    title: str
    cells: tuple[str, ...]

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        return self.cells


def run(options: Options) -> str | None:
    """Score every classifier on every table that is there, and time those on the large tables."""
    scores, categorical, notes = {}, [], []
    for half in HALVES if not options.parts or {_PEERS_ONLY, _SCORES} & set(options.parts) else ():
        scores[half], some, more = _score_half(half, options)
        categorical += some
        notes += more
    times = time_section(options) if options.has(_TIMES) else ""
    if options.parts:
        return None
    intro = _INTRO.format(
        folds=FOLDS,
        seeds=len(SEEDS),
        machine=describe_machine(),
        halves=describe_halves(),
        categorical=", ".join(categorical),
    )
    missing = missing_tables([name for found in scores.values() for name in found])
    absent = [ABSENT.format(names=", ".join(missing))] if missing else []
    return "\n".join([intro, *_tables(scores, categorical), *notes, *absent, times])


def _score_half(half: str, options: Options) -> tuple[Scores, list[str], list[str]]:
    """The scores by table, the tables that are purely categorical, and notes about those that a model refuses."""
    scores: Scores = {}
    categorical, notes = [], []
    for table in read_tables(options, half):
        try:
            scores[table.name] = found = _score(table, options)
        except InputError as error:
            notes.append(f"{table.name} is not scored, because a model refuses it: {error}\n")
            options.console.print(notes[-1], markup=False)
            continue
        if table.is_categorical:
            categorical.append(table.name)
        figures = (f"{name} {' / '.join(f'{value:.4f}' for value in score)}" for name, score in found.items())
        options.console.print(f"[bold]{table.name}[/]: {', '.join(figures)}")
    return scores, categorical, notes


def _score(table: Table, options: Options) -> dict[str, Score]:
    trials = Trials(table, options)
    ours: tuple[Contestant, ...] = () if _PEERS_ONLY in options.parts else own_classifiers(table)
    return {contestant.name: trials.score(contestant) for contestant in (*ours, *strong_peers(table))}


def _tables(scores: Mapping[str, Scores], categorical: Sequence[str]) -> Iterator[str]:
    """The reporting half first."""
    for half in reversed([half for half, found in scores.items() if found]):
        for measure in MEASURES:
            yield _table(half, scores[half], measure, categorical)
        if half == "reporting":
            yield _AGAINST
            head = "classifiers", *(measure.title for measure in MEASURES), "mean ranks by log loss"
            yield markdown_table(head, [*_against(scores[half])])
            yield from (describe_losses(scores[half], name) for name in OURS[1:])
            found = (bounds(scores[half], name, categorical) for name in _PROMISED if name in OURS)
            yield Findings(limits=list(chain.from_iterable(found))).render(BOUNDS)


def _table(half: str, scores: Scores, measure: Measure, categorical: Sequence[str]) -> str:
    """The figures of a half by one measure, their means, and the mean ranks."""

    def mean(title: str, names: Sequence[str]) -> BestInBold:
        rows = [[getattr(scores[table][name], measure.name) for name in columns] for table in names]
        return BestInBold(title, np.mean(rows, axis=0).tolist(), measure.digits, measure.is_more_better)

    columns = list(next(iter(scores.values())))
    rows = [mean(table, [table]) for table in scores]
    rows.append(mean("mean", list(scores)))
    if some := [table for table in scores if table in categorical]:
        rows.append(mean("mean of the categorical", some))
    rows.append(BestInBold("mean rank", mean_ranks(scores, measure, columns).tolist(), 2, is_more_better=False))
    return markdown_table((f"{half} half: {measure.title}", *columns), rows)


def mean_ranks(scores: Scores, measure: Measure, names: Sequence[str]) -> NDArray[np.float64]:
    """The mean rank of each of the classifiers among them, by the figures as printed."""
    sign = -1 if measure.is_more_better else 1
    table = [[sign * measure.rounded(row[name]) for name in names] for row in scores.values()]
    return np.asarray(rankdata(table, axis=1).mean(axis=0))


def _against(scores: Scores) -> Iterator[Against]:
    for ours in OURS:
        ranks = mean_ranks(scores, MEASURES[1], [ours, *PEERS])
        for peer in PEERS:
            pairs = [(row[ours], row[peer]) for row in scores.values()]
            cells = tuple(_difference(pairs, measure) for measure in MEASURES)
            yield Against(f"`{ours}` against {peer}", (*cells, " / ".join(f"{rank:.2f}" for rank in ranks)))


def bounds(scores: Scores, ours: str, categorical: Sequence[str]) -> Iterator[Limit]:
    """What is promised for a classifier: a better mean rank by log loss than each peer, and the forest's accuracy."""
    rank, *ranks = mean_ranks(scores, MEASURES[1], [ours, *PEERS]).tolist()
    for peer, theirs in zip(PEERS, ranks, strict=True):
        yield Limit(f"`{ours}`: mean rank by log loss, and that of {peer}, of four", rank, theirs, "")
    for title, most, tables in (
        ("all tables", 0.01, list(scores)),
        ("categorical tables", 0.0, [table for table in scores if table in categorical]),
    ):
        if tables:
            behind = [scores[table][_FOREST].accuracy - scores[table][ours].accuracy for table in tables]
            yield Limit(f"`{ours}`: accuracy behind the {_FOREST}, mean of {title}", float(np.mean(behind)), most, "")


def describe_losses(scores: Scores, ours: str) -> str:
    """The tables on which a classifier is behind the forest by accuracy, or behind the best peer by log loss."""
    accuracy, log_loss, _ = MEASURES
    less_accurate, higher_loss = [], []
    for table, row in scores.items():
        best = best_candidate({name: row[name] for name in PEERS}, log_loss)
        if (lead := accuracy.lead(row[ours], row[_FOREST])) < 0:
            less_accurate.append(f"{table} (by {accuracy.text(-lead)})")
        if (lead := log_loss.lead(row[ours], row[best])) < 0:
            higher_loss.append(f"{table} (by {log_loss.text(-lead)}, {best})")
    return (
        f"`{ours}` is less accurate than the {_FOREST} on: {', '.join(less_accurate) or 'none'}. "
        f"Its log loss is higher than that of the best of the three on: {', '.join(higher_loss) or 'none'}.\n"
    )


def _difference(pairs: Sequence[tuple[Score, Score]], measure: Measure) -> str:
    leads = [measure.lead(ours, theirs) for ours, theirs in pairs]
    return f"{record(leads)}; {np.mean(leads):+.{measure.digits}f}"
