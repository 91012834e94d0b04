"""Tables and knowledge that the tests of searches share."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from deciban.nets.scores.discrete import BIC, K2, BDeu

METHODS = ["hc", "tabu", "ges", "boss", "auto", "exact", "chow_liu"]
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
