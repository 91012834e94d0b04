"""Neither names nor the order of columns and rows change what a search finds."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import CycleError, DecibanError
from deciban.nets import BIC, Move
from deciban.nets.search.search import data_order
from tests.nets.named_graphs import ASIA, SPRINKLER

SCORES = ["bic", "bdeu", "k2"]


def random_net(dag, rng):
    tables = {node: rng.dirichlet((0.7, 0.7, 0.7), (3,) * len(dag.parents(node))) for node in dag.nodes}
    return db.BayesNet.from_tables(dag, dict.fromkeys(dag.nodes, ("a", "b", "c")), tables)


@pytest.mark.parametrize("method", ["hc", "tabu", "ges", "exact", "chow_liu"])
@settings(max_examples=12)
@given(st.integers(0, 10_000), st.sampled_from(SCORES), st.sampled_from([40, 400]))
def test_renamed_and_shuffled_columns_give_the_renamed_graph(method, seed, score, rows):
    rng = np.random.default_rng(seed)
    table = random_net([ASIA, SPRINKLER][seed % 2], rng).sample(rows, random_state=seed).to_pandas()
    if len({tuple(table[name]) for name in table}) < table.shape[1]:
        return  # copies of a column cannot be told apart
    new = dict(zip(table.columns, rng.permutation([f"n{i}" for i in range(table.shape[1])]), strict=True))
    other = table.rename(columns=new).sample(frac=1, random_state=seed)
    other = other[list(rng.permutation(other.columns))]
    one, two = db.search(table, score, method=method), db.search(other, score, method=method)
    assert one.score == pytest.approx(two.score)
    assert {(new[a], new[b]) for a, b in one.graph.directed_edges} == set(two.graph.directed_edges)
    renamed = {frozenset((new[a], new[b])) for a, b in one.graph.undirected_edges}
    assert renamed == {frozenset(edge) for edge in two.graph.undirected_edges}


def test_columns_with_the_same_counts_are_told_apart_by_their_neighbours():
    rng = np.random.default_rng(0)
    a = rng.permutation([0, 1] * 100)
    table = pd.DataFrame({"a": a, "b": np.roll(a, 1), "c": a ^ (rng.random(200) < 0.1)})
    renamed = table.rename(columns={"a": "b", "b": "a"})
    names = [BIC().on(one).names for one in (table, renamed)]
    first = [names[0][v] for v in data_order(BIC().on(table))]
    second = [names[1][v] for v in data_order(BIC().on(renamed))]
    assert [{"a": "b", "b": "a"}.get(name, name) for name in first] == second


def test_a_dag_says_how_many_of_its_arrows_the_data_decide():
    table = random_net(SPRINKLER, np.random.default_rng(3)).sample(3000, random_state=1)
    found = db.search(table, "bic", method="hc")
    undecided = len(found.graph.cpdag().undirected_edges)
    assert found.cpdag == found.graph.cpdag() and found.dag == found.graph and undecided
    assert f"{undecided} of {len(found.graph.directed_edges)} arrows" in repr(found)
    ges = db.search(table, method="ges")
    assert ges.method == "ges" and ges.cpdag == ges.graph and not ges.notes
    assert ges.dag.cpdag() == ges.graph


def test_numbers_are_searched_as_numbers_and_mixtures_as_both():
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    table = pd.DataFrame({"x": x, "y": x + 0.2 * rng.normal(size=400)})
    found = db.search(table)
    assert found.criterion == "gaussian_bic" and found.graph.is_adjacent("x", "y")
    assert db.discover(table).graph.is_adjacent("x", "y")
    for name in ("search", "discover"):
        mixed = getattr(db, name)(table.assign(sex=["m", "f"] * 200))
        assert mixed.graph.is_adjacent("x", "y") and not mixed.graph.is_adjacent("x", "sex")
        assert mixed.notes == (
            "read as numbers: x (400 different numbers), y (400 different numbers)",
            "counted as categories: sex",
        )
    for call in (lambda data: db.search(data, "bic"), lambda data: db.discover(data, test="g2")):
        with pytest.raises(DecibanError, match=r"'x' holds 400 different numbers.*pandas\.cut"):
            call(table.assign(sex=["m", "f"] * 200))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda data: db.search(data, method="gse"), "Did you mean 'ges'"),
        (lambda data: db.search(data, "bdue"), "Did you mean 'bdeu'"),
        (lambda data: db.discover(data, test="fisher"), "Did you mean 'fisher_z'"),
        (lambda data: db.discover(data, collider_rule="majorty"), "Did you mean 'majority'"),
        (lambda data: db.search(data, knowledge=db.Knowledge(required=[("raim", "wet")])), "Did you mean 'rain'"),
        (lambda data: db.discover(data, knowledge=db.Knowledge(tiers=[["raim"], ["wet"]])), "Did you mean 'rain'"),
    ],
)
def test_misspelt_words_are_told(call, says):
    with pytest.raises(DecibanError, match=says):
        call({"rain": [0, 1, 1, 0], "wet": [0, 1, 0, 0]})


def test_the_same_columns_are_refused_everywhere():
    rows = 300
    table = pd.DataFrame({"id": [f"r{i}" for i in range(rows)], "a": [0, 1] * (rows // 2)})
    graph = db.DAG([("a", "id")])
    for call in (
        lambda: db.discover(table, test="g2"),
        lambda: db.search(table, "bic"),
        lambda: db.BayesNet(graph).fit(table),
    ):
        with pytest.raises(DecibanError, match="'id' has 300 different values in 300 rows: it names rows"):
            call()
    assert db.search(table, "bic", sample_weight=np.full(rows, 10.0)).graph.nodes == ("a", "id")


def test_names_that_are_numbers_are_shown_in_moves_and_errors():
    assert str(Move("insert", 1, 2, 0.5, (3, 4))) == "insert 1 → 2 with 3, 4 (+0.5)"
    knows = SimpleNamespace(required=[(1, 2), (2, 1)], forbidden=[])
    with pytest.raises(CycleError, match=r"form the cycle [12] → [12] → [12]"):
        db.search({1: [0, 1, 1, 0], 2: [0, 1, 0, 0]}, knowledge=knows)
    knows = SimpleNamespace(required=[(1, 3)], forbidden=[])
    with pytest.raises(DecibanError, match="names 3 in a required arrow"):
        db.search({1: [0, 1, 1, 0], 2: [0, 1, 0, 0]}, knowledge=knows)
