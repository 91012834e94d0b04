"""Expectation maximization: tables from rows with gaps, and of nodes that nobody ever saw.

    E  the expected counts of every family, given the tables           (Lauritzen, 1995)
    M  the tables, smoothed as ever, given the expected counts

With pseudo-counts a, each turn raises the objective

    log P(observed | θ) + Σ a·log θ

(Dempster, Laird and Rubin, 1977: the posterior under a Dirichlet prior with the parameters a + 1), and so the
log-likelihood itself where nothing is added, as with ``MLE``. It ends where a turn gains less than `tol` nats a row.
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
from deciban.types import Floats

__all__ = ["EM", "EMStep", "EMTrace", "Progress", "check_exact", "learn_with_gaps"]


@dataclass(frozen=True)
class EMStep:
    """How far a climb is: the start it began from, the turn, and what the tables have reached."""

    start: int
    turn: int
    log_likelihood: float
    objective: float


Progress = bool | Callable[[EMStep], None]


@dataclass(frozen=True)
class EM:
    """How to climb: turns at most, the least gain in nats a row, random starts, and the seed of those."""

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
        """Tell whoever wants to know how far it is."""
        if callable(self.progress):
            self.progress(step)
        elif self.progress:
            print(f"start {step.start}, turn {step.turn}: log-likelihood {step.log_likelihood:.9g}", file=sys.stderr)


@dataclass(frozen=True)
class EMTrace:
    """The climb that got highest: log-likelihood and objective of the tables at first and after each turn."""

    log_likelihoods: tuple[float, ...]
    objectives: tuple[float, ...]
    is_converged: bool
    start: int = 0

    @property
    def turns(self) -> int:
        return len(self.objectives) - 1


def check_exact(trace: EMTrace | None) -> None:
    """Refuse to add or take out rows where counts are expected ones, which depend on all rows."""
    if trace is not None and trace.turns:
        raise ParameterError(
            "this net was fitted by expectation maximization, in which every row has a say in how the others are "
            'completed: fit it to all rows at once, or use missing="available".'
        )


def learn_with_gaps(
    dag: DAG, sample: CodedSample, rules: Mapping[Node, Rule], em: EM, limit: int | None = None
) -> tuple[FamilyTally, EMTrace]:
    """The expected counts at the top of the best climb, and how it went; ``limit`` is in bytes."""
    whole = tally_families(dag, sample)
    expected = ExpectedCounts(dag, sample, limit)
    if not expected.has_gaps:
        tables = [smooth(whole.counts[node], rules[node], node) for node in dag.nodes]
        _, reached = expected(tables)
        value = reached + _prior(dag.nodes, tables, rules)
        return whole, EMTrace((reached,), (value,), is_converged=True)
    rng = np.random.default_rng(em.random_state)
    climbs = (
        _climb(dag.nodes, expected, _start(dag, sample, whole, rng, start), rules, em, start, sample.total)
        for start in range(em.starts)
    )
    counts, trace = max(climbs, key=lambda climb: climb[1].objectives[-1])
    return _as_tally(dag, sample, counts), trace


def _climb(
    nodes: Sequence[Node],
    expected: ExpectedCounts,
    tables: list[Floats],
    rules: Mapping[Node, Rule],
    em: EM,
    start: int,
    rows: float,
) -> tuple[list[Floats], EMTrace]:
    """Take turns until they gain nothing; the counts are those that made the last tables."""
    likelihoods, objectives = [], []
    counts: list[Floats] = []
    next_counts: list[Floats] = []
    is_converged = False
    for turn in range(em.max_iter + 1):
        counts = next_counts
        next_counts, reached = expected(tables)
        likelihoods.append(reached)
        objectives.append(reached + _prior(nodes, tables, rules))
        em.report(EMStep(start, turn, reached, objectives[-1]))
        is_converged = turn > 0 and objectives[-1] - objectives[-2] <= em.tol * rows
        if is_converged or turn == em.max_iter:
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


def _start(dag: DAG, sample: CodedSample, whole: FamilyTally, rng: np.random.Generator, start: int) -> list[Floats]:
    """Tables to begin with: of what was observed, but random where a node is hidden, and in all later starts."""
    gapped = {node for node, codes in zip(dag.nodes, sample.codes, strict=True) if (codes < 0).any()}
    unknown = {node for node, total in whole.totals.items() if not total.any()}
    tables = []
    for node, parents in whole.parents.items():
        random = gapped if start else unknown
        if random.isdisjoint((*parents, node)):
            tables.append(smooth(whole.counts[node], Laplace(), node))
        else:
            draw = rng.standard_exponential(whole.counts[node].shape)
            tables.append(draw / draw.sum(axis=-1, keepdims=True))
    return tables


def _as_tally(dag: DAG, sample: CodedSample, counts: Sequence[Floats]) -> FamilyTally:
    by_node = dict(zip(dag.nodes, counts, strict=True))
    totals = {node: table.reshape(-1, table.shape[-1]).sum(axis=0) for node, table in by_node.items()}
    return FamilyTally(dag, sample.states, by_node, totals, sample.total)
