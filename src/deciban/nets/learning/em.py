"""Expectation maximization: tables from rows with missing values, and for hidden nodes.

    E  the expected counts of every family, given the tables           (Lauritzen, 1995)
    M  the tables, with the same smoothing, given the expected counts

With pseudo-counts a, each iteration raises the objective

    log P(observed | θ) + Σ a·log θ

(Dempster, Laird and Rubin, 1977: the posterior under a Dirichlet prior with the parameters a + 1), and so the
log-likelihood itself if there are no pseudo-counts, as with ``MLE``. EM stops when an iteration gains less than `tol`
nats per row.

Expected counts of the families of a net in rows with missing values.

    E[n_jk] = Σ_rows w·P(family = jk | observed values of the row)

Complete rows are counted once. Equal incomplete rows are one row with a weight, and a clique tree computes their
expected counts. The readable twin is ``tests/reference/learning.py``.

Expectation maximization of Gaussian nets: missing values are replaced by their expectations.

    E  x̂ = E[x | observed], and C = Σ_rows w·((x̂ − m)(x̂ − m)ᵀ + Var[x | observed])
    M  a regression for each node, from the entries of m and C of its family

Each iteration raises the log-likelihood of the observed values (Dempster, Laird and Rubin, 1977).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from deciban.errors import ParameterError, TooLargeError
from deciban.estimate import Laplace
from deciban.limits import memory_limit
from deciban.nets.data.samples import CodedSample
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.clique_tree import CliqueTree
from deciban.nets.inference.grouping import distinct_rows, patterns_of
from deciban.nets.inference.normal import MultivariateNormal
from deciban.nets.learning.families import FamilyTally, tally_families
from deciban.nets.learning.linear_gaussian import CrossMoments, GaussianTally
from deciban.nets.learning.tables import Rule, pseudocounts, smooth
from deciban.nets.network import Network
from deciban.ties import first_largest
from deciban.types import Floats

__all__ = [
    "EM",
    "EMStep",
    "EMTrace",
    "ExpectedCounts",
    "Progress",
    "check_exact",
    "fit_incomplete",
    "fit_incomplete_gaussian",
]


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


def check_exact(trace: EMTrace | None) -> None:
    """Refuse to add or remove rows if the counts are expected counts, which depend on all rows."""
    if trace is not None and trace.iterations:
        raise ParameterError(
            "this net was fitted by expectation maximization, whose expected counts depend on all rows: fit it to all "
            'rows at once, or use missing="skip".'
        )


def fit_incomplete(
    dag: DAG, sample: CodedSample, rules: Mapping[Node, Rule], em: EM, limit: int | None = None
) -> tuple[FamilyTally, EMTrace]:
    """The expected counts of the best run of EM, and its trace; ``limit`` is in bytes."""
    complete = tally_families(dag, sample)
    expected = ExpectedCounts(dag, sample, limit)
    if not expected.has_missing:
        tables = [smooth(complete.counts[node], rules[node], node) for node in dag.nodes]
        _, reached = expected(tables)
        value = reached + _prior(dag.nodes, tables, rules)
        return complete, EMTrace((reached,), (value,), is_converged=True)
    rng = np.random.default_rng(em.random_state)
    runs = [
        _run(dag.nodes, expected, _first_tables(dag, sample, complete, rng, start), rules, em, start, sample.total)
        for start in range(em.starts)
    ]
    counts, trace = runs[first_largest([trace.objectives[-1] for _, trace in runs])]
    return _as_tally(dag, sample, counts), trace


def _run(
    nodes: Sequence[Node],
    expected: ExpectedCounts,
    tables: list[Floats],
    rules: Mapping[Node, Rule],
    em: EM,
    start: int,
    rows: float,
) -> tuple[list[Floats], EMTrace]:
    """Iterate until convergence; the counts are those from which the last tables were estimated."""
    likelihoods, objectives = [], []
    counts: list[Floats] = []
    next_counts: list[Floats] = []
    is_converged = False
    for iteration in range(em.max_iter + 1):
        counts = next_counts
        next_counts, reached = expected(tables)
        likelihoods.append(reached)
        objectives.append(reached + _prior(nodes, tables, rules))
        em.report(EMStep(start, iteration, reached, objectives[-1]))
        is_converged = iteration > 0 and objectives[-1] - objectives[-2] <= em.tol * rows
        if is_converged or iteration == em.max_iter:
            break
        tables = [smooth(n, rules[node], node) for node, n in zip(nodes, next_counts, strict=True)]
    return counts, EMTrace(tuple(likelihoods), tuple(objectives), is_converged, start)


def _prior(nodes: Sequence[Node], tables: Sequence[Floats], rules: Mapping[Node, Rule]) -> float:
    """Σ a·log θ."""
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
        random = incomplete if start else hidden
        if random.isdisjoint((*parents, node)):
            tables.append(smooth(complete.counts[node], Laplace(), node))
        else:
            draw = rng.standard_exponential(complete.counts[node].shape)
            tables.append(draw / draw.sum(axis=-1, keepdims=True))
    return tables


def _as_tally(dag: DAG, sample: CodedSample, counts: Sequence[Floats]) -> FamilyTally:
    by_node = dict(zip(dag.nodes, counts, strict=True))
    totals = {node: table.reshape(-1, table.shape[-1]).sum(axis=0) for node, table in by_node.items()}
    return FamilyTally(dag, sample.states, by_node, totals, sample.total)


class ExpectedCounts:
    """A function from a table for each node to the expected counts of all families and the log-likelihood.

    A clique tree of more than ``limit`` bytes is an error, raised before any row is read.
    """

    def __init__(self, dag: DAG, sample: CodedSample, limit: int | None = None) -> None:
        incomplete = (sample.codes < 0).any(axis=0)
        weights = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
        codes = np.ascontiguousarray(sample.codes[:, ~incomplete])
        rest = replace(sample, codes=codes, sample_weight=weights[~incomplete])
        counted = tally_families(dag, rest)
        self._whole = [counted.counts[node] for node in dag.nodes]
        rows = np.ascontiguousarray(sample.codes[:, incomplete].T)
        first, which = distinct_rows(rows)
        self._codes, self._weights = rows[first], np.bincount(which, weights[incomplete], len(first)).astype(np.float64)
        self._dag, self._states, self._parents, self._limit = dag, counted.states, counted.parents, limit
        if self.has_missing:
            self._tree = self._compile([np.full(table.shape, 1 / table.shape[-1]) for table in self._whole])

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

    def _network(self, tables: Sequence[Floats]) -> Network:
        return Network(self._dag, self._states, dict(zip(self._dag.nodes, tables, strict=True)), self._parents)

    def _compile(self, tables: Sequence[Floats]) -> CliqueTree:
        try:
            return CliqueTree.compile(self._network(tables), limit=memory_limit(self._limit))
        except TooLargeError as error:
            raise TooLargeError(f"{error}: pass fit a larger limit (in bytes), or missing='skip'.") from None


def _xlogy(x: Floats, y: Floats) -> float:
    """Σ x·log y, where 0·log 0 is 0."""
    with np.errstate(divide="ignore"):
        return float(x[x > 0] @ np.log(y[x > 0]))


def fit_incomplete_gaussian(
    dag: DAG, values: Floats, weights: Floats | None, joint_of: Callable[[GaussianTally], MultivariateNormal], em: EM
) -> tuple[GaussianTally, EMTrace]:
    """The expected moments of the last iteration, and the trace; `joint_of` is the M step."""
    row_weights = np.ones(len(values)) if weights is None else weights
    tally, trace = GaussianTally.of(dag, _filled(values), weights), []
    is_complete = not np.isnan(values).any()
    is_converged = False
    for iteration in range(em.max_iter + 1):
        joint = joint_of(tally)
        trace.append(float(row_weights @ joint.log_density(values)))
        em.report(EMStep(0, iteration, trace[-1], trace[-1]))
        is_converged = is_complete or (iteration > 0 and trace[-1] - trace[-2] <= em.tol * float(row_weights.sum()))
        if is_converged or iteration == em.max_iter:
            break
        tally = _expected(dag, values, row_weights, joint)
    return tally, EMTrace(tuple(trace), tuple(trace), is_converged)


def _filled(values: Floats) -> Floats:
    """Missing values replaced by the mean of their column: a start with a positive semidefinite covariance."""
    return np.where(np.isnan(values), np.nanmean(values, axis=0), values)


def _expected(dag: DAG, values: Floats, weights: Floats, joint: MultivariateNormal) -> GaussianTally:
    """The expected moments of all nodes."""
    missing = np.isnan(values)
    completed, extra = values.copy(), np.zeros((values.shape[1],) * 2)
    for rows, observed in patterns_of(~missing):
        gain, left = joint.condition(observed.tolist())
        expected = joint.mean + (values[np.ix_(rows, observed)] - joint.mean[observed]) @ gain.T
        completed[rows] = np.where(missing[rows], expected, values[rows])
        extra += weights[rows].sum() * (left @ left.T)
    whole = CrossMoments.of(completed, weights)
    return GaussianTally.of_whole(dag, CrossMoments(whole.weight, whole.mean, whole.cross + extra), whole.weight)
