"""The peers of the section: scikit-learn's three of `nets-classifiers`, LightGBM, EBM and CatBoost.

===========  ============================================  =============================================
classifier   labels                                        numbers
===========  ============================================  =============================================
LightGBM     its own categories                            as they are; it reads missing values
EBM          its own categories                            as they are; it reads missing values
CatBoost     its own categories, missing is a label        as they are; it reads missing values
===========  ============================================  =============================================

Parameters are defaults, but EBM has 4 outer bags instead of 14, one over 5,000 rows, and CatBoost 300 iterations
instead of 1,000, because a fit takes minutes otherwise. EBM is fitted where there are at most 20,000 rows and 100
columns, CatBoost where there are at most 10,000 rows, 100 columns and two classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.accuracy.peers import PEERS as STRONG
from benchmarks.accuracy.peers import strong_peers
from benchmarks.accuracy.tables import Table, split_columns
from benchmarks.accuracy.trials import Contestant
from benchmarks.harness.builds import peer_versions
from benchmarks.harness.machine import missing_peer

__all__ = ["CATBOOST", "PACKAGES_OF_PEERS", "PEERS", "peers"]

_LIGHTGBM, _EBM, CATBOOST = "LightGBM", "EBM", "CatBoost"
PEERS = (_LIGHTGBM, *STRONG, _EBM, CATBOOST)
PACKAGES_OF_PEERS = ("lightgbm", "interpret-core", "catboost")
_COLUMNS, _MANY_ROWS = 100, 5_000


class _Optional(NamedTuple):
    """A peer that may be absent, and the largest table that it is fitted to."""

    package: str
    make: Callable[[Table, list[int]], Any]
    rows: float = np.inf
    columns: float = np.inf
    classes: float = np.inf
    has_missing_label: bool = False

    def can_fit(self, table: Table) -> bool:
        """Whether the package is there and the table not too large."""
        rows, columns = table.X.shape
        is_small = rows <= self.rows and columns <= self.columns and len(np.unique(table.y)) <= self.classes
        return is_small and not missing_peer(self.package)


def peers(table: Table) -> Iterator[Contestant]:
    """The peers that are installed and can be fitted to a table."""
    yield from strong_peers(table)
    X = table.marked
    labels = [list(X.columns).index(name) for name in split_columns(X)[0]]
    for name, peer in _OPTIONAL.items():
        if peer.can_fit(table):
            settings = (
                f"{name} {peer.make(table, []).get_params()}; {peer.package} {version(peer.package)}, {peer_versions()}"
            )
            make = partial(_Framed, X, partial(peer.make, table, labels), has_missing_label=peer.has_missing_label)
            yield Contestant(name, make, settings)


def _light_gbm(_table: Table, _labels: list[int]) -> Any:
    import lightgbm  # noqa: PLC0415

    return lightgbm.LGBMClassifier(verbose=-1, n_jobs=1)


def _ebm(table: Table, _labels: list[int]) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier  # noqa: PLC0415

    return ExplainableBoostingClassifier(outer_bags=4 if len(table.X) <= _MANY_ROWS else 1, n_jobs=1)


def _cat_boost(_table: Table, labels: list[int]) -> Any:
    import catboost  # noqa: PLC0415

    fixed = {"allow_writing_files": False, "thread_count": 1, "verbose": 0, "random_seed": 0}
    return catboost.CatBoostClassifier(iterations=300, cat_features=labels, **fixed)


_OPTIONAL = {
    _LIGHTGBM: _Optional(PACKAGES_OF_PEERS[0], _light_gbm),
    _EBM: _Optional(PACKAGES_OF_PEERS[1], _ebm, 20_000, _COLUMNS),
    CATBOOST: _Optional(PACKAGES_OF_PEERS[2], _cat_boost, 10_000, _COLUMNS, 2, has_missing_label=True),
}


class _Framed:
    """A model that reads a frame; columns are called by their numbers, because LightGBM refuses some names."""

    def __init__(self, X: pd.DataFrame, make: Callable[[], Any], *, has_missing_label: bool) -> None:
        self._kinds = {name: pd.CategoricalDtype(sorted(X[name].dropna().unique())) for name in split_columns(X)[0]}
        self._model, self._has_missing_label = make(), has_missing_label

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        self._model.fit(self._framed(X), y)
        self.classes_ = self._model.classes_
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        return np.asarray(self._model.predict_proba(self._framed(X)))

    def _framed(self, X: pd.DataFrame) -> pd.DataFrame:
        if self._has_missing_label:
            X = X.assign(**{name: X[name].fillna("(missing)") for name in self._kinds})
        else:
            X = X.astype(self._kinds)
        return X.set_axis([f"x{number}" for number in range(X.shape[1])], axis=1)
