"""A net as the flat arrays from which the core draws rows.

Node i has ``cards[i]`` states and the parents ``parents[starts[i]:starts[i + 1]]``; its table begins at ``offsets[i]``
of ``values``, its own states fastest, its last parent's next. ``order`` has parents before children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deciban import _core
from deciban.errors import NetworkError
from deciban.estimate.columns.drawing import cumulative_ends
from deciban.limits import check_memory
from deciban.nets.network import Network
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["FlatNet", "draw_forward", "draw_gibbs", "flat_net"]


@dataclass(frozen=True, eq=False)
class FlatNet:
    """The arrays of a net."""

    cards: Ints
    starts: Ints
    parents: Ints
    offsets: Ints
    order: Ints
    tables: tuple[Floats, ...]

    @classmethod
    def of(
        cls, cards: Sequence[int], families: Sequence[Sequence[int]], order: Sequence[int], tables: Sequence[Floats]
    ) -> FlatNet:
        """From each node's parents and itself, and its table with an axis for each of them."""
        starts = np.cumsum([0, *(len(family) - 1 for family in families)], dtype=np.int64)
        parents = np.array([parent for family in families for parent in family[:-1]], dtype=np.int64)
        offsets = np.cumsum([0, *(table.size for table in tables)], dtype=np.int64)[:-1]
        arrays = (np.asarray(cards, dtype=np.int64), starts, parents, offsets, np.asarray(order, dtype=np.int64))
        return cls(*arrays, tuple(tables))

    @cached_property
    def values(self) -> Floats:
        """All probabilities."""
        return np.concatenate([table.ravel() for table in self.tables])

    @cached_property
    def logs(self) -> Floats:
        """Their logarithms."""
        with np.errstate(divide="ignore"):
            return np.log(self.values)

    @cached_property
    def ends(self) -> Floats:
        """Their sums along each row: state s is drawn where ends[s − 1] ≤ u < ends[s]."""
        return np.concatenate([cumulative_ends(table).ravel() for table in self.tables])

    def fixed(self, codes: Mapping[int, int]) -> Codes:
        """For each node the code of its observed state, or −1."""
        out = np.full(len(self.cards), -1, dtype=np.int32)
        for index, code in codes.items():
            out[index] = code
        return out


def flat_net(network: Network) -> FlatNet:
    """The arrays of a net."""
    if not network.nodes:
        raise NetworkError("a net without nodes has no rows")
    order = [network.dag.index(node) for node in network.dag.topological_order()]
    return FlatNet.of(network.cards, network.families, order, network.factors)


def draw_forward(
    net: FlatNet, fixed: Mapping[int, int], seed: int, rows: int, *, is_weighted: bool = False
) -> tuple[AnyArray, Floats]:
    """Codes, nodes × rows, and the log of each row's weight if ``is_weighted``."""
    _check_rows(net, rows)
    logs = net.logs if is_weighted else np.empty(0)
    arrays = (net.cards, net.starts, net.parents, net.offsets, net.order, net.fixed(fixed), net.ends, logs)
    return _core.draw_forward(*arrays, seed, rows)


def draw_gibbs(
    net: FlatNet, fixed: Mapping[int, int], first: Codes, seed: int, rows: int, burn_in: int, thin: int
) -> AnyArray:
    """Codes, nodes × rows of all chains; ``first`` has a row for each chain."""
    _check_rows(net, rows * len(first))
    arrays = (net.cards, net.starts, net.parents, net.offsets, net.fixed(fixed), net.values)
    return _core.draw_gibbs(*arrays, np.ascontiguousarray(first, dtype=np.int32).ravel(), seed, rows, burn_in, thin)


def _check_rows(net: FlatNet, rows: int) -> None:
    widest = int(net.cards.max())
    itemsize = 1 if widest <= 1 << 7 else 2 if widest <= 1 << 15 else 4
    check_memory("the rows, rows × nodes,", rows, len(net.cards), itemsize=itemsize, advice="Draw fewer at a time.")
