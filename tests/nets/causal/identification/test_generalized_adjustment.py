"""In a class of graphs, the sets that are right in every graph of it, and no others."""

import itertools
import pickle

import numpy as np
import pytest

import deciban as db
from deciban.errors import GraphError, NotIdentifiedError
from deciban.nets import MAG
from tests.nets import mags
from tests.nets.causal.models import random_net, subsets, table_of, truth
from tests.nets.named_graphs import random_dag


def is_right(dag, x, y, chosen, latent=()):
    return db.identify(dag, cause=x, effect=y, latent=latent).is_adjustment_set(chosen)


def compare(graph, members, x, y):
    """The valid sets against those that are valid in every member; the minimal ones against the smallest of them."""
    others = [node for node in graph.nodes if node not in (x, y)]
    right = [
        frozenset(chosen)
        for chosen in subsets(others)
        if all(is_right(dag, x, y, chosen, latent) for dag, latent in members)
    ]
    found = db.identify(graph, cause=x, effect=y)
    assert [frozenset(chosen) for chosen in subsets(others) if found.is_adjustment_set(chosen)] == right
    assert set(found.adjustment_sets) == {one for one in right if not any(other < one for other in right)}
    return found, right


@pytest.mark.parametrize("seed", range(60))
def test_cpdags(seed):
    graph = random_dag(np.random.default_rng(seed), 5, 1.5).cpdag()
    members = [(dag, ()) for dag in graph.dags()]
    for x, y in itertools.permutations(graph.nodes, 2):
        found, right = compare(graph, members, x, y)
        single = [db.identify(dag, cause=x, effect=y) for dag, _ in members]
        assert (found.method == "no effect") == all(one.method == "no effect" for one in single)
        if right and found.method != "no effect":
            assert {one.optimal_adjustment for one in single} == {found.optimal_adjustment}
        if not found:
            assert "may point either way" in found.why


@pytest.mark.parametrize("seed", range(20))
def test_pdags_with_background_knowledge(seed):
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, 5, 1.8)
    whole = dag.cpdag()
    kept = [edge for edge in dag.directed_edges if rng.random() < 0.4 or edge in whole.directed_edges]
    open_edges = [edge for edge in dag.directed_edges if edge not in kept]
    graph = db.PDAG(kept, open_edges, dag.nodes)
    members = [(one, ()) for one in graph.dags()]
    for x, y in itertools.permutations(graph.nodes, 2):
        compare(graph, members, x, y)


@pytest.mark.parametrize("seed", range(10))
def test_several_causes(seed):
    graph = random_dag(np.random.default_rng(seed), 6, 1.5).cpdag()
    members = list(graph.dags())
    for pair in itertools.combinations(graph.nodes, 2):
        for y in set(graph.nodes) - set(pair):
            found = db.identify(graph, cause=pair, effect=y)
            for chosen in subsets([node for node in graph.nodes if node not in (*pair, y)]):
                assert found.is_adjustment_set(chosen) == all(is_right(dag, pair, y, chosen) for dag in members)


def dags_of(marks, count):
    """DAGs with latent nodes that have this MAG: the canonical one, and those with one more common cause."""
    arrows, latent = mags.canonical(marks, count)
    mag = MAG.from_marks(mags.matrix_of(marks, count))
    yield db.DAG(arrows, [*range(count), *latent]), latent
    extra = count + len(latent)
    for a, b in [arrow for arrow in arrows if arrow[0] < count]:
        more = db.DAG([*arrows, (extra, a), (extra, b)], [*range(count), *latent, extra])
        if MAG.of_dag(more, [*latent, extra]) == mag:
            yield more, [*latent, extra]


CLASSES = sorted(mags.classes(4).values(), key=str)


@pytest.mark.parametrize("part", range(12))
def test_pags_and_mags(part):
    for common, members in CLASSES[part::36]:
        pag = db.PAG.from_marks(mags.matrix_of(common, 4))
        each = [list(dags_of(marks, 4)) for marks in members]
        for x, y in itertools.permutations(range(4), 2):
            compare(pag, [pair for pairs in each for pair in pairs], x, y)
            compare(MAG.from_marks(mags.matrix_of(members[0], 4)), each[0], x, y)


def test_the_effect_of_a_class_is_that_of_its_dags():
    rng = np.random.default_rng(0)
    dag = db.DAG([("z", "x"), ("z", "y"), ("w", "x"), ("x", "y")])
    net = random_net(rng, dag)
    assert table_of(db.effect(net, dag.cpdag(), cause="x", effect="y")) == pytest.approx(truth(net, ["y"], ["x"]))
    table = net.sample(2000, random_state=0)
    one, other = (db.effect(table, g, cause="x", effect="y", bootstrap=0) for g in (dag, dag.cpdag()))
    assert table_of(one) == pytest.approx(table_of(other))


def test_strata():
    dag = db.DAG([("z", "x"), ("z", "y"), ("w", "y"), ("v", "x"), ("x", "y")])
    net = random_net(np.random.default_rng(1), dag)
    graph = dag.cpdag()
    found = db.identify(graph, cause="x", effect="y", given="w")
    assert found.adjustment_sets == (frozenset("z"),)
    assert table_of(found.evaluate(net)) == pytest.approx(truth(net, ["y"], ["x"], ["w"]))
    assert not db.identify(db.CPDAG([], [("x", "y"), ("x", "w")]), cause="x", effect="y", given="w")


def test_numbers_in_a_class():
    rng = np.random.default_rng(2)
    z, w = rng.normal(size=(2, 500))
    x = z + w + rng.normal(size=500)
    table = {"z": z, "w": w, "x": x, "y": 2 * x + z + rng.normal(size=500)}
    graph = db.DAG([("z", "x"), ("z", "y"), ("w", "x"), ("x", "y")]).cpdag()
    found = db.effect(table, graph, cause="x", effect="y")
    assert found.slope().value == pytest.approx(2, abs=4 * found.slope().error)
    assert found.adjusted == ("z",)


def test_where_the_effect_differs_it_is_said():
    table = {"x": [0, 1, 0, 1], "y": [0, 1, 1, 1]}
    graph = db.CPDAG([], [("x", "y")])
    with pytest.raises(NotIdentifiedError, match=r"x — y may point either way\. db\.ida returns the effect in each"):
        db.effect(table, graph, cause="x", effect="y")
    pag = db.PAG([("a", "o→", "x"), ("x", "o→", "y"), ("b", "o→", "y")])
    found = db.identify(pag, cause="x", effect="y")
    assert "a hidden common cause, or another direction, at x o→ y" in str(found)
    back = db.identify(db.PAG([("y", "o-o", "x")]), cause="x", effect="y")
    assert "at x o—o y" in back.why
    visible = db.PAG([("a", "o→", "x"), ("b", "o→", "x"), ("x", "→", "y")])
    assert db.identify(visible, cause="x", effect="y").adjustment_sets == (frozenset(),)


def test_what_a_class_does_not_take():
    graph = db.CPDAG([], [("x", "y"), ("y", "z")])
    with pytest.raises(GraphError, match="latent and confounded are for a DAG"):
        db.identify(graph, cause="x", effect="y", latent="z")
    with pytest.raises(GraphError, match="effect and cause share x"):
        db.identify(graph, cause="x", effect="x")
    with pytest.raises(GraphError, match="in a DAG, a CPDAG"):
        db.identify("x -> y", cause="x", effect="y")
    with pytest.raises(GraphError, match="selection bias"):
        db.identify(db.PAG([("x", "--", "y")]), cause="x", effect="y").adjustment_sets  # noqa: B018


def test_identifications_are_values():
    graph = db.DAG([("z", "x"), ("z", "y"), ("x", "y")]).cpdag()
    one, other = (db.identify(graph, cause="x", effect="y") for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301
    assert one != db.identify(graph, cause="z", effect="y")
