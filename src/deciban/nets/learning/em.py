"""Expectation maximization: tables from rows with missing values, and for hidden nodes.

    E  the expected counts of every family, given the tables           (Lauritzen, 1995)
    M  the tables, with the same smoothing, given the expected counts

With pseudo-counts a, each iteration raises the objective

    log P(observed | θ) + Σ a·log θ

(Dempster, Laird and Rubin, 1977: the posterior under a Dirichlet prior with the parameters a + 1), and so the
log-likelihood itself if there are no pseudo-counts, as with ``MLE``. EM stops when an iteration gains less than `tol`
nats per row.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate import Laplace
from deciban.nets.data.samples import CodedSample
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.learning.counting import tally_families
from deciban.nets.learning.expected import ExpectedCounts
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.tables import Rule, pseudocounts, smooth
from deciban.ties import first_largest
from deciban.types import Floats

__all__ = ["EM", "EMStep", "EMTrace", "Progress", "check_exact", "fit_incomplete"]


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
