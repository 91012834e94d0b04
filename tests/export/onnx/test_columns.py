"""Every distribution that ONNX can express scores as the model does; a user must not get other posteriors."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from tests.export.onnx.session import assert_same, run, table_of

COLUMNS = {
    "auto": {},
    "gaussian": {"size": db.Gaussian(), "money": db.Gaussian()},
    "tied": {"size": db.Gaussian(tie="both"), "money": db.Gaussian(tie="both")},
    "width": {"size": db.Binned(bins=4), "grade": db.Binned(bins=3)},
    "frequency": {"size": db.Binned(how="frequency", bins=7), "money": db.Binned(how="mdl")},
    "cut": {"size": db.Cut(at=[0.0, 1.5]), "money": db.Cut(at=[])},
    "poisson": {"visits": db.Poisson(), "grade": db.Poisson()},
    "negative binomial": {"visits": db.NegativeBinomial(), "grade": db.NegativeBinomial()},
    "exponential": {"money": db.Exponential(), "visits": db.Exponential()},
    "lognormal": {"money": db.LogNormal()},
    "bernoulli": {"open": db.Bernoulli(), "grade": db.Bernoulli(threshold=2.0)},
    "ignored": {"size": db.Ignore(), "sky": db.Ignore()},
}
"""Distributions of columns of `table_of`."""


@pytest.mark.parametrize("missing", ["skip", "state"])
@pytest.mark.parametrize("smoothing", [db.Laplace(), db.MLE()], ids=repr)
@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
def test_a_distribution_scores_as_in_the_model(columns, smoothing, missing):
    table, y = table_of()
    model = db.NaiveBayes(columns=columns, smoothing=smoothing, missing=missing).fit(table, y)
    assert_same(model, table)


@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
def test_a_column_of_weight_0_is_no_evidence(columns):
    table, y = table_of()
    weights = dict.fromkeys(columns, 0.0) | {"wind": 0.3, "door": 2.0}
    model = db.NaiveBayes(columns=columns, weights=weights, smoothing=db.MLE()).fit(table, y)
    far = {name: values[:3] for name, values in table.items()} | {"size": [1e200, -1e200, 0.0], "visits": [9, 0, 1]}
    assert_same(model, table)
    assert_same(model, far)


@pytest.mark.parametrize(
    ("column", "kind", "values"),
    [
        ("visits", db.Poisson(), [-1.0, 2.5, 3.0]),
        ("visits", db.NegativeBinomial(), [-1.0, 2.5, 3.0]),
        ("money", db.Exponential(), [-1.0, 0.0, 3.0]),
        ("money", db.LogNormal(), [-1.0, 0.0, 3.0]),
    ],
)
def test_a_number_that_a_distribution_cannot_produce_leaves_the_prior(column, kind, values):
    table, y = table_of()
    model = db.NaiveBayes(columns={column: kind}).fit({column: table[column]}, y)
    outputs = assert_same(model, {column: values})
    np.testing.assert_allclose(outputs["probabilities"][0], model.class_prior_)


def test_huge_and_tiny_counts_are_scored():
    """The Γ functions of the negative binomial neither overflow nor cancel."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 300)
    for counts in (
        rng.negative_binomial(3, 0.1, 900),
        rng.poisson(5, 900) + rng.integers(0, 2, 900),
        rng.poisson(0.1, 900),
    ):
        table = {"visits": counts.tolist()}
        model = db.NaiveBayes(columns={"visits": db.NegativeBinomial()}, weights=None).fit(table, y)
        assert_same(model, {"visits": [0, 1, 2, 10, 99, 1000, 10_000]})


def test_labels_of_each_type_are_looked_up():
    y = ["a", "b"] * 4
    for labels in (["x", "y", "x", "z"] * 2, [3, -7, 3, 2**60] * 2, [0.5, -0.0, 0.25, 0.5] * 2, [True, False] * 4):
        model = db.NaiveBayes(columns={"held": db.Categorical()}).fit({"held": labels}, y)
        assert_same(model, {"held": labels})


@pytest.mark.parametrize("unseen", ["smooth", "ignore"])
def test_unseen_labels_are_treated_as_in_the_model(unseen):
    table = {"sky": ["sun", "rain", "sun", "fog"], "doors": [2, 4, 4, 2]}
    model = db.NaiveBayes(columns=db.Categorical(), unseen=unseen).fit(table, ["a", "a", "b", "b"])
    assert_same(model, {"sky": ["hail", "sun", "Sun"], "doors": [2, 3, -1]})


def test_what_has_no_formula_is_named():
    table, y = table_of()
    model = db.NaiveBayes(columns={"size": db.Kernel()}).fit(table, y)
    with pytest.raises(ParameterError, match=r"column 'size' is Kernel\(\), whose likelihood is not a formula"):
        model.to_onnx()
    notes = [f"a note of {i} words about the weather and the sky" for i in range(8)]
    model = db.NaiveBayes(columns={"note": db.Text()}).fit({"note": notes}, [0, 1] * 4)
    with pytest.raises(ParameterError, match=r"column 'note' is Text\(\)"):
        model.to_onnx()


def test_columns_that_are_not_used_are_no_inputs():
    table, y = table_of()
    model = db.NaiveBayes(columns={"size": db.Ignore()}).fit(table, y)
    assert "size" not in [each.name for each in model.to_onnx().graph.input]
    alone = db.NaiveBayes(columns={"size": db.Ignore()}).fit({"size": table["size"]}, y)
    with pytest.raises(ParameterError, match="the model uses no column"):
        alone.to_onnx()


def test_a_batch_of_one_row_and_of_none():
    table, y = table_of()
    model = db.NaiveBayes().fit(table, y)
    assert_same(model, {name: values[:1] for name, values in table.items()})
    assert run(model, {name: [] for name in table})["probabilities"].shape == (0, 3)
