"""What a Gaussian net knows of a sample: weight, means and cross-products of each family.

    W = Σ w,    m = Σ w·x / W,    C = Σ w·(x − m)(x − m)ᵀ

around the sample's own means, so that large numbers with small differences lose nothing. Two samples join by

    W = W_a + W_b,  δ = m_b − m_a,  m = m_a + δ·W_b/W,  C = C_a + C_b + δδᵀ·W_a·W_b/W      (Chan, Golub, LeVeque, 1979)

and one is taken out again by the same formula solved for a.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError, NegativeCountError, ParameterError
from deciban.nets.base import Node
from deciban.nets.graph import DAG
from deciban.nets.learning.families import families_of
from deciban.types import Floats

__all__ = ["CrossMoments", "GaussianTally"]

_ROUNDING = 1e-9
_BLOCK = 1 << 13
"""Rows that are summed at a time, so that they stay near while they are."""


@dataclass(frozen=True, eq=False)
class CrossMoments:
    """Weight, means and cross-products of some columns."""

    weight: float
    mean: Floats
    cross: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats | None = None) -> CrossMoments:
        """Those of the rows of numbers that are whole."""
        joined = cls(0.0, np.zeros(values.shape[1]), np.zeros((values.shape[1],) * 2))
        for begin in range(0, len(values), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            joined += cls._of_block(values[part], None if weights is None else weights[part])
        return joined

    @classmethod
    def _of_block(cls, values: Floats, weights: Floats | None) -> CrossMoments:
        whole = ~np.isnan(values).any(axis=1)
        rows = values if whole.all() else values[whole]
        held = np.ones(len(rows)) if weights is None else weights[whole]
        weight = float(held.sum())
        if not weight > 0:
            return cls(0.0, np.zeros(values.shape[1]), np.zeros((values.shape[1],) * 2))
        first = held @ rows / weight
        centred = rows - first
        slip = held @ centred / weight  # by which rounding made the mean miss
        weighed = centred if weights is None else centred * held[:, None]
        cross = weighed.T @ centred - weight * np.outer(slip, slip)
        return cls(weight, first + slip, (cross + cross.T) / 2)

    def __add__(self, other: CrossMoments) -> CrossMoments:
        weight = self.weight + other.weight
        if not weight > 0:
            return self
        gap = other.mean - self.mean
        share = other.weight / weight
        return CrossMoments(
            weight, self.mean + gap * share, self.cross + other.cross + np.outer(gap, gap) * (self.weight * share)
        )

    def __sub__(self, other: CrossMoments) -> CrossMoments:
        weight = self.weight - other.weight
        if weight < -_ROUNDING * self.weight:
            raise NegativeCountError(f"the weight of the rows would be {weight:g}: they were never counted.")
        if weight <= _ROUNDING * self.weight:
            return CrossMoments(0.0, np.zeros_like(self.mean), np.zeros_like(self.cross))
        gap = self.mean - other.mean  # the whole's mean lies between those of the two parts
        share = other.weight / weight
        cross = self.cross - other.cross - np.outer(gap, gap) * (self.weight * share)
        if (np.diag(cross) < -1e-6 * np.diag(self.cross) - 1e-300).any():
            raise NegativeCountError("a variance would be negative: what is taken out was never counted.")
        flat = np.diag(cross) <= 1e-12 * np.diag(self.cross)
        cross[flat, :] = cross[:, flat] = 0.0
        return CrossMoments(weight, self.mean + gap * share, cross)

    def scaled(self, factor: float) -> CrossMoments:
        return CrossMoments(self.weight * factor, self.mean, self.cross * factor)

    def part(self, places: Sequence[int]) -> CrossMoments:
        """The moments of some of the columns."""
        return CrossMoments(self.weight, self.mean[list(places)], self.cross[np.ix_(places, places)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CrossMoments):
            return NotImplemented
        return (
            self.weight == other.weight
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.cross, other.cross)
        )

    __hash__ = None  # type: ignore[assignment]


class GaussianTally:
    """The moments of every family: those of its parents, in the order of the graph's nodes, and the node's own last."""

    def __init__(self, dag: DAG, moments: Mapping[Node, CrossMoments], rows: float | int) -> None:
        self.dag = dag
        self.rows = rows
        self._moments = {node: moments[node] for node in dag.nodes}

    @classmethod
    def of(cls, dag: DAG, values: Floats, weights: Floats | None) -> GaussianTally:
        """The tally of rows × nodes of numbers, NaN where one is missing; each family where it is whole."""
        families = dict(zip(dag.nodes, families_of(dag), strict=True))
        rows = len(values) if weights is None else float(weights.sum())
        is_small = len(families) ** 2 <= 4 * sum(len(family) ** 2 for family in families.values())
        if is_small and not np.isnan(values).any():  # then all products at once take less than those of each family
            return cls.of_whole(dag, CrossMoments.of(values, weights), rows)
        moments = {node: CrossMoments.of(values[:, list(family)], weights) for node, family in families.items()}
        return cls(dag, moments, rows)

    @classmethod
    def of_whole(cls, dag: DAG, whole: CrossMoments, rows: float | int) -> GaussianTally:
        """The tally that the moments of all nodes together give."""
        families = zip(dag.nodes, families_of(dag), strict=True)
        return cls(dag, {node: whole.part(family) for node, family in families}, rows)

    @property
    def moments(self) -> Mapping[Node, CrossMoments]:
        """For each node the moments of its family."""
        return MappingProxyType(self._moments)

    def __getitem__(self, node: Node) -> CrossMoments:
        self.dag.index(node)
        return self._moments[node]

    def __add__(self, other: GaussianTally) -> GaussianTally:
        peer = other._ordered_as(self.dag)
        moments = {node: own + peer._moments[node] for node, own in self._moments.items()}
        return GaussianTally(self.dag, moments, self.rows + other.rows)

    def __sub__(self, other: GaussianTally) -> GaussianTally:
        peer = other._ordered_as(self.dag)
        if other.rows > self.rows * (1 + _ROUNDING):
            raise NegativeCountError(f"{other.rows:,} rows cannot be taken out of {self.rows:,}.")
        moments = {node: own - peer._moments[node] for node, own in self._moments.items()}
        return GaussianTally(self.dag, moments, max(self.rows - other.rows, 0))

    def scaled(self, factor: float) -> GaussianTally:
        """Weigh the whole sample by `factor` ≥ 0, as when it ages."""
        if not 0 <= factor < np.inf:
            raise ParameterError(f"a tally is scaled by a number that is not negative, not {factor}.")
        moments = {node: own.scaled(float(factor)) for node, own in self._moments.items()}
        return GaussianTally(self.dag, moments, self.rows * float(factor))

    def _ordered_as(self, dag: DAG) -> GaussianTally:
        if dag != self.dag:
            raise ColumnMismatchError("the tallies are of the families of different graphs.")
        if dag.nodes == self.dag.nodes:
            return self
        own = dict(zip(self.dag.nodes, families_of(self.dag), strict=True))
        moments = {}
        for node, family in zip(dag.nodes, families_of(dag), strict=True):
            held = [self.dag.nodes[place] for place in own[node]]
            moments[node] = self._moments[node].part([held.index(dag.nodes[place]) for place in family])
        return GaussianTally(dag, moments, self.rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianTally):
            return NotImplemented
        return (self.dag, self.rows) == (other.dag, other.rows) and self._moments == other._ordered_as(
            self.dag
        )._moments

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"GaussianTally({self.rows:,} rows, {len(self._moments)} families)"

    def __reduce__(self) -> tuple[Callable[..., GaussianTally], tuple[Any, ...]]:
        return GaussianTally, (self.dag, self._moments, self.rows)
