"""Factors are written as the model has them, whatever characters a value holds."""

import deciban as db
from deciban.explain import conditioned


def test_braces_in_values_are_kept():
    assert conditioned("{x}", ["a", 1.23456]).format("yes") == "P({x}|yes, a, 1.235)"
    table = {"sky": ["{0}", "b", "{0}", "b"], "day": ["x", "y", "x", "x"]}
    text = db.TAN(root="sky").fit(table, [0, 0, 1, 1]).explain({"sky": "{0}", "day": "x"}).to_text()
    assert "P({0}|0)·P(x|0, {0})" in text


def test_explanations_of_dependent_columns_have_a_short_repr():
    table = {"sky": ["a", "b", "a", "b"], "day": ["x", "y", "x", "x"]}
    for model, name in ((db.TAN(), "Factor"), (db.AODE(), "Mean")):
        shown = repr(model.fit(table, [0, 0, 1, 1]).explain({"sky": "a", "day": "x"}))
        assert shown.startswith(f"{name}Explanation(P(1) = ") and "decibans, most from" in shown
