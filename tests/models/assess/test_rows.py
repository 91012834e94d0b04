"""Rows are chosen by the rules that are stated, and explained as single rows are."""

import numpy as np
import pytest

import deciban as db
from deciban.models.assess import RULES, as_table, choose_rows, explain_rows
from deciban.read import read_matrix, read_table
from tests.models.assess.tables import DAYS


def test_the_rules_hold():
    rng = np.random.default_rng(0)
    posterior, y = rng.dirichlet([1, 1, 1], 200), rng.integers(3, size=200)
    chosen = choose_rows(posterior, y)
    assert len(chosen) == len({found.row for found in chosen}) == 10
    best, sure = posterior.argmax(axis=1), posterior.max(axis=1)
    wrong = {found.row for found in chosen if found.why == "wrong"}
    assert wrong == set(sorted(np.flatnonzero(best != y), key=lambda row: -sure[row])[:3])
    surest = [found.row for found in chosen if found.why == "surest"]
    assert all(best[row] == y[row] for row in surest) and len({int(y[row]) for row in surest}) == 2
    close = [found.row for found in chosen if found.why == "least certain"]
    two = np.sort(posterior, axis=1)
    assert max(two[close, -1] - two[close, -2]) <= np.sort(two[:, -1] - two[:, -2])[6]
    assert [found.why for found in chosen] == sorted((found.why for found in chosen), key=list(RULES).index)


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_small_tables_are_chosen_whole(rows):
    posterior = np.tile([0.6, 0.4], (rows, 1))
    assert sorted(found.row for found in choose_rows(posterior, np.zeros(rows, dtype=np.int32))) == list(range(rows))


def test_one_class_has_no_rival():
    assert choose_rows(np.ones((3, 1)), np.zeros(3, dtype=np.int32))


@pytest.mark.parametrize("kind", [db.NaiveBayes(), db.TAN(), db.CategoricalNB()])
def test_explanations_are_those_of_single_rows(kind):
    X = DAYS.drop(columns="play")
    model = kind.fit(X, DAYS["play"])
    for row, found in zip([3, 0], explain_rows(model, X, [3, 0]), strict=True):
        expected = model.explain(X.iloc[row])
        assert found.rows() == expected.rows() and found.label == expected.label


def test_a_matrix_becomes_columns():
    assert as_table(read_matrix([[1.0, 2.0]])).names == ("x0", "x1")
    table = read_table({"a": [1]})
    assert as_table(table) is table
