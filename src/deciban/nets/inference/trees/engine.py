"""The compiled engine that answers queries for many nodes or many rows at once.

An engine is compiled from a network once, when it is first needed, and kept with the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

from deciban.limits import memory_limit
from deciban.nets.inference.trees.clique_tree import CliqueTree
from deciban.nets.inference.trees.cost import Cost
from deciban.nets.network import Network
from deciban.types import AnyArray, Floats

__all__ = ["CELLS_PER_STEP", "Engine", "engine", "made_engine"]

CELLS_PER_STEP = 4_000
"""Entries that the engine processes in the time of one elimination step in NumPy."""

_KEY = "_engine"


class Engine(Protocol):
    """The protocol of engines; codes are rows × nodes, −1 for unobserved nodes."""

    @classmethod
    def compile(cls, network: Network, *, limit: int | None = None) -> Self: ...

    @property
    def cost(self) -> Cost: ...

    def marginals(self, codes: AnyArray, likelihoods: Mapping[int, Floats] | None = None) -> tuple[Floats, Floats]: ...

    def log_probability(self, codes: AnyArray, likelihoods: Mapping[int, Floats] | None = None) -> Floats: ...

    def best(self, codes: AnyArray, likelihoods: Mapping[int, Floats] | None = None) -> tuple[AnyArray, Floats]: ...

    def expected_counts(self, codes: AnyArray, weights: Floats | None = None) -> tuple[list[Floats], float]: ...


def engine(network: Network) -> Engine:
    """The engine of a network, compiled at the first call."""
    made = made_engine(network)
    if made is None:
        # A network is not hashable, so the engine is kept in it, as a cached property would be.
        made = vars(network)[_KEY] = CliqueTree.compile(network, limit=memory_limit())
    return made


def made_engine(network: Network) -> Engine | None:
    """The engine of a network if it has been compiled already, else None."""
    return vars(network).get(_KEY)
