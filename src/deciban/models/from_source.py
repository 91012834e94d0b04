"""Learning from tables that are not in memory: what fit decides is decided on a sample, and all rows are counted.

`fit` makes two kinds of things from rows: the form (the distributions of columns, cuts, weights and temperatures) and
the tally. The form is learned from at most 100,000 rows that are spread over the whole source; where the source has no
more rows, it is that of `fit`. The tally is that of all rows, so it is always that of `fit` with this form.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sklearn.base import clone

from deciban.engines.open import open_source
from deciban.engines.progress import Progress
from deciban.engines.source import OnBadRow, Source, SourceCounting, complete_sample, tally_source
from deciban.read import column_of
from deciban.read.container import split_target
from deciban.tallies import Tally

__all__ = ["SAMPLE", "ModelCounting", "fit_files", "fit_source", "planned_model", "split_weight"]


SAMPLE = 100_000
"""The number of rows from which the form of a model is learned."""


@dataclass(frozen=True)
class ModelCounting(SourceCounting[Tally]):
    """Counts batches in the way of a fitted model."""

    model: Any
    target: str
    sample_weight: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        weight = () if self.sample_weight is None else (self.sample_weight,)
        return (*self.model._form.names, self.target, *weight)

    @property
    def required(self) -> tuple[str, ...]:
        return (self.target,) if self.sample_weight is None else (self.target, self.sample_weight)

    @property
    def described(self) -> str:
        settings = repr((sorted(self.model.get_params().items(), key=str), self.model._form))
        return f"{type(self.model).__name__} of {self.target!r} ({sha256(settings.encode()).hexdigest()[:16]})"

    def __call__(self, batch: Any) -> Tally:
        rows, weights = split_weight(batch, self.sample_weight)
        tally: Tally = self.model._tally_of(rows, self.target, weights, self.model._form)[0]
        return tally


def fit_files(
    self: Any,
    source: Any,
    *,
    target: str,
    sample_weight: str | None = None,
    schema: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = None,
    on_bad_row: OnBadRow = "error",
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
) -> Any:
    r"""Count the rows of files and estimate the model. What was learned before is forgotten.

    The memory does not depend on the number of rows. The distributions of the columns, and what else `fit` learns from
    rows and not from their counts, are learned from 100,000 rows that are spread over the whole source; the counts are
    those of all rows.

    Parameters
    ----------
    source : str, path, list of these, or Spark frame
        The name of a file (CSV or TSV, JSON Lines or arrays, also with .gz or .zst; Parquet; Arrow or Feather; Excel,
        with ``deciban[excel]``), a glob, a folder, or a list of these, all with the same columns. The rows of a Spark
        frame are counted by its executors.
    target : str
        The name of the column of classes.
    sample_weight : str, optional
        The name of a column of weights, none negative.
    schema : mapping, optional
        The Arrow types of some columns, as a mapping from names to types or their names ("float64", "int64", "string",
        "bool"). The types of other columns in CSV and JSON Lines are found from rows spread over all files.
    checkpoint : str or path, optional
        A file that keeps what was counted, so that the same call continues where an interrupted one ended. It is
        removed at the end.
    progress : bool or function, optional
        True for a bar on the standard error, a function of a `ReadingStep`, or False; None for a bar where the standard
        error is a terminal.
    on_bad_row : {"error", "skip"}
        "skip": rows that cannot be read are left out, and a warning names the first ones.
    encoding : str, optional
        The encoding of CSV and JSON files. None: UTF-8, or UTF-16 or Windows-1252 (Latin-1) where the bytes say so,
        with a warning.
    sheet : str, optional
        The sheet of Excel files; the first one when None.
    decimal : {".", ","}, optional
        The decimal mark of numbers in CSV files. None: found from some rows, with a warning where it is a comma.

    Returns
    -------
    self : the fitted model

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from deciban import NaiveBayes
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "days.csv").write_text("sky,play\nsun,yes\nrain,no\nsun,yes\n")
    ...     model = NaiveBayes().fit_files(f"{folder}/*.csv", target="play")
    >>> model.tally_.total
    3
    """
    self._check_parameters()
    opened = open_source(
        source,
        schema=schema,
        checkpoint=checkpoint,
        progress=progress,
        on_bad_row=on_bad_row,
        encoding=encoding,
        sheet=sheet,
        decimal=decimal,
    )
    return fit_source(self, opened, target, sample_weight)


def fit_source(model: Any, source: Source, target: str, sample_weight: str | None = None, *, sample: Any = None) -> Any:
    """Fit a model on all rows of a source; `sample` are those that its form is learned from, if they are in memory.

    The model has the columns of the sample, which may lack some of the source's.
    """
    planned = planned_model(model, source, target, sample_weight, sample=sample)
    total = tally_source(source, ModelCounting(planned, target, sample_weight))
    return model._adopt(total, planned._form)


def planned_model(model: Any, source: Source, target: str, sample_weight: str | None, *, sample: Any = None) -> Any:
    """The model, fitted on rows that are spread over a source."""
    if sample is None:
        required = (target,) if sample_weight is None else (target, sample_weight)
        sample = complete_sample(source, SAMPLE, required)
    rows, weights = split_weight(sample, sample_weight)
    return clone(model).fit(rows, target, weights)


def split_weight(batch: Any, name: str | None) -> tuple[Any, Any]:
    """The table without the column of the weights, and the weights; None where no column is named."""
    if name is None:
        return batch, None
    rows, weights, _ = split_target(batch, name)
    return rows, column_of(name, weights).numbers
