"""The score of a given graph is the one that a search reports for it."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, ParameterError

RNG = np.random.default_rng(5)
A = RNG.integers(0, 3, 300)
TABLE = {"a": A, "b": (A + RNG.integers(0, 2, 300)) % 3, "c": RNG.integers(0, 2, 300)}
NUMBERS = {"x": RNG.normal(size=200), "y": RNG.normal(size=200)}


@pytest.mark.parametrize("score", ["auto", "bic", "k2", db.BDeu(4)])
def test_the_score_is_that_of_the_search(score):
    found = db.search({name: column.astype(str) for name, column in TABLE.items()}, score, method="hc")
    table = {name: column.astype(str) for name, column in TABLE.items()}
    assert db.score_graph(found.graph, table, score=score) == pytest.approx(found.score)


def test_numbers_are_scored_by_gaussian_bic():
    found = db.search(NUMBERS, method="hc")
    assert db.score_graph(found.graph, NUMBERS) == pytest.approx(found.score)


def test_equivalent_graphs_have_the_same_bic_and_the_better_one_a_higher():
    table = {name: column.astype(str) for name, column in TABLE.items()}
    forward, backward, none = db.DAG([("a", "b")]), db.DAG([("b", "a")]), db.DAG(nodes=["a", "b"])
    assert db.score_graph(forward, table) == pytest.approx(db.score_graph(backward, table))
    assert db.score_graph(forward, table) > db.score_graph(none, table)


def test_bic_is_the_log_likelihood_less_half_log_n_a_parameter():
    table = {name: column.astype(str) for name, column in TABLE.items()}
    net = db.BayesNet(db.DAG([("a", "b")])).fit({"a": table["a"], "b": table["b"]}, smoothing=db.MLE())
    log_likelihood = net.log_likelihood({"a": table["a"], "b": table["b"]})
    assert db.score_graph(net.dag, table) == pytest.approx(log_likelihood - 0.5 * np.log(300) * (2 + 3 * 2))


def test_a_node_without_a_column_and_a_graph_that_is_no_dag_are_named():
    with pytest.raises(ColumnMismatchError, match="'z'"):
        db.score_graph(db.DAG([("a", "z")]), TABLE)
    with pytest.raises(ParameterError, match="extension"):
        db.score_graph(db.DAG([("a", "b")]).cpdag(), TABLE)
