"""Expectation maximization: tables from rows with missing values, and for hidden nodes; and regressions likewise.

    E  the expected counts of every family, given the tables           (Lauritzen, 1995)
    M  the tables, with the same smoothing, given the expected counts

        E[n_jk] = Σ_rows w·P(family = jk | observed values of the row)

With pseudo-counts a, each iteration raises the objective

    log P(observed | θ) + Σ a·log θ

(Dempster, Laird and Rubin, 1977: the posterior under a Dirichlet prior with the parameters a + 1), and so the
log-likelihood itself if there are no pseudo-counts, as with ``MLE``. EM stops when an iteration gains less than `tol`
nats per row.

In a Gaussian net missing values are replaced by their expectations,

    E  x̂ = E[x | observed], and C = Σ_rows w·((x̂ − m)(x̂ − m)ᵀ + Var[x | observed])
    M  a regression for each node, from the entries of m and C of its family

and each iteration raises the log-likelihood of the observed values. The readable twin is
``tests/reference/learning.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from deciban.errors import TooLargeError
from deciban.estimate import Laplace
from deciban.estimate.smoothing import Smoothing
from deciban.limits import memory_limit
from deciban.nets.data.grouping import distinct_rows, patterns_of
from deciban.nets.data.samples import CodedSample, NumberSample
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.clique_tree import CliqueTree
from deciban.nets.inference.normal import MultivariateNormal
from deciban.nets.learning.families import FamilyTally, pseudocounts, read_rules, smooth, tally_families
from deciban.nets.learning.fit import (
    EM,
    EMStep,
    EMTrace,
    FitSettings,
    GaussianFit,
    TableFit,
)
from deciban.nets.learning.linear_gaussian import CrossMoments, GaussianTally, Variance, joint_normal
from deciban.nets.network import Network
from deciban.ties import first_largest
from deciban.types import AnyArray, Floats

__all__ = ["ExpectedCounts", "best_run", "expected_moments", "fit_incomplete_numbers", "fit_incomplete_tables"]


def fit_incomplete_tables(dag: DAG, sample: CodedSample, settings: FitSettings, em: EM) -> TableFit:
    """The expected counts of the best run of EM, and its trace: see ``BayesNet.fit``."""
    rules = read_rules(dag.nodes, settings.smoothing)
    expected = ExpectedCounts(dag, sample, settings.limit)
    if not expected.has_missing:
        complete = tally_families(dag, sample)
        tables = [smooth(complete.counts[node], rules[node], node) for node in dag.nodes]
        _, log_likelihood = expected(tables)
        objective = log_likelihood + log_prior(dag.nodes, tables, rules)
        return TableFit(complete, settings, EMTrace((log_likelihood,), (objective,), is_converged=True))
    counts, trace = best_run(dag, sample, expected, rules, em)
    by_node = dict(zip(dag.nodes, counts, strict=True))
    totals = {node: table.reshape(-1, table.shape[-1]).sum(axis=0) for node, table in by_node.items()}
    return TableFit(FamilyTally(dag, sample.states, by_node, totals, sample.total), settings, trace)


def best_run(
    dag: DAG, sample: CodedSample, expected: ExpectedCounts, rules: Mapping[Node, Smoothing], em: EM
) -> tuple[list[Floats], EMTrace]:
    """The expected counts of the nodes' families in the best of some runs of EM, and its trace."""
    complete = tally_families(dag, sample)
    rng = np.random.default_rng(em.random_state)
    runs = [
        _run(dag.nodes, expected, _first_tables(dag, sample, complete, rng, start), rules, em, start, sample.total)
        for start in range(em.starts)
    ]
    # The first of equal runs: with several starts that find the same maximum, rounding must not choose.
    return runs[first_largest([trace.objectives[-1] for _, trace in runs])]


def _run(
    nodes: Sequence[Node],
    expected: ExpectedCounts,
    tables: list[Floats],
    rules: Mapping[Node, Smoothing],
    em: EM,
    start: int,
    rows: float,
) -> tuple[list[Floats], EMTrace]:
    """Iterate until convergence; the counts are those from which the last tables were estimated."""
    likelihoods, objectives = [], []
    counts: list[Floats] = []
    next_counts: list[Floats] = []
    is_converged = False
    # One E step more than M steps: the last one only tells the likelihood of the last tables. Its counts are not kept,
    # so that the tally of the fit gives these tables again.
    for iteration in range(em.max_iter + 1):
        counts = next_counts
        next_counts, log_likelihood = expected(tables)
        likelihoods.append(log_likelihood)
        objectives.append(log_likelihood + log_prior(nodes, tables, rules))
        em.report(EMStep(start, iteration, log_likelihood, objectives[-1]))
        is_converged = iteration > 0 and objectives[-1] - objectives[-2] <= em.tol * rows
        if is_converged or iteration == em.max_iter:
            break
        tables = [smooth(n, rules[node], node) for node, n in zip(nodes, next_counts, strict=True)]
    return counts, EMTrace(tuple(likelihoods), tuple(objectives), is_converged, start)


def log_prior(nodes: Sequence[Node], tables: Sequence[Floats], rules: Mapping[Node, Smoothing]) -> float:
    """Σ a·log θ, where 0·log 0 is 0."""
    value = 0.0
    for node, table in zip(nodes, tables, strict=True):
        added = pseudocounts(rules[node], table.shape[-1], prod(table.shape[:-1]), node)
        if added.any():
            logs = np.log(table[..., added > 0])
            value += float((added[added > 0] * logs).sum())
    return value


def _first_tables(
    dag: DAG, sample: CodedSample, complete: FamilyTally, rng: np.random.Generator, start: int
) -> list[Floats]:
    """The tables of the observed values; random for hidden nodes, and in later starts for nodes with missing values."""
    incomplete = {node for node, codes in zip(dag.nodes, sample.codes, strict=True) if (codes < 0).any()}
    hidden = {node for node, total in complete.totals.items() if not total.any()}
    tables = []
    for node, parents in complete.parents.items():
        # Equal tables of a hidden node stay equal in every iteration: its states must differ from the start on.
        random = incomplete if start else hidden
        if random.isdisjoint((*parents, node)):
            tables.append(smooth(complete.counts[node], Laplace(), node))
        else:
            draw = rng.standard_exponential(complete.counts[node].shape)  # normalized: uniform over all distributions
            tables.append(draw / draw.sum(axis=-1, keepdims=True))
    return tables


class ExpectedCounts:
    """A function from a table for each node to the expected counts of all families and the log-likelihood.

    A clique tree of more than ``limit`` bytes is an error, raised before any row is read.
    """

    def __init__(self, dag: DAG, sample: CodedSample, limit: int | None = None) -> None:
        # Complete rows are counted once. Equal incomplete rows are one row with a weight, for the clique tree.
        incomplete = (sample.codes < 0).any(axis=0)
        weights = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
        codes = np.ascontiguousarray(sample.codes[:, ~incomplete])
        rest = replace(sample, codes=codes, sample_weight=weights[~incomplete])
        complete = tally_families(dag, rest)
        self._whole = [complete.counts[node] for node in dag.nodes]
        rows = np.ascontiguousarray(sample.codes[:, incomplete].T)
        first, which = distinct_rows(rows)
        self._codes, self._weights = rows[first], np.bincount(which, weights[incomplete], len(first)).astype(np.float64)
        self._dag, self._states, self._parents = dag, complete.states, complete.parents
        if self.has_missing:
            # The tree depends on the graph and the numbers of states alone: every iteration fills it with its tables.
            uniform = [np.full(table.shape, 1 / table.shape[-1]) for table in self._whole]
            try:
                self._tree = CliqueTree.compile(self._network(uniform), limit=memory_limit(limit))
            except TooLargeError as error:
                raise TooLargeError(f"{error}: pass fit a larger limit (in bytes), or missing='skip'.") from None

    @property
    def has_missing(self) -> bool:
        """Whether there is any missing value."""
        return len(self._codes) > 0

    def __call__(self, tables: Sequence[Floats]) -> tuple[list[Floats], float]:
        likelihood = sum(_xlogy(n, p) for n, p in zip(self._whole, tables, strict=True))
        if not self.has_missing:
            return [counts.copy() for counts in self._whole], likelihood
        counts, more = self._tree.with_network(self._network(tables)).expected_counts(self._codes, self._weights)
        return [whole + part for whole, part in zip(self._whole, counts, strict=True)], likelihood + more

    def draws(self, tables: Sequence[Floats], count: int, seed: int) -> tuple[AnyArray, Floats]:
        """``count`` completions of each different incomplete row, rows × count × nodes, and the rows' weights."""
        codes, _ = self._tree.with_network(self._network(tables)).draws(self._codes, count, seed)
        return codes, self._weights

    def _network(self, tables: Sequence[Floats]) -> Network:
        return Network(self._dag, self._states, dict(zip(self._dag.nodes, tables, strict=True)), self._parents)


def _xlogy(x: Floats, y: Floats) -> float:
    """Σ x·log y, where 0·log 0 is 0."""
    with np.errstate(divide="ignore"):
        return float(x[x > 0] @ np.log(y[x > 0]))


def fit_incomplete_numbers(dag: DAG, sample: NumberSample, variance: Variance, em: EM) -> GaussianFit:
    """The expected moments of the last iteration of EM, and the trace: see ``GaussianNet.fit``."""
    values = sample.values
    weights = np.ones(len(values)) if sample.sample_weight is None else sample.sample_weight
    missing = np.isnan(values)
    # A start with a positive semidefinite covariance: every missing value is the mean of its column.
    tally = GaussianTally.of(dag, np.where(missing, np.nanmean(values, axis=0), values), sample.sample_weight)
    trace: list[float] = []
    is_converged = False
    for iteration in range(em.max_iter + 1):
        # The M step is that of the likelihood also if the last variances are to be unbiased: otherwise the likelihood
        # could fall from one iteration to the next.
        joint = joint_normal(dag, GaussianFit(tally, "ml").parameters)
        whole, log_likelihood = expected_moments(values, weights, joint)
        trace.append(log_likelihood)
        em.report(EMStep(0, iteration, trace[-1], trace[-1]))
        gain = trace[-1] - trace[-2] if iteration else np.inf
        is_converged = not missing.any() or gain <= em.tol * float(weights.sum())
        if is_converged or iteration == em.max_iter:
            break
        tally = GaussianTally.of_whole(dag, whole, whole.weight)
    return GaussianFit(tally, variance, "em", EMTrace(tuple(trace), tuple(trace), is_converged))


def expected_moments(values: Floats, weights: Floats, joint: MultivariateNormal) -> tuple[CrossMoments, float]:
    """The expected moments of all columns given the values that are not missing, and the log-likelihood of these."""
    sd = np.sqrt(np.diag(joint.covariance))
    is_regular = (sd > 0).all() and np.linalg.eigvalsh(joint.correlation)[0] > _REGULAR
    complete = _complete_at_once if is_regular else _complete_by_pattern
    completed, extra, log_likelihood = complete(values, weights, joint)
    whole = CrossMoments.of(completed, weights)
    # Without the conditional variance the filled values would be too certain, and the variances would shrink to 0.
    return CrossMoments(whole.weight, whole.mean, whole.cross + extra), log_likelihood


_REGULAR = 1e-7
"""With a smaller eigenvalue of the correlations, their inverse would leave fewer than nine digits."""

_CELLS = 1 << 20
"""Entries of the matrices that are inverted at a time: 8 MB."""


def _complete_at_once(values: Floats, weights: Floats, joint: MultivariateNormal) -> tuple[Floats, Floats, float]:
    """The completed rows, the sum of their conditional covariances, and the log-likelihood of the observed values.

    With the inverse K of the correlations, and z the values in standard deviations from the mean,

        E[z_M | z_O] = −K_MM⁻¹·K_MO·z_O,        Var[z_M | z_O] = K_MM⁻¹,
        log N(z_O) = ½·(log det K − log det K_MM − ẑᵀ·K·ẑ − |O|·log 2π)

    for the missing values M and the completed row ẑ: rows with as many missing values are computed together, whichever
    they are.
    """
    sd = np.sqrt(np.diag(joint.covariance))
    inverse = np.linalg.inv(joint.correlation)
    z = (values - joint.mean) / sd
    missing = np.isnan(z)
    z[missing] = 0.0
    counts = missing.sum(axis=1)
    extra, log_det = np.zeros_like(inverse), np.zeros(len(z))
    for count in np.unique(counts[counts > 0]).tolist():
        alike = np.flatnonzero(counts == count)
        step = max(1, _CELLS // count**2)
        for rows in np.split(alike, range(step, len(alike), step)):
            hidden = np.nonzero(missing[rows])[1].reshape(-1, count)
            left = np.linalg.inv(inverse[hidden[:, :, None], hidden[:, None, :]])
            pull = np.take_along_axis(z[rows] @ inverse, hidden, axis=1)
            z[rows[:, None], hidden] = -(left @ pull[:, :, None])[:, :, 0]
            np.add.at(extra, (hidden[:, :, None], hidden[:, None, :]), weights[rows][:, None, None] * left)
            log_det[rows] = np.linalg.slogdet(left)[1]
    completed = np.where(missing, joint.mean + z * sd, values)
    squares = ((z @ inverse) * z).sum(axis=1)
    norm = -np.linalg.slogdet(joint.correlation)[1] + log_det - (values.shape[1] - counts) * np.log(2 * np.pi)
    logs = 0.5 * (norm - squares) - np.where(missing, 0.0, np.log(sd)).sum(axis=1)
    return completed, extra * np.outer(sd, sd), float(weights @ logs)


def _complete_by_pattern(values: Floats, weights: Floats, joint: MultivariateNormal) -> tuple[Floats, Floats, float]:
    """The same where columns determine one another: one regression for each set of observed columns."""
    missing = np.isnan(values)
    completed, extra = values.copy(), np.zeros((values.shape[1],) * 2)
    for rows, observed in patterns_of(~missing):  # the regression depends on which values are observed, not on them
        gain, left = joint.condition(observed.tolist())
        expected = joint.mean + (values[np.ix_(rows, observed)] - joint.mean[observed]) @ gain.T
        completed[rows] = np.where(missing[rows], expected, values[rows])
        extra += weights[rows].sum() * (left @ left.T)
    return completed, extra, float(weights @ joint.log_density(values))
