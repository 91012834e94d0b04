"""Expected counts of the families of a net in rows with missing values.

    E[n_jk] = Σ_rows w·P(family = jk | observed values of the row)

Complete rows are counted once. Equal incomplete rows are one row with a weight, and a clique tree computes their
expected counts. The readable twin is ``tests/reference/learning.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from deciban.errors import TooLargeError
from deciban.limits import memory_limit
from deciban.nets.data.samples import CodedSample
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.trees.clique_tree import CliqueTree
from deciban.nets.inference.trees.grouping import distinct_rows
from deciban.nets.learning.counting import tally_families
from deciban.nets.network import Network
from deciban.types import Floats

__all__ = ["ExpectedCounts"]


class ExpectedCounts:
    """A function from a table for each node to the expected counts of all families and the log-likelihood.

    A clique tree of more than ``limit`` bytes is an error, raised before any row is read.
    """

    def __init__(self, dag: DAG, sample: CodedSample, limit: int | None = None) -> None:
        incomplete = (sample.codes < 0).any(axis=0)
        weights = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
        codes = np.ascontiguousarray(sample.codes[:, ~incomplete])
        rest = replace(sample, codes=codes, sample_weight=weights[~incomplete])
        counted = tally_families(dag, rest)
        self._whole = [counted.counts[node] for node in dag.nodes]
        rows = np.ascontiguousarray(sample.codes[:, incomplete].T)
        first, which = distinct_rows(rows)
        self._codes, self._weights = rows[first], np.bincount(which, weights[incomplete], len(first)).astype(np.float64)
        self._dag, self._states, self._parents, self._limit = dag, counted.states, counted.parents, limit
        if self.has_missing:
            self._tree = self._compile([np.full(table.shape, 1 / table.shape[-1]) for table in self._whole])

    @property
    def has_missing(self) -> bool:
        """Whether there is any missing value."""
        return len(self._codes) > 0

    def __call__(self, tables: Sequence[Floats]) -> tuple[list[Floats], float]:
        likelihood = sum(_xlogy(n, p) for n, p in zip(self._whole, tables, strict=True))
        if not self.has_missing:
            return [counts.copy() for counts in self._whole], likelihood
        counts, more = self._tree.with_network(self._network(tables)).expected_counts(self._codes, self._weights)
        return [whole + part for whole, part in zip(self._whole, counts, strict=True)], likelihood + more

    def _network(self, tables: Sequence[Floats]) -> Network:
        return Network(self._dag, self._states, dict(zip(self._dag.nodes, tables, strict=True)), self._parents)

    def _compile(self, tables: Sequence[Floats]) -> CliqueTree:
        try:
            return CliqueTree.compile(self._network(tables), limit=memory_limit(self._limit))
        except TooLargeError as error:
            raise TooLargeError(f"{error}: pass fit a larger limit (in bytes), or missing='skip'.") from None


def _xlogy(x: Floats, y: Floats) -> float:
    """Σ x·log y, where 0·log 0 is 0."""
    with np.errstate(divide="ignore"):
        return float(x[x > 0] @ np.log(y[x > 0]))
