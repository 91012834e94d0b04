"""Counting the families of a net where the rows are: one grouping set a family, and no row leaves the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from deciban.engines.sql.sets import SetCounts
from deciban.engines.sql.table import DatabaseTable
from deciban.errors import ColumnMismatchError, MissingValueError, ParameterError, UnseenStateError
from deciban.nets.data.columns import match_columns
from deciban.nets.data.kinds import check_category
from deciban.nets.data.states import MISSING, States, distinct_values, listed, state_codes
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.learning.families import FamilyTally, check_cells, families_of
from deciban.nets.learning.sample import FitMissing
from deciban.read import Column
from deciban.suggest import closest
from deciban.types import AnyArray

__all__ = ["tally_families_of_database"]


def tally_families_of_database(
    dag: DAG, table: DatabaseTable, *, fixed: Mapping[Node, States], missing: FitMissing, limit: int | None = None
) -> FamilyTally:
    """Count each family on the rows where it is whole, and each node on the rows where it has a value."""
    if missing == "em":
        raise ParameterError('missing="em" needs the rows themselves. Pass missing="skip", or fit a table in memory.')
    if not dag.nodes:
        raise ParameterError("the net has no nodes: there is nothing to count.")
    names = _columns_of(dag, table)
    alone = table.count([(name,) for name in names])
    states = {node: _states(node, held, fixed.get(node), missing) for node, held in zip(dag.nodes, alone, strict=True)}
    check_cells(dag, states, limit)
    families = families_of(dag)
    found = table.count([tuple(names[index] for index in family) for family in families])
    lists = [states[node] for node in dag.nodes]
    tables = [_table(held, [lists[i] for i in family]) for held, family in zip(found, families, strict=True)]
    totals = [_table(held, [own]) for held, own in zip(alone, lists, strict=True)]
    rows = alone[0].counts.sum().item()
    return FamilyTally(
        dag, states, dict(zip(dag.nodes, tables, strict=True)), dict(zip(dag.nodes, totals, strict=True)), rows
    )


def _columns_of(dag: DAG, table: DatabaseTable) -> list[str]:
    """The column of each node."""
    found = match_columns(table.names, dag.nodes)
    for node in dag.nodes:
        if node not in found:
            held = ", ".join(table.names[:12]) + (", …" if len(table.names) > 12 else "")
            raise ColumnMismatchError(f"the table has no column {node!r}; it has {held}.{closest(node, table.names)}")
    return [found[node] for node in dag.nodes]


def _states(node: Node, held: SetCounts, fixed: States | None, missing: FitMissing) -> States:
    """The states of a node: those that are given, or those that occur."""
    column = Column.of_objects(str(node), held.values[0])
    if missing == "error" and column.has_missing:
        rows = held.counts[column.is_missing].sum()
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
    check_category(column, "use deciban.GaussianNet", len(values), held.counts.astype(np.float64))
    if not values:
        raise MissingValueError(f"column {node!r} has no value at all: every row is missing. Leave it out.")
    return States(tuple(values))


def _table(held: SetCounts, states: Sequence[States]) -> AnyArray:
    """The counts as a table with an axis for each column; combinations with a missing value are left out."""
    out = np.zeros([len(own) for own in states], dtype=held.counts.dtype)
    codes = [
        state_codes(Column.of_objects("", values), own.values) for values, own in zip(held.values, states, strict=True)
    ]
    whole = np.all([own != MISSING for own in codes], axis=0)
    np.add.at(out, tuple(own[whole] for own in codes), held.counts[whole])
    return out
