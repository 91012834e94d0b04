"""The tables of a k-dependence model: smoothed, with and without one row, and combined for scoring.

Rows are codes, views × rows, as `Chains.codes` makes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from math import prod

import numpy as np

from deciban import _core
from deciban.models.kdb.chains import Chains
from deciban.tallies import Crossed
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["ChainTables"]


_BLOCK = 1 << 22


class ChainTables:
    """log P(x | class, parents) of all chains and levels."""

    def __init__(self, part: Crossed, chains: Chains, unit: float | None = None) -> None:
        self._chains, self._classes = chains, part.classes
        self._sizes = np.array([len(variable) for variable in part.variables], dtype=np.int64)
        self._of_column = np.array(chains.columns(), dtype=np.int32)
        counts = np.ascontiguousarray(part.cells, dtype=np.float64)
        lists = _ragged([chain.views for chain in chains.chains])
        unit = chains.unit if unit is None else unit
        self._logs, self._left, self.strengths = _core.smooth_chains(counts, self._sizes, *lists, unit)

    def weighted(self, chains: Chains) -> ChainTables:
        """The same tables with the weights of these chains, which differ in nothing else."""
        out = copy(self)
        out._chains = chains
        out.__dict__.pop("_combined", None)
        return out

    def score(self, codes: AnyArray) -> Floats:
        """log P(row | class), weighted: rows × classes."""
        return self._sum(codes, np.zeros_like(self._of_column), 1)[:, 0]

    def weigh(self, codes: AnyArray) -> Floats:
        """The weighted evidence of each column: rows × columns × classes."""
        return self._sum(codes, self._of_column, len(self._chains.weights))

    def score_left_out(self, codes: AnyArray, y: Codes) -> Floats:
        """log P(row | class) of counted rows, weighted, each without itself."""
        weights, out = np.array(self._chains.weights), np.empty((len(y), self._classes))
        step = max(1, _BLOCK // max(1, weights.size * self._classes))
        for first in range(0, len(y), step):
            rows = slice(first, first + step)
            evidence = self.levels(np.ascontiguousarray(codes[:, rows]), y[rows])
            out[rows] = np.einsum("rilc,il->rc", evidence, weights)
        return out

    def levels(self, codes: AnyArray, y: Codes | None = None) -> Floats:
        """What each level of each column adds: rows × columns × levels × classes.

        Where the classes of the rows are given, they are counted rows, and each is scored as if it were not.
        """
        chains, depth = self._chains, self._chains.k + 1
        columns, shares, groups = [], [], []
        for chain, of in zip(chains.chains, self._of_column.tolist(), strict=True):
            for level in range(len(chain.parents) + 1):
                is_last = level == len(chain.parents)
                columns.append((*chain.parents[:level], chain.view))
                shares.append(chain.share)
                groups.append((of * depth + level) * 2 + is_last)
        count = len(chains.weights) * depth * 2
        left = None if y is None else self._left
        sums = _core.add_chains(
            codes, self._sizes, *_ragged(columns), self._logs, left, y,
            np.array(shares), np.array(groups, dtype=np.int32), count, self._classes,
        )  # fmt: skip
        cube = sums.reshape(codes.shape[1], len(chains.weights), depth, 2, self._classes)
        out: Floats = cube.sum(axis=3)
        out[:, :, 1:] -= cube[:, :, :-1, 0]
        return out

    def _sum(self, codes: AnyArray, groups: Codes, count: int) -> Floats:
        chains = self._chains.chains
        lists = _ragged([chain.views for chain in chains])
        return _core.add_chains(
            codes, self._sizes, *lists, self._combined, None, None, np.ones(len(chains)), groups, count, self._classes
        )

    @cached_property
    def _combined(self) -> Floats:
        """One table a chain: the levels, weighted."""
        parts, start, width = [], 0, self._logs.shape[1]
        for chain, column in zip(self._chains.chains, self._of_column.tolist(), strict=True):
            weights = [*self._chains.weights[column][: len(chain.parents) + 1], 0.0]
            sizes = [int(self._sizes[view]) + 1 for view in chain.views]
            table = np.zeros((*sizes, width))
            for level in range(len(sizes)):
                shape = (*sizes[:level], *(1 for _ in sizes[level:-1]), sizes[-1], width)
                end = start + prod(shape[:-1])
                table += chain.share * (weights[level] - weights[level + 1]) * self._logs[start:end].reshape(shape)
                start = end
            parts.append(table.reshape(-1, width))
        return np.concatenate(parts) if parts else np.zeros((0, width))


def _ragged(lists: Sequence[Sequence[int]]) -> tuple[Ints, Codes]:
    """Lists as the kernels take them: starts and values."""
    starts = np.concatenate([[0], np.cumsum([len(held) for held in lists])]).astype(np.int64)
    return starts, np.array([value for held in lists for value in held], dtype=np.int32)
