"""From rows to the tables of a Bayes net: fit, add rows, merge, remove rows, and smooth again without counting again.

Tables are estimated from a tally of all families. Learning in batches, merging nets that learned elsewhere and removing
rows are sums and differences of tallies, so they are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from deciban.choices import check_choice
from deciban.engines.sql.table import DatabaseTable
from deciban.errors import ParameterError
from deciban.nets.data.samples import CodedSample
from deciban.nets.data.states import States, read_states
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.learning.counting import tally_families
from deciban.nets.learning.database import tally_families_of_database
from deciban.nets.learning.em import EM, EMTrace, check_exact, fit_incomplete
from deciban.nets.learning.families import FamilyTally, check_cells
from deciban.nets.learning.sample import FitMissing, read_sample
from deciban.nets.learning.tables import Rule, UnseenParents, estimate_tables, read_rules
from deciban.nets.learning.unseen_parents import UnseenConfigurations
from deciban.nets.network import Network, State

__all__ = ["FitSettings", "TableFit", "fit_database", "fit_tables"]


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


@dataclass(frozen=True, eq=False)
class TableFit:
    """The counts of all families, the settings that turn them into tables, and the trace of EM if it was used."""

    tally: FamilyTally
    settings: FitSettings
    trace: EMTrace | None = None

    def network(self) -> Network:
        """Estimate the tables."""
        tally = self.tally
        tables = estimate_tables(tally, self.rules, self.settings.unseen_parents)
        return Network(tally.dag, tally.states, tables, tally.parents)

    @property
    def rules(self) -> dict[Node, Rule]:
        """The smoothing of each node."""
        return read_rules(self.tally.dag.nodes, self.settings.smoothing)

    @property
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
        policy = unseen_parents or self.settings.unseen_parents
        return replace(self, settings=replace(self.settings, smoothing=smoothing, unseen_parents=policy))

    def _count(self, data: Any, sample_weight: Any, settings: FitSettings) -> FamilyTally:
        check_exact(self.trace)
        known = self.tally.state_lists
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
    fixed: Mapping[Node, States],
    known: Mapping[Node, States],
    sample_weight: Any,
    settings: FitSettings,
) -> CodedSample:
    sample = read_sample(
        data, dag.nodes, fixed=fixed, known=known, sample_weight=sample_weight, missing=settings.missing
    )
    check_cells(dag, sample.states, settings.limit)
    return sample
