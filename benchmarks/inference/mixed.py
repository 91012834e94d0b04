"""The section `mixed-inference`: exact inference over categories and numbers, against enumeration with SciPy.

We know of no other Python package with exact inference over both. The peer is what one would write without one: the
configurations of the categories are enumerated, and in each SciPy's joint normal is conditioned on the observed
numbers. Parity comes first: posteriors agree to 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import multivariate_normal

import deciban as db
from benchmarks.harness.machine import describe_run, read_usage
from benchmarks.harness.options import Options
from benchmarks.harness.parity import check_posteriors
from benchmarks.harness.results import Findings, Limit, Ratio, race
from benchmarks.harness.timing import Task, clock, measure, repeated
from deciban.nets import MixedNetwork, Regressions
from deciban.nets.inference.mixed_queries import MixedQueries

__all__ = ["random_mixed_net", "run"]

_CATEGORIES, _NUMBERS, _SEED = 30, 20, 0
_HIDDEN, _QUERIES, _ROWS, _MISSING = 5, 20, 10_000, 0.1
_SAME, _AT_LEAST = 1e-9, 20
_QUERY_MS, _BATCH_SECONDS = 5.0, 2.0
_INTRO = """Measured with `python -m benchmarks --only mixed-inference` on {machine}.{others}

A random net of 50 nodes, 20 of them numbers, with one or two parents each. The peer enumerates the configurations of
the categories that are not observed and conditions SciPy's joint normal in each; posteriors agree to 1e-9 first.
"Half observed" has every third category and every second number as evidence, which enumeration cannot do. The tree is
compiled at the first query, which is not in the times. A ratio is the peer's time over deciban's.
"""


def run(options: Options) -> str:
    """Check parity, then time."""
    start, found = read_usage(), Findings()
    network = random_mixed_net(np.random.default_rng(_SEED), _CATEGORIES, _NUMBERS)
    found.collect([_race(network)], options.console)
    found.collect(_time(network, int(_ROWS * options.scale)), options.console)
    return found.render(_INTRO.format(**describe_run(start)))


def random_mixed_net(rng: np.random.Generator, categories: int, numbers: int) -> MixedNetwork:
    """A net whose nodes have one or two parents among the eight before them, and categories only categories."""
    nodes = [f"n{i}" for i in range(categories + numbers)]
    is_number = dict.fromkeys(nodes, False) | {str(node): True for node in rng.choice(nodes, numbers, replace=False)}
    arrows = []
    for i, node in enumerate(nodes):
        above = [up for up in nodes[max(0, i - 8) : i] if is_number[node] or not is_number[up]]
        if above:
            chosen = rng.choice(above, min(len(above), int(rng.integers(1, 3))), replace=False)
            arrows += [(str(up), node) for up in chosen]
    dag = db.DAG(arrows, nodes)
    states = {node: tuple(range(int(rng.integers(2, 5)))) for node in nodes if not is_number[node]}
    tables: dict[str, Any] = {}
    regressions: dict[str, Regressions] = {}
    for node in nodes:
        parents = sorted(dag.parents(node), key=dag.index)
        of_states = tuple(up for up in parents if up in states)
        of_numbers = tuple(up for up in parents if up not in states)
        shape = tuple(len(states[str(up)]) for up in of_states)
        if node in states:
            tables[node] = rng.dirichlet(np.ones(len(states[node])), shape or None)
        else:
            slopes = rng.normal(0, 1, (*shape, len(of_numbers)))
            regressions[node] = Regressions(
                of_states, of_numbers, rng.normal(0, 1, shape), slopes, rng.uniform(0.2, 2, shape)
            )
    return MixedNetwork(dag, states, tables, regressions)


def _race(network: MixedNetwork) -> Ratio:
    """All posteriors with a few hidden categories, and every second number observed."""
    rng = np.random.default_rng(_SEED)
    hidden = network.categories[:: len(network.categories) // _HIDDEN][:_HIDDEN]
    evidence: dict[Any, Any] = {node: 0 for node in network.categories if node not in hidden}
    evidence |= {node: float(rng.normal()) for node in network.numbers[::2]}
    queries = MixedQueries(network)
    ours = partial(queries.distributions, queries.read(evidence))
    theirs = partial(_enumerated, network, evidence)
    means, variances = theirs()
    found = ours()
    free = [node for node in network.numbers if node not in evidence]
    answers: list[Any] = [found[node] for node in free]
    check_posteriors("SciPy", np.array([answer.mean for answer in answers]), means, _SAME)
    check_posteriors("SciPy", np.array([answer.variance for answer in answers]), variances, _SAME)
    title = f"all posteriors, {_HIDDEN} categories and {len(free)} numbers hidden"
    return race(title, "SciPy", clock(theirs), clock(repeated(ours, _QUERIES), _QUERIES), _AT_LEAST, 3)


def _enumerated(network: MixedNetwork, evidence: Mapping[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """The means and variances of the hidden numbers."""
    seen = [i for i, node in enumerate(network.numbers) if node in evidence]
    free = [i for i, node in enumerate(network.numbers) if node not in evidence]
    values = np.array([evidence[network.numbers[i]] for i in seen])
    logs, means, variances = [], [], []
    for codes in product(*([evidence[c]] if c in evidence else network.states[c] for c in network.categories)):
        chosen = dict(zip(network.categories, codes, strict=True))
        mean, covariance = _joint(network, chosen)
        inner = covariance[np.ix_(seen, seen)]
        gain = np.linalg.solve(inner, covariance[np.ix_(seen, free)]).T
        p = [network.factors[c][(*(chosen[up] for up in network.parents[c]), chosen[c])] for c in network.categories]
        logs.append(np.log(p).sum() + multivariate_normal(mean[seen], inner).logpdf(values))
        means.append(mean[free] + gain @ (values - mean[seen]))
        variances.append(np.diag(covariance)[free] - (gain * covariance[np.ix_(free, seen)]).sum(axis=1))
    shares = np.exp(np.array(logs) - max(logs))
    shares /= shares.sum()
    overall = shares @ np.array(means)
    return overall, shares @ (np.array(variances) + (np.array(means) - overall) ** 2)


def _joint(network: MixedNetwork, chosen: Mapping[Any, int]) -> tuple[np.ndarray, np.ndarray]:
    """The mean and covariance of all numbers in one configuration of the categories."""
    count = len(network.numbers)
    slopes, intercepts, noise = np.zeros((count, count)), np.zeros(count), np.zeros(count)
    for i, node in enumerate(network.numbers):
        own = network.regressions[node]
        row = tuple(chosen[category] for category in own.categories)
        intercepts[i], noise[i] = own.intercepts[row], own.variances[row]
        for up, slope in zip(own.numbers, own.slopes[row], strict=True):
            slopes[i, network.numbers.index(up)] = slope
    inverse = np.linalg.inv(np.eye(count) - slopes)
    return inverse @ intercepts, (inverse * noise) @ inverse.T


def _time(network: MixedNetwork, rows: int) -> Iterator[Limit]:
    rng, queries = np.random.default_rng(_SEED), MixedQueries(network)
    evidence: dict[Any, Any] = dict.fromkeys(network.categories[::3], 0)
    evidence |= {node: float(rng.normal()) for node in network.numbers[::2]}
    findings = queries.read(evidence)
    category = next(node for node in network.categories if node not in evidence)
    number = next(node for node in reversed(network.numbers) if node not in evidence)
    single: dict[str, Task] = {
        "a category, half observed": partial(queries.posterior, category, findings),
        "a number, half observed": partial(queries.posterior, number, findings),
        "all nodes, half observed": partial(queries.distributions, findings),
        "log density of the evidence": partial(queries.log_probability, findings),
    }
    for title, task in single.items():
        yield Limit(title, 1000 * measure(clock(repeated(task, _QUERIES), _QUERIES)), _QUERY_MS, "ms")
    codes = np.column_stack([rng.integers(0, network.cards[node], rows) for node in network.categories])
    values = rng.normal(0, 2, (rows, len(network.numbers)))
    seen = (
        np.array([node in evidence for node in network.categories]),
        np.array([node in evidence for node in network.numbers]),
    )
    half = np.where(seen[0], codes, -1), np.where(seen[1], values, np.nan)
    few = (
        np.where(rng.random(codes.shape) < _MISSING, -1, codes),
        np.where(rng.random(values.shape) < _MISSING, np.nan, values),
    )
    batches: dict[str, Task] = {
        f"{rows:,} rows, half observed: posteriors of a category": partial(queries.posteriors, *half, category),
        f"{rows:,} rows, half observed: means of a number": partial(queries.posteriors, *half, number),
        f"{rows:,} rows, a tenth missing at random: log densities": partial(queries.log_likelihoods, *few),
        f"{rows:,} rows, a tenth missing at random: a step of EM": partial(queries.expected_statistics, *few),
    }
    for title, task in batches.items():
        yield Limit(title, measure(clock(task), 3), _BATCH_SECONDS, "s")
