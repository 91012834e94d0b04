"""Fitted models that score rows elsewhere: in a database, by a SELECT, and in an ONNX runtime, by a graph."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Literal

from deciban.errors import ParameterError
from deciban.estimate.closed_form import MatrixInput
from deciban.export import sql
from deciban.export.onnx.to_onnx import write_graph
from deciban.export.sql.expressions import expressions_for
from deciban.files import as_path, write_whole
from deciban.models.base import BayesClassifier

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["OnnxClassifier", "SqlClassifier"]


class OnnxClassifier(BayesClassifier):
    """A classifier whose posteriors have a closed form (`_closed_form`), which a graph can compute."""

    def _matrix_input(self) -> MatrixInput | None:
        """The columns of the matrix that the model was fitted on; None where the columns have names."""
        return None if self._form.names else MatrixInput(self._names())

    def to_onnx(self, path: str | PathLike[str] | None = None) -> ModelProto:
        """Make an ONNX graph of the fitted model. Needs ``pip install 'deciban[onnx]'``.

        **Inputs**: the drop-ins, and models of a matrix without column names, have one input, ``X``, of rows × columns.
        `NaiveBayes`, `TAN`, `AODE` and `KDB` have one input for each column that they use, of rows × 1, with its name.
        Numbers are doubles, labels are strings, int64 or booleans. NaN is a missing number, the empty string a missing
        label (unless it is a label of the column).

        **Outputs**: ``label``, as `predict` gives it; ``probabilities``, rows × classes, as `predict_proba` gives them,
        in the order of `classes_`, which the metadata contain as JSON under the key ``classes``. A model with `reject`
        has a third output, ``is_decided``: where it is False, `predict` gives None, and ``label`` is the class that was
        rejected.

        Parameters
        ----------
        path : str or path, optional
            A file to write the graph to, such as "model.onnx"; none is written when None.

        Returns
        -------
        graph : onnx.ModelProto
            The graph.

        Examples
        --------
        >>> from deciban import GaussianNB
        >>> graph = (
        ...     GaussianNB()
        ...     .fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
        ...     .to_onnx()
        ... )
        >>> [each.name for each in graph.graph.output]
        ['label', 'probabilities']
        """
        self._check_fitted()
        form, name = self._closed_form(), type(self).__name__
        graph = write_graph(form, self.classes_, self._decider(), self._calibration(), name)
        if path is not None:
            write_whole(as_path(path), graph.SerializeToString())
        return graph


class SqlClassifier(OnnxClassifier):
    """A classifier whose closed form is small enough for a query, so that rows are scored where they are."""

    def to_sql(
        self,
        dialect: Literal["duckdb", "postgres", "sqlite"] = "duckdb",
        table: str = "rows",
        *,
        explain: bool = False,
        key: str | Sequence[str] = (),
    ) -> str:
        """Write the model as one SELECT that scores the rows of a table where they are.

        Parameters
        ----------
        dialect : {"duckdb", "postgres", "sqlite"}
            SQLite from version 3.35, with its mathematical functions.
        table : str
            The name of a table or a view, as it is written in SQL (``"sales.rows"``, ``'"my rows"'``), or a SELECT.
        explain : bool
            Whether to return the weight of each column, as the method `explain` does.
        key : str or sequence of str
            Columns of the table that are returned, too, to identify the rows.

        Returns
        -------
        query : str
            It has one row for each row of the table, in any order, and these columns:

            ==================  ======================================================================================
            `key`               the columns to identify the rows
            label               the class that `predict` returns; NULL where the decision is rejected
            posterior           P(label | row); of the best class where the decision is rejected
            log_odds            log P / (1 − P) of this posterior, in nats, also where P rounds to 1
            ``p_…``             P(class | row) of each class, as `predict_proba` returns it
            against             with `explain`: the class that the label is compared with, the next best
            db_prior, ``db_…``  with `explain`: the weights of evidence of the priors and of each column, in decibans
            db_total            with `explain`: their sum
            ==================  ======================================================================================

            All values are NULL in rows for which `predict` raises an error: an infinite number, a value that is missing
            or unseen where that is an error, a negative count.

        Notes
        -----
        Columns are read by the names of `feature_names_in_`; those of a model that was fitted without names are x0, x1
        and so on. Needs sqlglot: ``pip install "deciban[sql]"``.

        Examples
        --------
        >>> from deciban import CategoricalNB
        >>> model = CategoricalNB().fit([["sun"], ["rain"]], ["play", "stay"])
        >>> import sqlite3
        >>> days = sqlite3.connect(":memory:")
        >>> _ = days.execute("CREATE TABLE days AS SELECT 'Mon' AS day, 'sun' AS x0")
        >>> [
        ...     (day, label, round(p, 3))
        ...     for day, label, p, *_ in days.execute(model.to_sql("sqlite", "days", key="day"))
        ... ]
        [('Mon', 'play', 0.667)]
        """
        self._check_fitted()
        keys = (key,) if isinstance(key, str) else tuple(key)
        wrong = [name for name in keys if not isinstance(name, str)]
        if wrong:
            raise ParameterError(f"key is the name of a column, or several of them, not {wrong[0]!r}.")
        dialect_of = expressions_for(dialect, f"{type(self).__name__}.to_sql")
        form, labels = self._closed_form(), self.classes_.tolist()
        wanted = sql.Wanted(table, keys, explain=explain)
        return sql.write_query(dialect_of, form, labels, self._decider(), self._calibration(), wanted)
