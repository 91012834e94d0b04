"""Adjustment sets: every listed one works, none is missing, and the criterion is that of paths."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import NotIdentifiedError
from deciban.nets.causal.causal_graph import CausalGraph
from deciban.nets.causal.criteria import forbidden, is_adjustment, minimal_adjustments, optimal_adjustment
from deciban.nets.graphs.bits import bits
from tests.nets.causal.models import random_net, subsets, table_of, truth
from tests.nets.named_graphs import dags


def paths(dag, x, y):
    """All paths between two nodes, as lists of nodes."""

    def grow(path):
        if path[-1] == y:
            yield path
            return
        for peer in bits(dag._adjacent_masks[path[-1]]):
            if peer not in path:
                yield from grow([*path, peer])

    return list(grow([x]))


def is_causal(dag, path):
    return all(dag._child_masks[a] >> b & 1 for a, b in itertools.pairwise(path))


def is_blocked(dag, path, given):
    for a, v, b in zip(path, path[1:], path[2:], strict=False):
        is_collider = dag._parent_masks[v] >> a & 1 and dag._parent_masks[v] >> b & 1
        if is_collider and not given & (1 << v | dag._mask(dag.descendants(v))):
            return True
        if not is_collider and given >> v & 1:
            return True
    return False


def is_valid_by_paths(dag, x, y, given):
    """Shpitser, VanderWeele and Robins (2010), word for word, for one cause and one effect."""
    between = {node for path in paths(dag, x, y) if is_causal(dag, path) for node in path[1:]}
    if any(given & (1 << node | dag._mask(dag.descendants(node))) for node in between):
        return False
    return all(is_causal(dag, path) or is_blocked(dag, path, given) for path in paths(dag, x, y))


@given(dags(2, 5))
def test_the_criterion_is_that_of_paths(dag):
    g, last = CausalGraph.read(dag), len(dag.nodes) - 1
    for x, y in ((0, last), (last, 0)):
        for some in subsets(node for node in range(last + 1) if node not in (x, y)):
            z = sum(1 << node for node in some)
            assert is_adjustment(g, 1 << x, 1 << y, z) == is_valid_by_paths(dag, x, y, z)


@given(dags(2, 7), st.integers(0, 127), st.booleans())
def test_all_minimal_sets_are_listed_and_only_those(dag, hidden, is_wide):
    """Also with nodes that nobody observes, and with two causes."""
    count = len(dag.nodes)
    x, y = 1 | (2 if is_wide and count > 3 else 0), 1 << (count - 1)
    g = CausalGraph(dag, hidden & ((1 << count) - 1) & ~x & ~y)
    right = []
    for some in subsets(bits(g.observed & ~x & ~y)):
        z = sum(1 << node for node in some)
        if not any(one & z == one for one in right) and is_adjustment(g, x, y, z):
            right.append(z)
    assert set(minimal_adjustments(g, x, y)) == set(right)


@given(dags(3, 6), st.integers(0, 63))
def test_within_strata(dag, chosen):
    """The sets listed with ``given`` are valid together with it, and none of their parts is."""
    count = len(dag.nodes)
    g, x, y = CausalGraph.read(dag), 1, 1 << (count - 1)
    strata = chosen & ((1 << count) - 1) & ~x & ~y & ~dag._mask(dag.descendants(0))
    right = []
    for some in subsets(bits(g.observed & ~x & ~y & ~strata & ~dag._mask(dag.descendants(0)))):
        z = sum(1 << node for node in some)
        if not any(one & z == one for one in right) and is_adjustment(g, x, y, z | strata):
            right.append(z)
    if strata:
        assert set(minimal_adjustments(g, x, y, strata)) == set(right)


@given(dags(2, 6), st.integers(0, 2**32 - 1))
def test_adjusting_for_a_listed_set_gives_the_effect(dag, seed):
    x, y = 0, len(dag.nodes) - 1
    net = random_net(np.random.default_rng(seed), dag)
    found = db.identify(dag, cause=x, effect=y)
    for names in found.adjustment_sets:
        got = table_of(found.adjust_for(names).evaluate(net))
        assert got == pytest.approx(truth(net, [y], [x]), abs=1e-12)


def test_of_what_is_known_the_optimal_set_is_taken():
    """Henckel, Perković and Maathuis (2022): what explains the effect helps, what explains the cause does not."""
    g = db.DAG(
        [("cause", "effect"), ("instrument", "cause"), ("risk", "effect"), ("both", "cause"), ("both", "effect")]
    )
    found = db.identify(g, cause="cause", effect="effect")
    assert found.optimal_adjustment == {"risk", "both"}
    assert found.adjustment_sets == (frozenset({"both"}),)
    assert db.identify(g, cause="cause", effect="effect", latent="risk").optimal_adjustment is None
    assert db.identify(g, cause="cause", effect="effect", latent="risk").method == "adjustment"


@given(dags(2, 6))
def test_the_optimal_set_is_valid_where_there_is_a_cause(dag):
    g, x, y = CausalGraph.read(dag), 1, 1 << (len(dag.nodes) - 1)
    best = optimal_adjustment(g, x, y)
    assert (best is not None) == bool(forbidden(g, x, y))
    assert best is None or is_adjustment(g, x, y, best)


def test_a_collider_is_no_confounder():
    """M-bias: to adjust for m would open the path that it blocks."""
    g = db.DAG([("a", "x"), ("a", "m"), ("b", "m"), ("b", "y"), ("x", "y")])
    found = db.identify(g, cause="x", effect="y", latent=["a", "b"])
    assert found.adjustment_sets == (frozenset(),)
    assert found.is_adjustment_set([]) and not found.is_adjustment_set("m")
    with pytest.raises(NotIdentifiedError, match="Minimal sets that do: nothing"):
        found.adjust_for("m")


def test_sets_come_one_after_another():
    """2²⁰ sets are not listed to get the first ones."""
    pairs = [edge for i in range(20) for edge in (("x", f"a{i}"), (f"a{i}", f"b{i}"), (f"b{i}", "y"))]
    g = db.DAG([(b, a) if a == "x" else (a, b) for a, b in pairs])
    found = db.identify(g, cause="x", effect="y")
    assert len(found.adjustment_sets) == 1000
    assert all(found.is_adjustment_set(names) for names in found.adjustment_sets[:20])
