"""The weights of models, and how a comparison shows itself."""

import numpy as np
import pytest

from deciban.models.auto import Candidate, Comparison, Scored, compare

rng = np.random.default_rng(0)
Y = rng.integers(0, 2, 4_000).astype(np.int32)
EVIDENCE = np.where(Y == 1, 1.0, -1.0) + rng.normal(0, np.sqrt(2.0), len(Y))  # its log-odds are itself
PRIOR = np.full((len(Y), 2), np.log(0.5))


def logs(evidence):
    return np.column_stack([np.zeros(len(Y)), evidence])


def scored(*evidence):
    return Scored(np.stack([logs(e) for e in evidence]), PRIOR, Y, np.ones(len(Y)))


def test_a_model_that_is_right_has_the_weight_1():
    found = compare(["right"], scored(EVIDENCE), "in folds")
    assert found.candidates[0].weight == pytest.approx(1, abs=0.05)
    assert found.log_loss == pytest.approx(found.candidates[0].log_loss, abs=0.001)


def test_one_that_is_too_confident_gets_less():
    assert compare(["bold"], scored(3 * EVIDENCE), "in folds").candidates[0].weight == pytest.approx(1 / 3, abs=0.02)


def test_two_that_say_the_same_share_the_weight():
    found = compare(["a", "b"], scored(EVIDENCE, EVIDENCE), "in folds")
    assert [c.weight for c in found.candidates] == pytest.approx([0.5, 0.5], abs=0.03)


def test_one_that_misleads_is_not_used():
    wrong = np.where(Y == 1, -1.0, 1.0) + rng.normal(0, 2.0, len(Y))
    found = compare(["right", "wrong"], scored(EVIDENCE, wrong), "in folds")
    assert found.candidates[1].weight == 0
    assert found.reason.endswith("right alone has the least log loss.")


def test_weights_of_rows_count():
    half = np.where(np.arange(len(Y)) < 2_000, 1.0, 0.0)
    bold = np.where(np.arange(len(Y)) < 2_000, EVIDENCE, 5 * EVIDENCE)
    found = compare(["a"], scored(bold)._replace(sample_weight=half), "in folds")
    assert found.candidates[0].weight == pytest.approx(1, abs=0.1)


def test_impossible_rows_leave_all_finite():
    impossible = logs(EVIDENCE)
    impossible[::7] = -np.inf
    found = compare(["a"], Scored(impossible[None], PRIOR, Y, np.ones(len(Y))), "in folds")
    assert np.isfinite([found.log_loss, found.candidates[0].log_loss, found.candidates[0].weight]).all()


def test_it_shows_itself_as_a_table():
    candidates = Candidate("A", 0.5, 0.75, 0.25, 1.0), Candidate("Long", 1.25, 0.5, 0.0)
    found = Comparison(candidates, 0.45, 0.8, 1_000, "in folds")
    assert repr(found).splitlines() == [
        "model     weight  log loss  accuracy  without it",
        "A           0.25    0.5000    0.7500      1.0000",
        "Long        0.00    1.2500    0.5000",
        "combined            0.4500    0.8000",
        "",
        "Scored on 1,000 rows, in folds. A alone has the least log loss.",
    ]
    assert "<td>Long</td><td>0.00</td>" in found._repr_html_()


def test_it_says_so_where_no_model_is_used():
    assert "no model is used" in Comparison((Candidate("A", 0.5, 0.7, 0.0),), 0.5, 0.7, 9, "in folds").reason
