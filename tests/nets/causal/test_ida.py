"""IDA: the true effect is among the possible ones, and those are what listing the class gives."""

from collections import Counter

import numpy as np
import pytest

import deciban as db
from deciban.errors import GraphError, InputError, ParameterError
from tests.nets.causal.models import random_net, table_of, truth
from tests.nets.named_graphs import all_dags, random_dag


def by_listing(net, g, x, y):
    """For each DAG of the class the effect by its parents of x: a multiset of tables."""
    found = Counter()
    for dag in g.dags():
        tables = db.identify(dag, cause=x, effect=y)
        effect = tables.adjust_for(dag.parents(x)) if y not in dag.parents(x) else tables.estimand
        found[tuple(table_of(effect.evaluate(net)).round(12).ravel().tolist())] += 1
    return found


def by_parents(net, g, x, y):
    found = Counter()
    for one in db.ida(net, g, cause=x, effect=y):
        found[tuple(table_of(one.effect).round(12).ravel().tolist())] += one.dags
    return found


def test_possible_effects_are_those_of_all_dags():
    rng = np.random.default_rng(0)
    classes = {dag.cpdag(): dag for dag in all_dags(4)}
    for number, (g, dag) in enumerate(classes.items()):
        if number % 4 == 0:
            net = random_net(rng, dag, (2, 2))
            x, y = map(int, rng.permutation(4)[:2])
            assert by_parents(net, g, x, y) == by_listing(net, g, x, y)


def test_the_true_effect_is_among_them():
    rng = np.random.default_rng(1)
    for _ in range(20):
        dag = random_dag(rng, 6, 1.2)
        net = random_net(rng, dag)
        x, y = map(int, rng.permutation(6)[:2])
        true = next(one for one in db.ida(net, dag.cpdag(), cause=x, effect=y) if one.parents == dag.parents(x))
        assert table_of(true.effect) == pytest.approx(truth(net, [y], [x]), abs=1e-12)


def linear(dag, rng, rows):
    """A linear Gaussian sample of a DAG, and the true total effects [cause, effect]."""
    count = len(dag.nodes)
    weights = dag.adjacency() * rng.uniform(0.5, 1.5, (count, count)) * rng.choice([-1, 1], (count, count))
    reach = np.linalg.inv(np.eye(count) - weights)
    return {str(node): column for node, column in enumerate((rng.normal(size=(rows, count)) @ reach).T)}, reach


def test_slopes_hold_the_true_one():
    rng = np.random.default_rng(2)
    for _ in range(10):
        dag = random_dag(rng, 6, 1.2)
        data, reach = linear(dag, rng, 4000)
        x, y = map(int, rng.permutation(6)[:2])
        found = db.ida(data, dag.cpdag(), cause=x, effect=y, model="gaussian")
        true = next(one for one in found if one.parents == dag.parents(x))
        assert true.effect == pytest.approx(reach[x, y], abs=4 * true.error + 1e-12)
        least, most = found.range()
        assert least <= true.effect <= most
        assert sum(one.share for one in found) == pytest.approx(1)


def test_what_is_shown_and_asked():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    found = db.ida(
        {"x": x, "y": 2 * x + rng.normal(size=100)}, db.CPDAG([], [("x", "y")]), cause="x", effect="y", model="gaussian"
    )
    assert str(found).splitlines()[1::2] == ["parents none: 1 DAG, 50%", "parents y: 1 DAG, 50%"]
    assert found.range()[0] == 0 and found[1].effect == 0
    assert len(found) == 2 and found[:1][0] is found[0]
    assert repr(found) == "PossibleEffects(x on y: 2 sets of parents)"
    assert found._repr_html_().startswith("<pre>possible effects of x on y")
    net = random_net(rng, db.DAG([("x", "y")]), (2, 2))
    tables = db.ida(net, db.CPDAG([], [("x", "y")]), cause="x", effect="y")
    least, most = tables.range(0, 1)
    assert {least, most} == {one.effect[0][1] for one in tables}
    with pytest.raises(InputError, match="state of the cause and the outcome"):
        tables.range()


def test_wrong_questions():
    net = random_net(np.random.default_rng(0), db.DAG([("x", "y")]))
    with pytest.raises(ParameterError, match="'tables', 'gaussian'"):
        db.ida(net, net.dag, cause="x", effect="y", model="linear")
    with pytest.raises(InputError, match="no slopes"):
        db.ida(net, net.dag, cause="x", effect="y", model="gaussian")
    with pytest.raises(GraphError, match="both 'x'"):
        db.ida(net, net.dag, cause="x", effect="x")
