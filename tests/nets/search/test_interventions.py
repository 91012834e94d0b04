"""Searches on rows in some of which nodes were set."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.nets import BIC, GaussianBIC, InterventionalCPDAG
from tests.nets.named_graphs import dags, random_dag

METHODS = ["auto", "ges", "boss", "hc", "tabu", "exact"]


def simulated(dag, interventions, rows, seed, categories=False):
    """Numbers of a linear model on the graph, so many rows for each intervention, and the set of each row."""
    rng = np.random.default_rng(seed)
    parents = {node: sorted(dag.parents(node)) for node in dag.nodes}
    weights = {(up, node): rng.choice([-1, 1]) * rng.uniform(0.6, 1.2) for up, node in dag.directed_edges}
    parts, sets = [], []
    for nodes in interventions:
        values = {}
        for node in dag.topological_order():
            noise = rng.normal(size=rows)
            if node in nodes:
                values[node] = 2 * noise + 3
            else:
                values[node] = noise + sum(weights[up, node] * values[up] for up in parents[node])
        parts.append(pd.DataFrame({str(node): values[node] for node in dag.nodes}))
        sets += [tuple(map(str, nodes))] * rows
    table = pd.concat(parts, ignore_index=True)
    return ((table > 0).astype(str) if categories else table), sets


def named(dag):
    return db.DAG([(str(a), str(b)) for a, b in dag.directed_edges], list(map(str, dag.nodes)))


def test_enough_rows_give_the_class_of_the_graph():
    is_best, is_right = [], []
    for seed in range(5000, 5006):
        rng = np.random.default_rng(seed)
        dag = random_dag(rng, 6, 0.7)
        interventions = [(), *((int(node),) for node in rng.choice(6, 2, replace=False))]
        table, sets = simulated(dag, interventions, 2000, seed)
        result = db.search(table, interventions=sets)
        best = db.search(table, interventions=sets, method="exact")
        assert result.score <= best.score + 1e-6
        is_best.append(result.cpdag == best.cpdag)
        is_right.append(best.cpdag == InterventionalCPDAG.of(named(dag), [map(str, nodes) for nodes in interventions]))
    assert sum(is_best) >= 5
    assert sum(is_right) >= 4


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("categories", [False, True])
def test_gains_add_up_to_the_score(method, categories):
    dag = random_dag(np.random.default_rng(5010), 7, 1.5)
    table, sets = simulated(dag, [(), (2,), (3, 4)], 300, 5010, categories)
    result = db.search(table, interventions=sets, method=method)
    score = BIC() if categories else GaussianBIC(result.penalty)
    total = 0.0
    for node in table.columns:
        known = [str(node) not in nodes for nodes in sets]
        part = table[known]
        mask = sum(1 << sorted(table.columns).index(up) for up in result.dag.parents(node))
        total += score.on(part).local([(sorted(table.columns).index(node), mask)])[0]
    assert result.score == pytest.approx(total)
    assert db.score_graph(result.dag, table, interventions=sets) == pytest.approx(total)
    if method not in ("auto", "exact", "boss"):
        start = db.search(table, interventions=sets, method="hc", max_parents=0).score
        assert start + sum(move.gain for move in result.moves) == pytest.approx(result.score)


@given(dags(min_nodes=3, max_nodes=5), st.integers(5000, 5999), st.permutations(range(60)))
@settings(max_examples=10)
def test_names_and_order_change_nothing(dag, seed, order):
    table, sets = simulated(dag, [(), (0,), (1, 2)], 20, seed)
    found = db.search(table, interventions=sets).graph
    renamed = {name: f"{9 - int(name)}" for name in table.columns}
    other = table.iloc[order].rename(columns=renamed)
    sets = [tuple(renamed[node] for node in sets[row]) for row in order]
    again = db.search(other, interventions=sets).graph
    assert {(renamed[a], renamed[b]) for a, b in found.directed_edges} == set(again.directed_edges)
    assert {frozenset((renamed[a], renamed[b])) for a, b in found.undirected_edges} == set(
        map(frozenset, again.undirected_edges)
    )


def test_every_spelling_of_interventions_says_the_same():
    dag = db.DAG([("0", "1"), ("1", "2")])
    table, sets = simulated(dag, [(), ("1",), ("0", "2")], 200, 5020)
    right = db.search(table, interventions=sets)
    text = [",".join(nodes) for nodes in sets]
    drug = np.repeat(["none", "A", "B"], 200)
    spelled = [
        (table.assign(target=text), "target"),
        (table.assign(target=[one or None for one in text]), "target"),
        (table.assign(drug=drug), {"drug": {"none": None, "A": "1", "B": ("0", "2")}}),
        (table.assign(A=drug == "A", B=(drug == "B") * 1, C=1), {"A": "1", "B": ["0", "2"], "C": None}),
        (table, np.array(text, dtype=object)),
        (table, pd.Series([set(nodes) for nodes in sets])),
    ]
    for data, interventions in spelled:
        result = db.search(data, interventions=interventions)
        assert result == right
        assert result.interventions == right.interventions
    assert "2 sets of nodes with interventions" in right.citation()


def test_rows_that_are_left_out_take_their_interventions_along():
    dag = db.DAG([("0", "1"), ("1", "2")])
    table, sets = simulated(dag, [(), ("1",)], 200, 5021)
    weight = np.tile([1.0, 0.0], 200)
    half = db.search(table[weight > 0], interventions=[one for one, w in zip(sets, weight, strict=True) if w])
    assert db.search(table, interventions=sets, sample_weight=weight).score == pytest.approx(half.score)
    holes = table.mask((weight == 0)[:, None] & (table.columns == "2"))
    assert db.search(holes, interventions=sets, missing="drop").score == pytest.approx(half.score)
    assert db.search(holes, interventions=sets, missing="skip").cpdag == half.cpdag


def test_a_node_that_was_always_set_has_no_parents():
    table, _ = simulated(db.DAG([("0", "1")]), [()], 200, 5022)
    for method in METHODS:
        found = db.search(table, interventions=["1"] * 200, method=method)
        assert not found.dag.parents("1")
        assert "1 was set in every row, so nothing says what it depends on" in found.notes


def test_knowledge_and_interventions():
    dag = db.DAG([("0", "1"), ("1", "2")])
    table, sets = simulated(dag, [(), ("2",)], 500, 5023)
    assert db.search(table, interventions=sets).graph.undirected_edges == (("0", "1"),)
    known = db.search(table, interventions=sets, knowledge=db.Knowledge(tiers=[["1"], ["0", "2"]])).graph
    assert known.directed_edges == (("1", "0"), ("1", "2"))
    against = db.search(table, interventions=sets, knowledge=db.Knowledge(required=[("2", "1")]))
    assert ("2", "1") in against.graph.directed_edges


@pytest.mark.parametrize(
    ("interventions", "message"),
    [
        ("b", "interventions sets 'x', which is not a node"),
        (["a", "c"], "interventions sets 'c', which is not a node"),
        ({"b": {"x": "a"}}, "says nothing of the value 'y' of column 'b'"),
        ({"b": "a"}, "column 'b' has the value 'x'; a column of which"),
        (3, "interventions is the name of a column"),
    ],
)
def test_what_names_no_node_is_an_error(interventions, message):
    with pytest.raises(ParameterError, match=message):
        db.search({"a": [0, 1], "b": ["x", "y"]}, interventions=interventions)


def test_other_errors():
    rows = {"a": [0, 1], "b": [0, 1]}
    with pytest.raises(ColumnMismatchError, match="the table has no column 'drug'"):
        db.search(rows, interventions="drug")
    with pytest.raises(ColumnMismatchError, match="1 entries, and the table 2 rows"):
        db.search(rows, interventions=["a"])
    with pytest.raises(ParameterError, match="tree has no directions"):
        db.search(rows, interventions=["a", None], method="chow_liu")
    with pytest.raises(ParameterError, match='pass missing="skip"'):
        db.search(rows, interventions=["a", None], missing="em")
