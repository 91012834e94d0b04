"""Three of five folds of a table, scored and timed, with results that are kept on disk.

Seconds are of the processor, of fit and predict together, with one thread: a machine that is busy with other work does
not change them much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from benchmarks.accuracy.scores import Fold, Score, judge
from benchmarks.accuracy.tables import Table
from benchmarks.accuracy.trials import Contestant, quiet_peers
from benchmarks.harness.store import Store

__all__ = ["FOLDS", "OF_FOLDS", "Result", "results_of"]

FOLDS, OF_FOLDS = 3, 5


class Result(NamedTuple):
    """The score of a classifier on a table, the mean seconds of a fold, and the rows of the table."""

    accuracy: float
    log_loss: float
    calibration_error: float
    seconds: float
    rows: float

    @classmethod
    def of_folds(cls, folds: Iterable[tuple[Fold, float]], rows: int) -> Result:
        """The score of all rows that were predicted."""
        found, seconds = zip(*folds, strict=True)
        return cls(*Score.of_folds(found), float(np.mean(seconds)), rows)

    @classmethod
    def mean(cls, results: Iterable[Result]) -> Result:
        """The mean over several tables."""
        return cls(*np.mean(list(results), axis=0).tolist())


def results_of(table: Table, contestants: Iterable[Contestant], store: Store) -> Iterator[tuple[str, Result]]:
    """Each classifier on the same folds."""
    with quiet_peers():
        folds = list(StratifiedKFold(OF_FOLDS, shuffle=True, random_state=0).split(table.X, table.y))[:FOLDS]
    marked, fingerprint = table.marked, table.fingerprint()
    for contestant in contestants:
        X = marked if contestant.is_peer else table.X
        found = []
        for number, (train, test) in enumerate(folds):
            key = {"data": fingerprint, "settings": contestant.settings, "fold": f"{number} of {OF_FOLDS}"}
            work = partial(_measure, contestant, X, table.y, train, test)
            fold, seconds = store.get(table.name, contestant.name, key, work)
            found.append((Fold(*fold), seconds))
        yield contestant.name, Result.of_folds(found, len(table.X))


def _measure(
    contestant: Contestant, X: pd.DataFrame, y: NDArray[Any], train: NDArray[np.int64], test: NDArray[np.int64]
) -> tuple[Fold, float]:
    with quiet_peers():
        start = process_time()
        model = contestant.make().fit(X.iloc[train], y[train])
        posterior = np.asarray(model.predict_proba(X.iloc[test]))
        seconds = process_time() - start
    return judge(posterior, list(model.classes_), y[test]), seconds
