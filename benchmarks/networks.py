"""The networks of the repository of Bayesian networks, read from BIF, and samples drawn from them."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deciban.nets import DAG

__all__ = ["Network", "read_network"]

_VARIABLE = re.compile(r"variable\s+(\S+)\s*\{\s*type\s+discrete\s*\[\s*\d+\s*\]\s*\{([^}]*)\}", re.DOTALL)
_TABLE = re.compile(r"probability\s*\(\s*([^)]*?)\s*\)\s*\{([^}]*)\}", re.DOTALL)
_ROW = re.compile(r"\(([^)]*)\)\s*([^;]*);")


@dataclass(frozen=True)
class Network:
    """States of each node, its parents, and P(node | parents) with the parents' states as leading axes."""

    states: dict[str, list[str]]
    parents: dict[str, list[str]]
    tables: dict[str, NDArray[np.float64]]

    @property
    def dag(self) -> DAG:
        """The graph alone."""
        return DAG([(up, node) for node, ups in self.parents.items() for up in ups], self.states)

    def sample(self, rows: int, seed: int) -> dict[str, NDArray[np.int64]]:
        """Draw rows, parents before children; a column holds the numbers of states."""
        rng = np.random.default_rng(seed)
        drawn: dict[str, NDArray[np.int64]] = {}
        for node in map(str, self.dag.topological_order()):
            table = self.tables[node]
            ends = np.cumsum(table[tuple(drawn[up] for up in self.parents[node])], axis=-1)
            place = (rng.random(rows)[:, None] > ends / ends[..., -1:]).sum(axis=-1)
            drawn[node] = np.minimum(place, table.shape[-1] - 1)
        return {node: drawn[node] for node in self.states}


def read_network(path: Path) -> Network:
    """Read a .bif.gz file."""
    text = gzip.decompress(path.read_bytes()).decode()
    states = {name: [state.strip() for state in held.split(",")] for name, held in _VARIABLE.findall(text)}
    parents, tables = {}, {}
    for head, body in _TABLE.findall(text):
        node, _, given = (part.strip() for part in head.partition("|"))
        parents[node] = [up.strip() for up in given.split(",") if up.strip()]
        tables[node] = _table(node, parents[node], body, states)
    return Network(states, parents, tables)


def _table(node: str, parents: list[str], body: str, states: dict[str, list[str]]) -> NDArray[np.float64]:
    shape = [len(states[name]) for name in (*parents, node)]
    if not parents:
        return np.array([float(v) for v in body.split("table")[1].strip(" ;\n\t").split(",")]).reshape(shape)
    place = {up: {state: i for i, state in enumerate(states[up])} for up in parents}
    out = np.zeros(shape)
    for key, values in _ROW.findall(body):
        where = tuple(place[up][state.strip()] for up, state in zip(parents, key.split(","), strict=True))
        out[where] = [float(v) for v in values.split(",")]
    return out
