"""How well a net describes rows: their mean information content, and frequencies beside probabilities.

    bits = −(1/n) Σ log₂ P(row)

is what a row needs on average in the best code for the net, its log loss; missing values are summed out. The net
without arrows whose probabilities are the frequencies of the same rows needs Σ H(node) bits: what the arrows explain is
the difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.nets.data.rows import read_rows
from deciban.nets.data.samples import code_rows
from deciban.nets.data.states import States
from deciban.nets.graphs.base import Node
from deciban.nets.inference.cases import log_likelihoods
from deciban.nets.inference.distribution import Distribution
from deciban.nets.network import Network, State
from deciban.ties import largest_first
from deciban.units import bits_from_nats

__all__ = ["Assessment", "Difference", "assess"]


@dataclass(frozen=True)
class Difference:
    """The frequency of a state in the rows, and its probability in the net."""

    node: Node
    state: State
    frequency: float
    probability: float

    @property
    def difference(self) -> float:
        """Frequency less probability."""
        return self.frequency - self.probability


@dataclass(frozen=True)
class Assessment:
    """A net beside rows.

    Attributes
    ----------
    rows, missing
        The number of rows, and the share of values that are missing in the columns of the nodes.
    bits, bits_alone
        The bits for each row: of the net, and of a net without arrows that has the frequencies of the same rows.
    impossible
        The number of rows that are impossible under the net; they are left out of `bits`.
    differences
        The states whose frequency differs from their probability, the largest difference first.
    """

    rows: int
    missing: float
    bits: float
    bits_alone: float
    impossible: int
    differences: tuple[Difference, ...]


def assess(network: Network, data: Any, marginals: Mapping[Node, Distribution]) -> Assessment:
    """Compare a net, whose marginals are given, with the rows of a table; other columns are ignored."""
    nodes = network.nodes
    rows = read_rows(data, nodes, missing="skip", choices=("skip",), may_lack=nodes)
    fixed = {node: States(tuple(network.states[node]), "fixed") for node in nodes}
    codes = code_rows(rows, nodes, fixed=fixed, dtype=np.int32).codes
    logs = log_likelihoods(network, np.ascontiguousarray(codes.T))
    is_possible = np.isfinite(logs)
    known = [index for index, node in enumerate(nodes) if node not in rows.absent]
    alone, differences = 0.0, []
    for index in known:
        counts = np.bincount(codes[index][codes[index] >= 0], minlength=network.cards[index])
        found = Distribution(nodes[index], network.states[nodes[index]], counts / max(counts.sum(), 1))
        alone += found.entropy * counts.sum() / len(rows)
        own = marginals[nodes[index]]
        differences += [Difference(nodes[index], state, found[state], own[state]) for state in own]
    return Assessment(
        rows=len(rows),
        missing=float((codes[known] < 0).mean()),
        bits=float(bits_from_nats(-logs[is_possible].mean())) if is_possible.any() else float("inf"),
        bits_alone=alone,
        impossible=int((~is_possible).sum()),
        differences=tuple(largest_first(differences, lambda one: abs(one.difference))),
    )
