"""The rules of the do-calculus hold in every model of a graph where they say so."""

import numpy as np
import pytest

import deciban as db
from deciban.nets.causal.calculus import is_action_irrelevant, is_action_replaceable, is_observation_irrelevant
from tests.nets.causal.models import random_net, truth
from tests.nets.named_graphs import random_dag


def chance(net, y, done, seen):
    """P(y | do(done), seen), with an axis for each of done and seen in the order of their names."""
    order = sorted([*done, *seen])
    held = [*done, *seen, y]
    return np.moveaxis(truth(net, [y], done, seen), [held.index(node) for node in [*order, y]], range(len(held)))


@pytest.mark.parametrize("rule", [is_observation_irrelevant, is_action_replaceable, is_action_irrelevant])
def test_rules(rule):
    rng = np.random.default_rng(0)
    applied = refused = 0
    while min(applied, refused) < 60:
        dag = random_dag(rng, 5, 1.3)
        y, z, x, w, _ = map(int, rng.permutation(5))
        net = random_net(rng, dag, (2, 2))
        if rule is is_observation_irrelevant:
            one, other = chance(net, y, [x], [z, w]), chance(net, y, [x], [w])
        elif rule is is_action_replaceable:
            one, other = chance(net, y, [x, z], [w]), chance(net, y, [x], [z, w])
        else:
            one, other = chance(net, y, [x, z], [w]), chance(net, y, [x], [w])
        if one.ndim > other.ndim:
            other = np.expand_dims(other, sorted([x, z, w]).index(z))
        is_same = np.abs(one - other).max() < 1e-9
        assert rule(dag, y, z, do=x, given=w) == is_same
        applied, refused = applied + is_same, refused + (not is_same)


def test_hidden_causes_count():
    assert is_action_replaceable(db.DAG([("x", "y")]), "y", "x")
    assert not is_action_replaceable(db.DAG([("x", "y")]), "y", "x", confounded=[("x", "y")])
