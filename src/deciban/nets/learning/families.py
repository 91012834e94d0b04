"""What the tallies of nets share: the statistics of the families of a graph.

The sufficient statistics of a discrete net: the counts of each node's states for every configuration of its parents.

    n_jk = #(parents of v = j, v = k)

The tallies of a net form a group, as those of classifiers do: ``a + b`` is the tally of both samples, ``a - b``
removes one, ``a.scaled(w)`` weights it. The states of a sum are those of both. A state without rows left is dropped,
unless it was passed by the user or declared by a column's type.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from math import prod
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from deciban import _core
from deciban.choices import counted
from deciban.errors import ColumnMismatchError, TooLargeError
from deciban.limits import in_bytes, memory_limit
from deciban.nets.data.node_rows import States
from deciban.nets.data.samples import CodedSample
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.network import State
from deciban.read import Variable
from deciban.tallies.arithmetic import check_factor, check_known, subtract
from deciban.tallies.tally import SampleTally, rows_as_html, rows_as_text
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["FamilyTally", "NetTally", "check_cells", "closed_part", "count_families", "families_of", "tally_families"]


class NetTally(SampleTally):
    """A graph, the number of rows and, in a subclass, statistics of each family."""

    _HEADS: ClassVar[tuple[str, ...]]

    dag: DAG
    rows: float | int

    @property
    def names(self) -> tuple[Node, ...]:
        """The nodes."""
        return self.dag.nodes

    @property
    def total(self) -> float | int:
        """The number of rows, or their weight."""
        return self.rows

    @abstractmethod
    def _shown(self) -> list[tuple[str, ...]]:
        """A row of text for each node, under `_HEADS`."""

    def __str__(self) -> str:
        return rows_as_text(repr(self), self._HEADS, self._shown())

    def _repr_html_(self) -> str:
        return rows_as_html(repr(self), self._HEADS, self._shown())


_CELL = 24
"""Bytes per cell: its count, its estimated probability, and the copy used for inference."""

_MOST_AXES = 64


class FamilyTally(NetTally):
    """The counts of a net: how often each node had each state under each configuration of its parents.

    Counts are integers, or floats where rows have weights. Tallies of the same graph form a group: ``a + b`` is the
    tally of both samples, ``a - b`` removes one, ``a.scaled(w)`` weights it. A state without rows left is dropped,
    unless it was passed by the user or declared by a column's type.

    Parameters
    ----------
    dag : DAG
        The graph.
    state_lists : mapping
        Node → its states, and where they come from.
    counts : mapping
        Node → counts: an axis for each parent, in the order of the graph's nodes, and the node's own states last.
    totals : mapping
        Node → counts of the node alone, also in rows with a missing parent.
    rows : int or float
        The number of rows, or their weight.

    See Also
    --------
    BayesNet.from_tally : A net from counts.
    Tally : The counts of a classifier.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
    ... )
    >>> net.tally_
    FamilyTally(3 rows, 2 families, 6 counts)
    >>> net.tally_["wet"].tolist(), (net.tally_ + net.tally_).rows
    ([[1, 1], [0, 1]], 6)
    """

    _HEADS = ("node", "given", "states", "counts")

    def __init__(
        self,
        dag: DAG,
        state_lists: Mapping[Node, States | Variable],
        counts: Mapping[Node, AnyArray],
        totals: Mapping[Node, AnyArray],
        rows: float | int,
    ) -> None:
        self.dag = dag
        self.rows = rows
        self.variables = {node: _variable(node, state_lists[node]) for node in dag.nodes}
        self._counts = {node: _frozen(counts[node]) for node in dag.nodes}
        self._totals = {node: _frozen(totals[node]) for node in dag.nodes}

    @property
    def is_empty(self) -> bool:
        """Whether no rows were counted."""
        return not (self.rows or any(total.any() for total in self._totals.values()))

    @property
    def state_lists(self) -> Mapping[Node, States]:
        """The states of each node, and where they come from."""
        return {node: States(own.values, own.kind) for node, own in self.variables.items()}

    @property
    def counts(self) -> Mapping[Node, AnyArray]:
        """For each node, how often it had each state under each configuration of its parents."""
        return MappingProxyType(self._counts)

    @property
    def totals(self) -> Mapping[Node, AnyArray]:
        """For each node, how often it had each state."""
        return MappingProxyType(self._totals)

    @cached_property
    def states(self) -> Mapping[Node, tuple[State, ...]]:
        """The states of each node."""
        return {node: own.values for node, own in self.variables.items()}

    @property
    def parents(self) -> Mapping[Node, tuple[Node, ...]]:
        """The parents of each node, in the order of its counts' axes."""
        return {
            node: tuple(self.dag.nodes[up] for up in family[:-1])
            for node, family in zip(self.dag.nodes, families_of(self.dag), strict=True)
        }

    def __getitem__(self, node: Node) -> AnyArray:
        self.dag.index(node)
        return self._counts[node]

    def __add__(self, other: FamilyTally) -> FamilyTally:
        a, b = self._aligned(other)
        counts = {node: table + b._counts[node] for node, table in a._counts.items()}
        totals = {node: total + b._totals[node] for node, total in a._totals.items()}
        return FamilyTally(self.dag, a.variables, counts, totals, a.rows + b.rows)

    def __sub__(self, other: FamilyTally) -> FamilyTally:
        a, b = self._aligned(other)
        totals = {n: subtract(t, b._totals[n], partial(_state_of, a, n)) for n, t in a._totals.items()}
        counts = {n: subtract(t, b._counts[n], partial(_cell_of, a, n)) for n, t in a._counts.items()}
        rows = subtract(np.asarray(a.rows), np.asarray(b.rows), lambda _: "rows").item()
        return FamilyTally(self.dag, a.variables, counts, totals, rows)._trimmed()

    def scaled(self, factor: float) -> FamilyTally:
        """The tally of a sample with another weight.

        Parameters
        ----------
        factor : float
            By how much all counts are multiplied; 0 or more.

        Returns
        -------
        FamilyTally
        """
        factor = check_factor(factor)
        counts = {node: table * factor for node, table in self._counts.items()}
        totals = {node: total * factor for node, total in self._totals.items()}
        return FamilyTally(self.dag, self.variables, counts, totals, self.rows * factor)

    def marginal(self, *names: Node) -> FamilyTally:
        """The counts of some families only.

        Parameters
        ----------
        *names : node
            The nodes; a node needs its parents.

        Returns
        -------
        FamilyTally
        """
        dag = closed_part(self.dag, names)
        return FamilyTally(dag, self.variables, self._counts, self._totals, self.rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FamilyTally):
            return NotImplemented
        return (
            (self.dag, self.states, self.parents, self.rows) == (other.dag, other.states, other.parents, other.rows)
            and all(np.array_equal(table, other._counts[node]) for node, table in self._counts.items())
            and all(np.array_equal(total, other._totals[node]) for node, total in self._totals.items())
        )  # fmt: skip

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        cells = sum(table.size for table in self._counts.values())
        families = counted(len(self._counts), "family", "families")
        return f"FamilyTally({counted(self.rows, 'row')}, {families}, {counted(cells, 'count')})"

    def _shown(self) -> list[tuple[str, ...]]:
        """For each node its parents, its states and how often each occurred."""
        return [
            (
                str(node),
                ", ".join(map(str, self.parents[node])),
                ", ".join(map(str, self.states[node])),
                ", ".join(f"{count:.6g}" for count in total.tolist()),
            )
            for node, total in self._totals.items()
        ]

    def union_states(self, other: FamilyTally) -> dict[Node, Variable]:
        """The states of the sum of two tallies.

        Parameters
        ----------
        other : FamilyTally
            Another tally of the same graph.

        Returns
        -------
        dict
            Node → its states.
        """
        if other.dag != self.dag:
            raise ColumnMismatchError("the tallies count the families of different graphs.")
        return {node: own.union(other.variables[node]) for node, own in self.variables.items()}

    def read_as(self, other: FamilyTally) -> FamilyTally:
        """The same counts, of states in the types of those of another tally, where they differ in type.

        Text that spells a known state, or a number among numbers, is that state or number (`deciban.read.scalar`).

        Parameters
        ----------
        other : FamilyTally
            Counts of the same nodes.

        Returns
        -------
        FamilyTally
        """
        typed = {node: own.read_as(other.variables.get(node, own)) for node, own in self.variables.items()}
        # Where two states become one, they stay as they are: FamilyTally counts cannot say which rows to join.
        variables = {node: typed[node] if len(typed[node]) == len(own) else own for node, own in self.variables.items()}
        if all(variables[node] is own for node, own in self.variables.items()):
            return self
        return self._moved(
            variables, {node: variables[node].encode(own.labels) for node, own in self.variables.items()}
        )

    def _aligned(self, other: FamilyTally) -> tuple[FamilyTally, FamilyTally]:
        lists = self.union_states(other)
        return self._restated(lists), other._ordered_as(self.dag)._restated(lists)

    def _ordered_as(self, dag: DAG) -> FamilyTally:
        """The same counts with axes in the order of another graph's nodes."""
        if dag.nodes == self.dag.nodes:
            return self
        own = self.parents
        order = {node: sorted(own[node], key=dag.index) for node in dag.nodes}
        axes = {node: [*(own[node].index(up) for up in order[node]), len(order[node])] for node in dag.nodes}
        counts = {node: self._counts[node].transpose(axes[node]) for node in dag.nodes}
        return FamilyTally(dag, self.variables, counts, self._totals, self.rows)

    def _restated(self, variables: Mapping[Node, Variable]) -> FamilyTally:
        """The same counts over other states, which include all that occur."""
        if all(variables[node].values == own.values for node, own in self.variables.items()):
            return FamilyTally(self.dag, variables, self._counts, self._totals, self.rows)
        return self._moved(variables, {node: _codes(own, variables[node]) for node, own in self.variables.items()})

    def _moved(self, variables: Mapping[Node, Variable], codes: Mapping[Node, AnyArray]) -> FamilyTally:
        """The same counts, with state i of a node at codes[node][i] of other states; −1 where it is dropped."""
        sizes = {node: len(variables[node]) for node in self.dag.nodes}
        counts = {}
        for node, parents in self.parents.items():
            axes = (*parents, node)
            counts[node] = _moved(self._counts[node], [codes[axis] for axis in axes], [sizes[axis] for axis in axes])
        totals = {node: _moved(total, [codes[node]], [sizes[node]]) for node, total in self._totals.items()}
        return FamilyTally(self.dag, variables, counts, totals, self.rows)

    def _trimmed(self) -> FamilyTally:
        """Without the states that were found in the data and have no rows left."""
        used = {node: np.asarray(total > 0) for node, total in self._totals.items()}
        variables = {
            node: own if own.kind != "found" or used[node].all() else own.restricted(used[node])
            for node, own in self.variables.items()
        }
        return self._restated(variables)

    def __reduce__(self) -> tuple[Callable[..., FamilyTally], tuple[Any, ...]]:
        return FamilyTally, (self.dag, self.state_lists, self._counts, self._totals, self.rows)


def families_of(dag: DAG) -> tuple[tuple[int, ...], ...]:
    """For each node the indices of its parents and its own: the axes of its table."""
    return tuple((*bits(mask), index) for index, mask in enumerate(dag._parent_masks))


def closed_part(dag: DAG, names: Sequence[Node]) -> DAG:
    """The graph of some nodes, which must include their parents."""
    check_known(names, dag.nodes, "node")
    kept = [node for node in dag.nodes if node in names]
    for node in kept:
        for up in sorted(dag.parents(node), key=dag.index):
            if up not in names:
                raise ColumnMismatchError(f"the counts of {node!r} depend on its parent {up!r}; name it, too.")
    return DAG([(up, down) for up, down in dag.directed_edges if down in names], kept)


def check_cells(dag: DAG, variables: Mapping[Node, Variable], limit: int | None = None) -> None:
    """Refuse tables that would take more than ``limit`` bytes, or than the memory limit, before they are allocated."""
    limit = memory_limit(limit)
    sizes = [len(variables[node]) for node in dag.nodes]
    cells = [prod(sizes[index] for index in family) for family in families_of(dag)]
    needed = _CELL * sum(cells)
    largest = int(np.argmax([float(min(n, 1 << 1000)) for n in cells])) if cells else 0
    if needed > limit:
        raise TooLargeError(
            f"the tables would need {in_bytes(needed)}, more than the limit of {in_bytes(limit)}: that of "
            f"{dag.nodes[largest]!r}, which has {len(families_of(dag)[largest]) - 1} parents, has {cells[largest]:,} "
            "entries. Give it fewer parents or states, or pass a larger limit (in bytes)."
        )
    widest = max(families_of(dag), key=len, default=())
    if len(widest) > _MOST_AXES:
        raise TooLargeError(f"{dag.nodes[widest[-1]]!r} has {len(widest) - 1} parents; a table has {_MOST_AXES} axes.")


def _frozen(table: AnyArray) -> AnyArray:
    view: AnyArray = np.asarray(table).view()
    view.flags.writeable = False
    return view


def _variable(node: Node, states: States | Variable) -> Variable:
    return states if isinstance(states, Variable) else states.variable(node)


def _codes(own: Variable, target: Variable) -> AnyArray:
    """For each own state its code among the target's; −1 if it is dropped."""
    code_of = {state: code for code, state in enumerate(target.values)}
    return np.array([code_of.get(state, -1) for state in own.values], dtype=np.int64)


def _moved(table: AnyArray, indices: Sequence[AnyArray], sizes: Sequence[int]) -> AnyArray:
    out = np.zeros(sizes, dtype=table.dtype)
    kept = [np.flatnonzero(index >= 0) for index in indices]
    targets = [index[keep] for index, keep in zip(indices, kept, strict=True)]
    out[np.ix_(*targets)] = table[np.ix_(*kept)]
    return out


def _state_of(tally: FamilyTally, node: Node, at: tuple[int, ...]) -> str:
    return f"{node!r} = {tally.states[node][at[0]]!r}"


def _cell_of(tally: FamilyTally, node: Node, at: tuple[int, ...]) -> str:
    pairs = zip((*tally.parents[node], node), at, strict=True)
    *given, own = [f"{axis!r} = {tally.states[axis][code]!r}" for axis, code in pairs]
    return own + (f" given {', '.join(given)}" if given else "")


def tally_families(dag: DAG, sample: CodedSample) -> FamilyTally:
    """Count each family on the rows where it is whole, and each node on the rows where it has a value."""
    families = families_of(dag)
    sizes = np.array([len(sample.states[node]) for node in dag.nodes], dtype=np.int64)
    alone = [(index,) for index in range(len(dag.nodes))]
    tables = count_families(sample.codes, sizes, [*families, *alone], sample.sample_weight)
    counts = dict(zip(dag.nodes, tables[: len(families)], strict=True))
    totals = dict(zip(dag.nodes, tables[len(families) :], strict=True))
    return FamilyTally(dag, sample.states, counts, totals, sample.total)


def count_families(
    codes: Codes, sizes: Ints, families: Sequence[Sequence[int]], weights: Floats | None
) -> list[AnyArray]:
    """For each family a table with an axis for each member: integers, or floats where rows have weights.

    A column may have no states, where all its values are missing.
    """
    if not sizes.all():
        held = count_families(codes, np.maximum(sizes, 1), families, weights)
        return [
            table[tuple(slice(size) for size in sizes[list(family)])]
            for table, family in zip(held, families, strict=True)
        ]
    starts = np.zeros(len(families) + 1, dtype=np.int64)
    np.cumsum([len(family) for family in families], out=starts[1:])
    members = np.array([index for family in families for index in family], dtype=np.int32)
    cells = _core.count_families(codes, sizes, starts, members, weights)
    shapes = [tuple(sizes[list(family)].tolist()) for family in families]
    ends = np.cumsum([int(np.prod(shape, dtype=np.int64)) for shape in shapes])[:-1]
    return [part.reshape(shape) for part, shape in zip(np.split(cells, ends), shapes, strict=True)]
