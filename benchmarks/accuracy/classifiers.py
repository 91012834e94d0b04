"""The section `nets-classifiers`: models beyond the naive assumption, on the same ten folds; and AODE on KDD Cup 99.

Naive Bayes with its defaults and with all numbers binned by minimum description length, `TAN`, `AODE` and
`BayesNetClassifier` have their default parameters. Beside them are the most accurate of scikit-learn's naive Bayes
classifiers (`benchmarks.accuracy.candidates`), chosen on the very folds that are reported, and
`HistGradientBoostingClassifier`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import deciban as db
from benchmarks.accuracy.candidates import Codes, candidates, split_columns
from benchmarks.accuracy.scores import Score, best_score, cross_validate, quiet_peers
from benchmarks.accuracy.tables import Table, read_tables
from benchmarks.harness.machine import describe_machine, describe_others, others_since, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.paths import TABLES
from benchmarks.harness.report import markdown_table
from benchmarks.harness.results import Findings
from benchmarks.tables.connections import measure_memory, time_connections
from deciban.errors import InputError

__all__ = ["mean_ranks", "run"]

_FOLDS, _SEED = 10, 0
_ROUNDS = 3
_MOST_CATEGORIES = 255
_OURS = ("NaiveBayes", "NaiveBayes, bins", "TAN", "AODE", "BayesNetClassifier", "…, augmented")
_NAMES = (*_OURS, "scikit-learn's best NB", "HistGradientBoosting")

_INTRO = """Means over {folds} folds (stratified, shuffled, one seed), measured with `python -m benchmarks --only
nets-classifiers` on {machine}. deciban's models have their default parameters: `NaiveBayes()`; the same with all
numbers binned by minimum description length, as `TAN`, `AODE` and `BayesNetClassifier` bin them; and these three, the
last with the net that has the best BIC and with the best of those in which the class is a parent of every column
("augmented"), both with missing values as states. scikit-learn's best naive Bayes is chosen on the very folds that are
reported; `HistGradientBoostingClassifier` gets labels as categories. The defaults of `TAN` and `AODE` (`strength`,
`least`), of 16 settings tried, and their rule for unseen labels were chosen by five folds of these same tables (of at
most 5,000 rows), so the figures favour them.
"""
_RANKS = "Ranks are over all columns, 1 is the best, ties share; means over the {count} tables.\n"
_SPEED = """KDD Cup 99 is a pyarrow table of 494,021 rows, 41 columns and 23 classes. Times are medians of three runs;
memory is the rise of the peak resident size over one call in a fresh process, the highest of three.{others}
"""


@dataclass(frozen=True)
class Comparison:
    """One data set: the score of each model."""

    title: str
    scores: dict[str, Score]
    measure: str

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title; the best is in bold."""
        digits = 4 if self.measure == "accuracy" else 3
        values = [round(getattr(self.scores[name], self.measure), digits) for name in _NAMES]
        best = max(values) if self.measure == "accuracy" else min(values)
        return tuple(f"**{v:.{digits}f}**" if v == best else f"{v:.{digits}f}" for v in values)


@dataclass(frozen=True)
class MeanRanks:
    """The last row of a table."""

    title: str
    ranks: Sequence[float]

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        return tuple(f"{rank:.2f}" for rank in self.ranks)


def run(options: Options) -> str:
    """Score every model on every data set that is there, and measure AODE on KDD Cup 99."""
    scores, notes = {}, []
    for table in read_tables(options):
        try:
            scores[table.name] = found = _compare(table)
        except InputError as error:
            notes.append(f"{table.name} is not scored, because a model refuses it: {error}\n")
            options.console.print(notes[-1], markup=False)
            continue
        figures = ", ".join(f"{name} {score.accuracy:.4f}/{score.log_loss:.3f}" for name, score in found.items())
        options.console.print(f"[bold]{table.name}[/]: {figures}")
    start, costs = read_usage(), Findings()
    if TABLES.is_dir():
        costs.collect(time_connections("AODE", options.scale, _ROUNDS), options.console)
        costs.collect([measure_memory("AODE", "fit", options.scale)], options.console)
    parts = [_INTRO.format(folds=_FOLDS, machine=describe_machine()), *_tables(scores), *notes]
    return "\n".join([*parts, costs.render(_SPEED.format(others=describe_others(others_since(start))))])


def _tables(scores: dict[str, dict[str, Score]]) -> Iterator[str]:
    for measure, title in (("accuracy", "accuracy"), ("log_loss", "log loss")):
        rows: list[Comparison | MeanRanks] = [Comparison(name, found, measure) for name, found in scores.items()]
        rows.append(MeanRanks("mean rank", mean_ranks(scores, measure).tolist()))
        yield markdown_table((title, *_NAMES), rows)
    yield _RANKS.format(count=len(scores))


def mean_ranks(scores: dict[str, dict[str, Score]], measure_name: str) -> NDArray[np.float64]:
    """The mean rank of each model by the figures as printed."""
    sign, digits = (-1, 4) if measure_name == "accuracy" else (1, 3)
    table = [[sign * round(getattr(row[name], measure_name), digits) for name in _NAMES] for row in scores.values()]
    return np.asarray(rankdata(table, axis=1).mean(axis=0))


def _compare(table: Table) -> dict[str, Score]:
    y, marked = table.y, table.marked
    with quiet_peers():
        found = {name: cross_validate(make, table.X, y, _FOLDS) for name, make in _ours(table)}
        peers = {name: cross_validate(make, marked, y, _FOLDS) for name, make in candidates(marked)}
        found[_NAMES[-2]] = peers[best_score(peers)]
        found[_NAMES[-1]] = cross_validate(lambda: _Boosted(marked), marked, y, _FOLDS)
    return found


def _ours(table: Table) -> Iterator[tuple[str, Callable[[], Any]]]:
    markers = table.markers
    coded = db.AODE(na_values=markers).fit(table.X, table.y).schema_
    cut = {plan.name: db.Binned(how="mdl") for plan in coded if isinstance(plan.distribution, db.Cut)}
    yield _OURS[0], lambda: db.NaiveBayes(na_values=markers)
    yield _OURS[1], lambda: db.NaiveBayes(cut, na_values=markers)
    yield _OURS[2], lambda: db.TAN(na_values=markers)
    yield _OURS[3], lambda: db.AODE(na_values=markers)
    yield _OURS[4], lambda: db.BayesNetClassifier(na_values=markers, missing="state")
    yield _OURS[5], lambda: db.BayesNetClassifier("augmented", na_values=markers, missing="state")


class _Boosted:
    """HistGradientBoostingClassifier on codes of the labels, which are categories if there are at most 255."""

    def __init__(self, X: pd.DataFrame) -> None:
        self._labels, self._numbers = split_columns(X)
        self._codes = Codes.of(X[self._labels])
        few = [size <= _MOST_CATEGORIES for size in self._codes.sizes]
        self._model = HistGradientBoostingClassifier(
            categorical_features=[*few, *(False for _ in self._numbers)], random_state=_SEED
        )

    def fit(self, X: pd.DataFrame, y: Any) -> _Boosted:
        with threadpool_limits(1):  # with several, it is slow on a machine that other processes use too
            self._model.fit(self._encoded(X), y)
        self.classes_ = self._model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        return np.asarray(self._model.predict_proba(self._encoded(X)))

    def _encoded(self, X: pd.DataFrame) -> NDArray[np.float64]:
        labelled = zip(self._labels, self._codes.labels, strict=True)
        columns = [pd.Categorical(X[name], categories=labels).codes for name, labels in labelled]
        coded = [np.where(codes < 0, np.nan, codes) for codes in columns]
        return np.column_stack([*coded, X[self._numbers].to_numpy(dtype=np.float64)])
