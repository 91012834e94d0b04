"""Bayes nets: fit them, ask them, act on them, draw from them, write them.

A Bayes net describes a joint distribution by its conditional independences (the graph) and its conditional
probabilities (a table for each node). ``Network`` is the value; ``BayesNet`` is what learns it and answers from it.
Each of its base classes holds one kind of question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from deciban.errors import UnfittedError
from deciban.nets.causal.intervention import Acted
from deciban.nets.graphs.base import Edge, Node
from deciban.nets.graphs.graph import DAG, dag_size, read_dag
from deciban.nets.inference.beliefs import Shown
from deciban.nets.inference.queries_mixin import Asked
from deciban.nets.io.written import Written
from deciban.nets.learning.learned import Learned
from deciban.nets.network import Network, State
from deciban.nets.sampling.sampling_mixin import Sampled
from deciban.types import Floats

__all__ = ["BayesNet"]


class BayesNet(Learned, Asked, Acted, Sampled, Written, Shown):
    """A joint distribution as a DAG and conditional tables.

    Parameters
    ----------
    dag
        The graph: a ``DAG``, or its arrows as pairs (parent, child).

    Examples
    --------
    >>> net = BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> net
    BayesNet(2 nodes, 1 arrow, 6 table entries)
    """

    def __init__(self, dag: DAG | Iterable[Edge]) -> None:
        self._dag = read_dag(dag)
        self._network: Network | None = None

    @classmethod
    def from_tables(
        cls,
        dag: DAG | Iterable[Edge],
        states: Mapping[Any, Iterable[State]],
        tables: Mapping[Any, Any],
        parents: Mapping[Any, Sequence[Node]] | None = None,
    ) -> Self:
        """A net whose tables are known: see ``Network`` for what they look like."""
        return cls.of(Network(read_dag(dag), states, tables, parents))

    @classmethod
    def of(cls, network: Network) -> Self:
        """A net that answers from a value."""
        net = cls(network.dag)
        net._network = network
        return net

    @property
    def network(self) -> Network:
        """The value it answers from."""
        if self._network is None:
            raise UnfittedError("this BayesNet has no tables yet: call fit(data), or make it by BayesNet.from_tables")
        return self._network

    @property
    def dag(self) -> DAG:
        """The graph."""
        return self._dag

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Its nodes."""
        return self._dag.nodes

    @property
    def states(self) -> Mapping[Node, tuple[State, ...]]:
        """The states of each node."""
        return self.network.states

    @property
    def tables(self) -> Mapping[Node, Floats]:
        """P(node | parents) for each node: an axis for each of ``parents[node]``, the node's own states last."""
        return self.network.tables

    @property
    def parents(self) -> Mapping[Node, tuple[Node, ...]]:
        """The parents of each node, in the order of its table's axes."""
        return self.network.parents

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesNet):
            return NotImplemented
        return self._dag == other._dag and self._network == other._network

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        held = dag_size(self._dag)
        if self._network is None:
            return f"BayesNet({held}, not fitted)"
        cells = sum(table.size for table in self.tables.values())
        return f"BayesNet({held}, {cells:,} table entries{self._unseen_note()})"
