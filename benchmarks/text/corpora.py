"""The corpora of `../shared/data/text`, as lists of str, which scikit-learn takes too."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from benchmarks.harness.paths import TEXTS

__all__ = ["Corpus", "Labelled", "Split", "read_corpus", "read_split"]


class Labelled(NamedTuple):
    """Documents and their classes."""

    X: list[str]
    y: NDArray[Any]

    def take(self, rows: NDArray[Any]) -> Labelled:
        """Some of them, by their indices or by a mask."""
        indices = np.flatnonzero(rows) if rows.dtype == bool else rows
        return Labelled([self.X[i] for i in indices.tolist()], self.y[indices])

    @property
    def bytes(self) -> int:
        """The size of the text in UTF-8."""
        return sum(len(document.encode()) for document in self.X)


class Split(NamedTuple):
    """The documents to fit, and those to predict."""

    train: Labelled
    test: Labelled


class Corpus(NamedTuple):
    """A file: its documents, and the column that splits them, where it has one."""

    whole: Labelled
    part: NDArray[Any] | None

    def splits(self) -> list[Split]:
        """One split by "train" and "test", or one for each numbered fold."""
        if self.part is None:
            raise ValueError("this corpus has no column `split` or `fold`, so there is no split to read.")
        tests = ["test"] if "test" in self.part else np.unique(self.part).tolist()
        return [Split(self.whole.take(self.part != test), self.whole.take(self.part == test)) for test in tests]


def read_corpus(name: str) -> Corpus:
    """Read a file; rows without a label are left out (R52 has one)."""
    table = pq.read_table(TEXTS / f"{name}.parquet")
    y = np.array(table["label"].to_pylist())
    is_labelled = y != ""
    column = next((found for found in ("split", "fold") if found in table.column_names), None)
    part = None if column is None else np.array(table[column].to_pylist())[is_labelled]
    return Corpus(Labelled(table["text"].to_pylist(), y).take(is_labelled), part)


def read_split(name: str, scale: float = 1.0) -> Split:
    """Read a file with one split; of each part, take documents at even distances that make up `scale`."""
    step = round(1 / scale)
    train, test = read_corpus(name).splits()[0]
    return Split(*(part.take(np.arange(0, len(part.X), step)) for part in (train, test)))
