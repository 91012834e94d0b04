"""Where observational probabilities come from: the tables of a net, or counts.

  P(a | b) = P(a, b) / P(b)      or      (n(a, b) + pseudo-count) / (n(b) + their sum)

Rows with a missing value are left out. From counts, P(a | b) has no value where no row has b and no pseudo-count is
added: a guess would look like an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from deciban.errors import InputError, TooLargeError
from deciban.estimate import Smoothing
from deciban.nets.causal.evaluation import MOST_CELLS
from deciban.nets.data.rows import read_rows
from deciban.nets.data.samples import code_rows
from deciban.nets.graphs.base import Node
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.queries import joint
from deciban.nets.inference.trees.grouping import distinct_rows
from deciban.nets.network import Network, State
from deciban.types import AnyArray, Floats

__all__ = ["CountSource", "NetSource", "read_counts"]

_DENSE = 1 << 20
"""The most cells that are counted in a dense table; beyond that, only cells that occur are stored."""


@dataclass(frozen=True, eq=False)
class NetSource:
    """The exact distribution of a Bayes net."""

    network: Network

    @property
    def states(self) -> Mapping[Node, tuple[State, ...]]:
        return self.network.states

    def conditional(self, of: tuple[Node, ...], given: tuple[Node, ...]) -> Floats:
        """P(of | given), from one joint table."""
        table = self._joint((*given, *of))
        whole = table.sum(axis=tuple(range(len(given), table.ndim)), keepdims=True)
        return table / np.where(whole > 0, whole, np.nan)

    def _joint(self, nodes: tuple[Node, ...]) -> Floats:
        if nodes not in self._known:
            self._known[nodes] = joint(self.network, [self.network.dag.index(node) for node in nodes], Findings())
        return self._known[nodes]

    @cached_property
    def _known(self) -> dict[tuple[Node, ...], Floats]:
        return {}


@dataclass(frozen=True, eq=False)
class CountSource:
    """Counts: distinct rows of codes, one column for each of ``states``, and how often each occurs."""

    states: Mapping[Node, tuple[State, ...]]
    codes: AnyArray
    counts: Floats
    smoothing: Smoothing
    left_out: int = 0

    @property
    def rows(self) -> float:
        """The weight of all rows."""
        return float(self.counts.sum())

    def conditional(self, of: tuple[Node, ...], given: tuple[Node, ...]) -> Floats:
        """P(of | given); the states of ``of`` are smoothed together."""
        shape = tuple(len(self.states[node]) for node in (*given, *of))
        columns = [self._column[node] for node in (*given, *of)]
        cells = np.ravel_multi_index(tuple(self.codes[:, column] for column in columns), shape)
        if prod(shape) > MOST_CELLS:
            raise TooLargeError(f"a table of {', '.join(map(str, (*given, *of)))} has {prod(shape):,} cells, too many")
        wide = prod(shape[len(given) :])
        counts = np.bincount(cells, self.counts, minlength=prod(shape)).reshape(-1, wide)
        smoothed = counts + self.smoothing.pseudocounts(wide, len(counts))
        whole = smoothed.sum(axis=1, keepdims=True)
        return (smoothed / np.where(whole > 0, whole, np.nan)).reshape(shape)

    def smoothed(self, smoothing: Smoothing) -> CountSource:
        """The same counts, smoothed by another rule."""
        return replace(self, smoothing=smoothing)

    def drawn(self, rng: np.random.Generator) -> CountSource:
        """As many rows again, drawn from these with replacement."""
        size = max(round(self.rows), 1)
        return replace(self, counts=rng.multinomial(size, self.counts / self.counts.sum()).astype(np.float64))

    @cached_property
    def _column(self) -> dict[Node, int]:
        return {node: index for index, node in enumerate(self.states)}


def read_counts(data: Any, nodes: Iterable[Node], smoothing: Smoothing, sample_weight: Any = None) -> CountSource:
    """Count the columns of some nodes; rows with a missing value in one of them are left out."""
    if not isinstance(smoothing, Smoothing):
        raise InputError(f"smoothing is a rule such as db.MLE() or db.Laplace(), not {smoothing!r}")
    names = list(nodes)
    rows = read_rows(data, names, sample_weight=sample_weight, missing="drop", choices=("drop",))
    sample = code_rows(rows, names, numbers='use db.ida with model="gaussian"', dtype=np.int64)
    weights = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
    codes, counts = _distinct(sample.codes.T, weights, tuple(sample.sizes.tolist()))
    states = {node: sample.states[node].values for node in names}
    return CountSource(states, codes, counts, smoothing, sample.dropped)


def _distinct(codes: AnyArray, weights: Floats, shape: tuple[int, ...]) -> tuple[AnyArray, Floats]:
    """The distinct rows and the weight of each; as one number for each row where that fits, which is fast to count."""
    if prod(shape) <= _DENSE:
        counts = np.bincount(np.ravel_multi_index(tuple(codes.T), shape), weights, minlength=prod(shape))
        keys = np.flatnonzero(counts)
        return np.column_stack(np.unravel_index(keys, shape)), counts[keys].astype(np.float64)
    if prod(shape) < 1 << 62:
        keys, indices = np.unique(np.ravel_multi_index(tuple(codes.T), shape), return_inverse=True)
        rows: AnyArray = np.column_stack(np.unravel_index(keys, shape))
    else:
        first, indices = distinct_rows(codes)
        rows = codes[first]
    return rows, np.bincount(indices, weights, minlength=len(rows)).astype(np.float64)
