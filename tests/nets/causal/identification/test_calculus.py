"""The rules of the do-calculus hold in every model of a graph where they say so."""

import numpy as np
import pytest

import deciban as db
from deciban.nets.causal.identification.calculus import (
    action_changes_nothing,
    doing_is_seeing,
    observation_changes_nothing,
)
from tests.nets.causal.models import random_net, truth
from tests.nets.named_graphs import random_dag


def chance(net, y, done, seen):
    """P(y | do(done), seen), with an axis for each of done and seen in the order of their names."""
    order = sorted([*done, *seen])
    held = [*done, *seen, y]
    return np.moveaxis(truth(net, [y], done, seen), [held.index(node) for node in [*order, y]], range(len(held)))


@pytest.mark.parametrize("rule", [observation_changes_nothing, doing_is_seeing, action_changes_nothing])
def test_rules(rule):
    rng = np.random.default_rng(0)
    applied = refused = 0
    while min(applied, refused) < 60:
        dag = random_dag(rng, 5, 1.3)
        y, z, x, w, _ = map(int, rng.permutation(5))
        net = random_net(rng, dag, (2, 2))
        if rule is observation_changes_nothing:
            one, other = chance(net, y, [x], [z, w]), chance(net, y, [x], [w])
        elif rule is doing_is_seeing:
            one, other = chance(net, y, [x, z], [w]), chance(net, y, [x], [z, w])
        else:
            one, other = chance(net, y, [x, z], [w]), chance(net, y, [x], [w])
        if one.ndim > other.ndim:
            other = np.expand_dims(other, sorted([x, z, w]).index(z))
        is_same = np.abs(one - other).max() < 1e-9
        assert rule(dag, y, z, done=x, given=w) == is_same
        applied, refused = applied + is_same, refused + (not is_same)


def test_hidden_causes_count():
    assert doing_is_seeing(db.DAG([("x", "y")]), "y", "x")
    assert not doing_is_seeing(db.DAG([("x", "y")]), "y", "x", confounded=[("x", "y")])
