"""Instruments are those of the definition, and named where nothing else identifies the effect."""

import itertools

import numpy as np
import pytest

import deciban as db
from deciban.nets import Instrument
from tests.nets.causal.models import random_model, subsets


def by_definition(dag, latent, x, y):
    """For each instrument the sizes of the sets that make it one: by d-separation, set by set."""
    seen = [node for node in dag.nodes if node not in latent]
    on_path = {v for v in dag.descendants(x) if v == y or v in dag.ancestors(y)}
    forbidden = on_path | dag.descendants(on_path) if on_path else set()
    if not on_path:
        return {}
    cut = db.DAG([(a, b) for a, b in dag.directed_edges if not (a == x and b in on_path)], dag.nodes)
    found = {}
    for z in seen:
        if z in (x, y) or z in forbidden or z in dag.descendants(x):
            continue
        others = [node for node in seen if node not in (x, y, z) and node not in forbidden]
        for given in subsets(others):
            if db.d_separated(cut, z, y, given) and not db.d_separated(dag, z, x, given):
                found.setdefault(z, []).append(frozenset(given))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_instruments_are_those_of_the_definition(seed):
    dag, latent = random_model(np.random.default_rng(seed), 5, 2, 2.5)
    seen = [node for node in dag.nodes if node not in latent]
    for x, y in itertools.permutations(seen, 2):
        right = by_definition(dag, latent, x, y)
        found = {one.node: one.given for one in db.identify(dag, cause=x, effect=y, latent=latent).instruments}
        assert all(given in right[node] for node, given in found.items())
        assert set(found) == set(right)


def test_they_are_named_where_the_effect_is_not_identified():
    g = db.DAG([("w", "z"), ("w", "y"), ("z", "x"), ("x", "y")])
    found = db.identify(g, cause="x", effect="y", confounded=[("x", "y")])
    assert found.instruments == (Instrument("z", frozenset("w")),)
    assert not found
    assert str(found).endswith('In a linear model the effect is identified by the instrument z given w: method="iv".')
    assert found.why in str(found)


def test_an_effect_of_several_causes_or_in_strata_has_none():
    g = db.DAG([("z", "x"), ("x", "y"), ("a", "y")])
    assert db.identify(g, cause=["x", "a"], effect="y").instruments == ()
    assert db.identify(g, cause="x", effect="y", given="a").instruments == ()
