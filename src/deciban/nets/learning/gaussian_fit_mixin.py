"""The methods of ``GaussianNet`` that learn its regressions: from tables, from files, from more rows, from fewer."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Literal, Self, get_args

from deciban.choices import check_choice
from deciban.engines.progress import Progress as ReadingProgress
from deciban.engines.source import OnBadRow
from deciban.errors import InputTypeError, UnfittedError
from deciban.nets.data.sources import source_of
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.learning.em import EM, EMTrace, Progress, check_exact
from deciban.nets.learning.families import families_of
from deciban.nets.learning.from_source import MomentCounting, tally_source
from deciban.nets.learning.gaussian_em import fit_incomplete_gaussian
from deciban.nets.learning.moments import GaussianTally
from deciban.nets.learning.regression import LinearGaussian, Variance, joint_normal, regress
from deciban.nets.learning.sample import FitMissing, read_number_sample
from deciban.turns import turn
from deciban.types import Floats

__all__ = ["GaussianFitMixin"]


class GaussianFitMixin:
    """Learns the regressions of a net with a graph, and keeps their moments."""

    dag: DAG
    _parameters: dict[Node, LinearGaussian] | None = None
    _tally: GaussianTally | None = None
    _trace: EMTrace | None = None
    _missing: FitMissing = "error"
    _variance: Variance = "ml"

    def fit(
        self,
        data: Any,
        *,
        sample_weight: Any = None,
        missing: FitMissing = "error",
        variance: Variance = "ml",
        max_iter: int = 200,
        tol: float = 1e-6,
        progress: Progress = False,
    ) -> Self:
        """Estimate every node's regression on its parents by least squares.

        Parameters
        ----------
        data : table
            Any table; every node needs a column of numbers of its name, and other columns are ignored.
        sample_weight : array, optional
            How many rows each row stands for.
        missing : {"error", "skip", "em"}
            "error"; "skip" uses, for each family, the rows in which it is complete; "em" uses expected moments.
        variance : {"ml", "unbiased"}
            "ml" divides the residual sum of squares by the number of rows, "unbiased" by its degrees of freedom.
        max_iter, tol : int, float
            Of EM: the most iterations, and the gain in nats per row at which they stop.
        progress : bool or function
            Of EM: True to print each iteration, or a function of an ``EMStep``.

        Returns
        -------
        GaussianNet
            The net itself.

        Examples
        --------
        >>> import deciban as db
        >>> people = {"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]}
        >>> db.GaussianNet([("height", "weight")]).fit(people, variance="unbiased").parameters[
        ...     "weight"
        ... ]
        LinearGaussian(-86.8 + 0.92·height, sd 2.52982)
        """
        with turn(self):
            check_choice("variance", variance, get_args(Variance))
            em = EM(max_iter, tol, 1, None, progress)
            values, weights = self._read(data, sample_weight, missing)
            trace = None
            if missing == "em":
                tally, trace = fit_incomplete_gaussian(
                    self.dag, values, weights, lambda t: joint_normal(self.dag, self._regress(t, "ml")), em
                )
            else:
                tally = GaussianTally.of(self.dag, values, weights)
            self._regress(tally, variance)  # an error leaves the net as it was
            self._missing, self._variance = missing, variance
            return self._adopt(tally, trace)

    def fit_files(
        self,
        source: Any,
        *,
        sample_weight: str | None = None,
        missing: Literal["error", "skip"] = "error",
        variance: Variance = "ml",
        schema: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: ReadingProgress = None,
        on_bad_row: OnBadRow = "error",
        encoding: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
    ) -> Self:
        """Estimate from the rows of files, of which only some are in memory at a time.

        The result is that of ``fit`` on the same rows.

        Parameters
        ----------
        source, sample_weight, schema, checkpoint, progress, on_bad_row, encoding, sheet, decimal
            As in ``BayesNet.fit_files``.
        missing, variance
            As in ``fit``, without "em".

        Returns
        -------
        GaussianNet
            The net itself.
        """
        check_choice("variance", variance, get_args(Variance))
        counting = MomentCounting(self.dag, sample_weight, missing)
        reading: dict[str, Any] = {
            "schema": schema,
            "checkpoint": checkpoint,
            "progress": progress,
            "on_bad_row": on_bad_row,
            "encoding": encoding,
            "sheet": sheet,
            "decimal": decimal,
        }
        tally = tally_source(source_of(source, **reading), counting)
        self._regress(tally, variance)  # an error leaves the net as it was
        self._missing, self._variance = missing, variance
        return self._adopt(tally, None)

    def partial_fit(self, data: Any, *, sample_weight: Any = None) -> Self:
        """Count more rows; the result is that of fitting all rows at once.

        Parameters
        ----------
        data : table
            More rows, with a column for each node.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        GaussianNet
            The net itself.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.GaussianNet([("height", "weight")])
        >>> for batch in (
        ...     {"height": [150, 160], "weight": [52, 58]},
        ...     {"height": [170, 180], "weight": [72, 78]},
        ... ):
        ...     _ = net.partial_fit(batch)
        >>> net.parameters["weight"]
        LinearGaussian(-86.8 + 0.92·height, sd 1.78885)
        """
        with turn(self):
            if self._tally is None:
                if self._parameters is not None:
                    raise UnfittedError(
                        "the parameters of this net were given, not estimated: fit(data) replaces them."
                    )
                return self.fit(data, sample_weight=sample_weight)
            return self._adopt(self.tally_ + self._count(data, sample_weight), None)

    def merge(self, other: GaussianFitMixin) -> Self:
        """Add the moments of another net of the same graph.

        Parameters
        ----------
        other : GaussianNet
            A net that was fitted on other rows.

        Returns
        -------
        GaussianNet
            The net itself, which is that of ``fit`` on the rows of both.
        """
        with turn(self):
            if not isinstance(other, GaussianFitMixin):
                raise InputTypeError(f"a GaussianNet can be merged with another GaussianNet, not with {other!r}")
            check_exact(self._trace)
            check_exact(other._trace)
            return self._adopt(self.tally_ + other.tally_, None)

    def forget(self, data: Any, *, sample_weight: Any = None) -> Self:
        """Remove rows, up to rounding, as if they had never been counted.

        Parameters
        ----------
        data : table
            Rows that were counted.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        GaussianNet
            The net itself.

        Raises
        ------
        NegativeCountError
            If more would be removed than was counted.
        PrecisionError
            If too few digits would be left.
        """
        with turn(self):
            return self._adopt(self.tally_ - self._count(data, sample_weight), None)

    @property
    def tally_(self) -> GaussianTally:
        """The moments of all families: a value that adds, subtracts and scales."""
        if self._tally is None:
            raise UnfittedError("this GaussianNet has no moments yet: call fit(data)")
        return self._tally

    @property
    def log_likelihoods_(self) -> tuple[float, ...]:
        """The log-likelihood at the start and after each iteration of EM."""
        if self._trace is None:
            raise UnfittedError('this GaussianNet has not been fitted with missing="em"')
        return self._trace.log_likelihoods

    @cached_property
    def _parents(self) -> dict[Node, tuple[Node, ...]]:
        families = zip(self.dag.nodes, families_of(self.dag), strict=True)
        return {node: tuple(self.dag.nodes[parent] for parent in family[:-1]) for node, family in families}

    def _read(
        self, data: Any, sample_weight: Any, missing: FitMissing, *, is_later: bool = False
    ) -> tuple[Floats, Floats | None]:
        options: dict[str, Any] = {"sample_weight": sample_weight, "missing": missing, "is_later": is_later}
        sample = read_number_sample(data, self.dag.nodes, **options)
        return sample.values, sample.sample_weight

    def _count(self, data: Any, sample_weight: Any) -> GaussianTally:
        check_exact(self._trace)
        return GaussianTally.of(self.dag, *self._read(data, sample_weight, self._missing, is_later=True))

    def _regress(self, tally: GaussianTally, variance: Variance) -> dict[Node, LinearGaussian]:
        return {node: regress(tally[node], self._parents[node], node, variance) for node in self.dag.nodes}

    def _adopt(self, tally: GaussianTally, trace: EMTrace | None) -> Self:
        self._parameters = self._regress(tally, self._variance)
        self._tally, self._trace = tally, trace
        return self
