"""Scoring of Spark frames: a method of all classifiers, which is there once pyspark is imported.

scikit-learn takes every estimator with a `transform` for a transformer: a pipeline would call it for arrays. So the
method exists only where a Spark frame can exist.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import available_if

from deciban.decide import NO_DECISION
from deciban.engines import spark
from deciban.errors import InputTypeError, ParameterError
from deciban.models.parts.decider import labels_of
from deciban.tallies.arithmetic import check_known
from deciban.types import AnyArray

__all__ = ["UNROUTED", "set_output", "transform"]

UNROUTED = dict.fromkeys(("text", "label_column", "posterior_column", "posteriors_column"), UNUSED)
"""The arguments of `transform` are no metadata that a pipeline would pass on."""


@dataclass(frozen=True)
class RowScores:
    """Labels and posteriors of the rows of an Arrow table, by the names of their columns."""

    model: Any
    columns: str | tuple[str, ...]
    label: str
    posterior: str
    posteriors: str | None

    def __call__(self, table: Any) -> Mapping[str, AnyArray]:
        rows = table.column(self.columns) if isinstance(self.columns, str) else table.select(list(self.columns))
        codes = self.model._score(rows, "best")
        beliefs = self.model._score(rows, "posterior")
        chosen = np.where(codes == NO_DECISION, beliefs.argmax(axis=1), codes)
        scores = {
            self.label: labels_of(codes, self.model.classes_),
            self.posterior: np.take_along_axis(beliefs, chosen[:, None], axis=1)[:, 0],
        }
        return scores if self.posteriors is None else {**scores, self.posteriors: beliefs}


def _is_spark_imported(_: Any) -> bool:
    return "pyspark" in sys.modules


@available_if(_is_spark_imported)  # type: ignore[untyped-decorator]
def transform(
    self: Any,
    X: Any,
    *,
    text: str | None = None,
    label_column: str = "label",
    posterior_column: str = "posterior",
    posteriors_column: str | None = None,
) -> Any:
    """Score the rows of a Spark frame on its executors. The method exists once pyspark is imported.

    As Spark computes frames when their rows are needed, an error in the rows (an unseen state where ``unseen="error"``)
    shows then, as Spark's `PythonException` with deciban's message.

    Parameters
    ----------
    X : Spark frame
        It has the columns that the model was fitted on; other columns are kept.
    text : str, optional
        For a model of documents, the name of their column.
    label_column : str
        The name of the column with the class that `predict` returns; null where the decision is rejected.
    posterior_column : str
        The name of the column with P(label | row); of the best class where the decision is rejected.
    posteriors_column : str, optional
        The name of a column with P(class | row) of all classes, an array in the order of `classes_`; none when None.

    Returns
    -------
    frame : Spark frame
        X with a label and its posterior in each row.
    """
    self._check_fitted()
    if not spark.is_spark(X):
        raise InputTypeError(
            f"transform scores Spark frames; for a {type(X).__name__} there are predict and predict_proba."
        )
    wanted = (text,) if text is not None else self._form.names
    if wanted is None:
        raise ParameterError(
            f"this {type(self).__name__} was fitted without names of columns. Fit it on a frame; or, where X has "
            "documents, name their column: text=…"
        )
    check_known(wanted, X.columns, "column")
    names = [label_column, posterior_column] + ([] if posteriors_column is None else [posteriors_column])
    kinds = dict(zip(names, (spark.label_kind(self.classes_), "double", "doubles"), strict=False))
    if len(kinds) < len(names):
        raise ParameterError("the columns of labels and posteriors must have different names.")
    score = RowScores(self, text or wanted, label_column, posterior_column, posteriors_column)
    return spark.add_scores(X, score, kinds)


def set_output(self: Any, *, transform: Any = None) -> Any:  # noqa: ARG001
    """Return the model as it is: its predictions are arrays. Pipelines call this for each step.

    Parameters
    ----------
    transform : ignored
        scikit-learn's name for the format of the output.

    Returns
    -------
    self : the model
    """
    return self
