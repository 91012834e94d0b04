"""Nets from rows that are not in memory: in files, each batch is counted; a database counts by itself.

Each batch is counted as ``fit`` counts a table, and the tallies are added. What only the whole table can decide is
checked on the sum: whether a column has a value at all, and whether its values group the rows or name them
(``deciban.nets.data.node_rows``). States are sorted in every batch, so they are in the sum.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args

import numpy as np

from deciban.choices import check_choice, closest
from deciban.engines.source import Source, SourceCounting, rows_in_memory, tally_source
from deciban.engines.sql.sets import SetCounts
from deciban.engines.sql.table import CrossSums, DatabaseTable
from deciban.errors import (
    ColumnMismatchError,
    DecibanError,
    InputError,
    MissingValueError,
    ParameterError,
    UnseenStateError,
)
from deciban.nets.data.mapped import weight_column
from deciban.nets.data.node_rows import (
    FEW,
    NodeKind,
    check_category,
    check_kind,
    check_nodes,
    distinct_values,
    kind_of_counts,
    match_columns,
    read_kinds,
    state_codes,
)
from deciban.nets.data.samples import (
    CodedSample,
    FitMissing,
    NetSample,
    NumberSample,
    read_net_sample,
    read_number_sample,
    read_sample,
)
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.learning.families import FamilyTally, check_cells, families_of, tally_families
from deciban.nets.learning.fit import FitSettings, GaussianFit, MixedFit, NetFit, TableFit
from deciban.nets.learning.fit_table import CutRule, GivenCuts, NodeKinds, choose_cuts, read_cuts
from deciban.nets.learning.grouped import GroupedMoments
from deciban.nets.learning.linear_gaussian import GaussianTally
from deciban.nets.learning.mixed import (
    Bins,
    Cuts,
    MixedTally,
    as_mixed,
    bins_of,
    check_mixed_cells,
    counted_graph,
    tally_mixed,
)
from deciban.read import MISSING, Column, Variable, read_table
from deciban.read.variable import listed
from deciban.types import AnyArray

__all__ = ["FamilyCounting", "MixedCounting", "MomentCounting", "count_database", "fit_database", "fit_source"]

NetTallyT = TypeVar("NetTallyT", bound=FamilyTally | GaussianTally | MixedTally)


@dataclass(frozen=True)
class _NetCounting(SourceCounting[NetTallyT]):
    """What the counting of both kinds of nets shares: the columns of the nodes, and that of the weights."""

    dag: DAG
    sample_weight: str | None = None
    missing: FitMissing = "error"

    def __post_init__(self) -> None:
        if self.missing == "em":
            raise ParameterError(
                'missing="em" needs the rows many times, so it takes a table in memory: call fit. For files, pass '
                'missing="skip".'
            )
        if self.sample_weight in [str(node) for node in self.dag.nodes]:
            raise ParameterError(f"sample_weight names {self.sample_weight!r}, which is a node of the graph.")

    @property
    def columns(self) -> tuple[str, ...]:
        nodes = tuple(map(str, self.dag.nodes))
        return nodes if self.sample_weight is None else (*nodes, self.sample_weight)

    def check(self, names: tuple[str, ...]) -> None:
        """Refuse a source without a column that is needed."""
        check_nodes(self.dag.nodes, match_columns(names, self.dag.nodes), names)
        weight_column(names, self.sample_weight)

    def state(self, total: NetTallyT) -> Mapping[str, object]:
        return total._state()

    def _described(self, what: str, fixed: list[tuple[Node, tuple[Hashable, ...]]]) -> str:
        """A text that is equal for countings whose tallies may be added."""
        nodes, arrows = self.dag.nodes, self.dag.directed_edges
        # A digest: the text is in the checkpoint and in the error of another counting, and a graph may be large.
        detail = repr((nodes, arrows, self.sample_weight, self.missing, fixed))
        digest = hashlib.sha256(detail.encode()).hexdigest()[:16]
        return f"{what} of the families of {len(nodes)} nodes and {len(arrows)} arrows ({digest})"

    def _weights(self, batch: Any) -> AnyArray | None:
        if self.sample_weight is None:
            return None
        column = read_table(batch, only={self.sample_weight}).columns[0]
        return column.numbers if column.is_numeric else column.states[column.indices]


@dataclass(frozen=True)
class FamilyCounting(_NetCounting[FamilyTally]):
    """The counts of the families of a graph in batches of rows; `fixed` are the states that the user gave."""

    fixed: Mapping[Node, Variable] = field(default_factory=dict)
    limit: int | None = None

    @property
    def described(self) -> str:
        return self._described("counts", [(node, states.values) for node, states in self.fixed.items()])

    def __call__(self, batch: Any) -> FamilyTally:
        nodes = self.dag.nodes
        if not len(batch):
            return _empty_tally(self.dag, {node: self.fixed.get(node, Variable.of_states(node, ())) for node in nodes})
        weights, missing = self._weights(batch), self.missing
        sample = read_sample(
            batch, nodes, fixed=self.fixed, known={}, sample_weight=weights, missing=missing, is_part=True
        )
        check_cells(self.dag, sample.states, self.limit)
        return tally_families(self.dag, sample) if len(sample) else _empty_tally(self.dag, sample.states)

    def restored(self, state: Mapping[str, Any]) -> FamilyTally:
        return FamilyTally._of_state(state)

    def finish(self, total: FamilyTally) -> FamilyTally:
        """The sum of all batches; an error where ``fit`` would refuse a column."""
        if total.is_empty:
            raise InputError("no row has a weight above 0: there is nothing to count.")
        variables = {node: _checked_states(node, total) for node in self.dag.nodes}
        check_cells(self.dag, variables, self.limit)
        return FamilyTally(total.dag, variables, total.counts, total.totals, total.rows)


@dataclass(frozen=True)
class MomentCounting(_NetCounting[GaussianTally]):
    """The moments of the families of a graph in batches of rows."""

    @property
    def described(self) -> str:
        return self._described("moments", [])

    def __call__(self, batch: Any) -> GaussianTally:
        nodes = self.dag.nodes
        if not len(batch):
            return GaussianTally.of(self.dag, np.empty((0, len(nodes))), None)
        weights = self._weights(batch)
        sample = read_number_sample(batch, nodes, sample_weight=weights, missing=self.missing, is_part=True)
        return GaussianTally.of(self.dag, sample.values, sample.sample_weight)

    def restored(self, state: Mapping[str, Any]) -> GaussianTally:
        return GaussianTally._of_state(state)

    def finish(self, total: GaussianTally) -> GaussianTally:
        """The sum of all batches; an error where it has no rows."""
        if total.is_empty:
            raise InputError("no row has a weight above 0: there is nothing to learn.")
        return total


@dataclass(frozen=True)
class MixedCounting(_NetCounting[MixedTally]):
    """The counts and moments of families in batches of rows; `kinds` are those of all nodes, `chosen` by a user."""

    kinds: Mapping[Node, NodeKind] = field(default_factory=dict)
    cuts: Cuts = field(default_factory=dict)
    fixed: Mapping[Node, Variable] = field(default_factory=dict)
    chosen: frozenset[Node] = frozenset()
    limit: int | None = None

    @property
    def described(self) -> str:
        ends = [
            (node, [(up, tuple(cut.tolist())) for up, cut in of_node.items()]) for node, of_node in self.cuts.items()
        ]
        fixed = [(node, states.values) for node, states in self.fixed.items()]
        return self._described(f"counts and moments, cut at {ends},", fixed)

    def __call__(self, batch: Any) -> MixedTally:
        if not len(batch):
            return self._nothing({})
        sample, _ = read_net_sample(
            batch,
            self.dag.nodes,
            kinds=self.kinds,
            fixed=self.fixed,
            sample_weight=self._weights(batch),
            missing=self.missing,
            is_part=True,
        )
        mixed = as_mixed(sample)
        return tally_mixed(self.dag, mixed, self.cuts, self.limit) if len(mixed) else self._nothing({})

    def _nothing(self, states: Mapping[Node, Variable]) -> MixedTally:
        held = {node: states.get(node, self.fixed.get(node, Variable.of_states(node, ()))) for node in self.cuts}
        graph = counted_graph(self.dag, self.cuts)
        every = {node: bins_of(node, self.cuts) if isinstance(node, Bins) else held[node] for node in graph.nodes}
        moments = {}
        for node in self.dag.nodes:
            if node not in self.cuts:
                sizes = [len(held[up]) for up in sorted(self.dag.parents(node), key=self.dag.index) if up in self.cuts]
                columns = 1 + sum(up not in self.cuts for up in self.dag.parents(node))
                moments[node] = GroupedMoments.empty(sizes, columns)
        return MixedTally(self.dag, _empty_tally(graph, every), moments, self.cuts, 0)

    def restored(self, state: Mapping[str, Any]) -> MixedTally:
        return MixedTally._of_state(state)

    def finish(self, total: MixedTally) -> MixedTally:
        """The sum of all batches; an error where ``fit`` would refuse a column."""
        if total.is_empty:
            raise InputError("no row has a weight above 0: there is nothing to learn.")
        for node in self.cuts:
            if node not in self.chosen:
                _checked_states(node, total.categories)
        check_mixed_cells(self.dag, total.variables, self.cuts, self.limit)
        return total


_SOME_ROWS = 50_000
"""So many rows, spread over the source, decide what each node is, and where numeric parents of categories are cut."""


def fit_source(
    dag: DAG,
    rows: Source,
    settings: FitSettings,
    *,
    fixed: Mapping[Node, Variable],
    columns: NodeKinds | None = None,
    cuts: GivenCuts | None = None,
    cut: CutRule = "bins",
    sample_weight: str | None = None,
    has_checkpoint: bool = False,
) -> NetFit:
    """Fit a net to the rows of a source: see ``BayesNet.fit_files``."""
    check_choice("cut", cut, get_args(CutRule))
    kinds = read_kinds(dag.nodes, columns)
    counting = FamilyCounting(dag, sample_weight, settings.missing, fixed, settings.limit)
    # Categories first, as most sources of them are read once only then; but not where a checkpoint would say so.
    if "number" not in kinds.values() and not has_checkpoint and not kinds:
        try:
            total = tally_source(rows, counting)
        except InputError:
            if not _has_numbers(dag, rows, counting, kinds):
                raise
        else:
            if not any(_is_measured(variable) for variable in total.variables.values()):
                return TableFit(total, settings)
    counting.check(rows.names)
    some, _ = rows_in_memory(rows, _SOME_ROWS, ())
    sample, chosen = _read_some(dag, some, counting, kinds)
    if isinstance(sample, CodedSample):
        return TableFit(tally_source(rows, counting), settings)
    if isinstance(sample, NumberSample):
        moments = tally_source(rows, MomentCounting(dag, sample_weight, settings.missing))
        return GaussianFit(moments, "ml", settings.missing)
    found = choose_cuts(dag, sample, cuts, cut)
    mixed = MixedCounting(
        dag,
        sample_weight,
        settings.missing,
        {node: kind for node, (kind, _) in chosen.items()},
        found,
        fixed,
        frozenset(kinds),
        settings.limit,
    )
    reasons = {node: reason for node, (_, reason) in chosen.items()}
    return MixedFit(tally_source(rows, mixed), settings, reasons)


def _has_numbers(dag: DAG, rows: Source, counting: FamilyCounting, kinds: Mapping[Node, NodeKind]) -> bool:
    """Whether some node is a number, so that counting it was refused."""
    some, _ = rows_in_memory(rows, _SOME_ROWS, ())
    try:
        sample, _ = _read_some(dag, some, counting, kinds)
    except DecibanError:
        return False
    return not isinstance(sample, CodedSample)


def _read_some(
    dag: DAG, some: Any, counting: FamilyCounting, kinds: Mapping[Node, NodeKind]
) -> tuple[NetSample, dict[Node, tuple[NodeKind, str]]]:
    weights = counting._weights(some)
    return read_net_sample(
        some,
        dag.nodes,
        kinds=kinds,
        fixed=counting.fixed,
        sample_weight=weights,
        missing=counting.missing,
        is_part=True,
    )


def _is_measured(variable: Variable) -> bool:
    """Whether the states that were found are the values of a number."""
    is_numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in variable.values)
    return variable.kind == "found" and is_numeric and len(variable) > FEW


def _empty_tally(dag: DAG, states: Mapping[Node, Variable]) -> FamilyTally:
    sizes = [len(states[node]) for node in dag.nodes]
    shapes = dict(zip(dag.nodes, ([sizes[index] for index in family] for family in families_of(dag)), strict=True))
    counts = {node: np.zeros(shape, dtype=np.int64) for node, shape in shapes.items()}
    totals = {node: np.zeros(shape[-1], dtype=np.int64) for node, shape in shapes.items()}
    return FamilyTally(dag, states, counts, totals, 0)


def _checked_states(node: Node, total: FamilyTally) -> Variable:
    """The states of a node; whole numbers become floats where some batch had fractions."""
    states = total.variables[node]
    if not states.values:
        raise MissingValueError(f"column {node!r} has no value at all: every row is missing. Leave it out.")
    if states.kind != "found":
        return states
    is_numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in states.values)
    has_fractions = is_numeric and any(isinstance(value, float) for value in states.values)
    rows = int(total.totals[node].sum())
    kind = kind_of_counts(len(states), rows, is_numeric=is_numeric, has_fractions=has_fractions)
    check_kind(node, kind, "use deciban.GaussianNet")
    return Variable.of_states(node, map(float, states.values)) if has_fractions else states


def count_database(
    dag: DAG, table: DatabaseTable, *, fixed: Mapping[Node, Variable], missing: FitMissing, limit: int | None = None
) -> FamilyTally:
    """Count each family on the rows where it is whole, and each node on the rows where it has a value."""
    if not dag.nodes:
        raise ParameterError("the net has no nodes: there is nothing to count.")
    column_of = match_columns(table.names, dag.nodes)
    _check_database(dag, column_of, table, missing)
    # Two queries: the states of each node come first, for the limit must refuse wide families before they are counted.
    alone = table.count([(column_of[node],) for node in dag.nodes])
    states = {node: _states(node, sets, fixed.get(node), missing) for node, sets in zip(dag.nodes, alone, strict=True)}
    check_cells(dag, states, limit)
    members = [[dag.nodes[index] for index in family] for family in families_of(dag)]
    families = table.count([tuple(column_of[node] for node in family) for family in members])
    counts = {
        family[-1]: _table(sets, [states[node] for node in family])
        for sets, family in zip(families, members, strict=True)
    }
    totals = {node: _table(sets, [states[node]]) for node, sets in zip(dag.nodes, alone, strict=True)}
    return FamilyTally(dag, states, counts, totals, alone[0].counts.sum().item())


def fit_database(
    dag: DAG,
    table: DatabaseTable,
    settings: FitSettings,
    *,
    fixed: Mapping[Node, Variable],
    columns: NodeKinds | None = None,
    cuts: GivenCuts | None = None,
) -> NetFit:
    """Fit a net to a table in a database: see ``BayesNet.fit_sql``."""
    kinds = read_kinds(dag.nodes, columns)
    column_of = match_columns(table.names, dag.nodes)
    open_nodes = [node for node in dag.nodes if node in column_of and node not in kinds and node not in fixed]
    measured = [node for node in open_nodes if table.is_number(column_of[node])]
    wanted = [*measured, *(node for node, kind in kinds.items() if kind == "number" and node in column_of)]
    different = table.different([column_of[node] for node in wanted])
    numbers = [
        node
        for node in dag.nodes
        if kinds.get(node) == "number" or (node in measured and different[column_of[node]][0] > FEW)
    ]
    if not numbers:
        tally = count_database(dag, table, fixed=fixed, missing=settings.missing, limit=settings.limit)
        return TableFit(tally, settings)
    _check_database(dag, column_of, table, settings.missing)
    for node in numbers:
        if settings.missing == "error" and different[column_of[node]][1]:
            raise MissingValueError(
                f'column {node!r} has missing values ({different[column_of[node]][1]:,} rows). Pass missing="skip" to '
                "leave them out where they are needed, or fill them in the query (COALESCE)."
            )
    given = read_cuts(dag, cuts, set(numbers))
    for node in dag.nodes:
        for up in numbers:
            if node not in numbers and up in dag.parents(node) and up not in given.get(node, {}):
                raise InputError(
                    f"{node!r} is a category, and its parent {up!r} is a number: a database does not say where to cut "
                    f"it. Pass the ends of its bins, such as cuts={{{node!r}: {{{up!r}: [0, 1]}}}}."
                )
    every = {node: dict(given.get(node, {})) for node in dag.nodes if node not in numbers}
    reasons = {node: "as given" if node in kinds else "numbers of the column's type" for node in numbers}
    mixed = _mixed_tally(dag, table, column_of, every, fixed, settings)
    if len(numbers) == len(dag.nodes):
        moments = {node: mixed.moments[node].group(()) for node in dag.nodes}
        return GaussianFit(GaussianTally(dag, moments, mixed.rows), "ml", settings.missing)
    return MixedFit(mixed, settings, reasons)


def _check_database(dag: DAG, column_of: Mapping[Node, str], table: DatabaseTable, missing: FitMissing) -> None:
    if missing == "em":
        raise ParameterError('missing="em" needs the rows themselves. Pass missing="skip", or fit a table in memory.')
    for node in dag.nodes:
        if node not in column_of:
            known = ", ".join(table.names[:12]) + (", …" if len(table.names) > 12 else "")
            raise ColumnMismatchError(f"the table has no column {node!r}; it has {known}.{closest(node, table.names)}")


def _mixed_tally(
    dag: DAG,
    table: DatabaseTable,
    column_of: Mapping[Node, str],
    cuts: Cuts,
    fixed: Mapping[Node, Variable],
    settings: FitSettings,
) -> MixedTally:
    graph = counted_graph(dag, cuts)
    alone = table.count([(column_of[node],) for node in cuts])
    found = zip(cuts, alone, strict=True)
    states = {node: _states(node, sets, fixed.get(node), settings.missing) for node, sets in found}
    check_mixed_cells(dag, states, cuts, settings.limit)
    every = {node: bins_of(node, cuts) if isinstance(node, Bins) else states[node] for node in graph.nodes}
    counts, totals = {}, {}
    for family in families_of(graph):
        members = [graph.nodes[index] for index in family]
        ends = {
            column_of[node.number]: cuts[node.category][node.number].tolist()
            for node in members
            if isinstance(node, Bins)
        }
        names = [column_of[node.number if isinstance(node, Bins) else node] for node in members]
        sets, own = table.count([tuple(names), tuple(names[-1:])], ends)
        counts[members[-1]] = _table(sets, [every[node] for node in members])
        totals[members[-1]] = _table(own, [every[members[-1]]])
    moments = {}
    for node in dag.nodes:
        if node not in cuts:
            above = sorted(dag.parents(node), key=dag.index)
            groups, numbers = [up for up in above if up in cuts], [up for up in above if up not in cuts]
            sums = table.cross_sums([column_of[up] for up in groups], [column_of[up] for up in (*numbers, node)])
            moments[node] = _moments(sums, [states[up] for up in groups], len(numbers) + 1)
    rows = alone[0].counts.sum().item() if cuts else table.total()
    return MixedTally(dag, FamilyTally(graph, every, counts, totals, rows), moments, cuts, rows)


def _moments(found: CrossSums, variables: Sequence[Variable], columns: int) -> GroupedMoments:
    """The moments of groups from the sums of a database."""
    sizes = [len(variable) for variable in variables]
    high = np.zeros((*sizes, found.sums.shape[1]))
    codes = [
        state_codes(Column.of_objects("", values), variable)
        for values, variable in zip(found.values, variables, strict=True)
    ]
    if codes:
        np.add.at(high, tuple(codes), found.sums)
    elif len(found.sums):
        high[...] = found.sums[0]
    both = np.stack([high, np.zeros_like(high)]).reshape(2, -1, high.shape[-1]).swapaxes(0, 1)
    return GroupedMoments.of_sums(both, sizes, columns, found.shifts)


def _states(node: Node, sets: SetCounts, fixed: Variable | None, missing: FitMissing) -> Variable:
    """The states of a node: those that are given, or those that occur."""
    column = Column.of_objects(str(node), sets.values[0])
    if missing == "error" and column.has_missing:
        rows = sets.counts[column.is_missing].sum()
        raise MissingValueError(
            f'column {node!r} has missing values ({rows:,} rows). Pass missing="skip" to leave them out where they are '
            "needed, or fill them in the query (COALESCE)."
        )
    values, _ = distinct_values(column)
    if fixed is not None:
        unseen = [value for value in values if value not in fixed.values]
        if unseen:
            raise UnseenStateError(
                f"column {node!r} has value {unseen[0]!r}, which is not one of its states: {listed(fixed.values)}."
            )
        return fixed
    check_category(column, "use deciban.GaussianNet", len(values), sets.counts.astype(np.float64))
    if not values:
        raise MissingValueError(f"column {node!r} has no value at all: every row is missing. Leave it out.")
    return Variable.of_states(node, values)


def _table(sets: SetCounts, variables: Sequence[Variable]) -> AnyArray:
    """The counts as a table with an axis for each column; combinations with a missing value are left out."""
    out = np.zeros([len(variable) for variable in variables], dtype=sets.counts.dtype)
    codes = [
        state_codes(Column.of_objects("", values), variable)
        for values, variable in zip(sets.values, variables, strict=True)
    ]
    whole = np.all([column != MISSING for column in codes], axis=0)
    # Added, not assigned: two values of the database, such as 3 and "3", may stand for one state.
    np.add.at(out, tuple(column[whole] for column in codes), sets.counts[whole])
    return out
