"""Samples of known networks: the published ones, and rows drawn with fixed seeds.

Rows are drawn by inverse transform, node by node, as for the published figures. ``net.sample`` is faster, but gives
other rows for the same seed.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import deciban as db
from benchmarks.harness.paths import NETS

__all__ = ["Codes", "draw_codes", "draw_numbers", "read_codes", "read_labels"]

_SEED = 0

Codes = NDArray[np.int64]


def draw_codes(net: db.BayesNet, rows: int, seed: int) -> dict[str, Codes]:
    """Draw rows, parents before children; a column holds the codes of states."""
    rng = np.random.default_rng(seed)
    drawn: dict[str, Codes] = {}
    for node in map(str, net.dag.topological_order()):
        table = net.tables[node]
        ends = np.cumsum(table[tuple(drawn[str(parent)] for parent in net.parents[node])], axis=-1)
        code = (rng.random(rows)[:, None] > ends / ends[..., -1:]).sum(axis=-1)
        drawn[node] = np.minimum(code, table.shape[-1] - 1)
    return {str(node): drawn[str(node)] for node in net.nodes}


def draw_numbers(variables: int, rows: int, degree: float, seed: int) -> NDArray[np.float64]:
    """Draw rows of normal variables with a random graph of so many neighbours on average, in a random order."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(rows, variables))
    edges = np.triu(rng.random((variables, variables)) < degree / (variables - 1), 1)
    slopes = rng.uniform(0.3, 1.0, (variables, variables)) * rng.choice([-1, 1], (variables, variables))
    for child in range(variables):
        parents = np.flatnonzero(edges[:, child])
        drawn[:, child] += drawn[:, parents] @ slopes[parents, child]
    return drawn[:, rng.permutation(variables)]


def read_labels(name: str, rows: int) -> pd.DataFrame:
    """The first rows of a published sample, as text."""
    return pd.read_csv(NETS / f"{name}.sample.csv.gz", dtype=str, keep_default_na=False).head(rows)


def read_codes(name: str, rows: int) -> Codes:
    """The same as codes, row by row; for a network without a published sample, rows drawn with a fixed seed."""
    if not (NETS / f"{name}.sample.csv.gz").exists():
        drawn = draw_codes(db.read_net(NETS / f"{name}.bif.gz"), rows, _SEED)
        return np.column_stack(list(drawn.values()))
    table = read_labels(name, rows)
    return np.stack([pd.Categorical(table[column]).codes for column in table], axis=1).astype(np.int64)
