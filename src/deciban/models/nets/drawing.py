"""Rows drawn from models that count combinations of columns: from a net over the class and the columns, or a mixture.

A family is a node's parents and its table, with an axis for each parent and the node's own states last. The nodes are
the columns, by index, and the class, `CLASS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from deciban.estimate.columns.drawing import draw_codes
from deciban.nets.sampling.flat import FlatNet, draw_forward
from deciban.types import Codes, Floats

__all__ = ["CLASS", "NodeTables", "count_free", "draw_mixture"]

CLASS = -1
"""The node of the class."""

NodeTables = Mapping[int, tuple[tuple[int, ...], Floats]]
"""The parents and the table of each node, parents before children."""


def count_free(families: NodeTables) -> int:
    """The number of free parameters of the tables, less those of P(class) without parents."""
    free = sum(table.size - table.size // table.shape[-1] for _, table in families.values())
    return free - (families[CLASS][1].shape[-1] - 1)


def draw_mixture(
    nets: Sequence[NodeTables], shares: Floats, columns: int, n: int, rng: np.random.Generator
) -> tuple[Codes, Codes]:
    """The classes of n rows, and their codes, columns × rows; −1 where a net has no such column.

    Each row is drawn from one of the nets, by their shares.
    """
    which = draw_codes(shares[None], np.zeros(n, dtype=np.int32), rng)
    y, codes = np.zeros(n, dtype=np.int32), np.full((columns, n), -1, dtype=np.int32)
    for k, families in enumerate(nets):
        rows = np.flatnonzero(which == k)
        seed = int(rng.integers(1 << 63))
        nodes, drawn = list(families), _draw(families, seed, len(rows))
        for node, held in zip(nodes, drawn, strict=True):
            if node == CLASS:
                y[rows] = held
            else:
                codes[node, rows] = held
    return y, codes


def _draw(families: NodeTables, seed: int, rows: int) -> Codes:
    """Codes, nodes × rows, in the order of the families."""
    index = {node: i for i, node in enumerate(families)}
    cards = [table.shape[-1] for _, table in families.values()]
    scopes = [(*(index[up] for up in parents), index[node]) for node, (parents, _) in families.items()]
    net = FlatNet.of(cards, scopes, range(len(index)), [np.ascontiguousarray(held) for _, held in families.values()])
    return draw_forward(net, {}, seed, rows)[0]
