"""Missing values and types of inputs: what a user passes where ONNX has no nulls."""

import datetime

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from tests.export.onnx.session import assert_same, run


def kinds(model):
    names = {1: "float", 7: "int64", 8: "string", 9: "bool", 11: "double"}
    return {each.name: names[each.type.tensor_type.elem_type] for each in model.to_onnx().graph.input}


def test_types_of_inputs_follow_the_labels_of_fit():
    table = {
        "number": [0.5, 1.5, 2.5, 1.0],
        "letter": ["a", "b", "a", "b"],
        "whole": [1, 2, 2, 1],
        "flag": [True, False, True, True],
        "whole but missing": [1, None, 2, 1],
        "flag but missing": [True, None, False, True],
    }
    model = db.NaiveBayes(missing="state").fit(table, [0, 0, 1, 1])
    assert kinds(model) == {
        "number": "double",
        "letter": "string",
        "whole": "int64",
        "flag": "bool",
        "whole but missing": "double",
        "flag but missing": "double",
    }
    assert_same(model, table)
    assert_same(model, {name: values[:1] for name, values in table.items()} | {"letter": [None], "number": [None]})


def test_a_matrix_without_names_is_one_input():
    X = np.array([[0.5, 1.0], [1.5, 2.0], [2.5, 1.0], [np.nan, 3.0]])
    model = db.NaiveBayes().fit(X, [0, 0, 1, 1])
    assert kinds(model) == {"X": "double"}
    np.testing.assert_allclose(run(model, X)["probabilities"], model.predict_proba(X), atol=1e-12)


def test_a_matrix_of_numbers_and_labels_has_an_input_for_each_column():
    X = np.array([["a", 1.0], ["b", 2.0], ["a", 4.0]], dtype=object)
    model = db.NaiveBayes().fit(X, [0, 0, 1])
    assert kinds(model) == {"x0": "string", "x1": "double"}


def test_an_empty_string_is_missing_unless_it_is_a_label():
    y = ["a", "a", "b", "b"]
    without = db.NaiveBayes(columns=db.Categorical()).fit({"sky": ["sun", "sun", "rain", "fog"]}, y)
    outputs = run(without, {"sky": [""]})
    np.testing.assert_allclose(outputs["probabilities"], without.predict_proba({"sky": [None]}), atol=1e-12)
    with_it = db.NaiveBayes(columns=db.Categorical()).fit({"sky": ["sun", "", "", "fog"]}, y)
    np.testing.assert_allclose(
        run(with_it, {"sky": [""]})["probabilities"], with_it.predict_proba({"sky": [""]}), atol=1e-12
    )


def test_infinite_numbers_are_missing():
    model = db.NaiveBayes().fit({"size": [1.0, 2.0, 5.0, 7.0]}, [0, 0, 1, 1])
    outputs = run(model, {"size": [np.inf, -np.inf, np.nan]})
    np.testing.assert_allclose(outputs["probabilities"], 0.5)


def test_markers_are_missing():
    table = {"sky": ["sun", "?", "rain", "sun"], "size": [1.0, -9.0, 4.0, 3.0], "doors": [2, -9, 2, 4]}
    model = db.NaiveBayes(columns={"doors": db.Categorical()}, na_values=["?", -9], missing="skip")
    model.fit(table, [0, 0, 1, 1])
    assert_same(model, table)


def test_labels_that_onnx_lacks_are_named():
    days = [datetime.date(2024, 1, day) for day in (1, 2, 1, 2)]
    model = db.NaiveBayes(columns=db.Categorical()).fit({"day": days}, [0, 0, 1, 1])
    with pytest.raises(ParameterError, match="column 'day' has labels of type date"):
        model.to_onnx()
    model = db.NaiveBayes(columns=db.Categorical()).fit({"id": [2**64, 1, 2, 3]}, [0, 0, 1, 1])
    with pytest.raises(ParameterError, match="column 'id' has the label 18446744073709551616"):
        model.to_onnx()
