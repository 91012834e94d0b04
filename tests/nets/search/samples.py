"""Tables and knowledge that the tests of searches share."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from deciban.nets.scores.discrete import BIC, K2, BDeu
from deciban.nets.scores.gaussian import GaussianBIC
from deciban.nets.scores.mixed import ConditionalGaussianBIC, DegenerateGaussianBIC
from tests.nets.named_graphs import random_dag

METHODS = ["hc", "tabu", "ges", "boss", "auto", "exact", "chow_liu"]
KINDS = [BIC(0.4), BDeu(5), K2(), GaussianBIC(0.3), ConditionalGaussianBIC(), DegenerateGaussianBIC(0.5)]
SCORES = {"bic": BIC(), "bdeu": BDeu(10), "k2": K2()}


def knows(required=(), forbidden=()):
    return SimpleNamespace(required=frozenset(required), forbidden=frozenset(forbidden))


def oracle(dag):
    return SimpleNamespace(dag=dag)


def sampled(dag, rows, seed, flip=0.15):
    """Binary variables: each the parity-free majority of its parents, sometimes flipped."""
    rng = np.random.default_rng(seed)
    values = {}
    for node in dag.topological_order():
        weight = {parent: 1.0 + 0.5 * i for i, parent in enumerate(sorted(dag.parents(node), key=str))}
        total = sum((2.0 * values[parent] - 1) * w for parent, w in weight.items()) + np.zeros(rows)
        values[node] = (rng.random(rows) < np.where(total == 0, 0.5, 1 / (1 + np.exp(-total / flip / 4)))).astype(int)
    return pd.DataFrame({str(node): values[node] for node in dag.nodes})


def _reaches_root(parents, node):
    for _ in range(5):
        node = parents[node] if node else 0
    return node == 0


class Own:
    """A score of which the core knows nothing."""

    def __init__(self, score):
        self.score, self.reads = score, score.reads

    def on(self, data):
        return OwnScores(self.score.on(data))


class OwnScores:
    def __init__(self, scores):
        self.names, self.local = scores.names, scores.local


def small_table(seed, score):
    """Columns of a kind that the score reads, dependent, in few rows: many steps, and back."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 7))
    if score.reads == "categories":
        table = sampled(random_dag(rng, count, 2), 40, seed)
        table["copy"] = table["0"]  # ties
        return table
    mix = np.triu(rng.normal(size=(count, count)), 1) + np.eye(count)
    values = pd.DataFrame(rng.normal(size=(40, count)) @ mix).rename(columns=str)
    if score.reads == "mixed":
        values["0"] = np.where(values["0"] > 0, "high", "low")
    return values


def some_knowledge(names, data):
    """An arrow that is required and some that are forbidden, which agree."""
    order = data.draw(st.permutations(sorted(names)))
    arrows = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    required = data.draw(st.lists(st.sampled_from(arrows), max_size=1))
    forbidden = data.draw(st.lists(st.sampled_from(arrows), max_size=4))
    return knows(required, set(forbidden) - set(required))
