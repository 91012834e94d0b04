"""The families of a net of states, each a node with its parents: their counts, and P(node | parents) from these.

    n_jk = #(parents of v = j, v = k; v was not set)

The counts are sufficient statistics, and form a group, as the tallies of classifiers do: ``a + b`` is the tally of both
samples, ``a - b`` removes one, ``a.scaled(w)`` weights it. The states of a sum are those of both. A state without rows
left is dropped, unless it was passed by the user or declared by a column's type.

For r states and q configurations of the parents, with pseudo-counts a,

    P(k | j) = (n_jk + a_k) / (n_j + Σ a)

where the smoothing gives the pseudo-counts: as in naive Bayes (``Laplace`` 1, ``Jeffreys`` ½, …), and ``BDeu(ess)``
ess/(q·r), which gives every family the same equivalent sample size, so that equivalent graphs have equal joint
distributions (Heckerman, Geiger, Chickering, 1995).

A configuration j that does not occur in the data has no relative frequencies. ``unseen_parents`` says what its row is:

=============  =====================================================================================
``"prior"``    the smoothing alone; an error if it adds no pseudo-counts, as with ``MLE``
``"uniform"``  all states are equally likely
``"marginal"`` the marginal distribution of the node, with the same smoothing
``"error"``    an error
=============  =====================================================================================
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from math import prod
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, overload

import numpy as np

from deciban import _core
from deciban.choices import counted
from deciban.errors import ColumnMismatchError, InputError, ParameterError, TooLargeError
from deciban.estimate import Laplace
from deciban.estimate.smoothing import Smoothing
from deciban.limits import in_bytes, memory_limit
from deciban.nets.data.node_rows import States
from deciban.nets.data.samples import CodedSample
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.network import State
from deciban.read import Variable
from deciban.storable import storable
from deciban.tallies import SampleTally, check_factor, check_known, rows_as_html, rows_as_text, subtract
from deciban.types import AnyArray, Codes, Floats, Ints, ResultMapping

__all__ = [
    "FamilyTally",
    "NetTally",
    "ParentCounts",
    "Smoothings",
    "UnseenConfigurations",
    "UnseenParents",
    "check_cells",
    "closed_part",
    "count_families",
    "estimate_tables",
    "families_of",
    "pseudocounts",
    "read_rules",
    "smooth",
    "tally_families",
]


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

    @abstractmethod
    def _state(self) -> dict[str, object]:
        """What files and checkpoints hold of the tally, by name; ``_of_state`` reads it."""

    @classmethod
    @abstractmethod
    def _of_state(cls, state: Mapping[str, Any]) -> NetTally:
        """The tally with this state; a ValueError where the state is inconsistent."""

    def _graph_state(self) -> dict[str, object]:
        return {"nodes": self.dag.nodes, "arrows": self.dag.directed_edges, "rows": self.rows}

    def __str__(self) -> str:
        return rows_as_text(repr(self), self._HEADS, self._shown())

    def _repr_html_(self) -> str:
        return rows_as_html(repr(self), self._HEADS, self._shown())


_CELL = 24
"""Bytes per cell: its count, its estimated probability, and the copy used for inference."""

_MOST_AXES = 64  # of an array in NumPy 2

storable(States)  # in files a tally holds these, which do not repeat the name of the node


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
    actions : mapping
        Node → how often it was set to each state from outside, of the nodes that were. Such a row counts in the
        families of other nodes, and neither in ``counts`` nor in ``totals`` of the node that was set.

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
        actions: Mapping[Node, AnyArray] = MappingProxyType({}),
    ) -> None:
        self.dag = dag
        self.rows = rows
        self.variables: dict[Node, Variable] = {}
        for node in dag.nodes:
            states = state_lists[node]
            self.variables[node] = states if isinstance(states, Variable) else states.variable(node)
        self._counts = {node: _frozen(counts[node]) for node in dag.nodes}
        self._totals = {node: _frozen(totals[node]) for node in dag.nodes}
        # Without zeros: a tally from which all such rows were taken out is one that never had any.
        self._actions = {node: _frozen(actions[node]) for node in dag.nodes if node in actions and actions[node].any()}

    @property
    def is_empty(self) -> bool:
        """Whether no rows were counted."""
        return not (self.rows or self._actions or any(total.any() for total in self._totals.values()))

    @property
    def state_lists(self) -> Mapping[Node, States]:
        """The states of each node, and where they come from."""
        return {node: States(variable.values, variable.kind) for node, variable in self.variables.items()}

    @property
    def counts(self) -> Mapping[Node, AnyArray]:
        """For each node, how often it had each state under each configuration of its parents."""
        return MappingProxyType(self._counts)

    @property
    def totals(self) -> Mapping[Node, AnyArray]:
        """For each node, how often it had each state."""
        return MappingProxyType(self._totals)

    @property
    def actions(self) -> Mapping[Node, AnyArray]:
        """For each node that was set in some rows, how often it was set to each state."""
        return MappingProxyType(self._actions)

    @cached_property
    def states(self) -> Mapping[Node, tuple[State, ...]]:
        """The states of each node."""
        return {node: variable.values for node, variable in self.variables.items()}

    @property
    def parents(self) -> Mapping[Node, tuple[Node, ...]]:
        """The parents of each node, in the order of its counts' axes."""
        return {
            node: tuple(self.dag.nodes[up] for up in family[:-1])
            for node, family in zip(self.dag.nodes, families_of(self.dag), strict=True)
        }

    def configurations(self) -> dict[Node, ParentCounts]:
        """How many rows have each configuration of the parents of each node.

        Returns
        -------
        dict
            Node → its parents, their states and the rows.
        """
        return {
            node: ParentCounts(parents, self.states, self._counts[node].sum(axis=-1))
            for node, parents in self.parents.items()
        }

    def __getitem__(self, node: Node) -> AnyArray:
        self.dag.index(node)
        return self._counts[node]

    def __add__(self, other: FamilyTally) -> FamilyTally:
        a, b = self._aligned(other)
        counts = {node: table + b._counts[node] for node, table in a._counts.items()}
        totals = {node: total + b._totals[node] for node, total in a._totals.items()}
        actions = {node: a._acted(node) + b._acted(node) for node in a._actions | b._actions}
        return FamilyTally(self.dag, a.variables, counts, totals, a.rows + b.rows, actions)

    def __sub__(self, other: FamilyTally) -> FamilyTally:
        a, b = self._aligned(other)
        # Totals first, so that the error names a state that was not counted rather than one of its cells.
        totals = {n: subtract(t, b._totals[n], partial(_state_of, a, n)) for n, t in a._totals.items()}
        actions = {n: subtract(a._acted(n), b._acted(n), partial(_action_of, a, n)) for n in a._actions | b._actions}
        counts = {n: subtract(t, b._counts[n], partial(_cell_of, a, n)) for n, t in a._counts.items()}
        rows = subtract(np.asarray(a.rows), np.asarray(b.rows), lambda _: "rows").item()
        # Trimmed last: the two tallies must be aligned to be compared, and only then states without rows are known.
        return FamilyTally(self.dag, a.variables, counts, totals, rows, actions)._trimmed()

    def _acted(self, node: Node) -> AnyArray:
        """How often a node was set to each state."""
        return self._actions.get(node, np.zeros_like(self._totals[node]))

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
        actions = {node: total * factor for node, total in self._actions.items()}
        return FamilyTally(self.dag, self.variables, counts, totals, self.rows * factor, actions)

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
        return FamilyTally(dag, self.variables, self._counts, self._totals, self.rows, self._actions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FamilyTally):
            return NotImplemented
        return (
            (self.dag, self.states, self.parents, self.rows) == (other.dag, other.states, other.parents, other.rows)
            and all(np.array_equal(table, other._counts[node]) for node, table in self._counts.items())
            and all(np.array_equal(total, other._totals[node]) for node, total in self._totals.items())
            and self._actions.keys() == other._actions.keys()
            and all(np.array_equal(total, other._actions[node]) for node, total in self._actions.items())
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
        return {node: variable.union(other.variables[node]) for node, variable in self.variables.items()}

    def read_as(self, other: FamilyTally) -> FamilyTally:
        """The same counts, of states in the types of those of another tally, where they differ in type.

        Text that spells a known state, or a number among numbers, is that state or number (`deciban.read.variable`).

        Parameters
        ----------
        other : FamilyTally
            Counts of the same nodes.

        Returns
        -------
        FamilyTally
        """
        variables = {}
        for node, variable in self.variables.items():
            typed = variable.read_as(other.variables.get(node, variable))
            # Where two states become one, they stay as they are: counts cannot say which rows to join.
            variables[node] = typed if len(typed) == len(variable) else variable
        if all(variables[node] is variable for node, variable in self.variables.items()):
            return self
        codes = {node: variables[node].encode(variable.labels) for node, variable in self.variables.items()}
        return self._moved(variables, codes)

    def _aligned(self, other: FamilyTally) -> tuple[FamilyTally, FamilyTally]:
        lists = self.union_states(other)
        return self._restated(lists), other._ordered_as(self.dag)._restated(lists)

    def _ordered_as(self, dag: DAG) -> FamilyTally:
        """The same counts with axes in the order of another graph's nodes."""
        if dag.nodes == self.dag.nodes:
            return self
        counts = {}
        for node, parents in self.parents.items():
            axes = [parents.index(parent) for parent in sorted(parents, key=dag.index)]
            counts[node] = self._counts[node].transpose(*axes, len(parents))
        return FamilyTally(dag, self.variables, counts, self._totals, self.rows, self._actions)

    def _restated(self, variables: Mapping[Node, Variable]) -> FamilyTally:
        """The same counts over other states, which include all that occur."""
        if all(variables[node].values == variable.values for node, variable in self.variables.items()):
            return FamilyTally(self.dag, variables, self._counts, self._totals, self.rows, self._actions)
        codes = {}
        for node, variable in self.variables.items():
            code_of = {state: code for code, state in enumerate(variables[node].values)}
            codes[node] = np.array([code_of.get(state, -1) for state in variable.values], dtype=np.int64)
        return self._moved(variables, codes)

    def _moved(self, variables: Mapping[Node, Variable], codes: Mapping[Node, AnyArray]) -> FamilyTally:
        """The same counts, with state i of a node at codes[node][i] of other states; −1 where it is dropped."""
        sizes = {node: len(variables[node]) for node in self.dag.nodes}
        counts = {}
        for node, parents in self.parents.items():
            axes = (*parents, node)
            counts[node] = _moved(self._counts[node], [codes[axis] for axis in axes], [sizes[axis] for axis in axes])
        totals, actions = (
            {node: _moved(total, [codes[node]], [sizes[node]]) for node, total in held.items()}
            for held in (self._totals, self._actions)
        )
        return FamilyTally(self.dag, variables, counts, totals, self.rows, actions)

    def _trimmed(self) -> FamilyTally:
        """Without the states that were found in the data and have no rows left."""
        used = {node: np.asarray(total + self._acted(node) > 0) for node, total in self._totals.items()}
        variables = {
            node: variable if variable.kind != "found" or used[node].all() else variable.restricted(used[node])
            for node, variable in self.variables.items()
        }
        return self._restated(variables)

    def _state(self) -> dict[str, object]:
        counts = {"counts": self.counts, "totals": self.totals, "actions": self.actions}
        return self._graph_state() | {"states": self.state_lists, **counts}

    @classmethod
    def _of_state(cls, state: Mapping[str, Any]) -> FamilyTally:
        dag = DAG(state["arrows"], state["nodes"])
        actions = state.get("actions", {})  # files of nets without interventions may lack it
        tally = cls(dag, state["states"], state["counts"], state["totals"], state["rows"], actions)
        sizes = {node: len(states) for node, states in tally.states.items()}
        for node, parents in tally.parents.items():
            shape = tuple(sizes[axis] for axis in (*parents, node))
            counts, totals = tally.counts[node], tally.totals[node]
            set_to = tally._acted(node)
            if counts.shape != shape or totals.shape != shape[-1:] or set_to.shape != shape[-1:]:
                raise ValueError(f"the counts of {node!r} do not fit its states and parents")
            if not (np.all(counts >= 0) and np.all(totals >= 0) and np.all(set_to >= 0) and tally.rows >= 0):
                raise ValueError(f"a count of {node!r} is negative")
        return tally

    # A pickle holds the statistics alone: what is cached is computed again where it is read.
    def __reduce__(self) -> tuple[type[FamilyTally], tuple[object, ...]]:
        return FamilyTally, (self.dag, self.state_lists, self._counts, self._totals, self.rows, self._actions)


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
    # With many parents the product is larger than any float, which argmax needs; cut off, it is still the largest.
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
    view: AnyArray = np.asarray(table).view()  # a view: the caller's own array stays writable
    view.flags.writeable = False  # a tally is a value, and others share its arrays
    return view


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
    *given, of_node = [f"{axis!r} = {tally.states[axis][code]!r}" for axis, code in pairs]
    return of_node + (f" given {', '.join(given)}" if given else "")


def _action_of(tally: FamilyTally, node: Node, at: tuple[int, ...]) -> str:
    return f"{node!r} set to {tally.states[node][at[0]]!r}"


def tally_families(dag: DAG, sample: CodedSample) -> FamilyTally:
    """Count each family on the rows where it is whole, and each node on the rows where it has a value.

    Rows in which a node was set count as its actions, and not in its family.
    """
    families = families_of(dag)
    sizes = np.array([len(sample.states[node]) for node in dag.nodes], dtype=np.int64)
    # The nodes alone in the same pass: their totals are not sums of the families' counts where a parent is missing.
    alone = [(index,) for index in range(len(dag.nodes))]
    parts = [(dag.nodes, None)] if sample.interventions is None else sample.interventions.by_rows(dag.nodes)
    counts, totals, actions = dict[Node, AnyArray](), dict[Node, AnyArray](), dict[Node, AnyArray]()
    for nodes, rows in parts:
        own = [dag.index(node) for node in nodes]
        members = [*(families[index] for index in own), *(alone[index] for index in own)]
        part = sample if rows is None else sample.take(rows)
        tables = count_families(part.codes, sizes, members, part.sample_weight)
        counts |= zip(nodes, tables[: len(own)], strict=True)
        totals |= zip(nodes, tables[len(own) :], strict=True)
        if rows is not None:
            rest = sample.take(np.setdiff1d(np.arange(len(sample)), rows, assume_unique=True))
            tables = count_families(rest.codes, sizes, [alone[index] for index in own], rest.sample_weight)
            actions |= zip(nodes, tables, strict=True)
    return FamilyTally(dag, sample.states, counts, totals, sample.total, actions)


def count_families(
    codes: Codes, sizes: Ints, families: Sequence[Sequence[int]], weights: Floats | None
) -> list[AnyArray]:
    """For each family a table with an axis for each member: integers, or floats where rows have weights.

    A column may have no states, where all its values are missing.
    """
    if not sizes.all():
        # The core takes sizes from 1 on: a state is added that no row has, and cut off again.
        tables = count_families(codes, np.maximum(sizes, 1), families, weights)
        return [
            table[tuple(slice(size) for size in sizes[list(family)])]
            for table, family in zip(tables, families, strict=True)
        ]
    starts = np.zeros(len(families) + 1, dtype=np.int64)
    np.cumsum([len(family) for family in families], out=starts[1:])
    members = np.array([index for family in families for index in family], dtype=np.int32)
    cells = _core.count_families(codes, sizes, starts, members, weights)
    shapes = [tuple(sizes[list(family)].tolist()) for family in families]
    ends = np.cumsum([int(np.prod(shape, dtype=np.int64)) for shape in shapes])[:-1]
    return [part.reshape(shape) for part, shape in zip(np.split(cells, ends), shapes, strict=True)]


Smoothings: TypeAlias = Smoothing | Mapping[Any, Smoothing]
"""How counts become probabilities: the same for all nodes, or node → smoothing."""

UnseenParents = Literal["prior", "uniform", "marginal", "error"]


def read_rules(nodes: Sequence[Node], smoothing: Smoothings) -> dict[Node, Smoothing]:
    """The smoothing of each node: the same for all, or from a mapping, with Laplace for nodes not in it."""
    rules = smoothing if isinstance(smoothing, Mapping) else dict.fromkeys(nodes, smoothing)
    unknown = [node for node in rules if node not in nodes]
    if unknown:
        raise ParameterError(f"smoothing names {unknown[0]!r}, which is not a node of the graph")
    for rule in rules.values():
        if not isinstance(rule, Smoothing):
            raise ParameterError(f"smoothing is a rule such as Laplace(), MLE() or BDeu(10), not {rule!r}")
    return {node: rules.get(node, Laplace()) for node in nodes}


def pseudocounts(rule: Smoothing, states: int, configurations: int, node: Node) -> Floats:
    """The pseudo-counts of each state, for each configuration of the parents."""
    try:
        return rule.pseudocounts(states, configurations)
    except ParameterError as error:
        raise ParameterError(f"the smoothing of {node!r}: {error} Pass a mapping from nodes to rules.") from None


def estimate_tables(
    tally: FamilyTally, rules: Mapping[Node, Smoothing], unseen_parents: UnseenParents
) -> dict[Node, Floats]:
    """P(node | parents) for each node."""
    if not tally.rows > 0:
        raise InputError("there are no rows, or all their weights are 0: nothing can be estimated.")
    unseen = UnseenConfigurations(tally)
    if unseen_parents in ("prior", "error"):
        _check_unseen(unseen, rules, unseen_parents, tally)
    tables = {node: smooth(counts, rules[node], node) for node, counts in tally.counts.items()}
    if unseen_parents in ("uniform", "marginal"):  # these rows are replaced, whatever the smoothing made of them
        for node, configurations in unseen.items():
            totals, states = tally.totals[node], tables[node].shape[-1]
            row = np.full(states, 1 / states) if unseen_parents == "uniform" else smooth(totals, rules[node], node)
            tables[node].reshape(-1, states)[configurations.rows] = row
    return tables


def smooth(counts: AnyArray, rule: Smoothing, node: Node) -> Floats:
    """(n + a) / (N + Σ a); uniform if both are 0."""
    states = counts.shape[-1]
    added = counts + pseudocounts(rule, states, prod(counts.shape[:-1]), node)
    total = added.sum(axis=-1, keepdims=True)
    return np.divide(added, total, out=np.full(added.shape, 1 / states), where=total > 0)


def _check_unseen(
    unseen: UnseenConfigurations, rules: Mapping[Node, Smoothing], unseen_parents: UnseenParents, tally: FamilyTally
) -> None:
    for node, rows in unseen.items():
        states = len(tally.states[node])
        if unseen_parents == "error" or not pseudocounts(rules[node], states, rows.possible, node).any():
            raise InputError(
                f"{len(rows):,} of {rows.possible:,} configurations of the parents of {node!r} do not occur in the "
                f"data, such as {rows.first or 'no parents'}, so P({node} | parents) cannot be estimated there. Pass "
                'unseen_parents="uniform" or unseen_parents="marginal", or a smoothing that adds pseudo-counts.'
            )


class ParentCounts(NamedTuple):
    """The parents of a node, their states, and how many rows have each configuration: an axis for each parent."""

    parents: Sequence[Node]
    states: Mapping[Node, Sequence[State]]
    rows: AnyArray


class Configurations(Sequence[dict[Node, State]]):
    """The configurations of one node's parents that do not occur in the data: a sequence of {parent: state}."""

    def __init__(self, node: Node, parents: Sequence[Node], states: Mapping[Node, Sequence[State]], rows: Ints):
        self.node = node
        self.rows = rows
        self._lists = {parent: states[parent] for parent in parents}

    @property
    def possible(self) -> int:
        """The number of possible configurations."""
        return prod(len(states) for states in self._lists.values())

    @property
    def first(self) -> str:
        """The first one as text, such as ``rain=no, sprinkler=on``; empty without parents."""
        return ", ".join(f"{parent}={state}" for parent, state in self[0].items())

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> dict[Node, State]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[Node, State]]: ...
    def __getitem__(self, index: int | slice) -> dict[Node, State] | list[dict[Node, State]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        left, configuration = int(self.rows[index]), {}
        # The last parent varies fastest, as in a table of counts, so it is divided out first.
        for parent, states in reversed(self._lists.items()):
            left, code = divmod(left, len(states))
            configuration[parent] = states[code]
        return dict(reversed(configuration.items()))

    def __repr__(self) -> str:
        return f"Configurations({len(self):,} of {self.possible:,} of the parents of {self.node!r} unseen)"


class UnseenConfigurations(ResultMapping[Node, Configurations]):
    """The configurations of parents that do not occur in the data: a mapping from each node that has some.

    ``unseen[node]`` is a sequence of {parent: state}.

    Parameters
    ----------
    tally : FamilyTally or mapping
        The counts of a net; or for each node those of the configurations of its parents.

    Attributes
    ----------
    possible : int
        The number of possible configurations, over all nodes.

    See Also
    --------
    BayesNet.unseen_parents_ : Those of a net.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "wet": ["no", "yes"]}
    >>> unseen = db.BayesNet([("rain", "wet"), ("sprinkler", "wet")]).fit(rows).unseen_parents_
    >>> unseen
    UnseenConfigurations(2 of 6: wet 2)
    >>> unseen["wet"][0]
    {'rain': 'no', 'sprinkler': 'on'}
    """

    def __init__(self, tally: FamilyTally | Mapping[Node, ParentCounts]) -> None:
        self._values: dict[Node, Configurations] = {}
        self.possible = 0
        for node, counts in (tally.configurations() if isinstance(tally, FamilyTally) else tally).items():
            self.possible += counts.rows.size
            empty = np.flatnonzero(counts.rows == 0)
            if len(empty):
                self._values[node] = Configurations(node, counts.parents, counts.states, empty)

    @property
    def count(self) -> int:
        """The number of configurations that do not occur in the data, over all nodes."""
        return sum(map(len, self._values.values()))

    def __repr__(self) -> str:
        where = f": {', '.join(f'{node} {len(rows):,}' for node, rows in self._values.items())}" if self._values else ""
        return f"UnseenConfigurations({self.count:,} of {self.possible:,}{where})"
