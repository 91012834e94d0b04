"""Cells of a joint table: rows with the same values are one cell, however many columns there are."""

import numpy as np
import pytest

import deciban as db

TABLE = {"sky": ["sun", "sun", "rain", "sun"], "wind": ["weak", "weak", "weak", "strong"]}
Y = ["no", "yes", "yes", "no"]


def test_cells_by_hand():
    model = db.JointBayes().fit(TABLE, Y)
    rows = {"sky": ["sun", "rain", "sun"], "wind": ["weak", "weak", "strong"]}
    assert model.predict_proba(rows) == pytest.approx(np.array([[0.5, 0.5], [0.0, 1.0], [1.0, 0.0]]))


def test_a_cell_that_never_occurred_has_the_prior():
    model = db.JointBayes().fit(TABLE, Y)
    assert model.predict_proba({"sky": ["rain"], "wind": ["strong"]})[0] == pytest.approx([0.5, 0.5])


def test_many_columns_do_not_overflow_the_numbers_of_cells():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 10, (50, 60)).astype(str)  # 10^60 cells
    y = np.arange(50) % 2
    assert db.JointBayes().fit(X, y).predict(X).tolist() == y.tolist()
