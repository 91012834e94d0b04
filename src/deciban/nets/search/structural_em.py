"""Structural EM: the graph with the best score where values are missing (Friedman, 1997 and 1998).

From a graph, that of ``missing="skip"``, alternate

    E  the parameters of the graph by EM, and with them what is expected of the missing values
    M  a search with the scores of the completed rows

until a graph comes again. Of the graphs on the way the one with the best score of the observed values is taken,

    log P(observed values | graph, θ̂) − ½·log n·(number of parameters),

so that it is at least as good as the first. Numbers are completed by their expected cross-products, which is exact for
any family. Categories: a family that is not in the graph would need a query of its own for each row; so each different
incomplete row is completed ``DRAWS`` times instead, drawn exactly from P(missing values | the row) by the clique tree,
each completion with an equal part of the row's weight (Monte Carlo EM: Wei and Tanner, 1990). The draws have a fixed
seed, and rows and columns are in an order that depends on what they hold alone.

Rows of categories and numbers are drawn, too: first the categories, each from P(category | row, those before it), then
the numbers, which are normal given all categories, but for the tables of categories that have numbers as parents.
There they are drawn until each has been accepted with a probability in proportion to those tables. The net that draws
has such parents in bins, as ``BayesNet`` has, and so has the score of the observed values.

Completed rows agree with the graph that completed them: a relation that it lacks is weaker in them than in the observed
rows, and one that it has counts as if nothing were missing. So much depends on the first graph. From that of "skip" the
graphs found were nearer to the true ones than from the empty graph, on samples of sachs, child and hailfinder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from deciban.errors import ParameterError, TooLargeError
from deciban.estimate import MLE
from deciban.nets.data.centred import CentredProducts
from deciban.nets.data.samples import CodedSample, MixedSample, NetSample, NumberSample
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.inference.strong_tree import Cases, StrongTree
from deciban.nets.learning.em import ExpectedCounts, best_run, expected_moments, fit_incomplete_numbers
from deciban.nets.learning.families import smooth
from deciban.nets.learning.fit import EM, FitSettings
from deciban.nets.learning.linear_gaussian import CrossMoments, joint_normal
from deciban.nets.learning.mixed import find_cuts
from deciban.nets.learning.mixed_em import fit_incomplete_mixed
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.mixed_sampling import draw_states
from deciban.nets.scores.discrete import BIC
from deciban.nets.scores.gaussian import GaussianBIC, GaussianScores
from deciban.nets.scores.mixed import ConditionalGaussianBIC
from deciban.nets.scores.protocol import LocalScores, Score
from deciban.nets.search.result import SearchResult
from deciban.ties import first_largest
from deciban.types import AnyArray, Floats

__all__ = [
    "DRAWS",
    "CompletedCategories",
    "CompletedNumbers",
    "CompletedRows",
    "Completion",
    "completion_of",
    "structural_em",
]

DRAWS = 10
"""The completions of a row of categories. With 3 the graphs hardly differ; but where few rows are incomplete, the
shares of their draws are then coarse."""

_SEED = 0
_MOST_GRAPHS = 20

# EM approaches its maximum slowly where many values are missing: iterations that gain a hundredth of a nat each may
# still lie several nats below it, about what a step of the search must gain.
_GAIN = 0.01


def _settings(rows: float) -> EM:
    return EM(max_iter=500, tol=_GAIN / rows)


class Completion(ABC):
    """What a graph, with its parameters, says of the missing values of a sample."""

    @abstractmethod
    def score(self, dag: DAG) -> float:
        """The log-likelihood of the observed values at its maximum, less the penalty."""

    @abstractmethod
    def __call__(self, dag: DAG) -> tuple[float, LocalScores]:
        """The score of the observed values, and the local scores of the completed rows."""


def structural_em(
    complete: Completion, first: SearchResult, again: Callable[[LocalScores], SearchResult]
) -> SearchResult:
    """The best of the graphs that follow one another, from a first one to one that comes again."""
    visited: list[SearchResult] = []
    found, is_converged = first, False
    while not is_converged and len(visited) < _MOST_GRAPHS:
        score, scores = complete(found.dag)
        visited.append(replace(found, score=score))
        found = again(scores)
        is_converged = any(found.graph == before.graph for before in visited)
    best = visited[first_largest([result.score or 0.0 for result in visited])]
    return replace(best, visited=len(visited), is_converged=is_converged)


def completion_of(criterion: Score, sample: NetSample, order: Sequence[Node]) -> Completion:
    """How a sample is completed; `order` names the variables, in their order for the draws."""
    if isinstance(criterion, BIC) and isinstance(sample, CodedSample):
        return CompletedCategories(criterion, sample, order)
    if isinstance(criterion, GaussianBIC) and isinstance(sample, NumberSample):
        return CompletedNumbers(criterion, sample, order)
    if isinstance(criterion, ConditionalGaussianBIC) and isinstance(sample, MixedSample):
        return CompletedRows(criterion, sample, order)
    raise ParameterError(
        'missing="em" is for the scores "bic", "gaussian_bic" and "cg_bic", which have a likelihood of the observed '
        f'values; not for {criterion!r}. Pass missing="skip".'
    )


class CompletedCategories(Completion):
    """Categories: each incomplete row is completed some times, by draws."""

    def __init__(self, criterion: BIC, sample: CodedSample, order: Sequence[Node]) -> None:
        index = [sample.names.index(name) for name in order]
        codes = np.ascontiguousarray(sample.codes[index], dtype=np.int32)
        self._criterion, self._sample = criterion, replace(sample, names=tuple(order), codes=codes)

    def score(self, dag: DAG) -> float:
        return self._fitted(dag)[0]

    def __call__(self, dag: DAG) -> tuple[float, LocalScores]:
        score, expected, tables = self._fitted(dag)
        return score, self._criterion.on(self._completed(*expected.draws(tables, DRAWS, _SEED)))

    def _fitted(self, dag: DAG) -> tuple[float, ExpectedCounts, list[Floats]]:
        """The score, and the tables of the graph with what computes expected counts from them."""
        sample = self._sample
        nodes = sample.names
        dag = dag._reordered(nodes)
        try:
            expected = ExpectedCounts(dag, sample)
        except TooLargeError as error:
            raise TooLargeError(f'{error} Or pass search missing="skip", or max_parents.') from None
        # The likelihood's own maximum: the score has its penalty, and is comparable with that of complete rows.
        rules = dict.fromkeys(nodes, MLE())
        counts, trace = best_run(dag, sample, expected, rules, _settings(sample.total))
        tables = [smooth(table, MLE(), node) for node, table in zip(nodes, counts, strict=True)]
        parameters = sum((table.shape[-1] - 1) * prod(table.shape[:-1]) for table in tables)
        penalty = 0.5 * self._criterion.penalty * np.log(sample.total) * parameters
        return float(trace.log_likelihoods[-1] - penalty), expected, tables

    def _completed(self, drawn: AnyArray, weights: Floats) -> CodedSample:
        """The complete rows, and the completions of the others; `weights` are those of the different rows."""
        sample = self._sample
        is_whole = (sample.codes >= 0).all(axis=0)
        own = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
        completions = drawn.reshape(-1, len(sample.names)).T
        return replace(
            sample,
            codes=np.concatenate([sample.codes[:, is_whole], completions], axis=1),
            sample_weight=np.concatenate([own[is_whole], np.repeat(weights / drawn.shape[1], drawn.shape[1])]),
        )


class CompletedNumbers(Completion):
    """Numbers: their expected cross-products are all that a score needs."""

    def __init__(self, criterion: GaussianBIC, sample: NumberSample, order: Sequence[Node]) -> None:
        values = sample.values[:, [sample.names.index(name) for name in order]]
        self._criterion, self._sample = criterion, replace(sample, names=tuple(order), values=values)
        self._weights = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
        largest = np.nanmax(np.abs(values), axis=0)
        self._scale = np.where(largest > 0, largest, 1.0)

    def score(self, dag: DAG) -> float:
        return self._fitted(dag)[0]

    def __call__(self, dag: DAG) -> tuple[float, LocalScores]:
        score, whole = self._fitted(dag)
        products = CentredProducts(whole.weight, self._scale, whole.cross / np.outer(self._scale, self._scale))
        return score, GaussianScores(self._sample.names, products, self._criterion.penalty)

    def _fitted(self, dag: DAG) -> tuple[float, CrossMoments]:
        """The score, and the expected moments."""
        sample = self._sample
        dag = dag._reordered(sample.names)
        fit = fit_incomplete_numbers(dag, sample, "ml", _settings(sample.total))
        whole, log_likelihood = expected_moments(sample.values, self._weights, joint_normal(dag, fit.parameters))
        parameters = sum(len(dag.parents(node)) + 2 for node in dag.nodes)
        return float(log_likelihood - 0.5 * self._criterion.penalty * np.log(sample.total) * parameters), whole


class CompletedRows(Completion):
    """Categories and numbers: each incomplete row is completed some times, by draws."""

    def __init__(self, criterion: ConditionalGaussianBIC, sample: MixedSample, order: Sequence[Node]) -> None:
        coded, numbers = sample.categories, sample.numbers
        categories = tuple(name for name in order if name in coded.names)
        measured = tuple(name for name in order if name in numbers.names)
        codes = np.ascontiguousarray(coded.codes[[coded.names.index(name) for name in categories]], dtype=np.int32)
        values = numbers.values[:, [numbers.names.index(name) for name in measured]]
        weights = sample.sample_weight
        # The draws of a row must not depend on where it is in the table.
        rows = np.lexsort([*values.T, *codes, *([] if weights is None else [weights])])
        weights = None if weights is None else weights[rows]
        self._criterion = criterion
        self._sample = MixedSample(
            tuple(order),
            replace(coded, names=categories, codes=codes[:, rows], sample_weight=weights),
            replace(numbers, names=measured, values=values[rows], sample_weight=weights),
        )

    def score(self, dag: DAG) -> float:
        return self._fitted(dag)[0]

    def __call__(self, dag: DAG) -> tuple[float, LocalScores]:
        score, network = self._fitted(dag)
        return score, self._criterion.on(self._completed(network))

    def _fitted(self, dag: DAG) -> tuple[float, MixedNetwork]:
        """The score, and the net of the graph."""
        sample = self._sample
        dag = dag._reordered(sample.names)
        cuts = find_cuts(dag, sample, {})
        network = fit_incomplete_mixed(dag, sample, cuts, FitSettings(MLE()), _settings(sample.total), {}).network
        logs = MixedQueries(network).log_likelihoods(sample.categories.codes.T, sample.numbers.values)
        observed = logs.sum() if sample.sample_weight is None else sample.sample_weight @ logs
        penalty = 0.5 * self._criterion.penalty * np.log(sample.total) * network.n_parameters
        return float(observed - penalty), network

    def _completed(self, network: MixedNetwork) -> MixedSample:
        """The complete rows, and the completions of the others."""
        coded, numbers = self._sample.categories, self._sample.numbers
        is_whole = (coded.codes >= 0).all(axis=0) & ~np.isnan(numbers.values).any(axis=1)
        copies = np.where(is_whole, 1, DRAWS)
        weights = np.ones(len(self._sample)) if self._sample.sample_weight is None else self._sample.sample_weight
        codes, values = np.repeat(coded.codes.T, copies, axis=0), np.repeat(numbers.values, copies, axis=0)
        fill_rows(network, codes, values, np.random.default_rng(_SEED))
        weights = np.repeat(weights / copies, copies)
        return replace(
            self._sample,
            categories=replace(coded, codes=np.ascontiguousarray(codes.T), sample_weight=weights),
            numbers=replace(numbers, values=values, sample_weight=weights),
        )


# A row that was not accepted so often keeps its last draw: its values then are as likely as a category makes them.
_MOST_TRIES = 200


def fill_rows(network: MixedNetwork, codes: AnyArray, values: Floats, rng: np.random.Generator) -> None:
    """Draw the missing values of rows from what is known of each, in place; columns are in the order of the net."""
    queries = MixedQueries(network)
    for column, category in enumerate(network.categories):
        rows = np.flatnonzero(codes[:, column] < 0)
        if len(rows):
            chances = queries.posteriors(codes[rows], values[rows], category, impossible="prior")
            codes[rows, column] = draw_states(chances, rng)
    above = MixedQueries(_without_numeric_parents(network))
    left, known = np.flatnonzero(np.isnan(values).any(axis=1)), values.copy()
    for _ in range(_MOST_TRIES):
        values[left] = known[left]
        for column, number in enumerate(network.numbers):
            rows = left[np.isnan(values[left, column])]
            if len(rows):
                mean, variance = above.posteriors(codes[rows], values[rows], number, impossible="prior").T
                values[rows, column] = mean + np.sqrt(variance) * rng.standard_normal(len(rows))
        left = left[np.log1p(-rng.random(len(left))) > _acceptance(queries.tree, codes[left], values[left])]
        if not len(left):
            return


def _without_numeric_parents(network: MixedNetwork) -> MixedNetwork:
    """The same regressions, where no category depends on anything."""
    arrows = [(up, node) for node in network.numbers for up in network.parents[node]]
    tables = {node: np.full(size, 1.0 / size) for node, size in network.cards.items()}
    return MixedNetwork(DAG(arrows, network.nodes), network.states, tables, network.regressions)


def _acceptance(tree: StrongTree, codes: AnyArray, values: Floats) -> Floats:
    """log of Π P(category | its numbers) over categories that have some, as a part of the largest possible."""
    cases = Cases(
        {node: codes[:, at].astype(np.int64) for at, node in enumerate(sorted(tree.categories))},
        {node: values[:, at] for at, node in enumerate(sorted(tree.numbers))},
        {},
        len(codes),
    )
    out = np.zeros(len(codes))
    for node, logs in tree.logs.items():
        if tree.cuts[node]:
            most = logs.reshape(-1, logs.shape[-1]).max(axis=0)[cases.codes[node]]
            out += tree.log_density(node, cases) - most
    return out
