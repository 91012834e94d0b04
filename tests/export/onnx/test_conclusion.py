"""Calibration and decisions of an exported model are those of the model."""

import datetime

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from tests.export.onnx.session import assert_same, run, table_of

TABLE, Y = table_of(rows=200)


def decided(model, data):
    """The labels, None where the exported model makes no decision."""
    outputs = run(model, data)
    return [
        label if is_decided else None for label, is_decided in zip(outputs["label"], outputs["is_decided"], strict=True)
    ]


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_calibrated_posteriors(method):
    model = db.NaiveBayes().fit(TABLE, Y).calibrate(TABLE, Y, method=method)
    other, _ = table_of(rows=100, seed=7)
    assert_same(model, TABLE)
    assert_same(model, other)


def test_an_isotonic_calibration_of_one_step():
    table, y = {"sky": ["sun"] * 8}, ["a", "b"] * 4
    model = db.NaiveBayes(columns=db.Categorical()).fit(table, y).calibrate(table, y, method="isotonic")
    assert_same(model, table)


def test_maximum_likelihood_ignores_the_priors():
    assert_same(db.NaiveBayes(rule="ml", priors={"low": 0.9, "middle": 0.05, "high": 0.05}).fit(TABLE, Y), TABLE)


def test_the_least_expected_loss():
    loss = {"low": {"high": 30.0, "middle": 5.0}, "high": {"low": 3.0}}
    assert_same(db.NaiveBayes(loss=loss).fit(TABLE, Y), TABLE)


@pytest.mark.parametrize(
    "parameters",
    [
        {"reject": 0.6},
        {"reject": 0.6, "rule": "ml"},
        {"reject": db.Reject(posterior=0.7, loss=0.4), "loss": {"low": {"high": 9.0}}},
        {"reject": db.Reject(loss=0.2), "loss": {"low": {"high": 9.0}}},
    ],
    ids=str,
)
def test_rejected_decisions_are_marked(parameters):
    model = db.NaiveBayes(**parameters).fit(TABLE, Y)
    expected = model.predict(TABLE).tolist()
    assert None in expected
    assert decided(model, TABLE) == expected


def test_a_rejection_without_a_threshold_has_no_output():
    outputs = assert_same(db.NaiveBayes(reject=db.Reject()).fit(TABLE, Y), TABLE)
    assert list(outputs) == ["label", "probabilities"]


@pytest.mark.parametrize("labels", [["a", "b"], [3, -4], [1.0, 2.0], [False, True]], ids=str)
def test_labels_keep_their_types(labels):
    y = np.array(labels)[np.arange(20) % 2]
    X = np.arange(20.0)[:, None] % 2 + np.linspace(0, 1, 20)[:, None]
    model = db.GaussianNB().fit(X, y)
    assert run(model, X)["label"].tolist() == model.predict(X).tolist()


def test_classes_that_onnx_lacks_are_named():
    days = [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)]
    model = db.NaiveBayes().fit({"size": [1.0, 2.0]}, np.array(days, dtype=object))
    with pytest.raises(ParameterError, match="the classes have labels of type date"):
        model.to_onnx()
