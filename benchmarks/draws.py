"""Rows of a known network as the published figures of graphs have them: drawn by inverse transform, node by node.

``net.sample`` draws as well and faster, but other rows for the same seed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import deciban as db

__all__ = ["draw_codes"]


def draw_codes(net: db.BayesNet, rows: int, seed: int) -> dict[str, NDArray[np.int64]]:
    """Draw rows, parents before children; a column holds the numbers of states."""
    rng = np.random.default_rng(seed)
    drawn: dict[str, NDArray[np.int64]] = {}
    for node in map(str, net.dag.topological_order()):
        table = net.tables[node]
        ends = np.cumsum(table[tuple(drawn[str(up)] for up in net.parents[node])], axis=-1)
        place = (rng.random(rows)[:, None] > ends / ends[..., -1:]).sum(axis=-1)
        drawn[node] = np.minimum(place, table.shape[-1] - 1)
    return {str(node): drawn[str(node)] for node in net.nodes}
