"""Summing missing columns out of a product of factors, many rows at a time.

Rows in which the same relevant columns are missing are summed out together. Columns that are not relevant are left out
first: missing columns without a known descendant, since their families sum to 1, and columns that no path through
missing columns connects to the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from deciban.models.nets.net_form import Families
from deciban.nets.graphs.bits import bits, mask_of, reach
from deciban.nets.inference.trees import factor as tables
from deciban.nets.inference.trees.elimination import sum_out
from deciban.nets.inference.trees.grouping import distinct_rows
from deciban.nets.inference.trees.order import plan
from deciban.types import Codes, Floats, Ints

__all__ = ["Factor", "Network"]

_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class Factor:
    """log-probabilities with an axis for each of some columns, and the classes last where `has_class`.

    On each axis the last state is the unseen one.
    """

    columns: tuple[int, ...]
    logs: Floats
    has_class: bool


class Network:
    """All factors, and which of them each pattern of missing columns needs; the class is the last node."""

    def __init__(self, of_class: Factor, of_columns: Sequence[Factor], families: Families) -> None:
        self._class = len(of_columns)
        factors = [*of_columns, of_class]
        self._axes = [(*each.columns, *(self._class,) * each.has_class) for each in factors]
        self._tables = [np.exp(each.logs) for each in factors]
        under = [up << self._class for up in families.under_class]
        self._parents = [mask_of(ups) | more for ups, more in zip(families.of_columns, under, strict=True)]
        self._parents.append(mask_of(families.of_class))
        # A missing value is not summed over the unseen state.
        self._cards = [each.logs.shape[len(each.columns) - 1] - 1 for each in of_columns]
        self._cards.append(of_class.logs.shape[-1])

    def sum_out(self, codes: Codes, *, whole: bool = False) -> Floats:
        """log Σ over the missing columns of the product of all factors: rows × classes.

        Factors that are equal for all classes are left out, unless it is `whole`.
        """
        patterns = np.packbits(codes < 0, axis=1, bitorder="little")
        first, which = distinct_rows(patterns)
        needs = [self._needed(int.from_bytes(patterns[row].tobytes(), "little"), whole) for row in first]
        groups = {need: group for group, need in enumerate(dict.fromkeys(needs))}
        of_row = np.array([groups[need] for need in needs])[which]
        ends = np.cumsum(np.bincount(of_row))[:-1]
        out = np.empty((len(codes), self._cards[-1]))
        for need, rows in zip(groups, np.split(np.argsort(of_row, kind="stable"), ends), strict=True):
            self._sum_rows(codes, rows, *need, out)
        return out

    def _needed(self, missing: int, whole: bool = False) -> tuple[int, int]:
        """The relevant missing columns, and the nodes whose factors are relevant, as masks."""
        known = (1 << self._class) - 1 & ~missing | 1 << self._class
        waiting = known | reach(self._parents, known)
        if whole:
            return waiting & missing, waiting
        found, used, grows = 1 << self._class, 0, True
        while grows:
            touching = [v for v in bits(waiting & ~used) if (self._parents[v] | 1 << v) & found]
            grows = bool(touching)
            used |= mask_of(touching)
            for v in touching:
                found |= (self._parents[v] | 1 << v) & missing
        return found & missing, used

    def _sum_rows(self, codes: Codes, rows: Ints, missing: int, used: int, out: Floats) -> None:
        nodes, free = list(bits(used)), list(bits(missing))
        open_to = missing | 1 << self._class
        scopes = [sorted(node for node in self._axes[v] if open_to >> node & 1) for v in nodes]
        laid = plan(scopes, self._cards, free)
        step = max(1, _CHUNK // laid.peak)
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            out[some] = self._summed(codes[some], nodes, open_to, laid.order)

    def _summed(self, codes: Codes, nodes: Sequence[int], open_to: int, order: Sequence[int]) -> Floats:
        seen = {i: codes[:, i] for i in range(self._class) if not open_to >> i & 1}
        held = tables.sliced([self._tables[v] for v in nodes], [self._axes[v] for v in nodes], seen)
        _, rest, log_scale = sum_out([self._without_unseen(each) for each in held], order, keep=())
        out = np.zeros((len(codes), self._cards[-1])) + np.reshape(log_scale, (-1, 1))
        with np.errstate(divide="ignore"):
            for each in rest:
                out += np.log(tables.aligned(each, (self._class,)))
        return out

    def _without_unseen(self, held: tables.Factor) -> tables.Factor:
        seen = tuple(slice(self._cards[node]) for node in held.scope)
        return tables.Factor(held.scope, held.table[(slice(None), *seen)])
