"""What ``fit`` makes of a net: the tally of its families, the settings that turn it into parameters, the trace of EM.

Parameters are estimated from a tally of all families: tables of counts (``TableFit``), regressions of moments
(``GaussianFit``), or both (``MixedFit``). So learning in batches, merging nets that learned elsewhere and removing rows
are sums and differences of tallies, and another smoothing counts nothing again.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from deciban.choices import check_choice, counted
from deciban.errors import ParameterError
from deciban.estimate import Laplace
from deciban.estimate.smoothing import Smoothing
from deciban.estimate.values import short_number
from deciban.nets.data.node_rows import NodeKind
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
from deciban.nets.inference.evidence import Likelihoods, Targets, node_indices, read_findings, read_mixed_findings
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.inference.normal import Numbers
from deciban.nets.inference.sensitivity import UncertainDistribution, uncertain_posterior
from deciban.nets.learning.conditionals import (
    ConditionalTable,
    RegressionTable,
    regression_of,
    regressions_of,
    table_of,
)
from deciban.nets.learning.families import (
    FamilyTally,
    Smoothings,
    UnseenConfigurations,
    UnseenParents,
    check_cells,
    estimate_tables,
    families_of,
    pseudocounts,
    read_rules,
    tally_families,
)
from deciban.nets.learning.grouped import RegressionPosteriors
from deciban.nets.learning.linear_gaussian import GaussianTally, LinearGaussian, RegressionPosterior, Variance, regress
from deciban.nets.learning.mixed import MixedTally, as_mixed, check_mixed_cells, estimate_network, tally_mixed
from deciban.nets.learning.schema import NetSchema, schema_of
from deciban.nets.learning.uncertainty import (
    Posteriors,
    UncertainMixture,
    UncertainNormal,
    uncertain_answer,
    uncertain_normal,
)
from deciban.nets.mixed_network import MixedNetwork, Regressions
from deciban.nets.network import Evidence, Network, State
from deciban.nets.scores.discrete import BDeu
from deciban.read import Variable
from deciban.storable import storable
from deciban.types import AnyArray, Floats

__all__ = [
    "EM",
    "SHRINKAGE",
    "EMStep",
    "EMTrace",
    "FitSettings",
    "FixedStates",
    "GaussianFit",
    "MixedFit",
    "NetFit",
    "Progress",
    "TableFit",
    "gaussian_network",
    "linear_parameters",
    "read_families",
]

SHRINKAGE = 2.0
"""How many rows the regression over all rows weighs in each configuration, where nothing else is said."""

FixedStates: TypeAlias = Mapping[Any, Iterable[State] | int]
"""Node → its states in order, or their number n for 0 … n − 1."""

storable(BDeu)  # a smoothing that nothing else imports before a file of a net is read


@dataclass(frozen=True)
class EMStep:
    """The progress of EM, as ``progress`` is called with it.

    Attributes
    ----------
    start : int
        The number of the starting point.
    iteration : int
        The number of the iteration; 0 for the first tables.
    log_likelihood : float
        The log-likelihood of the observed values.
    objective : float
        What EM maximizes: the log-likelihood, and the logarithm of the prior that the smoothing stands for.

    See Also
    --------
    BayesNet.fit : Calls ``progress`` with it.

    Examples
    --------
    >>> import deciban as db
    >>> steps = []
    >>> rows = {"rain": ["no", None, "yes"], "wet": ["no", "yes", "yes"]}
    >>> net = db.BayesNet([("rain", "wet")]).fit(rows, missing="em", progress=steps.append)
    >>> steps[0].iteration, steps[-1].log_likelihood >= steps[0].log_likelihood
    (0, True)
    """

    start: int
    iteration: int
    log_likelihood: float
    objective: float


Progress = bool | Callable[[EMStep], None]


@dataclass(frozen=True)
class EM:
    """The settings of EM: maximum iterations, minimum gain in nats per row, number of starts, and random state."""

    max_iter: int = 200
    tol: float = 1e-6
    starts: int = 1
    random_state: int | np.random.Generator | None = None
    progress: Progress = False

    def __post_init__(self) -> None:
        if not self.max_iter >= 1 or not self.starts >= 1 or not self.tol >= 0:
            raise ParameterError(
                "max_iter and starts are at least 1 and tol is not below 0, "
                f"not {self.max_iter}, {self.starts} and {self.tol}"
            )

    def report(self, step: EMStep) -> None:
        """Show the progress."""
        if callable(self.progress):
            self.progress(step)
        elif self.progress:
            text = f"start {step.start}, iteration {step.iteration}: log-likelihood {step.log_likelihood:.9g}"
            print(text, file=sys.stderr)


@storable
@dataclass(frozen=True)
class EMTrace:
    """The best run of expectation maximization.

    Attributes
    ----------
    log_likelihoods : tuple of float
        The log-likelihood of the observed values, of the first tables and after each iteration.
    objectives : tuple of float
        What EM maximizes, in the same order: the log-likelihood, and the logarithm of the prior that the smoothing
        stands for.
    is_converged : bool
        Whether the gain fell below ``tol`` before ``max_iter`` iterations.
    start : int
        The number of its starting point.

    See Also
    --------
    BayesNet.em_ : The trace of a net.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {"rain": ["no", None, "yes"], "wet": ["no", "yes", "yes"]}
    >>> trace = db.BayesNet([("rain", "wet")]).fit(rows, missing="em").em_
    >>> trace.is_converged, trace.iterations == len(trace.objectives) - 1
    (True, True)
    """

    log_likelihoods: tuple[float, ...]
    objectives: tuple[float, ...]
    is_converged: bool
    start: int = 0

    @property
    def iterations(self) -> int:
        """The number of iterations."""
        return len(self.objectives) - 1


@storable
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
    shrinkage : float
        How many rows the regression over all rows weighs in each configuration of categorical parents.

    See Also
    --------
    BayesNet.settings_ : The settings of a net.

    Examples
    --------
    >>> import deciban as db
    >>> db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]}
    ... ).settings_
    FitSettings(smoothing=Laplace(), unseen_parents='prior', missing='error', limit=None, shrinkage=2.0)
    """

    smoothing: Smoothings
    unseen_parents: UnseenParents = "prior"
    missing: FitMissing = "error"
    limit: int | None = None
    shrinkage: float = SHRINKAGE

    def __post_init__(self) -> None:
        check_choice("unseen_parents", self.unseen_parents, get_args(UnseenParents))
        check_choice("missing", self.missing, get_args(FitMissing))
        if self.limit is not None and not self.limit > 0:
            raise ParameterError(f"limit is a number of bytes above 0, not {self.limit!r}")
        if not 0 <= self.shrinkage < math.inf:
            raise ParameterError(f"shrinkage is a number of rows, 0 or more, not {self.shrinkage!r}")

    def changed(
        self,
        smoothing: Smoothings | None = None,
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
    def rules(self) -> dict[Node, Smoothing]:
        """The smoothing of each node."""
        return read_rules(self.tally.dag.nodes, self.settings.smoothing)

    @cached_property
    def row_sizes(self) -> list[Floats]:
        """For each node the rows and pseudo-counts behind each row of its table, which say how far it is known."""
        _check_certain(self.trace)
        return [_row_sizes(self.tally[node], self.rules[node], node) for node in self.tally.dag.nodes]

    @cached_property
    def unseen_parents(self) -> UnseenConfigurations:
        """The configurations of parents that do not occur in the data."""
        return UnseenConfigurations(self.tally)

    def conditional(self, node: Node) -> ConditionalTable:
        """P(node | parents), and in how many rows each configuration of the parents was counted."""
        return table_of(self.network, node, rows=self.tally[node].sum(axis=-1))

    def uncertain(
        self, targets: Targets, evidence: Evidence | None, likelihoods: Likelihoods | None, level: float
    ) -> UncertainDistribution:
        """The posterior of a node, and how far it is known."""
        findings = read_findings(self.network, evidence, likelihoods)
        return uncertain_posterior(self.network, targets, findings, self.row_sizes, level)

    @property
    def schema(self) -> NetSchema:
        """What each node is, and why."""
        return schema_of(self.network, self.tally.variables, {})

    def report(self) -> str:
        """The rows, the smoothing, the result of EM, and the configurations of parents that do not occur."""
        return _report(self, self.rules, self.unseen_parents)

    def with_rows(
        self, data: Any, sample_weight: ArrayLike | None, settings: FitSettings, interventions: Any = None
    ) -> TableFit:
        """Count more rows; new states enlarge the tables."""
        return self._plus(self._count(data, sample_weight, settings, interventions), settings)

    def without_rows(self, data: Any, sample_weight: ArrayLike | None, interventions: Any = None) -> TableFit:
        """Subtract rows; rows that were not counted are an error."""
        return TableFit(self.tally - self._count(data, sample_weight, self.settings, interventions), self.settings)

    def merged(self, other: TableFit) -> TableFit:
        """Add the counts of another fit of the same graph."""
        _check_exact(self.trace)
        _check_exact(other.trace)
        return self._plus(other.tally.read_as(self.tally), self.settings)

    def smoothed(self, smoothing: Smoothings, unseen_parents: UnseenParents | None) -> TableFit:
        """The same counts with another smoothing."""
        settings = self.settings.changed(unseen_parents=unseen_parents)
        return replace(self, settings=replace(settings, smoothing=smoothing))

    def _count(
        self, data: Any, sample_weight: ArrayLike | None, settings: FitSettings, interventions: Any
    ) -> FamilyTally:
        _check_exact(self.trace)
        known = self.tally.variables
        # Only states that the user gave are binding; where they were found or declared, new ones enlarge the tables.
        fixed = {node: states for node, states in known.items() if states.kind == "fixed"}
        return self.counted(read_families(self.tally.dag, data, settings, fixed, known, sample_weight, interventions))

    def counted(self, sample: CodedSample) -> FamilyTally:
        """The tally of some rows."""
        return tally_families(self.tally.dag, sample)

    def _plus(self, batch: FamilyTally, settings: FitSettings) -> TableFit:
        # Before the sum, which would allocate the larger tables.
        check_cells(self.tally.dag, self.tally.union_states(batch), settings.limit)
        return TableFit(self.tally + batch, settings)


@dataclass(frozen=True, eq=False)
class GaussianFit:
    """The moments of all families, what turns them into regressions, and the trace of EM if it was used."""

    tally: GaussianTally
    variance: Variance = "ml"
    missing: FitMissing = "error"
    trace: EMTrace | None = None

    @cached_property
    def parameters(self) -> dict[Node, LinearGaussian]:
        """The regression of each node on its parents."""
        nodes = self.tally.dag.nodes
        return {
            nodes[index]: regress(self.tally[nodes[index]], [nodes[up] for up in above], nodes[index], self.variance)
            for *above, index in families_of(self.tally.dag)
        }

    @cached_property
    def network(self) -> MixedNetwork:
        """The net of these regressions."""
        return gaussian_network(self.tally.dag, self.parameters)

    def conditional(self, node: Node) -> RegressionTable:
        """P(node | parents), with intervals of the coefficients but after EM, which would make them too narrow."""
        moments = self.tally[node]
        return regression_of(node, self.parameters[node], moments if _is_certain(self.trace) else None)

    def uncertain(
        self, targets: Targets, evidence: Numbers | None, likelihoods: Likelihoods | None, level: float
    ) -> UncertainDistribution | UncertainNormal | UncertainMixture:
        """The posterior of a node, and how far it is known."""
        _check_certain(self.trace)
        indices, is_one = node_indices(self.network, targets)
        if not is_one:
            raise ParameterError("an interval is for the answer about one node: ask for each node by itself")
        findings = read_mixed_findings(self.network, evidence, likelihoods)
        if findings.bounds:
            posteriors: dict[Node, Posteriors] = {
                node: {(): RegressionPosterior.of(self.tally[node])} for node in self.tally.dag.nodes
            }
            return uncertain_answer(MixedQueries(self.network), {}, posteriors, targets, findings, level)
        target = self.tally.dag.nodes[indices[0]]
        return uncertain_normal(self.tally, self.parameters, target, evidence or {}, level)

    @property
    def settings(self) -> FitSettings:
        """The settings of a net; those of tables say nothing here."""
        return FitSettings(Laplace(), missing=self.missing)

    @property
    def unseen_parents(self) -> UnseenConfigurations:
        """No configurations: numbers have none."""
        return UnseenConfigurations({})

    @property
    def schema(self) -> NetSchema:
        """What each node is, and why."""
        return schema_of(self.network, {}, {})

    def report(self) -> str:
        """The rows, and the result of EM."""
        return "\n".join([repr(self.tally), *_report_of_em(self.trace)])

    def with_rows(
        self,
        data: Any,
        sample_weight: ArrayLike | None,
        settings: FitSettings | None = None,
        interventions: Any = None,
    ) -> GaussianFit:
        """Count more rows."""
        missing = self.missing if settings is None else settings.missing
        tally = self.tally + self._count(data, sample_weight, missing, interventions)
        return GaussianFit(tally, self.variance, missing)

    def without_rows(self, data: Any, sample_weight: ArrayLike | None, interventions: Any = None) -> GaussianFit:
        """Subtract rows."""
        tally = self.tally - self._count(data, sample_weight, self.missing, interventions)
        return GaussianFit(tally, self.variance, self.missing)

    def merged(self, other: GaussianFit) -> GaussianFit:
        """Add the moments of another fit of the same graph."""
        _check_exact(self.trace)
        _check_exact(other.trace)
        return GaussianFit(self.tally + other.tally, self.variance, self.missing)

    def smoothed(self, smoothing: Smoothings, unseen_parents: UnseenParents | None) -> GaussianFit:
        """The same: regressions are not smoothed."""
        return self

    def _count(
        self, data: Any, sample_weight: ArrayLike | None, missing: FitMissing, interventions: Any
    ) -> GaussianTally:
        _check_exact(self.trace)
        dag = self.tally.dag
        sample = read_number_sample(
            data,
            dag.nodes,
            sample_weight=sample_weight,
            missing=missing,
            is_later=True,
            interventions=interventions,
        )
        return self.counted(sample)

    def counted(self, sample: NumberSample) -> GaussianTally:
        """The tally of some rows."""
        return GaussianTally.of(self.tally.dag, sample.values, sample.sample_weight, sample.interventions)


@dataclass(frozen=True, eq=False)
class MixedFit:
    """Counts and moments of all families, the settings that turn them into a net, and why each node is what it is."""

    tally: MixedTally
    settings: FitSettings
    reasons: Mapping[Node, str]
    trace: EMTrace | None = None

    @cached_property
    def network(self) -> MixedNetwork:
        """The net whose tables and regressions are estimated from the tally."""
        settings = self.settings
        return estimate_network(self.tally, settings.smoothing, settings.unseen_parents, settings.shrinkage)

    @property
    def rules(self) -> dict[Node, Smoothing]:
        """The smoothing of each category."""
        rules = read_rules(self.tally.dag.nodes, self.settings.smoothing)
        return {node: rules[node] for node in self.tally.cuts}

    @cached_property
    def unseen_parents(self) -> UnseenConfigurations:
        """The configurations of parents that do not occur in the data."""
        return UnseenConfigurations(self.tally.configurations())

    def conditional(self, node: Node) -> ConditionalTable | RegressionTable:
        """P(node | parents): the rows of a category's configurations, and intervals of a number's coefficients."""
        if node in self.tally.cuts:
            return table_of(self.network, node, rows=self.tally.categories[node].sum(axis=-1))
        moments = self.tally.moments[node] if _is_certain(self.trace) else None
        return regressions_of(self.network, node, moments, shrinkage=self.settings.shrinkage)

    def uncertain(
        self, targets: Targets, evidence: Evidence | None, likelihoods: Likelihoods | None, level: float
    ) -> UncertainDistribution | UncertainNormal | UncertainMixture:
        """The posterior of a node, and how far it is known."""
        _check_certain(self.trace)
        queries = MixedQueries(self.network)
        sizes = {node: _row_sizes(self.tally.categories[node], self.rules[node], node) for node in self.tally.cuts}
        findings = queries.read(evidence, likelihoods)
        posteriors: dict[Node, Posteriors] = {
            node: RegressionPosteriors(moments, self.network.regressions[node], node, shrinkage=self.settings.shrinkage)
            for node, moments in self.tally.moments.items()
        }
        return uncertain_answer(queries, sizes, posteriors, targets, findings, level)

    @property
    def schema(self) -> NetSchema:
        """What each node is, and why."""
        return schema_of(self.network, self.tally.variables, self.reasons)

    def report(self) -> str:
        """The rows, the settings, the result of EM, the cuts, and the configurations of parents that do not occur."""
        cuts = [
            f"bins: {up} for {node} at {', '.join(map(short_number, ends.tolist())) or 'no number'}"
            for node, of_node in self.tally.cuts.items()
            for up, ends in of_node.items()
        ]
        shrinkage = f"shrinkage: {self.settings.shrinkage:g} rows of the regression over all rows"
        return _report(self, self.rules, self.unseen_parents, [shrinkage, *cuts])

    def with_rows(
        self, data: Any, sample_weight: ArrayLike | None, settings: FitSettings, interventions: Any = None
    ) -> MixedFit:
        """Count more rows; new states enlarge the tables, and numbers fall into the same bins."""
        return self._plus(self._count(data, sample_weight, settings, interventions), settings)

    def without_rows(self, data: Any, sample_weight: ArrayLike | None, interventions: Any = None) -> MixedFit:
        """Subtract rows; rows that were not counted are an error."""
        return replace(self, tally=self.tally - self._count(data, sample_weight, self.settings, interventions))

    def merged(self, other: MixedFit) -> MixedFit:
        """Add the counts and moments of another fit of the same graph with the same cuts."""
        _check_exact(self.trace)
        _check_exact(other.trace)
        return self._plus(other.tally.read_as(self.tally), self.settings)

    def smoothed(self, smoothing: Smoothings, unseen_parents: UnseenParents | None) -> MixedFit:
        """The same counts with another smoothing."""
        settings = self.settings.changed(unseen_parents=unseen_parents)
        return replace(self, settings=replace(settings, smoothing=smoothing))

    def _count(
        self, data: Any, sample_weight: ArrayLike | None, settings: FitSettings, interventions: Any
    ) -> MixedTally:
        _check_exact(self.trace)
        known = self.tally.variables
        fixed = {node: states for node, states in known.items() if states.kind == "fixed"}
        kinds: dict[Node, NodeKind] = {node: "category" if node in known else "number" for node in self.tally.dag.nodes}
        sample, _ = read_net_sample(
            data,
            self.tally.dag.nodes,
            kinds=kinds,
            fixed=fixed,
            known=known,
            sample_weight=sample_weight,
            missing=settings.missing,
            interventions=interventions,
        )
        return self.counted(sample)

    def counted(self, sample: NetSample) -> MixedTally:
        """The tally of some rows, whose numbers fall into the same bins."""
        return tally_mixed(self.tally.dag, as_mixed(sample), self.tally.cuts, self.settings.limit)

    def _plus(self, batch: MixedTally, settings: FitSettings) -> MixedFit:
        union = self.tally.categories.union_states(batch.categories)
        check_mixed_cells(self.tally.dag, union, self.tally.cuts, settings.limit)
        return replace(self, tally=self.tally + batch, settings=settings)


def _row_sizes(counts: AnyArray, rule: Smoothing, node: Node) -> Floats:
    """The rows and pseudo-counts behind each row of a table."""
    added = pseudocounts(rule, counts.shape[-1], prod(counts.shape[:-1]), node)
    return np.asarray(counts.sum(axis=-1) + float(added.sum()))


def _is_certain(trace: EMTrace | None) -> bool:
    """Whether all counts are counts of what was observed, and not of what EM expects."""
    return trace is None or not trace.iterations


def _check_certain(trace: EMTrace | None) -> None:
    if not _is_certain(trace):
        raise ParameterError(
            "this net was fitted by expectation maximization, which counts missing values as if they had been "
            'observed: intervals would be too narrow. Fit with missing="skip" for intervals.'
        )


NetFit = TableFit | GaussianFit | MixedFit
"""What was fitted: of categories, of numbers, of both."""


def linear_parameters(network: MixedNetwork) -> dict[Node, LinearGaussian]:
    """The regression of each node of a net of numbers alone."""
    return {
        node: LinearGaussian(
            float(line.intercepts), dict(zip(line.numbers, line.slopes.tolist(), strict=True)), float(line.variances)
        )
        for node, line in network.regressions.items()
    }


def gaussian_network(dag: DAG, parameters: Mapping[Node, LinearGaussian]) -> MixedNetwork:
    """The net of a regression for each node."""
    regressions = {}
    for node in dag.nodes:
        line, above = parameters[node], tuple(sorted(dag.parents(node), key=dag.index))
        slopes = np.array([line.coefficients[up] for up in above])
        regressions[node] = Regressions((), above, np.array(line.intercept), slopes, np.array(line.variance))
    return MixedNetwork(dag, {}, {}, regressions)


def read_families(
    dag: DAG,
    data: Any,
    settings: FitSettings,
    fixed: Mapping[Node, Variable],
    known: Mapping[Node, Variable],
    sample_weight: ArrayLike | None,
    interventions: Any = None,
) -> CodedSample:
    """The rows of a table as codes of given or found states; an error if the tables would be too large."""
    sample = read_sample(
        data,
        dag.nodes,
        fixed=fixed,
        known=known,
        sample_weight=sample_weight,
        missing=settings.missing,
        interventions=interventions,
    )
    check_cells(dag, sample.states, settings.limit)
    return sample


def _check_exact(trace: EMTrace | None) -> None:
    """Refuse to add or remove rows if the counts are expected counts, which depend on all rows."""
    if trace is not None and trace.iterations:
        raise ParameterError(
            "this net was fitted by expectation maximization, whose expected counts depend on all rows: fit it to all "
            'rows at once, or use missing="skip".'
        )


_MOST_LINES = 20


def _report(
    fit: TableFit | MixedFit, rules: Mapping[Node, Smoothing], unseen: UnseenConfigurations, more: Sequence[str] = ()
) -> str:
    """The rows, the smoothing, the result of EM, and the nodes with configurations of parents that do not occur."""
    used = {str(rule) for rule in rules.values()}
    lines = [
        repr(fit.tally),
        f"smoothing: {used.pop() if len(used) == 1 else 'different for each node'}",
        *more,
        *_report_of_em(fit.trace),
        f"configurations of parents that do not occur: {unseen.count:,} of {unseen.possible:,} "
        f'(unseen_parents="{fit.settings.unseen_parents}")',
    ]
    worst = sorted(unseen.values(), key=lambda rows: -len(rows))
    lines += [
        f"  {rows.node}: {len(rows):,} of {rows.possible:,}, such as {rows.first or 'no row'}"
        for rows in worst[:_MOST_LINES]
    ]
    if len(worst) > _MOST_LINES:
        lines.append(f"  and {counted(len(worst) - _MOST_LINES, 'more node')}")
    return "\n".join(lines)


def _report_of_em(trace: EMTrace | None) -> list[str]:
    if trace is None:
        return []
    iterations, last = counted(trace.iterations, "iteration"), trace.log_likelihoods[-1]
    end = "converged" if trace.is_converged else "not converged: raise max_iter"
    return [f"expectation maximization: {iterations}, log-likelihood {last:.6g}, {end}"]
