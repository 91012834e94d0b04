"""Random causal models, and effects from their whole joint tables: the readable twin of everything here."""

from __future__ import annotations

import itertools

import numpy as np

import deciban as db
from tests.nets.named_graphs import random_dag


def random_net(rng, dag, states=(2, 3), zeros=False):
    """A net on a graph with tables drawn by lot; with ``zeros`` some of them say "never"."""
    cards = {node: int(rng.integers(states[0], states[1] + 1)) for node in dag.nodes}
    tables = {}
    for node in dag.nodes:
        parents = [up for up in dag.nodes if up in dag.parents(node)]
        table = rng.dirichlet(np.ones(cards[node]), [cards[up] for up in parents])
        if zeros:
            table = table * (rng.random(table.shape) < 0.8)
            table[..., 0] += 1e-3
            table = table / table.sum(axis=-1, keepdims=True)
        tables[node] = 0.02 / cards[node] + 0.98 * table if not zeros else table
    return db.BayesNet.from_tables(dag, {node: range(card) for node, card in cards.items()}, tables)


def joint(net):
    """P(all nodes), an axis each in the order of ``nodes``."""
    network = net.network
    operands = [part for axes, values in zip(network.families, network.factors, strict=True) for part in (values, axes)]
    return np.einsum(*operands, range(len(network.nodes)))


def truth(net, effect, cause, given=()):
    """P(effect | do(cause), given) by truncated factorization and sums over the whole joint table: axes cause, given,
    effect."""
    network = net.network
    place = {node: number for number, node in enumerate(network.nodes)}
    kept = [place[node] for node in (*cause, *given, *effect)]
    operands = []
    for node, axes, values in zip(network.nodes, network.families, network.factors, strict=True):
        if node not in cause:
            operands += [values, axes]
    for node in cause:
        operands += [np.ones(network.cards[place[node]]), [place[node]]]
    table = np.einsum(*operands, kept)
    whole = table.sum(axis=tuple(range(len(cause) + len(given), table.ndim)), keepdims=True)
    return table / whole


def table_of(effect):
    """An ``Effect`` as an array: axes acted, effect."""
    return np.array([list(effect[key].values()) for key in effect]).reshape(
        [len(effect.states[node]) for node in (*effect.condition, *effect.effect)]
    )


def random_model(rng, observed, hidden, mean_parents=1.5):
    """A random DAG and which of its nodes nobody observes."""
    dag = random_dag(rng, observed + hidden, mean_parents)
    latent = [int(node) for node in rng.permutation(observed + hidden)[:hidden]]
    return dag, latent


def admgs(count):
    """Every graph of arrows a → b (a < b) and ↔ on some nodes, up to the names of nodes: DAG, pairs of ↔."""
    pairs = list(itertools.combinations(range(count), 2))
    for arrows in itertools.product((False, True), repeat=len(pairs)):
        dag = db.DAG([pair for pair, kept in zip(pairs, arrows, strict=True) if kept], range(count))
        for joined in itertools.product((False, True), repeat=len(pairs)):
            yield dag, [pair for pair, kept in zip(pairs, joined, strict=True) if kept]


def subsets(items):
    """All subsets, the smaller first."""
    listed = list(items)
    return itertools.chain.from_iterable(itertools.combinations(listed, size) for size in range(len(listed) + 1))
