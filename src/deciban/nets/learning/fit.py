"""From rows to the tables of a Bayes net: fit, add rows, merge, remove rows, and smooth again without counting again.

Tables are estimated from a tally of all families. Learning in batches, merging nets that learned elsewhere and removing
rows are sums and differences of tallies, so they are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np

from deciban.choices import check_choice, closest, counted
from deciban.engines.sql.sets import SetCounts
from deciban.engines.sql.table import DatabaseTable
from deciban.errors import ColumnMismatchError, MissingValueError, ParameterError, UnseenStateError
from deciban.nets.data.node_rows import check_category, distinct_values, match_columns, read_states, state_codes
from deciban.nets.data.samples import CodedSample, FitMissing, read_sample
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.learning.em import EM, EMTrace, check_exact, fit_incomplete
from deciban.nets.learning.families import FamilyTally, check_cells, families_of, tally_families
from deciban.nets.learning.tables import Rule, UnseenConfigurations, UnseenParents, estimate_tables, read_rules
from deciban.nets.network import Network, State
from deciban.read import MISSING, Column, Variable
from deciban.read.variable import listed
from deciban.types import AnyArray

__all__ = ["FitSettings", "TableFit", "fit_database", "fit_tables", "report"]


@dataclass(frozen=True)
class FitSettings:
    """The settings of ``BayesNet.fit`` that also apply when rows are added or removed later.

    Parameters
    ----------
    smoothing : Smoothing or mapping
        How counts become probabilities; or node → smoothing.
    unseen_parents : {"prior", "uniform", "marginal", "error"}
        The table rows of configurations of parents that do not occur in the data.
    missing : {"error", "skip", "em"}
        How missing values are treated.
    limit : int, optional
        The most bytes for the tables.

    See Also
    --------
    BayesNet.settings_ : The settings of a net.

    Examples
    --------
    >>> import deciban as db
    >>> db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    ... ).settings_
    FitSettings(smoothing=Laplace(), unseen_parents='prior', missing='error', limit=None)
    """

    smoothing: Rule | Mapping[Any, Rule]
    unseen_parents: UnseenParents = "prior"
    missing: FitMissing = "error"
    limit: int | None = None

    def __post_init__(self) -> None:
        check_choice("unseen_parents", self.unseen_parents, get_args(UnseenParents))
        check_choice("missing", self.missing, get_args(FitMissing))
        if self.limit is not None and not self.limit > 0:
            raise ParameterError(f"limit is a number of bytes above 0, not {self.limit!r}")

    def changed(
        self,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        unseen_parents: UnseenParents | None = None,
        missing: FitMissing | None = None,
    ) -> FitSettings:
        """The settings with some of them replaced.

        Parameters
        ----------
        smoothing, unseen_parents, missing : optional
            The new values; None keeps the value of these settings.

        Returns
        -------
        settings : FitSettings
        """
        return replace(
            self,
            smoothing=self.smoothing if smoothing is None else smoothing,
            unseen_parents=self.unseen_parents if unseen_parents is None else unseen_parents,
            missing=self.missing if missing is None else missing,
        )


@dataclass(frozen=True, eq=False)
class TableFit:
    """The counts of all families, the settings that turn them into tables, and the trace of EM if it was used."""

    tally: FamilyTally
    settings: FitSettings
    trace: EMTrace | None = None

    @cached_property
    def network(self) -> Network:
        """The net whose tables are estimated from the counts."""
        tally = self.tally
        tables = estimate_tables(tally, self.rules, self.settings.unseen_parents)
        return Network(tally.dag, tally.states, tables, tally.parents)

    @property
    def rules(self) -> dict[Node, Rule]:
        """The smoothing of each node."""
        return read_rules(self.tally.dag.nodes, self.settings.smoothing)

    @cached_property
    def unseen_parents(self) -> UnseenConfigurations:
        """The configurations of parents that do not occur in the data."""
        return UnseenConfigurations(self.tally)

    def with_rows(self, data: Any, sample_weight: Any, settings: FitSettings) -> TableFit:
        """Count more rows; new states enlarge the tables."""
        return self._plus(self._count(data, sample_weight, settings), settings)

    def without_rows(self, data: Any, sample_weight: Any) -> TableFit:
        """Subtract rows; rows that were not counted are an error."""
        return TableFit(self.tally - self._count(data, sample_weight, self.settings), self.settings)

    def merged(self, other: TableFit) -> TableFit:
        """Add the counts of another fit of the same graph."""
        check_exact(self.trace)
        check_exact(other.trace)
        return self._plus(other.tally.read_as(self.tally), self.settings)

    def smoothed(self, smoothing: Rule | Mapping[Any, Rule], unseen_parents: UnseenParents | None) -> TableFit:
        """The same counts with another smoothing."""
        settings = self.settings.changed(unseen_parents=unseen_parents)
        return replace(self, settings=replace(settings, smoothing=smoothing))

    def _count(self, data: Any, sample_weight: Any, settings: FitSettings) -> FamilyTally:
        check_exact(self.trace)
        known = self.tally.variables
        fixed = {node: states for node, states in known.items() if states.kind == "fixed"}
        sample = _read(self.tally.dag, data, fixed, known, sample_weight, settings)
        return tally_families(self.tally.dag, sample)

    def _plus(self, batch: FamilyTally, settings: FitSettings) -> TableFit:
        check_cells(self.tally.dag, self.tally.union_states(batch), settings.limit)
        return TableFit(self.tally + batch, settings)


def fit_tables(
    dag: DAG,
    data: Any,
    settings: FitSettings,
    *,
    states: Mapping[Any, Iterable[State] | int] | None = None,
    sample_weight: Any = None,
    em: EM | None = None,
) -> TableFit:
    """Count the families of a graph in the rows of a table: see ``BayesNet.fit``."""
    sample = _read(dag, data, read_states(dag.nodes, states), {}, sample_weight, settings)
    if settings.missing == "em":
        rules = read_rules(dag.nodes, settings.smoothing)
        tally, trace = fit_incomplete(dag, sample, rules, em or EM(), settings.limit)
        return TableFit(tally, settings, trace)
    return TableFit(tally_families(dag, sample), settings)


def fit_database(
    dag: DAG, table: DatabaseTable, settings: FitSettings, states: Mapping[Any, Iterable[State] | int] | None = None
) -> TableFit:
    """Count the families of a graph in a database: see ``BayesNet.fit_sql``."""
    fixed = read_states(dag.nodes, states)
    tally = tally_families_of_database(dag, table, fixed=fixed, missing=settings.missing, limit=settings.limit)
    return TableFit(tally, settings)


def _read(
    dag: DAG,
    data: Any,
    fixed: Mapping[Node, Variable],
    known: Mapping[Node, Variable],
    sample_weight: Any,
    settings: FitSettings,
) -> CodedSample:
    sample = read_sample(
        data, dag.nodes, fixed=fixed, known=known, sample_weight=sample_weight, missing=settings.missing
    )
    check_cells(dag, sample.states, settings.limit)
    return sample


_MOST_LINES = 20


def report(fit: TableFit) -> str:
    """The rows, the smoothing, the result of EM, and the nodes with configurations of parents that do not occur."""
    unseen = fit.unseen_parents
    used = {str(rule) for rule in fit.rules.values()}
    lines = [
        repr(fit.tally),
        f"smoothing: {used.pop() if len(used) == 1 else 'different for each node'}",
        *([_em_line(fit.trace)] if fit.trace is not None else []),
        f"configurations of parents that do not occur: {unseen.count:,} of {unseen.possible:,} "
        f'(unseen_parents="{fit.settings.unseen_parents}")',
    ]
    worst = sorted(unseen.values(), key=lambda rows: -len(rows))
    for rows in worst[:_MOST_LINES]:
        shown = ", ".join(f"{parent}={state}" for parent, state in rows[0].items()) or "no row"
        lines.append(f"  {rows.node}: {len(rows):,} of {rows.possible:,}, such as {shown}")
    if len(worst) > _MOST_LINES:
        lines.append(f"  and {counted(len(worst) - _MOST_LINES, 'more node')}")
    return "\n".join(lines)


def _em_line(trace: EMTrace) -> str:
    end = "converged" if trace.is_converged else "not converged: raise max_iter"
    return (
        f"expectation maximization: {counted(trace.iterations, 'iteration')}, "
        f"log-likelihood {trace.log_likelihoods[-1]:.6g}, {end}"
    )


def tally_families_of_database(
    dag: DAG, table: DatabaseTable, *, fixed: Mapping[Node, Variable], missing: FitMissing, limit: int | None = None
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


def _states(node: Node, held: SetCounts, fixed: Variable | None, missing: FitMissing) -> Variable:
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
    return Variable.of_states(node, values)


def _table(held: SetCounts, states: Sequence[Variable]) -> AnyArray:
    """The counts as a table with an axis for each column; combinations with a missing value are left out."""
    out = np.zeros([len(own) for own in states], dtype=held.counts.dtype)
    codes = [state_codes(Column.of_objects("", values), own) for values, own in zip(held.values, states, strict=True)]
    whole = np.all([own != MISSING for own in codes], axis=0)
    np.add.at(out, tuple(own[whole] for own in codes), held.counts[whole])
    return out
