"""Accuracy and log loss of models beyond the naive assumption, on the same ten folds; and AODE's time on KDD Cup 99.

Naive Bayes as it comes and with all numbers cut by minimum description length, `TAN`, `AODE` and `BayesNetClassifier`
run as they come. Beside them stand the most accurate of scikit-learn's naive Bayes classifiers (`benchmarks.peers`),
chosen on the very folds that are reported, and `HistGradientBoostingClassifier`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import timeit
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from rich.console import Console
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import deciban as db
from benchmarks.accuracy import TABLES, Score, _read_all
from benchmarks.connections import _read_connections
from benchmarks.machine import describe_machine, others_since, read_usage
from benchmarks.memory import Peak, measure_rise
from benchmarks.peers import Codes, candidates, split_columns
from benchmarks.promises import Limit
from benchmarks.report import markdown_table

__all__ = ["Findings", "compare_classifiers", "render_classifiers"]

_ROOT = Path(__file__).resolve().parents[1]
_FOLDS, _SEED = 10, 0
_QUICK_ROWS = 1_000
_ROUNDS = 3
_MOST_CATEGORIES = 255
_OURS = ("NaiveBayes", "NaiveBayes, bins", "TAN", "AODE", "BayesNetClassifier", "…, augmented")
_NAMES = (*_OURS, "scikit-learn's best NB", "HistGradientBoosting")

_INTRO = """## Beyond the naive assumption

Means over {folds} folds (stratified, shuffled, one seed), measured with `python -m benchmarks --only nets-classifiers`
on {machine}. deciban's models run as they come: `NaiveBayes()`; the same with all numbers cut by minimum description
length, as `TAN`, `AODE` and `BayesNetClassifier` cut them; and these three, the last with the net that BIC likes best
and with the best of those in which the class is a parent of every column ("augmented"), both with missing values as
states. scikit-learn's best naive Bayes is chosen on the very folds that are reported; `HistGradientBoostingClassifier`
gets labels as categories. The defaults of `TAN` and `AODE` (`strength`, `least`), of 16 settings
tried, and their rule for labels that were never seen were chosen by five folds of these same tables (of at most 5,000
rows), so the figures favour them.
"""
_RANKS = "Ranks are over all columns, 1 is the best, ties share; means over the {count} tables.\n"
_SPEED = """KDD Cup 99 is a pyarrow table of 494,021 rows, 41 columns and 23 classes. Times are medians of three runs;
memory is the rise of the peak resident size over one call in a fresh process, the highest of three.{others}
"""


@dataclass(frozen=True)
class Comparison:
    """One data set: the score of each contestant."""

    title: str
    scores: dict[str, Score]
    measure: str

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside; the best stands out."""
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
        """The row as text, its name aside."""
        return tuple(f"{rank:.2f}" for rank in self.ranks)


@dataclass(frozen=True)
class Findings:
    """Scores by data set, and the figures of KDD Cup 99."""

    scores: dict[str, dict[str, Score]]
    limits: list[Limit]
    others: float | None = None


def compare_classifiers(console: Console, *, is_quick: bool = False) -> Findings:
    """Score every contestant on every data set that is there; `is_quick`: only on the small ones."""
    scores = {}
    for name, X, y, markers in _read_all():
        if is_quick and len(X) > _QUICK_ROWS:
            continue
        scores[name] = _compare(X, y, markers)
        console.print(
            f"[bold]{name}[/]: " + ", ".join(f"{k} {s.accuracy:.4f}/{s.log_loss:.3f}" for k, s in scores[name].items())
        )
    start = read_usage()
    limits = _time_connections(0.05 if is_quick else 1.0) if TABLES.is_dir() else []
    others = others_since(start)
    for limit in limits:
        console.print(f"[bold]{limit.title}[/]: {', '.join(limit.figures())}")
    return Findings(scores, limits, others)


def render_classifiers(found: Findings) -> str:
    """The section, in Markdown."""
    parts = [_INTRO.format(folds=_FOLDS, machine=describe_machine())]
    for measure_name, title in (("accuracy", "accuracy"), ("log_loss", "log loss")):
        rows: list[Comparison | MeanRanks] = [Comparison(name, s, measure_name) for name, s in found.scores.items()]
        rows.append(MeanRanks("mean rank", mean_ranks(found.scores, measure_name).tolist()))
        parts.append(markdown_table((title, *_NAMES), rows))
    parts.append(_RANKS.format(count=len(found.scores)))
    if found.limits:
        others = (
            ""
            if found.others is None
            else f" Other processes took {100 * found.others:.0f} % of the machine meanwhile."
        )
        parts += [_SPEED.format(others=others), markdown_table(("work", "deciban", "at most", "holds?"), found.limits)]
    return "\n".join(parts)


def mean_ranks(scores: dict[str, dict[str, Score]], measure_name: str) -> NDArray[np.float64]:
    """The mean rank of each contestant by the figures as printed."""
    sign, digits = (-1, 4) if measure_name == "accuracy" else (1, 3)
    table = [[sign * round(getattr(row[name], measure_name), digits) for name in _NAMES] for row in scores.values()]
    return np.asarray(rankdata(table, axis=1).mean(axis=0))


def _compare(X: pd.DataFrame, y: NDArray[Any], markers: tuple[str, ...]) -> dict[str, Score]:
    marked = X.mask(X.isin(markers)) if markers else X
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "(The least populated class|Bins whose width|Feature .* is constant|Found unknown categories)"
        )
        found = {name: _score(make, X, y) for name, make in _ours(X, y, markers)}
        peers = [_score(make, marked, y) for _, make in candidates(marked)]
        found[_NAMES[-2]] = max(peers, key=lambda score: (score.accuracy, -score.log_loss))
        found[_NAMES[-1]] = _score(lambda: _Boosted(marked), marked, y)
    return found


def _ours(X: pd.DataFrame, y: NDArray[Any], markers: tuple[str, ...]) -> Iterator[tuple[str, Callable[[], Any]]]:
    coded = db.AODE(na_values=markers).fit(X, y).schema_
    cut = {plan.name: db.Binned(how="mdl") for plan in coded if isinstance(plan.distribution, db.Cut)}
    yield _OURS[0], lambda: db.NaiveBayes(na_values=markers)
    yield _OURS[1], lambda: db.NaiveBayes(cut, na_values=markers)
    yield _OURS[2], lambda: db.TAN(na_values=markers)
    yield _OURS[3], lambda: db.AODE(na_values=markers)
    yield _OURS[4], lambda: db.BayesNetClassifier(na_values=markers, missing="state")
    yield _OURS[5], lambda: db.BayesNetClassifier("augmented", na_values=markers, missing="state")


def _score(make: Callable[[], Any], X: pd.DataFrame, y: NDArray[Any]) -> Score:
    scores = []
    for train, test in StratifiedKFold(_FOLDS, shuffle=True, random_state=_SEED).split(X, y):
        model = make().fit(X.iloc[train], y[train])
        posterior = model.predict_proba(X.iloc[test])
        hits = model.classes_[posterior.argmax(axis=1)] == y[test]
        scores.append((hits.mean(), log_loss(y[test], posterior, labels=model.classes_)))
    return Score(*map(float, np.mean(scores, axis=0)))


class _Boosted:
    """HistGradientBoostingClassifier on codes of the labels, which are categories where there are at most 255."""

    def __init__(self, X: pd.DataFrame) -> None:
        self._labels, self._numbers = split_columns(X)
        self._codes = Codes.of(X[self._labels])
        few = [size <= _MOST_CATEGORIES for size in self._codes.sizes]
        self._model = HistGradientBoostingClassifier(
            categorical_features=[*few, *(False for _ in self._numbers)], random_state=_SEED
        )

    def fit(self, X: pd.DataFrame, y: Any) -> _Boosted:
        with threadpool_limits(1):  # its threads wait for one another badly where others use the machine, too
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


# KDD Cup 99 ----------------------------------------------------------------------------------------------------------


def _time_connections(scale: float) -> list[Limit]:
    X, y = _read_connections(scale)
    model = db.AODE().fit(X, y)
    model.predict(X.slice(0, 100))  # makes the tables
    work = "AODE on KDD Cup 99, 494,021 × 41, 23 classes"
    tasks = {"fit": (lambda: db.AODE().fit(X, y), 10), "predict": (lambda: model.predict(X), 20)}
    limits = [
        Limit(f"{work}: {verb}", float(np.median(timeit.repeat(task, number=1, repeat=_ROUNDS))), at_most, "s")
        for verb, (task, at_most) in tasks.items()
    ]
    command = [sys.executable, "-m", "benchmarks.nets_classifiers", str(scale)]
    runs = [subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=_ROOT) for _ in range(_ROUNDS)]
    peak = max(Peak(*json.loads(run.stdout)) for run in runs)
    title = f"{work}: memory of fit above the table of {peak.input / 1e6:.0f} MB"
    return [*limits, Limit(title, peak.above / 1e6, 400, "MB", peak.is_exact)]


def main() -> None:
    """Measure the peak of AODE's fit in this interpreter, and print it as JSON."""
    X, y = _read_connections(float(sys.argv[1]))
    some = np.arange(0, len(X), 200)
    db.AODE().fit(X.take(some), y.take(some))
    pa.default_memory_pool().release_unused()  # Arrow has a heap of its own, which reading the file has filled
    above, is_exact = measure_rise(lambda: db.AODE().fit(X, y))
    print(json.dumps(Peak(above, X.nbytes, is_exact)))


if __name__ == "__main__":
    main()
