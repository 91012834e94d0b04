"""The families of a net of categories and numbers: their counts and moments, and its tables and regressions from these.

    category with categorical parents j    n_jk = #(parents = j, node = k)                       (``families``)
    number with categorical parents j      weight, means, cross-products of its numbers in each j  (``grouped``)
    category with numeric parents          the same counts, of the *bins* of these parents

The numeric parents of a category are cut once, when a net first sees rows, and the cuts are part of the tally: what is
counted later falls into the same bins, so tallies of the same graph and the same cuts form a group, as all tallies do.

A bin is a category that depends on its number alone. So the counts are those of a net of categories whose nodes are the
categories and, for each category and each of its numeric parents, the bins of that parent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from deciban import _core
from deciban.choices import counted
from deciban.errors import ColumnMismatchError, InputError, TooLargeError
from deciban.estimate.distributions.binned import Binned
from deciban.limits import in_bytes, memory_limit
from deciban.nets.data.samples import CodedSample, MixedSample, NumberSample
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.learning.families import (
    FamilyTally,
    NetTally,
    ParentCounts,
    Smoothings,
    UnseenParents,
    check_cells,
    closed_part,
    estimate_tables,
    read_rules,
    tally_families,
)
from deciban.nets.learning.grouped import GroupedMoments, estimate_regressions
from deciban.nets.mixed_network import MixedNetwork, bin_names
from deciban.read import MISSING, Variable
from deciban.tallies import Sample, check_factor, sketch_column
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "Bins",
    "Cuts",
    "MixedTally",
    "as_mixed",
    "bins_of",
    "check_mixed_cells",
    "counted_graph",
    "estimate_network",
    "find_cuts",
    "tally_mixed",
]

Cuts = Mapping[Node, Mapping[Node, Floats]]
"""Category → numeric parent → the increasing ends of its bins, one fewer than bins."""

_COPIES = 6
"""Of moments: sums, moments, regressions, and the sums of a few threads."""

_SPREAD = 4
"""Bins of equal frequency, where no cut separates the states: the parent may matter together with another."""


class Bins(NamedTuple):
    """The node that stands for the bins of a number in the family of a category."""

    number: Node
    category: Node

    def __str__(self) -> str:
        return str(self.number)


def counted_graph(dag: DAG, cuts: Cuts) -> DAG:
    """The net of categories that is counted: the categories, and bins in the place of their numeric parents.

    The bins of a number stand where it stands, so the axes of a table are in the order of the graph's nodes.
    """
    nodes: list[Node] = []
    arrows: list[tuple[Node, Node]] = []
    for node in dag.nodes:
        if node in cuts:
            nodes.append(node)
            arrows += [
                (Bins(up, node) if up not in cuts else up, node) for up in sorted(dag.parents(node), key=dag.index)
            ]
        else:
            nodes += [Bins(node, down) for down in sorted(dag.children(node), key=dag.index) if down in cuts]
    return DAG(arrows, nodes)


class MixedTally(NetTally):
    """The counts and moments of a net of categories and numbers.

    Tallies of the same graph with the same cuts form a group: ``a + b`` is the tally of both samples, ``a - b`` removes
    one, ``a.scaled(w)`` weights it.

    Parameters
    ----------
    dag : DAG
        The graph.
    categories : FamilyTally
        The counts of the categories, of which numeric parents are bins.
    moments : mapping
        Number → the moments of its numeric parents and itself in each configuration of its categorical parents.
    cuts : mapping
        Category → numeric parent → the increasing ends of its bins; each category has a mapping, which may be empty.
    rows : int or float
        The number of rows, or their weight.

    See Also
    --------
    FamilyTally : The counts of a net of categories.
    GaussianTally : The moments of a net of numbers.

    Examples
    --------
    >>> import deciban as db
    >>> people = {"sex": ["f", "f", "m", "m"], "height": [1.61, 1.65, 1.72, 1.83]}
    >>> net = db.BayesNet([("sex", "height")]).fit(people)
    >>> net.tally_
    MixedTally(4 rows, 2 families: 2 counts, 2 groups of moments)
    >>> (net.tally_ + net.tally_).rows
    8
    """

    _HEADS = ("node", "given", "values", "counts")

    def __init__(
        self,
        dag: DAG,
        categories: FamilyTally,
        moments: Mapping[Node, GroupedMoments],
        cuts: Cuts,
        rows: float | int,
    ) -> None:
        self.dag = dag
        self.categories = categories
        self.rows = rows
        self.cuts: Cuts = {node: {up: _frozen(ends) for up, ends in cuts[node].items()} for node in cuts}
        self._moments = {node: moments[node] for node in dag.nodes if node not in cuts}

    @property
    def is_empty(self) -> bool:
        """Whether no rows were counted."""
        return not self.rows and self.categories.is_empty

    @property
    def variables(self) -> Mapping[Node, Variable]:
        """The states of each category, and where they come from."""
        return {node: self.categories.variables[node] for node in self.dag.nodes if node in self.cuts}

    @property
    def states(self) -> Mapping[Node, tuple[Any, ...]]:
        """The states of each category."""
        return {node: variable.values for node, variable in self.variables.items()}

    @property
    def moments(self) -> Mapping[Node, GroupedMoments]:
        """For each number the moments of its family."""
        return MappingProxyType(self._moments)

    def configurations(self) -> dict[Node, ParentCounts]:
        """How many rows have each configuration of the parents of each node; numeric parents are in bins.

        Returns
        -------
        dict
            Node → its parents, their states or bins, and the rows; of a number its categorical parents only.
        """
        of_categories, states = self.categories.configurations(), dict(self.categories.states)
        out = {}
        for node in self.dag.nodes:
            if node not in self.cuts:
                out[node] = ParentCounts(self.parents_of(node)[0], states, self._moments[node].weight)
                continue
            of_node = of_categories[node]
            named = {up: bin_names(self.cuts[node][up]) for up in self.cuts[node]}
            parents = [up.number if isinstance(up, Bins) else up for up in of_node.parents]
            out[node] = ParentCounts(parents, {**states, **named}, of_node.rows)
        return out

    def __getitem__(self, node: Node) -> AnyArray | GroupedMoments:
        self.dag.index(node)
        return self.categories[node] if node in self.cuts else self._moments[node]

    def parents_of(self, node: Node) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """The categorical and the numeric parents of a node.

        Parameters
        ----------
        node : node
            A node of the graph.

        Returns
        -------
        tuple of two tuples
            Each in the order of the graph.
        """
        above = sorted(self.dag.parents(node), key=self.dag.index)
        return tuple(up for up in above if up in self.cuts), tuple(up for up in above if up not in self.cuts)

    def __add__(self, other: MixedTally) -> MixedTally:
        peer = other._ordered_as(self)
        categories = self.categories + peer.categories
        a, b = self._restated(categories.variables), peer._restated(categories.variables)
        moments = {node: a[node] + b[node] for node in self._moments}
        return MixedTally(self.dag, categories, moments, self.cuts, self.rows + other.rows)

    def __sub__(self, other: MixedTally) -> MixedTally:
        peer = other._ordered_as(self)
        left = self.categories - peer.categories  # first: its errors name the state that was not counted
        union = self.categories.union_states(peer.categories)
        a, b = self._restated(union), peer._restated(union)
        whole = MixedTally(self.dag, self.categories, {n: a[n] - b[n] for n in self._moments}, self.cuts, left.rows)
        return MixedTally(self.dag, left, whole._restated(left.variables, union), self.cuts, left.rows)

    def scaled(self, factor: float) -> MixedTally:
        """The tally of a sample with another weight.

        Parameters
        ----------
        factor : float
            By how much the weight is multiplied; 0 or more.

        Returns
        -------
        MixedTally
        """
        factor = check_factor(factor)
        moments = {node: family.scaled(factor) for node, family in self._moments.items()}
        return MixedTally(self.dag, self.categories.scaled(factor), moments, self.cuts, self.rows * factor)

    def marginal(self, *names: Node) -> MixedTally:
        """The counts and moments of some families only.

        Parameters
        ----------
        *names : node
            The nodes; a node needs its parents.

        Returns
        -------
        MixedTally
        """
        dag = closed_part(self.dag, names)
        cuts = {node: self.cuts[node] for node in dag.nodes if node in self.cuts}
        categories = self.categories.marginal(*counted_graph(dag, cuts).nodes)
        return MixedTally(dag, categories, self._moments, cuts, self.rows)

    def read_as(self, other: MixedTally) -> MixedTally:
        """The same tally, of states in the types of those of another one, where they differ in type.

        Parameters
        ----------
        other : MixedTally
            The tally of another sample of the same graph.

        Returns
        -------
        MixedTally
        """
        typed = self.categories.read_as(other.categories)
        if typed is self.categories:
            return self
        codes = {
            node: np.asarray(typed.variables[node].encode(self.categories.variables[node].labels), dtype=np.int64)
            for node in self.cuts
        }
        moments = {node: self._moved(node, codes, typed.variables) for node in self._moments}
        return MixedTally(self.dag, typed, moments, self.cuts, self.rows)

    def _restated(
        self, to: Mapping[Node, Variable], held: Mapping[Node, Variable] | None = None
    ) -> dict[Node, GroupedMoments]:
        """The moments over other states; `held` are those that they are over, by default those of the counts."""
        held = self.categories.variables if held is None else held
        codes = {}
        for node in self.cuts:
            code_of = {state: code for code, state in enumerate(to[node].values)}
            codes[node] = np.array([code_of.get(state, MISSING) for state in held[node].values], dtype=np.int64)
        return {node: self._moved(node, codes, to) for node in self._moments}

    def _moved(self, node: Node, codes: Mapping[Node, Ints], to: Mapping[Node, Variable]) -> GroupedMoments:
        categories, _ = self.parents_of(node)
        return self._moments[node].moved([codes[up] for up in categories], [len(to[up]) for up in categories])

    def _ordered_as(self, other: MixedTally) -> MixedTally:
        """The same tally with nodes in the order of another one; an error where the two do not fit."""
        if self.dag != other.dag or self.cuts.keys() != other.cuts.keys():
            raise ColumnMismatchError(
                "the tallies are of the families of different graphs, or of other kinds of nodes."
            )
        for node, of_node in other.cuts.items():
            for up, ends in of_node.items():
                if not np.array_equal(ends, self.cuts[node][up]):
                    raise ColumnMismatchError(
                        f"the two tallies cut {up!r} for {node!r} at different numbers. Fit the second one with the "
                        "cuts of the first: fit(data, cuts=first.cuts)."
                    )
        if self.dag.nodes == other.dag.nodes:
            return self
        moments = {}
        for node in self._moments:
            (groups, columns), (their_groups, their_columns) = self.parents_of(node), other.parents_of(node)
            order = [(*columns, node).index(name) for name in (*their_columns, node)]
            moments[node] = self._moments[node].part([groups.index(name) for name in their_groups], order)
        categories = self.categories._ordered_as(other.categories.dag)
        return MixedTally(other.dag, categories, moments, other.cuts, self.rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MixedTally):
            return NotImplemented
        return (
            (self.dag, self.dag.nodes, self.rows) == (other.dag, other.dag.nodes, other.rows)
            and self.categories == other.categories
            and self._moments == other._moments
            and all(
                np.array_equal(ends, other.cuts[node][up])
                for node, of_node in self.cuts.items()
                for up, ends in of_node.items()
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        cells = sum(self.categories[node].size for node in self.cuts)
        groups = sum(family.weight.size for family in self._moments.values())
        families = counted(len(self.dag.nodes), "family", "families")
        return (
            f"MixedTally({counted(self.rows, 'row')}, {families}: {counted(cells, 'count')}, "
            f"{counted(groups, 'group')} of moments)"
        )

    def _shown(self) -> list[tuple[str, ...]]:
        """For each category its states and how often each occurred; for each number its mean and deviation."""
        out: list[tuple[str, ...]] = []
        for node in self.dag.nodes:
            given = ", ".join(map(str, sorted(self.dag.parents(node), key=self.dag.index)))
            if node in self.cuts:
                values = ", ".join(map(str, self.states[node]))
                counts = ", ".join(f"{count:.6g}" for count in self.categories.totals[node].tolist())
            else:
                whole = self._moments[node].total()
                sd = np.sqrt(whole.cross[-1, -1] / whole.weight) if whole.weight > 0 else 0.0
                values, counts = f"{whole.mean[-1]:.4g} ± {sd:.3g}", f"{whole.weight:.6g}"
            out.append((str(node), given, values, counts))
        return out

    def _state(self) -> dict[str, object]:
        return self._graph_state() | {
            "states": _as_tuples(self.categories.state_lists),
            "counts": _as_tuples(self.categories.counts),
            "totals": _as_tuples(self.categories.totals),
            "actions": _as_tuples(self.categories.actions),
            "moments": dict(self._moments),
            "cuts": {node: dict(of_node) for node, of_node in self.cuts.items()},
        }

    @classmethod
    def _of_state(cls, state: Mapping[str, Any]) -> MixedTally:
        dag, cuts = DAG(state["arrows"], state["nodes"]), state["cuts"]
        graph = counted_graph(dag, cuts)
        categories = FamilyTally._of_state({**state, "arrows": graph.directed_edges, "nodes": graph.nodes})
        tally = cls(dag, categories, state["moments"], cuts, state["rows"])
        for node, of_node in tally.cuts.items():
            if set(of_node) != set(tally.parents_of(node)[1]) or any((np.diff(c) <= 0).any() for c in of_node.values()):
                raise ValueError(f"the cuts of {node!r} do not fit its parents")
            for up, ends in of_node.items():
                if len(categories.states[Bins(up, node)]) != len(ends) + 1:
                    raise ValueError(f"the counts of {node!r} do not fit its cuts")
        for node, family in tally._moments.items():
            groups, columns = tally.parents_of(node)
            shape = tuple(len(categories.states[up]) for up in groups)
            if family.weight.shape != shape or family.mean.shape != (*shape, len(columns) + 1):
                raise ValueError(f"the moments of {node!r} do not fit its parents")
        return tally

    def __reduce__(self) -> tuple[Any, ...]:
        return MixedTally, (self.dag, self.categories, self._moments, self.cuts, self.rows)


def _as_tuples(values: Mapping[Node, Any]) -> dict[Node, Any]:
    """Bins as plain tuples, which files hold, and which are equal to them."""
    return {tuple(node) if isinstance(node, Bins) else node: value for node, value in values.items()}


def _frozen(ends: Any) -> Floats:
    out: Floats = np.array(ends, dtype=np.float64)
    out.flags.writeable = False
    return out


def as_mixed(sample: CodedSample | NumberSample | MixedSample) -> MixedSample:
    """A sample of one kind as a mixed one."""
    if isinstance(sample, MixedSample):
        return sample
    if isinstance(sample, CodedSample):
        none = NumberSample((), np.empty((len(sample), 0)), sample.sample_weight, interventions=sample.interventions)
        return MixedSample(sample.names, sample, none)
    nothing = CodedSample((), {}, np.empty((0, len(sample)), dtype=np.int32), sample.sample_weight)
    return MixedSample(sample.names, nothing, sample)


def check_mixed_cells(dag: DAG, variables: Mapping[Node, Variable], cuts: Cuts, limit: int | None = None) -> None:
    """Refuse tables and moments that would take more than ``limit`` bytes, or than the memory limit."""
    held = dict(variables)
    for node, of_node in cuts.items():
        held |= {Bins(up, node): _bins_of(Bins(up, node), ends) for up, ends in of_node.items()}
    check_cells(counted_graph(dag, cuts), held, limit)
    for node in dag.nodes:
        if node not in cuts:
            groups = prod(len(variables[up]) for up in dag.parents(node) if up in cuts)
            columns = 1 + sum(up not in cuts for up in dag.parents(node))
            needed = _COPIES * 8 * groups * (1 + 2 * columns + 2 * columns**2)
            if needed > memory_limit(limit):
                raise TooLargeError(
                    f"the regressions of {node!r} in {groups:,} configurations of its categorical parents would need "
                    f"{in_bytes(needed)}, more than the limit of {in_bytes(memory_limit(limit))}. Give it fewer "
                    "categorical parents, or pass a larger limit (in bytes)."
                )


def bins_of(node: Bins, cuts: Cuts) -> Variable:
    """The states of bins."""
    return _bins_of(node, cuts[node.category][node.number])


def _bins_of(node: Bins, ends: Floats) -> Variable:
    """The states of bins: their indices, which stay where no row has them."""
    return Variable.of_states(node, range(len(ends) + 1), "fixed")


def tally_mixed(dag: DAG, sample: MixedSample, cuts: Cuts, limit: int | None = None) -> MixedTally:
    """Count each family on the rows where it is whole."""
    check_mixed_cells(dag, sample.categories.states, cuts, limit)
    graph = counted_graph(dag, cuts)
    values, weights = sample.numbers.values, sample.sample_weight
    column_of = {node: values[:, index] for index, node in enumerate(sample.numbers.names)}
    row_of = {node: index for index, node in enumerate(sample.categories.names)}
    codes = np.empty((len(graph.nodes), len(sample)), dtype=np.int32)
    states: dict[Node, Variable] = {}
    for index, node in enumerate(graph.nodes):
        if isinstance(node, Bins):
            ends = cuts[node.category][node.number]
            states[node] = _bins_of(node, ends)
            bin_codes(column_of[node.number], ends, out=codes[index])
        else:
            states[node] = sample.categories.states[node]
            codes[index] = sample.categories.codes[row_of[node]]
    counts = tally_families(graph, CodedSample(graph.nodes, states, codes, weights, interventions=sample.interventions))
    sizes = {node: len(states[node]) for node in row_of}
    parts = [(dag.nodes, None)] if sample.interventions is None else sample.interventions.by_rows(column_of)
    moments: dict[Node, GroupedMoments] = {}
    for nodes, rows in parts:
        of_part = tally_numbers(dag, sample if rows is None else sample.take(rows), sizes)
        moments |= {node: of_part[node] for node in nodes if node in of_part}
    return MixedTally(dag, counts, moments, cuts, sample.total)


def bin_codes(values: Floats, ends: Floats, out: AnyArray) -> None:
    """The bin of each number, ``MISSING`` where it is NaN: bin i holds c_i < z ≤ c_(i+1)."""
    out[:] = np.searchsorted(ends, values) if len(ends) > 16 else sum((values > end for end in ends), np.int32(0))
    out[np.isnan(values)] = MISSING


def tally_numbers(dag: DAG, sample: MixedSample, sizes: Mapping[Node, int]) -> dict[Node, GroupedMoments]:
    """For each number the moments of its numeric parents and itself in each configuration of the categorical ones."""
    numbers = {node: index for index, node in enumerate(sample.numbers.names)}
    categories = {node: index for index, node in enumerate(sample.categories.names)}
    columns = np.ascontiguousarray(sample.numbers.values.T)  # no copy where columns lie together
    shifts = column_shifts(columns)
    members, groups = [], []
    for node, index in numbers.items():
        above = sorted(dag.parents(node), key=dag.index)
        members.append([*(numbers[up] for up in above if up in numbers), index])
        groups.append([categories[up] for up in above if up in categories])
    names = list(categories)
    shapes = [[sizes[names[index]] for index in of_node] for of_node in groups]
    # The core takes sizes from 1 on: where all values are missing, a state is added that no row has.
    held = np.array([max(sizes[node], 1) for node in names], dtype=np.int64)
    codes = np.ascontiguousarray(sample.categories.codes, dtype=np.int32)
    sums = _core.grouped_cross_sums(
        columns, shifts, codes, held, *_ragged(members), *_ragged(groups), sample.sample_weight
    )
    out, start = {}, 0
    for node, of_node, of_groups, shape in zip(numbers, members, groups, shapes, strict=True):
        width = len(of_node) + 1 + len(of_node) * (len(of_node) + 1) // 2
        width, groups_held = -(-width // 8) * 8, int(np.prod(held[of_groups], dtype=np.int64))
        part = sums[start : start + 2 * width * groups_held].reshape(groups_held, 2, width)
        start += part.size
        if 0 in shape:
            out[node] = GroupedMoments.empty(shape, len(of_node))
        else:
            out[node] = GroupedMoments.of_sums(part, shape, len(of_node), shifts[of_node])
    return out


def _ragged(lists: Sequence[Sequence[int]]) -> tuple[Ints, AnyArray]:
    starts = np.array(list(accumulate(map(len, lists), initial=0)), dtype=np.int64)
    return starts, np.array([index for of_list in lists for index in of_list], dtype=np.int32)


def column_shifts(columns: Floats) -> Floats:
    """For each column a number from which all differences are exact: see ``linear_gaussian``.

    The smallest number, if all are within a factor of 2 of it; else 0.
    """
    out = np.zeros(len(columns))
    for index, column in enumerate(columns):
        low, high = np.fmin.reduce(column, initial=np.inf), np.fmax.reduce(column, initial=-np.inf)
        if 0 < low <= high <= 2 * low:
            out[index] = low
        elif 2 * high <= low <= high < 0:
            out[index] = high
        if low > high:  # no number at all
            out[index] = 0.0
    return out


def find_cuts(dag: DAG, sample: MixedSample, given: Cuts) -> dict[Node, dict[Node, Floats]]:
    """The cuts of the numeric parents of each category: given ones, or those that separate its states best.

    By minimum description length (Fayyad and Irani, 1993), as the bins of classifiers are; of equal frequency where it
    finds none.
    """
    cuts: dict[Node, dict[Node, Floats]] = {}
    numbers = {node: sample.numbers.values[:, index] for index, node in enumerate(sample.numbers.names)}
    for index, node in enumerate(sample.categories.names):
        above = [up for up in sorted(dag.parents(node), key=dag.index) if up in numbers]
        codes, states = sample.categories.codes[index], sample.categories.states[node]
        if sample.interventions is not None:  # what a node was set to says nothing of its parents
            codes = np.where(sample.interventions.was_set(node), MISSING, codes)
        cuts[node] = {
            up: np.asarray(given[node][up], dtype=np.float64)
            if up in given.get(node, {})
            else _cuts_for(numbers[up], codes, states, sample.sample_weight)
            for up in above
        }
    return cuts


def _cuts_for(values: Floats, codes: AnyArray, states: Variable, weights: Floats | None) -> Floats:
    known = codes >= 0
    if not known.any():  # a hidden category: nothing says where to cut
        codes, states = np.zeros_like(codes), Variable.of_states("", [0])
    elif not known.all():
        values, codes = values[known], codes[known]
        weights = None if weights is None else weights[known]
    if not len(codes):
        return np.empty(0)
    codes = np.ascontiguousarray(codes, dtype=np.int32)
    counts = np.bincount(codes, weights, len(states))
    part = sketch_column("", np.ascontiguousarray(values), Sample(states, codes, counts, weights))
    found = Binned(how="mdl").cuts(part)
    return found if len(found) else Binned(how="frequency", bins=_SPREAD).cuts(part)


def estimate_network(
    tally: MixedTally, smoothing: Smoothings, unseen_parents: UnseenParents, shrinkage: float
) -> MixedNetwork:
    """The tables and regressions of a net, from its tally."""
    if not tally.rows > 0:
        raise InputError("there are no rows, or all their weights are 0: nothing can be estimated.")
    categories = tally.categories
    rules = read_rules(tally.dag.nodes, smoothing)
    every = {node: rules[node.category if isinstance(node, Bins) else node] for node in categories.dag.nodes}
    tables = estimate_tables(categories, every, unseen_parents)
    regressions = {
        node: estimate_regressions(family, *tally.parents_of(node), node, shrinkage=shrinkage)
        for node, family in tally.moments.items()
    }
    return MixedNetwork(tally.dag, tally.states, {node: tables[node] for node in tally.cuts}, regressions, tally.cuts)
