"""Chow and Liu's tree is a tree, and the best one."""

from itertools import product

import numpy as np
import pytest

import deciban as db
from deciban.nets.scores.discrete import BIC
from tests.nets.named_graphs import random_dag
from tests.nets.search.samples import _reaches_root, sampled


def test_a_tree_is_a_tree_and_the_best_one():
    """By BIC, which is the same for all rootings of a tree, against every tree on five variables."""
    table = sampled(random_dag(np.random.default_rng(4), 5, 1.2), 500, 4)
    tree, local = db.search(table, "bic", method="chow_liu"), BIC().on(table)
    assert len(tree.graph.directed_edges) == 4
    assert max(mask.bit_count() for mask in tree.graph._parent_masks) == 1
    rooted_at_first = [
        parents
        for parents in product([0], *(range(5) for _ in range(4)))
        if all(_reaches_root(parents, node) for node in range(1, 5))
    ]
    assert len(rooted_at_first) == 125  # Cayley: 5³
    scores = [
        local.local([(0, 0), *((child, 1 << parents[child]) for child in range(1, 5))]).sum()
        for parents in rooted_at_first
    ]
    assert tree.score == pytest.approx(max(scores), abs=1e-6)
    assert min(scores) < max(scores) - 1
