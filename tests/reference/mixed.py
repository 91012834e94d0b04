"""Inference in mixed nets by enumeration: every configuration of the categories, and SciPy's joint normal in each.

The numbers of a configuration are x = a + B·x + ε, so their mean is (I − B)⁻¹·a and their covariance
(I − B)⁻¹·D·(I − B)⁻ᵀ; the observed ones are conditioned on by the textbook's formula.
"""

from itertools import product
from math import log, prod

import numpy as np
from scipy.stats import multivariate_normal

from deciban.nets.graphs.dag import DAG
from deciban.nets.mixed_network import MixedNetwork, Regressions


def joint_normal(network, codes):
    """The mean and covariance of all numbers in one configuration of the categories (category → code)."""
    at = {node: index for index, node in enumerate(network.numbers)}
    slopes, intercepts, noise = np.zeros((len(at), len(at))), np.zeros(len(at)), np.zeros(len(at))
    for node, index in at.items():
        own = network.regressions[node]
        row = tuple(codes[category] for category in own.categories)
        intercepts[index], noise[index] = own.intercepts[row], own.variances[row]
        for parent, slope in zip(own.numbers, own.slopes[row], strict=True):
            slopes[index, at[parent]] = slope
    inverse = np.linalg.inv(np.eye(len(at)) - slopes)
    return inverse @ intercepts, inverse @ np.diag(noise) @ inverse.T


def enumerated(network, codes, values):
    """For each configuration: its codes, its log density with the evidence, and the moments of all numbers given it.

    `codes` and `values` are the evidence: category → code, and number → value. Numbers that categories depend on have
    to be observed.
    """
    seen = [index for index, node in enumerate(network.numbers) if node in values]
    observed = np.array([values[network.numbers[index]] for index in seen])
    ranges = [[codes[node]] if node in codes else range(network.cards[node]) for node in network.categories]
    for states in product(*ranges):
        chosen = dict(zip(network.categories, states, strict=True))
        p = prod(float(network.factors[node][_row(network, node, chosen, values)]) for node in network.categories)
        mean, covariance = joint_normal(network, chosen)
        total = log(p) if p > 0 else -np.inf
        if seen:
            inside = covariance[np.ix_(seen, seen)]
            gain = covariance[:, seen] @ np.linalg.inv(inside)
            total += multivariate_normal(mean[seen], inside, allow_singular=True).logpdf(observed)
            mean, covariance = mean + gain @ (observed - mean[seen]), covariance - gain @ covariance[seen]
        yield chosen, total, mean, covariance


def answers(network, codes, values):
    """log p(evidence), category → probabilities, and number → (mean, variance)."""
    rows = list(enumerated(network, codes, values))
    logs = np.array([total for _, total, _, _ in rows])
    peak = logs.max()
    weights = np.exp(logs - peak)
    shares = weights / weights.sum()
    categories = {node: np.zeros(network.cards[node]) for node in network.categories}
    for share, (chosen, *_) in zip(shares, rows, strict=True):
        for node, code in chosen.items():
            categories[node][code] += share
    means = shares @ np.array([mean for _, _, mean, _ in rows])
    second = sum(
        share * (covariance + np.outer(mean - means, mean - means))
        for share, (_, _, mean, covariance) in zip(shares, rows, strict=True)
    )
    numbers = {node: (means[i], second[i, i]) for i, node in enumerate(network.numbers)}
    return peak + log(weights.sum()), categories, numbers, (means, second)


def _row(network, node, chosen, values):
    """The index of an entry of a category's table: states of parents, bins of numeric parents, the own state."""
    row = []
    for parent in network.parents[node]:
        if parent in chosen:
            row.append(chosen[parent])
        else:
            row.append(int(np.searchsorted(network.cuts[node][parent], values[parent], side="left")))
    return (*row, chosen[node])


def random_network(rng, categories=4, numbers=4, *, density=0.5, cuts=0.0, variances=(0.1, 2.0)):
    """A random mixed net; with ``cuts`` the probability that a category takes an earlier number as a parent."""
    kinds = [f"c{i}" for i in range(categories)] + [f"x{i}" for i in range(numbers)]
    order = [kinds[i] for i in rng.permutation(len(kinds))]
    if not cuts:
        order.sort(key=lambda node: node[0] == "x")  # stable: all categories first
    arrows = []
    for later, node in enumerate(order):
        for parent in order[:later]:
            share = cuts if node[0] == "c" and parent[0] == "x" else density
            if rng.random() < share and sum(child == node for _, child in arrows) < 3:
                arrows.append((parent, node))
    dag = DAG(arrows, nodes=order)
    states = {node: tuple(range(rng.integers(2, 4))) for node in order if node[0] == "c"}
    tables, regressions, ends = {}, {}, {}
    for node in dag.nodes:
        parents = sorted(dag.parents(node), key=dag.index)
        discrete = tuple(parent for parent in parents if parent[0] == "c")
        numeric = tuple(parent for parent in parents if parent[0] == "x")
        shape = tuple(len(states[parent]) for parent in discrete)
        if node[0] == "x":
            low, high = variances
            regressions[node] = Regressions(
                discrete,
                numeric,
                rng.normal(0, 2, shape),
                rng.normal(0, 1, (*shape, len(numeric))),
                np.exp(rng.uniform(np.log(low), np.log(high), shape)),
            )
        else:
            ends[node] = {parent: np.sort(rng.normal(0, 1.5, rng.integers(1, 3))) for parent in numeric}
            axes = [len(ends[node][p]) + 1 if p in ends[node] else len(states[p]) for p in parents]
            tables[node] = rng.dirichlet(np.ones(len(states[node])), axes or None)
    return MixedNetwork(dag, states, tables, regressions, ends)
