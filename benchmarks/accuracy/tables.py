"""The 24 tables that classifiers are scored on, in two halves.

Priors, defaults and candidate lists were chosen on the first half and on tables outside the project. The second half
is for reporting: no choice was made by its folds.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from benchmarks.harness.options import Options
from benchmarks.harness.paths import TABLES

__all__ = ["HALVES", "Source", "Table", "built_in_tables", "read_table", "read_tables", "split_columns"]

_QUICK_ROWS = 1_000
_COLIC_CODES = "c0 c1 c6 c7 c8 c9 c10 c11 c12 c13 c14 c16 c17 c20 c22 c27"


class Source(NamedTuple):
    """A CSV file.

    Parameters
    ----------
    target : the column of the class
    markers : values that stand for missing ones; empty cells and ``NA`` are missing to pandas already
    not_attributes : columns that are left out
    codes : columns whose numbers are codes of categories by the table's documentation; ``"all"`` for all columns
    """

    name: str
    target: str = "class"
    markers: tuple[str, ...] = ()
    not_attributes: tuple[str, ...] = ()
    codes: str = ""


class Table(NamedTuple):
    """A table and its target; `markers` are values that stand for missing ones."""

    name: str
    X: pd.DataFrame
    y: NDArray[Any]
    markers: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()

    @property
    def marked(self) -> pd.DataFrame:
        """The table as scikit-learn needs it.

        Missing values are where the file has markers, codes of categories are strings, and columns without any value
        are left out.
        """
        X = self.X.mask(self.X.isin(self.markers)) if self.markers else self.X
        X = X.dropna(axis="columns", how="all")
        codes = [name for name in self.codes if name in X.columns]
        return X.assign(**{name: X[name].astype(str).where(X[name].notna()) for name in codes})

    @property
    def is_categorical(self) -> bool:
        """Whether no column holds numbers."""
        return not split_columns(self.marked)[1]

    def fingerprint(self) -> str:
        """A hash of names, values and target."""
        digest = sha256("\t".join([*self.X.columns, *self.markers, *self.codes]).encode())
        rows = pd.util.hash_pandas_object(self.X.assign(**{"\0target": self.y}), index=False)
        digest.update(rows.to_numpy().tobytes())
        return digest.hexdigest()[:16]


CHOOSING = (
    Source("adult", "income", ("?",), ("split",)),
    Source("votes", "party", ("?",)),
    Source("mushroom", "class", ("?",)),
    Source("car"),
    Source("soybean", "Class", codes="all"),
    Source("titanic", "Survived"),
    Source("penguins", "species"),
    Source("spambase", "spam"),
    Source("letter", "letter"),
)
_BUILT_IN = {"digits": load_digits, "wine": load_wine, "breast cancer": load_breast_cancer}
REPORTING = (
    Source("nursery"),
    Source("german"),
    Source("auto_imports"),
    Source("horse_colic", codes=_COLIC_CODES),
    Source("glass"),
    Source("ionosphere"),
    Source("supermarket"),
    Source("vehicle"),
    Source("vowel"),
    Source("sonar"),
    Source("phoneme"),
    Source("winequality_white"),
)
HALVES = {
    "choosing": (*(source.name for source in CHOOSING), *_BUILT_IN),
    "reporting": tuple(source.name for source in REPORTING),
}


def read_tables(options: Options, half: str) -> Iterator[Table]:
    """Every table of a half that is there; the quick form leaves out the large ones."""
    for table in _read_half(half):
        if not (options.is_quick and len(table.X) > _QUICK_ROWS):
            yield table


def read_table(source: Source) -> Table:
    """Read a CSV file."""
    frame = pd.read_csv(TABLES / f"{source.name}.csv.gz", low_memory=False)
    X = frame.drop(columns=[source.target, *source.not_attributes])
    y = np.asarray(frame[source.target], dtype=object).astype(str)
    codes = tuple(X.columns if source.codes == "all" else source.codes.split())
    return Table(source.name, X, y, source.markers, codes)


def built_in_tables() -> Iterator[Table]:
    """The tables that scikit-learn ships."""
    for name, load in _BUILT_IN.items():
        X, y = load(return_X_y=True, as_frame=True)
        yield Table(name, X, y.to_numpy().astype(str))


def split_columns(X: pd.DataFrame) -> tuple[list[str], list[str]]:
    """The names of the columns that hold labels, and of those that hold numbers."""
    numbers = [name for name in X.columns if is_numeric_dtype(X[name])]
    return [name for name in X.columns if name not in numbers], numbers


def _read_half(half: str) -> Iterator[Table]:
    for source in (CHOOSING if half == "choosing" else REPORTING) if TABLES.is_dir() else ():
        yield read_table(source)
    if half == "choosing":
        yield from built_in_tables()
