"""Front doors: found where there are any, and right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.nets.causal.causal_graph import CausalGraph
from deciban.nets.causal.criteria import front_doors, is_front_door
from deciban.nets.graphs.bits import bits
from tests.nets.causal.models import random_net, subsets, table_of, truth
from tests.nets.named_graphs import dags


def test_tar_is_the_front_door_from_smoking_to_cancer():
    g = db.DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "tar"), ("tar", "cancer")])
    found = db.identify(g, cause="smoking", effect="cancer", latent="gene")
    assert found.method == "front-door"
    assert found.front_door_sets == (frozenset({"tar"}),)
    assert not db.identify(g, cause="smoking", effect="cancer", latent=["gene", "tar"])


def test_a_door_may_need_a_second_wing():
    """What confounds the mediator and the effect may be observed and stand beside it."""
    g = db.DAG([("x", "z"), ("z", "y"), ("w", "z"), ("w", "y")])
    assert db.identify(g, cause="x", effect="y", confounded=[("x", "y")]).front_door_sets == (frozenset({"z", "w"}),)


@given(dags(3, 6), st.integers(0, 63))
def test_all_minimal_doors_are_found(dag, hidden):
    count = len(dag.nodes)
    x, y = 1, 1 << (count - 1)
    g = CausalGraph(dag, hidden & ((1 << count) - 1) & ~x & ~y)
    right = []
    for some in subsets(bits(g.observed & ~x & ~y)):
        z = sum(1 << node for node in some)
        if z and not any(one & z == one for one in right) and is_front_door(g, x, y, z):
            right.append(z)
    has_effect = bool(dag._mask(dag.descendants(0)) & y)
    assert set(front_doors(g, x, y)) == (set(right) if has_effect else set())


def test_the_formula_of_every_door_gives_the_effect():
    g = db.DAG([("gene", "x"), ("gene", "y"), ("x", "a"), ("a", "b"), ("b", "y"), ("x", "c"), ("c", "b")])
    found = db.identify(g, cause="x", effect="y", latent="gene")
    assert found.front_door_sets == (frozenset({"b"}), frozenset({"a", "c"}))
    net = random_net(np.random.default_rng(0), g)
    for names in found.front_door_sets:
        got = found._estimand(found._through(names)).evaluate(net)
        assert table_of(got) == pytest.approx(truth(net, ["y"], ["x"]), abs=1e-12)


def test_pearls_table():
    """ "Causality", table 3.1: P(cancer | do(smoking)) is 0.4525, and 0.4975 without smoking."""
    people = {
        "smoking": ["no", "no", "yes", "yes"] * 2,
        "tar": ["no"] * 4 + ["yes"] * 4,
        "cancer": ["no", "yes"] * 4,
    }
    count = [342, 38, 2, 18, 19, 1, 57, 323]
    g = db.DAG([("smoking", "tar"), ("tar", "cancer")])
    found = db.effect(people, g, effect="cancer", cause="smoking", confounded=[("smoking", "cancer")],
                      sample_weight=count, bootstrap=0)  # fmt: skip
    assert found["yes"]["yes"] == pytest.approx(0.4525)
    assert found["no"]["yes"] == pytest.approx(0.4975)
