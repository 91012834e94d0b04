"""The methods of ``BayesNet`` that learn its tables: from tables, from files, from more rows, from fewer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from deciban.engines.progress import Progress as ReadingProgress
from deciban.engines.source import OnBadRow
from deciban.engines.sql.table import DatabaseTable
from deciban.errors import InputTypeError, ParameterError, UnfittedError
from deciban.estimate import Laplace
from deciban.nets.data.sources import source_of
from deciban.nets.data.states import read_states
from deciban.nets.graphs.graph import DAG
from deciban.nets.learning.em import EM, EMTrace, Progress
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.fit import FitSettings, TableFit, fit_database, fit_tables
from deciban.nets.learning.from_source import FamilyCounting, tally_source
from deciban.nets.learning.report import report
from deciban.nets.learning.sample import FitMissing
from deciban.nets.learning.tables import Rule, UnseenParents
from deciban.nets.learning.unseen_parents import UnseenConfigurations
from deciban.nets.network import Network, State
from deciban.turns import turn

__all__ = ["FitMixin"]


class FitMixin:
    """Learns the tables of a net with a graph, and keeps their counts."""

    _dag: DAG
    _network: Network | None = None
    _fit: TableFit | None = None

    def fit(
        self,
        data: Any,
        *,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        sample_weight: Any = None,
        missing: FitMissing = "error",
        unseen_parents: UnseenParents = "prior",
        states: Mapping[Any, Iterable[State] | int] | None = None,
        limit: int | None = None,
        max_iter: int = 200,
        tol: float = 1e-6,
        starts: int = 1,
        random_state: int | np.random.Generator | None = None,
        progress: Progress = False,
    ) -> Self:
        """Estimate every table from the rows of a table; earlier tables and counts are replaced.

        Parameters
        ----------
        data : table
            A frame, a mapping of columns, a list of rows, or any other table. Every node needs a column of its name;
            other columns are ignored.
        smoothing : Smoothing or mapping, optional
            ``Laplace()`` by default, so that no probability is 0: one pseudo-count for each state and configuration of
            the parents. ``MLE()`` for relative frequencies, ``BDeu(ess)`` for an equivalent sample size of ``ess`` for
            each table, or any other smoothing of naive Bayes; or a mapping from nodes to smoothings.
        sample_weight : array, optional
            How many rows each row stands for.
        missing : {"error", "skip", "em"}
            "error"; "skip" counts each family in the rows in which it is complete, which is right if values are missing
            completely at random; "em" uses expected counts, and allows hidden nodes: nodes without a column, whose
            states are given.
        unseen_parents : {"prior", "uniform", "marginal", "error"}
            The table rows of configurations of parents that do not occur in the data, which ``unseen_parents_`` lists:
            "prior", the smoothing alone (an error with ``MLE``), "uniform", "marginal" or "error".
        states : mapping, optional
            For some nodes their states in order, or their number n for 0 … n − 1; any other value is then an error. By
            default the states are the categories of the column's type, or else its sorted distinct values.
        limit : int, optional
            The most bytes for the tables, and with "em" for the clique tree; the memory limit
            (``DECIBAN_MEMORY_LIMIT``) by default.
        max_iter, tol : int, float
            Of EM: the most iterations, and the gain in nats per row at which they stop.
        starts : int
            Of EM: how many starting points are tried.
        random_state : int, numpy.random.Generator or None
            Of EM: the seed of the starting points.
        progress : bool or function
            Of EM: True to print each iteration, or a function of an ``EMStep``.

        Returns
        -------
        BayesNet
            The net itself.

        See Also
        --------
        BayesNet.partial_fit : Count more rows.
        BayesNet.fit_files : From files that do not fit into memory.
        BayesNet.fit_sql : From a table in a database.

        Examples
        --------
        >>> import deciban as db
        >>> days = {"rain": ["no", "no", "no", "yes"], "wet": ["no", "no", "yes", "yes"]}
        >>> net = db.BayesNet([("rain", "wet")]).fit(days, smoothing=db.MLE())
        >>> net.tables["wet"].round(3).tolist()
        [[0.667, 0.333], [0.0, 1.0]]

        With missing values:

        >>> net.fit({"rain": ["no", None, "yes"], "wet": ["no", "yes", "yes"]}, missing="em")
        BayesNet(2 nodes, 1 arrow, 6 table entries)
        """
        with turn(self):
            settings = FitSettings(smoothing or Laplace(), unseen_parents, missing, limit)
            em = EM(max_iter, tol, starts, random_state, progress)
            return self._adopt(fit_tables(self._dag, data, settings, states=states, sample_weight=sample_weight, em=em))

    def fit_files(
        self,
        source: Any,
        *,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        sample_weight: str | None = None,
        missing: Literal["error", "skip"] = "error",
        unseen_parents: UnseenParents = "prior",
        states: Mapping[Any, Iterable[State] | int] | None = None,
        limit: int | None = None,
        schema: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: ReadingProgress = None,
        on_bad_row: OnBadRow = "error",
        encoding: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
    ) -> Self:
        r"""Estimate every table from the rows of files, of which only some are in memory at a time.

        The net is that of ``fit`` on the same rows. Earlier tables and counts are replaced.

        Parameters
        ----------
        source : str, path or list
            The name of a file (CSV or TSV, JSON Lines or arrays, also with .gz or .zst; Parquet; Arrow or Feather;
            Excel), a glob, a folder, or a list of these. Every node needs a column of its name; other columns are
            not read.
        smoothing, unseen_parents, states, limit
            As in ``fit``.
        sample_weight : str, optional
            The name of a column: how many rows each row stands for.
        missing : {"error", "skip"}
            As in ``fit``; "em", which reads the rows many times, needs a table in memory.
        schema : mapping, optional
            The Arrow types of some columns, such as ``{"zip": "string"}``.
        checkpoint : str or path, optional
            A file that keeps what was counted: the same call continues where an interrupted one ended. It is removed
            at the end.
        progress : bool, function or None
            True for a bar on the standard error, a function of a ``ReadingStep``, or False; None for a bar where the
            standard error is a terminal.
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
        BayesNet
            The net itself.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import deciban as db
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "days.csv").write_text("rain,wet\nno,no\nno,yes\nyes,yes\n")
        ...     db.BayesNet([("rain", "wet")]).fit_files(f"{folder}/*.csv").tally_
        FamilyTally(3 rows, 2 families, 6 counts)
        """
        settings = FitSettings(smoothing or Laplace(), unseen_parents, missing, limit)
        counting = FamilyCounting(self._dag, sample_weight, missing, read_states(self._dag.nodes, states), limit)
        reading: dict[str, Any] = {
            "schema": schema,
            "checkpoint": checkpoint,
            "progress": progress,
            "on_bad_row": on_bad_row,
            "encoding": encoding,
            "sheet": sheet,
            "decimal": decimal,
        }
        return self._adopt(TableFit(tally_source(source_of(source, **reading), counting), settings))

    def fit_sql(
        self,
        data: Any,
        query: str | None = None,
        *,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        sample_weight: str | None = None,
        missing: Literal["error", "skip"] = "error",
        unseen_parents: UnseenParents = "prior",
        states: Mapping[Any, Iterable[State] | int] | None = None,
        limit: int | None = None,
        dialect: str | None = None,
    ) -> Self:
        """Estimate every table from a table in a database, which counts the families itself: no row leaves it.

        Parameters
        ----------
        data, query, dialect
            As in ``tally``: a connection with the name of a table or a SELECT, a DuckDB relation or an Ibis table.
        sample_weight : str, optional
            The name of a column: how many rows each row stands for.
        smoothing, missing, unseen_parents, states, limit
            As in ``fit``; expected counts ("em") need the rows themselves.

        Returns
        -------
        BayesNet
            The net itself.

        Examples
        --------
        >>> import sqlite3
        >>> import deciban as db
        >>> connection = sqlite3.connect(":memory:")
        >>> _ = connection.execute("create table days (rain, wet)")
        >>> _ = connection.execute("insert into days values (0, 0), (0, 1), (1, 1)")
        >>> db.BayesNet([("rain", "wet")]).fit_sql(connection, "days").tally_
        FamilyTally(3 rows, 2 families, 6 counts)
        """
        settings = FitSettings(smoothing or Laplace(), unseen_parents, missing, limit)
        table = DatabaseTable.of(data, query, sample_weight=sample_weight, dialect=dialect)
        return self._adopt(fit_database(self._dag, table, settings, states))

    def partial_fit(
        self,
        data: Any,
        *,
        sample_weight: Any = None,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        missing: Literal["error", "skip"] | None = None,
        unseen_parents: UnseenParents | None = None,
        states: Mapping[Any, Iterable[State] | int] | None = None,
    ) -> Self:
        """Count more rows; new states enlarge the tables.

        Parameters
        ----------
        data : table
            More rows, with a column for each node.
        sample_weight : array, optional
            How many rows each row stands for.
        smoothing, missing, unseen_parents
            As in ``fit``; None leaves the setting as it was.
        states : mapping, optional
            As in ``fit``, in the first call only.

        Returns
        -------
        BayesNet
            The net itself, which is that of ``fit`` on all rows.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")])
        >>> for batch in (
        ...     {"rain": ["no"], "wet": ["no"]},
        ...     {"rain": ["no", "yes"], "wet": ["yes", "yes"]},
        ... ):
        ...     _ = net.partial_fit(batch)
        >>> net.tally_.rows
        3
        """
        with turn(self):
            if self._fit is None and self._network is None:
                settings = FitSettings(smoothing or Laplace(), unseen_parents or "prior", missing or "error")
                return self._adopt(fit_tables(self._dag, data, settings, states=states, sample_weight=sample_weight))
            if states is not None:
                raise ParameterError("states are fixed by the first call; call fit to start again.")
            given: dict[str, Any] = {"smoothing": smoothing, "unseen_parents": unseen_parents, "missing": missing}
            fit = self._counted()
            settings = replace(fit.settings, **{name: value for name, value in given.items() if value is not None})
            return self._adopt(fit.with_rows(data, sample_weight, settings))

    def merge(self, other: FitMixin) -> Self:
        """Add the counts of another net of the same graph.

        Parameters
        ----------
        other : BayesNet
            A net that was fitted on other rows.

        Returns
        -------
        BayesNet
            The net itself, which is that of ``fit`` on the rows of both.
        """
        with turn(self):
            if not isinstance(other, FitMixin):
                raise InputTypeError(f"a BayesNet can be merged with another BayesNet, not with {other!r}")
            return self._adopt(self._counted().merged(other._counted()))

    def forget(self, data: Any, *, sample_weight: Any = None) -> Self:
        """Remove rows, as if they had never been counted.

        Parameters
        ----------
        data : table
            Rows that were counted.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        BayesNet
            The net itself.

        Raises
        ------
        NegativeCountError
            If a row was not counted; the net stays as it was.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> net.forget({"rain": ["no"], "wet": ["yes"]}).tally_.rows
        2
        """
        with turn(self):
            return self._adopt(self._counted().without_rows(data, sample_weight))

    def smoothed(self, smoothing: Rule | Mapping[Any, Rule], *, unseen_parents: UnseenParents | None = None) -> Self:
        """A net with the same counts and another smoothing; nothing is counted again.

        Expected counts (``missing="em"``) stay those of the old smoothing.

        Parameters
        ----------
        smoothing : Smoothing or mapping
            How counts become probabilities; or node → smoothing.
        unseen_parents : str, optional
            As in ``fit``; None leaves it as it was.

        Returns
        -------
        BayesNet
            Another net; this one does not change.
        """
        return copy(self)._adopt(self._counted().smoothed(smoothing, unseen_parents=unseen_parents))

    @property
    def tally_(self) -> FamilyTally:
        """The counts of all families: a value that adds, subtracts and scales."""
        return self._counted().tally

    @property
    def settings_(self) -> FitSettings:
        """The smoothing and the other settings that turned counts into tables."""
        return self._counted().settings

    @property
    def unseen_parents_(self) -> UnseenConfigurations:
        """The configurations of parents that do not occur in the data."""
        return self._counted().unseen_parents

    @property
    def em_(self) -> EMTrace:
        """The iterations of expectation maximization."""
        if self._fit is None or self._fit.trace is None:
            raise UnfittedError('this net has not been fitted with missing="em"')
        return self._fit.trace

    @property
    def log_likelihoods_(self) -> tuple[float, ...]:
        """The log-likelihood of the observed values at the start and after each iteration of EM."""
        return self.em_.log_likelihoods

    def report(self) -> str:
        """The number of rows, the smoothing, and the configurations of parents that do not occur in the data.

        Returns
        -------
        str

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> print(net.report())
        FamilyTally(3 rows, 2 families, 6 counts)
        smoothing: Laplace()
        configurations of parents that do not occur: 0 of 3 (unseen_parents="prior")
        """
        return report(self._counted())

    def _counted(self) -> TableFit:
        if self._fit is not None:
            return self._fit
        if self._network is not None:
            raise UnfittedError("the tables of this net were given, not counted: fit(data) replaces them.")
        raise UnfittedError("this net has no counts yet: call fit(data)")

    def _adopt(self, fit: TableFit) -> Self:
        self._network = fit.network()  # an error leaves the net as it was
        self._fit = fit
        return self
