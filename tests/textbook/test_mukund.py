"""Mukund, lecture 15: the joint table, naive Bayes, and the laws of Laplace and Lidstone, with his numbers."""

from fractions import Fraction

import numpy as np
import pytest

import deciban as db
from deciban.read import read_table, read_target
from tests.reference import tallies as reference
from tests.textbook.tables import MUKUND, rows_of

pytestmark = pytest.mark.usefixtures("each_instruction_set")

ROWS, LABELS = rows_of(MUKUND, "C")
FALSE, TRUE = 0, 1  # classes in order: f, t


def exact_tables(pseudo: int | Fraction = 0) -> list[list[list[Fraction]]]:
    table = read_table(np.array(ROWS, dtype=object))
    variables = tuple(column.variable() for column in table.columns)
    codes = read_target(np.array(LABELS), len(table)).codes
    counts = reference.count_codes(table.codes(variables).tolist(), codes.tolist(), 2, [len(v) for v in variables])
    return [[reference.smooth(row, pseudo) for row in column] for column in counts]


def exact_joint(a: str, b: str) -> list[Fraction]:
    row = ["ghm".index(a), "bqs".index(b)]
    return reference.joint_probabilities(row, [Fraction(1, 2), Fraction(1, 2)], exact_tables())


def test_the_joint_table_predicts_t_for_g_q_with_a_fifth_against_a_tenth():
    model = db.JointBayes().fit(ROWS, LABELS)
    joint = np.exp(model.predict_joint_log_proba([["g", "q"]]))[0]
    assert joint == pytest.approx([1 / 10, 1 / 5], rel=1e-15)
    assert model.predict([["g", "q"]]).tolist() == ["t"]


def test_the_joint_table_knows_nothing_of_m_q():
    model = db.JointBayes().fit(ROWS, LABELS)
    assert np.exp(model.predict_joint_log_proba([["m", "q"]])).tolist() == [[0.0, 0.0]]
    assert model.predict_proba([["m", "q"]]).tolist() == [[0.5, 0.5]]  # the prior


def test_naive_bayes_predicts_t_for_m_q_with_two_against_one_twenty_fifth():
    assert exact_joint("m", "q") == [Fraction(1, 25), Fraction(2, 25)]
    model = db.CategoricalNB(alpha=0).fit(ROWS, LABELS)
    assert np.exp(model.predict_joint_log_proba([["m", "q"]]))[0] == pytest.approx([1 / 25, 2 / 25], rel=1e-14)
    assert model.predict([["m", "q"]]).tolist() == ["t"]


@pytest.mark.parametrize(("pseudo", "expected"), [(1, Fraction(3, 8)), (Fraction(1, 2), Fraction(5, 13))])
def test_laplace_and_lidstone_add_a_count_to_each_value(pseudo, expected):
    # n_ij = 2 of n_j = 5, m_i = 3 values: (2 + λ) / (5 + 3λ)
    assert exact_tables(pseudo)[0][TRUE]["ghm".index("m")] == expected
    model = db.CategoricalNB(alpha=float(pseudo)).fit(ROWS, LABELS)
    assert np.exp(model.feature_log_prob_[0][TRUE, 2]) == pytest.approx(float(expected), rel=1e-15)


def test_a_zero_count_wipes_out_the_product_and_smoothing_mends_it():
    rows, labels = [["m", "b"], ["m", "s"], ["g", "q"]], ["t", "t", "f"]
    assert np.exp(db.CategoricalNB(alpha=0).fit(rows, labels).predict_joint_log_proba([["m", "q"]])).tolist() == [
        [0, 0]
    ]
    smoothed = np.exp(db.CategoricalNB(alpha=1).fit(rows, labels).predict_joint_log_proba([["m", "q"]]))[0]
    # f: 1/3 · (0+1)/(1+2) · (1+1)/(1+3);  t: 2/3 · (2+1)/(2+2) · (0+1)/(2+3)
    assert smoothed == pytest.approx([1 / 3 * 1 / 3 * 2 / 4, 2 / 3 * 3 / 4 * 1 / 5], rel=1e-14)


def test_the_generative_model_gives_m_q_three_twenty_fifths_and_draws_it_that_often():
    """Choose a class with Pr(c_j), then the attributes with Pr(a_i | c_j): 1/25 of f and 2/25 of t."""
    model = db.CategoricalNB(alpha=0).fit(ROWS, LABELS)
    assert np.exp(model.log_likelihood([["m", "q"]])) == pytest.approx(3 / 25, rel=1e-14)
    X, _ = model.sample(10_000, random_state=0)
    assert ((X[:, 0] == "m") & (X[:, 1] == "q")).mean() == pytest.approx(3 / 25, abs=0.01)
