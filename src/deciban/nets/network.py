"""A Bayes net as a value: a DAG, the states of its nodes, and P(node | parents) for each of them.

    P(x₁, …, xₙ) = Π P(xᵢ | parents of xᵢ)      ("Bayes Nets", joint distribution)

A table has an axis for each parent, in the order of ``parents[node]``, and the node's own states last. Its rows sum
to 1. Files round their numbers, so the sum of a row may differ from 1 by up to ``ROW_TOLERANCE``: ``tables`` keeps the
numbers as given, and ``factors`` are the normalized rows, which all computations use.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from deciban.choices import closest, counted
from deciban.errors import InputError, InputTypeError, NetworkError, UnseenStateError
from deciban.nets.data.node_rows import first_repeated
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.read import KnownLabels, listed, plain
from deciban.types import Floats

__all__ = [
    "ROW_TOLERANCE",
    "Axes",
    "Evidence",
    "Network",
    "State",
    "as_network",
    "checked_states",
    "checked_table",
    "code_of_state",
    "codes_of_states",
    "dag_size",
    "read_dag",
]

State = Hashable
Evidence = Mapping[Any, Any]
"""Node → state. The key of a mapping is invariant, so ``Mapping[Node, …]`` would refuse a ``dict[str, str]``."""

ROW_TOLERANCE = 1e-5
"""By how much the sum of a row may differ from 1, since files round their probabilities to a few digits."""

Axes = Sequence[tuple[Node, Sequence[State]]]
"""The axes of a table: the name of each, and what its indices stand for, the states of the node itself last."""


class Network:
    """A DAG with states and tables: the value of a Bayes net, immutable, and checked when it is made.

    The sum of a table's row may differ from 1 by up to 1e-5, because files round their numbers: ``tables`` keeps the
    numbers as given, and computations use the normalized rows, ``factors``.

    Parameters
    ----------
    dag : DAG
        The graph.
    states : mapping
        Node → its states, in the order of the table's axes.
    tables : mapping
        Node → P(node | parents): an axis for each parent, the node's own axis last.
    parents : mapping, optional
        Node → the order of its parents' axes; the order of ``dag.nodes`` by default.

    Attributes
    ----------
    dag : DAG
        The graph.
    nodes : tuple
        Its nodes.
    states, tables, parents : mapping
        The states, the table and the parents of each node.

    See Also
    --------
    BayesNet : Learns a network and answers from it.

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import Network
    >>> wet = Network(
    ...     db.DAG([("rain", "wet")]),
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> wet.cards, wet.code("rain", "yes")
    ((2, 2), 1)
    >>> db.BayesNet.of(wet).query("rain", {"wet": "yes"})
    Distribution(rain: no 0.3333, yes 0.6667)
    """

    _clique_tree: object | None = None
    """The compiled form of these tables, which ``inference.clique_tree`` makes for the first query that needs it.

    A network cannot be hashed, so no cache beside it could find the tree. Later queries read it where that is quicker.
    It is no part of the value: neither ``==`` nor a pickle contains it. Its class is of a layer above this one.
    """

    def __init__(
        self,
        dag: DAG,
        states: Mapping[Any, Iterable[State]],
        tables: Mapping[Any, Any],
        parents: Mapping[Any, Sequence[Node]] | None = None,
    ) -> None:
        self.dag = dag
        self.nodes = dag.nodes
        self.states: Mapping[Node, tuple[State, ...]] = MappingProxyType(checked_states(dag, dag.nodes, states))
        self.parents: Mapping[Node, tuple[Node, ...]] = MappingProxyType(_read_parents(dag, parents))
        self.tables: Mapping[Node, Floats] = MappingProxyType(
            {node: checked_table(node, tables, self._axes(node)) for node in self.nodes}
        )

    @cached_property
    def cards(self) -> tuple[int, ...]:
        """The number of states of each node, in the order of ``nodes``."""
        return tuple(len(self.states[node]) for node in self.nodes)

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: in each row of each table one fewer than states, as a row sums to 1."""
        return sum(table.size - table.size // table.shape[-1] for table in self.tables.values())

    @cached_property
    def families(self) -> tuple[tuple[int, ...], ...]:
        """For each node the indices in ``nodes`` of its table's axes: its parents, then the node itself."""
        return tuple(
            (*(self.dag.index(parent) for parent in self.parents[node]), index) for index, node in enumerate(self.nodes)
        )

    @cached_property
    def factors(self) -> tuple[Floats, ...]:
        """The tables in the order of ``nodes``, each row divided by its sum."""
        rows = [table / table.sum(axis=-1, keepdims=True) for table in self.tables.values()]
        for table in rows:
            table.flags.writeable = False  # shared by all queries, and by the threads that ask them
        return tuple(rows)

    @cached_property
    def _spans(self) -> tuple[slice, ...]:
        """The columns of each node where the beliefs of all nodes stand side by side."""
        ends = accumulate(self.cards, initial=0)
        return tuple(slice(start, end) for start, end in pairwise(ends))

    @cached_property
    def _codes(self) -> dict[Node, dict[State, int]]:
        return codes_of_states(self.states)

    def code(self, node: Node, state: State) -> int:
        """The index of a state among those of its node.

        Parameters
        ----------
        node : node
            The name of a node.
        state : state
            One of its states, or what stands for one in another type: ``"3"`` for 3, or 3 for ``"3"``.

        Returns
        -------
        int

        Raises
        ------
        UnseenStateError
            If the node has no such state; the message lists its states.
        """
        self.dag.index(node)
        return code_of_state(self._codes[node], node, state)

    def evidence_codes(self, evidence: Evidence | None) -> dict[int, int]:
        """Observed states as numbers.

        Parameters
        ----------
        evidence : mapping or None
            Node → observed state.

        Returns
        -------
        dict
            Index of the node → index of its state.
        """
        if evidence is None:
            return {}
        if not isinstance(evidence, Mapping):
            raise InputError(f'evidence is a mapping such as {{"rain": "yes"}}, not {evidence!r}')
        return {self.dag.index(node): self.code(node, state) for node, state in evidence.items()}

    def with_tables(self, tables: Mapping[Any, Any]) -> Network:
        """The same net with some of its tables replaced.

        Parameters
        ----------
        tables : mapping
            Node → its new table.

        Returns
        -------
        Network
        """
        return Network(self.dag, self.states, {**self.tables, **tables}, self.parents)

    def _axes(self, node: Node) -> Axes:
        return [(axis, self.states[axis]) for axis in (*self.parents[node], node)]

    def __getstate__(self) -> tuple[object, ...]:
        return self.dag, dict(self.states), dict(self.tables), dict(self.parents)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        Network.__init__(self, *state)  # checks it again: a pickle may come from anywhere

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return (
            (self.dag, self.states, self.parents) == (other.dag, other.states, other.parents)
            and all(np.array_equal(table, other.tables[node]) for node, table in self.tables.items())
        )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        cells = sum(table.size for table in self.tables.values())
        return f"Network({dag_size(self.dag)}, {counted(cells, 'table entry', 'table entries')})"


def as_network(source: object) -> Network | None:
    """The network itself, or that of a ``BayesNet``; None for anything else, such as a table."""
    network = source if isinstance(source, Network) else getattr(source, "network", None)
    return network if isinstance(network, Network) else None


def read_dag(dag: object) -> DAG:
    """A DAG from a DAG or from arrows (parent, child)."""
    if isinstance(dag, DAG):
        return dag
    if isinstance(dag, str) or not isinstance(dag, Iterable):
        raise InputTypeError(f"a net is made from a DAG or from arrows (parent, child), not from {dag!r}")
    return DAG(dag)


def dag_size(dag: DAG) -> str:
    """Such as ``3 nodes, 1 arrow``."""
    return f"{counted(len(dag.nodes), 'node')}, {counted(len(dag.directed_edges), 'arrow')}"


def checked_states(
    dag: DAG, nodes: Iterable[Node], states: Mapping[Any, Iterable[State]]
) -> dict[Node, tuple[State, ...]]:
    """The states of some nodes of a graph, each at least one and no two equal."""
    for node in states:
        dag.index(node)
    read = {}
    for node in nodes:
        values = tuple(map(plain, states.get(node, ())))
        if not values:
            raise NetworkError(f"there are no states for {node!r}")
        if len(set(values)) < len(values):
            raise NetworkError(f"{node!r} has the state {first_repeated(values)!r} twice")
        read[node] = values
    return read


def codes_of_states(states: Mapping[Node, Sequence[State]]) -> dict[Node, dict[State, int]]:
    """For each node the index of each of its states."""
    return {node: {state: code for code, state in enumerate(of_node)} for node, of_node in states.items()}


def code_of_state(codes: Mapping[State, int], node: Node, state: State) -> int:
    """The index of a state, or of what stands for it in another type; an error that lists the states of the node."""
    if isinstance(state, str) and state in codes:  # the usual case, without making a scalar plain
        return codes[state]
    try:
        value = plain(state)
        return codes[value] if value in codes else codes[KnownLabels(codes).find(value)]
    except (KeyError, TypeError):
        known = listed(tuple(codes))
        meant = closest(state, tuple(codes))
        raise UnseenStateError(f"{node!r} has no state {state!r}; its states are: {known}.{meant}") from None


def checked_table(node: Node, tables: Mapping[Any, Any], axes: Axes) -> Floats:
    """A table as an array of these axes, which cannot be written to; an error where a row is not a distribution."""
    if node not in tables:
        raise NetworkError(f"there is no table for {node!r}")
    try:
        table = np.array(tables[node], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise NetworkError(f"the table of {node!r} is not an array of numbers") from None
    shape = tuple(len(states) for _, states in axes)
    if table.shape != shape:
        expected = " × ".join(f"{axis} ({len(states)})" for axis, states in axes)
        raise NetworkError(f"the table of {node!r} has shape {table.shape}; it needs {shape}: {expected}")
    _check_rows(node, table, axes)
    table.flags.writeable = False
    return table


def _read_parents(dag: DAG, parents: Mapping[Any, Sequence[Node]] | None) -> dict[Node, tuple[Node, ...]]:
    parents_of = {
        node: tuple(dag.nodes[parent] for parent in bits(dag._parent_masks[dag.index(node)])) for node in dag.nodes
    }
    for node, order in (parents or {}).items():
        dag.index(node)
        if len(order) != len(parents_of[node]) or set(order) != set(parents_of[node]):
            raise NetworkError(f"the parents of {node!r} are {parents_of[node]!r} in the graph, not {tuple(order)!r}")
        parents_of[node] = tuple(order)
    return parents_of


def _check_rows(node: Node, table: Floats, axes: Axes) -> None:
    """Every entry is a probability, and every row sums to 1."""
    wrong = ~(np.isfinite(table) & (table >= 0))
    if wrong.any():
        *row, state = map(int, np.argwhere(wrong)[0])
        raise NetworkError(
            f"the table of {node!r} holds {table[(*row, state)]} for {axes[-1][1][state]!r}"
            f"{_where(axes, row)}; probabilities are finite and not negative"
        )
    with np.errstate(over="ignore"):  # entries near the largest double: their sum is infinite, and so refused below
        sums = table.sum(axis=-1)
    off = np.abs(sums - 1) > ROW_TOLERANCE
    if off.any():
        row = [int(code) for code in np.argwhere(off)[0]]
        raise NetworkError(
            f"the table of {node!r} has a row that sums to {sums[tuple(row)]:.9g}{_where(axes, row)}; "
            f"rows sum to 1 within {ROW_TOLERANCE:g}"
        )


def _where(axes: Axes, row: Sequence[int]) -> str:
    configuration = ", ".join(f"{axis}={states[code]}" for (axis, states), code in zip(axes[:-1], row, strict=True))
    return f" given {configuration}" if configuration else ""
