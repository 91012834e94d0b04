"""Costs by hand."""

import pytest

import deciban as db
from deciban.decide.evaluation import mean_cost

REPORT = db.evaluate(["ham", "ham", "ham", "spam"], ["ham", "spam", "ham", "ham"])


def test_the_mean_cost_and_the_cheapest_single_decision():
    found = mean_cost(REPORT, {"ham": {"spam": 10}, "spam": {"ham": 1}})
    assert found == (11 / 4, "ham", 1 / 4, 0)


def test_without_costs_it_is_the_error():
    assert mean_cost(REPORT, [[0, 1], [1, 0]]).value == pytest.approx(1 - REPORT.accuracy)


def test_undecided_rows_have_no_cost():
    report = db.evaluate(["ham", "spam", "spam"], ["spam", None, "spam"])
    found = mean_cost(report, {"ham": {"spam": 4}})
    assert (found.value, found.undecided) == (2.0, 1)
    assert (found.label, found.baseline) == ("ham", pytest.approx(2 / 3))
