"""Divergences of two nets are those of their joint distributions, whatever their graphs."""

from itertools import product
from math import log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import GraphError, ParameterError

NODES = ["a", "b", "c", "d"]
STATES = {"a": (0, 1), "b": ("x", "y", "z"), "c": (0, 1), "d": (0, 1)}


def random_net(seed, states=STATES, *, zeros=False):
    rng = np.random.default_rng(seed)
    order = rng.permutation(NODES)
    arrows = [(u, v) for i, v in enumerate(order) for u in order[:i] if rng.random() < 0.5]
    dag = db.DAG([(str(u), str(v)) for u, v in arrows], [str(v) for v in order])
    tables = {}
    for v in dag.nodes:
        parents = sorted(dag.parents(v), key=dag.index)
        weights = rng.random((*(len(states[p]) for p in parents), len(states[v]))) + 0.05
        if zeros:
            weights[..., 0] *= rng.random() < 0.5
        tables[v] = weights / weights.sum(axis=-1, keepdims=True)
    return db.BayesNet.from_tables(dag, states, tables)


def joint(net):
    rows = [dict(zip(NODES, row, strict=True)) for row in product(*(STATES[n] for n in NODES))]
    return np.exp(net.log_likelihood({n: [row[n] for row in rows] for n in NODES}, per_row=True))


def kl(p, q):
    known = p > 0
    return np.inf if (q[known] == 0).any() else float((p[known] * np.log(p[known] / q[known])).sum())


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())
@settings(max_examples=20)
def test_nets_of_categories(seed, other_seed, zeros):
    one, other = (
        random_net(seed, zeros=zeros),
        random_net(other_seed, {n: s[::-1] for n, s in STATES.items()}, zeros=zeros),
    )
    p, q = joint(one), joint(other)
    assert float(one.kl_divergence(other)) == pytest.approx(kl(p, q), abs=1e-12)
    middle = (p + q) / 2
    js = one.js_divergence(other)
    assert js.is_exact and js.nats == pytest.approx((kl(p, middle) + kl(q, middle)) / 2, abs=1e-12)
    assert 0 <= js.nats <= log(2) + 1e-12 and one.kl_divergence(one).nats == pytest.approx(0.0, abs=1e-12)


def normal_net(seed):
    rng = np.random.default_rng(seed)
    dag = db.DAG([(u, v) for i, v in enumerate("abc") for u in "abc"[:i] if rng.random() < 0.7], list("abc"))
    parameters = {
        v: db.LinearGaussian(rng.normal(), {u: rng.normal() for u in dag.parents(v)}, rng.random() + 0.2) for v in "abc"
    }
    return db.GaussianNet.from_parameters(dag, parameters)


@pytest.mark.parametrize("seed", range(5))
def test_nets_of_numbers_in_closed_form(seed):
    one, other = normal_net(seed), normal_net(seed + 100)
    p, q = one.joint, other.joint
    inverse, shift = np.linalg.inv(q.covariance), np.asarray(q.mean) - p.mean
    logs = np.linalg.slogdet(q.covariance)[1] - np.linalg.slogdet(p.covariance)[1]
    wanted = (np.trace(inverse @ p.covariance) + shift @ inverse @ shift - 3 + logs) / 2
    assert one.kl_divergence(other).is_exact and float(one.kl_divergence(other)) == pytest.approx(wanted)
    js = one.js_divergence(other, n=2000)
    assert js.draws == 2000 and 0 <= js.nats <= log(2) and one.js_divergence(one).nats == 0


def test_nets_with_both_kinds_are_estimated():
    rng = np.random.default_rng(3)
    group = rng.integers(0, 2, 400)
    rows = {"group": group, "size": 2 * group + rng.normal(size=400)}
    net = db.BayesNet([("group", "size")]).fit(rows)
    apart = db.BayesNet(db.DAG(nodes=["group", "size"])).fit(rows)
    found = net.kl_divergence(apart, n=4000)
    assert 0.2 < found.nats < 0.6 and 0 < found.standard_error < 0.03 and "draws" in repr(found)
    assert net.kl_divergence(net).nats == 0


def test_larger_nets_are_estimated_by_draws():
    states = dict.fromkeys(range(17), (0, 1))
    assert prod(map(len, states.values())) > 1 << 16

    def coins(p):
        dag = db.DAG(nodes=range(17))
        return db.BayesNet.from_tables(dag, states, {i: [p, 1 - p] if i == 0 else [0.5, 0.5] for i in range(17)})

    found = coins(0.5).js_divergence(coins(0.1))
    p, q = np.array([0.5, 0.5]), np.array([0.1, 0.9])
    exact = (kl(p, (p + q) / 2) + kl(q, (p + q) / 2)) / 2
    assert abs(found.nats - exact) < 4 * found.standard_error < 0.02


def test_what_has_no_divergence():
    one = random_net(0)
    with pytest.raises(ParameterError, match="different states of 'a': 5 in one only"):
        one.kl_divergence(random_net(0, {**STATES, "a": (0, 1, 5)}))
    with pytest.raises(GraphError, match="different nodes"):
        one.js_divergence(normal_net(0))
    numbers = dict.fromkeys(NODES, "number")
    rows = {n: [0.0, 1.5, 2.0, 4.0] for n in NODES}
    with pytest.raises(ParameterError, match="a category in one net"):
        one.kl_divergence(db.BayesNet(one.dag).fit(rows, columns=numbers))


def test_a_node_without_noise():
    def net(variance):
        return db.GaussianNet.from_parameters(db.DAG(nodes=["a"]), {"a": db.LinearGaussian(0.0, {}, variance)})

    assert net(1.0).kl_divergence(net(0.0)).nats == net(0.0).kl_divergence(net(1.0)).nats == np.inf
    with pytest.raises(ParameterError, match="no densities"):
        net(0.0).kl_divergence(net(0.0))
