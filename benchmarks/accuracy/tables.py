"""The twelve tables that classifiers are scored on: nine CSV files and three that scikit-learn ships."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from benchmarks.harness.options import Options
from benchmarks.harness.paths import TABLES

__all__ = ["SOURCES", "Source", "Table", "read_tables"]

_QUICK_ROWS = 1_000


class Source(NamedTuple):
    """A CSV file: its target, the values that stand for missing ones, and columns that are no attributes.

    Empty cells and ``NA`` are missing to pandas already, so they are not listed here.
    """

    name: str
    target: str
    markers: tuple[str, ...] = ()
    not_attributes: tuple[str, ...] = ()


SOURCES = (
    Source("adult", "income", ("?",), ("split",)),
    Source("votes", "party", ("?",)),
    Source("mushroom", "class", ("?",)),
    Source("car", "class"),
    Source("soybean", "Class"),
    Source("titanic", "Survived"),
    Source("penguins", "species"),
    Source("spambase", "spam"),
    Source("letter", "letter"),
)
_BUILT_IN = {"digits": load_digits, "wine": load_wine, "breast cancer": load_breast_cancer}


class Table(NamedTuple):
    """A table and its target; `markers` are values that stand for missing ones."""

    name: str
    X: pd.DataFrame
    y: NDArray[Any]
    markers: tuple[str, ...] = ()

    @property
    def marked(self) -> pd.DataFrame:
        """The table with missing values where the file has markers."""
        return self.X.mask(self.X.isin(self.markers)) if self.markers else self.X


def read_tables(options: Options) -> Iterator[Table]:
    """Every table that is there; the quick form leaves out the large ones."""
    for table in _read_all():
        if not (options.is_quick and len(table.X) > _QUICK_ROWS):
            yield table


def _read_all() -> Iterator[Table]:
    for source in SOURCES if TABLES.is_dir() else ():
        frame = pd.read_csv(TABLES / f"{source.name}.csv.gz")
        X = frame.drop(columns=[source.target, *source.not_attributes])
        yield Table(source.name, X, np.asarray(frame[source.target], dtype=object).astype(str), source.markers)
    for name, load in _BUILT_IN.items():
        X, y = load(return_X_y=True, as_frame=True)
        yield Table(name, X, y.to_numpy())
