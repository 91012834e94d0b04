"""Nets from rows that are not in memory: each batch is counted as ``fit`` counts a table, and the tallies are added.

What only the whole table can decide is checked on the sum: whether a column has a value at all, and whether its values
group the rows or name them (``deciban.nets.data.node_rows``). States are sorted in every batch, so they are in the sum.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from deciban.engines.source import SourceCounting
from deciban.errors import InputError, MissingValueError, ParameterError
from deciban.nets.data.mapped import weight_column
from deciban.nets.data.node_rows import check_kind, check_nodes, kind_of_counts, match_columns
from deciban.nets.data.samples import FitMissing, read_number_sample, read_sample
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.learning.families import FamilyTally, check_cells, tally_families
from deciban.nets.learning.linear_gaussian import GaussianTally
from deciban.nets.learning.stored import net_tally_state, restored_net_tally
from deciban.read import Variable, read_table

__all__ = ["FamilyCounting", "MomentCounting"]

NetTallyT = TypeVar("NetTallyT", bound=FamilyTally | GaussianTally)


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

    def state(self, total: NetTallyT) -> Mapping[str, Any]:
        return net_tally_state(total)

    def _weights(self, batch: Any) -> Any:
        if self.sample_weight is None:
            return None
        column = read_table(batch, only={self.sample_weight}).columns[0]
        return column.numbers if column.is_numeric else column.states[column.indices]


@dataclass(frozen=True)
class FamilyCounting(_NetCounting[FamilyTally]):
    """Counts the families of a graph in batches of rows.

    Parameters
    ----------
    dag
        The graph.
    sample_weight
        The column of the weights, or None.
    missing
        "error" or "skip": see ``BayesNet.fit``.
    fixed
        The states that the user gave.
    limit
        The most bytes for the tables.
    """

    fixed: Mapping[Node, Variable] = field(default_factory=dict)
    limit: int | None = None

    @property
    def described(self) -> str:
        fixed = [(node, states.values) for node, states in self.fixed.items()]
        return _described("counts", self, fixed)

    def __call__(self, batch: Any) -> FamilyTally:
        nodes = self.dag.nodes
        if not len(batch):
            return _empty_tally(self.dag, {node: self.fixed.get(node, Variable.of_states(node, ())) for node in nodes})
        sample = read_sample(
            batch,
            nodes,
            fixed=self.fixed,
            known={},
            sample_weight=self._weights(batch),
            missing=self.missing,
            is_part=True,
        )
        check_cells(self.dag, sample.states, self.limit)
        return tally_families(self.dag, sample) if len(sample) else _empty_tally(self.dag, sample.states)

    def restored(self, state: Mapping[str, Any]) -> FamilyTally:
        return restored_net_tally(FamilyTally, state)  # type: ignore[return-value]

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
        return _described("moments", self, [])

    def __call__(self, batch: Any) -> GaussianTally:
        nodes = self.dag.nodes
        if not len(batch):
            return GaussianTally.of(self.dag, np.empty((0, len(nodes))), None)
        options = {"sample_weight": self._weights(batch), "missing": self.missing}
        sample = read_number_sample(batch, nodes, **options, is_part=True)
        return GaussianTally.of(self.dag, sample.values, sample.sample_weight)

    def restored(self, state: Mapping[str, Any]) -> GaussianTally:
        return restored_net_tally(GaussianTally, state)  # type: ignore[return-value]

    def finish(self, total: GaussianTally) -> GaussianTally:
        """The sum of all batches; an error where it has no rows."""
        if total.is_empty:
            raise InputError("no row has a weight above 0: there is nothing to learn.")
        return total


def _described(what: str, counting: _NetCounting[Any], fixed: list[Any]) -> str:
    """A text that is equal for countings whose tallies may be added."""
    dag = counting.dag
    detail = repr((dag.nodes, dag.directed_edges, counting.sample_weight, counting.missing, fixed))
    digest = hashlib.sha256(detail.encode()).hexdigest()[:16]
    return f"{what} of the families of {len(dag.nodes)} nodes and {len(dag.directed_edges)} arrows ({digest})"


def _empty_tally(dag: DAG, states: Mapping[Node, Variable]) -> FamilyTally:
    sizes = {node: len(states[node]) for node in dag.nodes}
    empty = FamilyTally(dag, states, dict.fromkeys(dag.nodes, np.empty(0)), dict.fromkeys(dag.nodes, np.empty(0)), 0)
    counts = {
        node: np.zeros([sizes[axis] for axis in (*up, node)], dtype=np.int64) for node, up in empty.parents.items()
    }
    totals = {node: np.zeros(size, dtype=np.int64) for node, size in sizes.items()}
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
    options = {"is_numeric": is_numeric, "has_fractions": has_fractions}
    found = kind_of_counts(len(states), int(total.totals[node].sum()), **options)
    check_kind(node, found, "use deciban.GaussianNet")
    return Variable.of_states(node, map(float, states.values)) if has_fractions else states
