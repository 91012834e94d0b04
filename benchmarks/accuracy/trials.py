"""Cross-validation with results that are kept on disk, fold by fold.

Outer folds are reported. Inner folds are made of the training rows of one outer fold, and are there to choose a
candidate without the rows that are reported.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from benchmarks.accuracy.scores import Fold, Measure, Score, best_candidate, judge
from benchmarks.accuracy.tables import Table
from benchmarks.harness.options import Options
from benchmarks.harness.store import Store

__all__ = ["FOLDS", "INNER_FOLDS", "SEEDS", "Choice", "Contestant", "Trials", "quiet_peers"]

FOLDS, INNER_FOLDS, SEEDS = 10, 5, (0, 1)
_QUICK_FOLDS = 2


class Contestant(NamedTuple):
    """A classifier.

    Parameters
    ----------
    make : makes it, unfitted
    settings : a text that differs wherever results may differ: parameters, encoding, versions of packages
    is_peer : whether it reads the table in the form that is made for scikit-learn
    """

    name: str
    make: Callable[[], Any]
    settings: str
    is_peer: bool = True


class Choice(NamedTuple):
    """The score of the candidates that were chosen on inner folds, and how often each was."""

    score: Score
    counts: dict[str, int]


class Trials:
    """One table: the same folds for every contestant."""

    def __init__(self, table: Table, options: Options) -> None:
        self.table, self._store = table, Store(options.results / "accuracy", options.is_fresh)
        self._seeds = SEEDS[:1] if options.is_quick else SEEDS
        self._fold_count = _QUICK_FOLDS if options.is_quick else FOLDS

    def score(self, contestant: Contestant) -> Score:
        """Means over the seeds."""
        return Score.mean(
            Score.of_folds(self._outer(contestant, seed, number) for number in range(self._fold_count))
            for seed in self._seeds
        )

    def choose(self, candidates: Sequence[Contestant], measure: Measure) -> Choice:
        """Score, in each outer fold, the candidate that is the best by a measure on the inner folds."""
        by_name = {candidate.name: candidate for candidate in candidates}
        chosen, scores = [], []
        for seed in self._seeds:
            folds = []
            for number in range(self._fold_count):
                inner = {name: Score.of_folds([self._inner(c, seed, number)]) for name, c in by_name.items()}
                chosen.append(best_candidate(inner, measure))
                folds.append(self._outer(by_name[chosen[-1]], seed, number))
            scores.append(Score.of_folds(folds))
        counts = {name: chosen.count(name) for name in sorted(set(chosen), key=lambda name: -chosen.count(name))}
        return Choice(Score.mean(scores), counts)

    def _outer(self, contestant: Contestant, seed: int, number: int) -> Fold:
        train, test = self._splits[seed][number]
        return self._kept(contestant, seed, number, "", partial(self._fit_and_judge, contestant, train, test))

    def _inner(self, contestant: Contestant, seed: int, number: int) -> Fold:
        """All inner folds as one."""
        train, _ = self._splits[seed][number]
        return self._kept(contestant, seed, number, " on inner folds", lambda: self._over(contestant, train, seed))

    def _over(self, contestant: Contestant, rows: NDArray[np.int64], seed: int) -> Fold:
        folds = StratifiedKFold(INNER_FOLDS, shuffle=True, random_state=seed)
        with quiet_peers():
            splits = list(folds.split(rows, self.table.y[rows]))
        found = [self._fit_and_judge(contestant, rows[train], rows[test]) for train, test in splits]
        sizes, correct, loss, excess = zip(*found, strict=True)
        return Fold(sum(sizes), sum(correct), sum(loss), np.sum(excess, axis=0).tolist())

    def _kept(self, contestant: Contestant, seed: int, number: int, suffix: str, compute: Callable[[], Fold]) -> Fold:
        key = {"data": self._fingerprint, "settings": contestant.settings, "seed": seed, "fold": number}
        return Fold(*self._store.get(self.table.name, contestant.name + suffix, key, compute))

    def _fit_and_judge(self, contestant: Contestant, train: NDArray[np.int64], test: NDArray[np.int64]) -> Fold:
        X, y = self._marked if contestant.is_peer else self.table.X, self.table.y
        with quiet_peers():
            model = contestant.make().fit(X.iloc[train], y[train])
            return judge(np.asarray(model.predict_proba(X.iloc[test])), model.classes_.tolist(), y[test])

    @cached_property
    def _splits(self) -> list[list[tuple[NDArray[np.int64], NDArray[np.int64]]]]:
        """The training and test rows of each fold, by seed."""
        with quiet_peers():
            folds = [StratifiedKFold(FOLDS, shuffle=True, random_state=seed) for seed in SEEDS]
            return [list(fold.split(self.table.X, self.table.y)) for fold in folds]

    @cached_property
    def _marked(self) -> pd.DataFrame:
        return self.table.marked

    @cached_property
    def _fingerprint(self) -> str:
        return self.table.fingerprint()


@contextmanager
def quiet_peers() -> Iterator[None]:
    """One thread, and none of scikit-learn's warnings about rare classes, bins, unknown labels and iterations."""
    with threadpool_limits(1), warnings.catch_warnings():
        for expected in (
            "The least populated class",
            "Bins whose width",
            "Feature .* is constant",
            "Found unknown categories",
            "Skipping features without any observed values",
        ):
            warnings.filterwarnings("ignore", expected)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
