"""Names, versions and sizes of graphs."""

import json

import numpy as np
import onnx
import pytest

import deciban as db
from deciban.errors import TooLargeError
from deciban.export.onnx import graph as module
from deciban.export.onnx.graph import Graph
from tests.export.onnx.session import run


def test_columns_may_have_the_names_of_outputs_and_of_operators():
    names = ["label", "probabilities", "add", "Add", "X", "gather_3", "a name, with spaces", "größe", "constant"]
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=30).tolist() for name in names}
    model = db.NaiveBayes().fit(table, [0, 1, 2] * 10)
    outputs = run(model, table)
    assert list(outputs) == ["label_", "probabilities_"]
    np.testing.assert_allclose(outputs["probabilities_"], model.predict_proba(table), atol=1e-12)


def test_old_runtimes_can_run_it():
    """Opset 13 is of 2020. Labels that are doubles need a later LabelEncoder."""
    strings = db.NaiveBayes().fit({"sky": ["sun", "rain"]}, [0, 1]).to_onnx()
    assert {each.domain: each.version for each in strings.opset_import} == {"": 13, "ai.onnx.ml": 2}
    numbers = db.GaussianNB().fit([[1.0], [2.0]], [0, 1]).to_onnx()
    assert {each.domain: each.version for each in numbers.opset_import} == {"": 13}
    columns = db.NaiveBayes(columns=db.Categorical()).fit({"size": [0.5, 1.5]}, [0, 1]).to_onnx()
    assert {each.domain: each.version for each in columns.opset_import} == {"": 13, "ai.onnx.ml": 4}
    assert strings.ir_version == 8


def test_the_number_of_rows_is_open_and_the_metadata_name_the_classes():
    model = db.GaussianNB().fit([[1.0, 2.0], [2.0, 1.0]], ["low", "high"]).to_onnx()
    onnx.checker.check_model(model, full_check=True)
    rows, columns = model.graph.input[0].type.tensor_type.shape.dim
    assert (rows.dim_param, columns.dim_value) == ("rows", 2)
    metadata = {each.key: each.value for each in model.metadata_props}
    assert json.loads(metadata["classes"]) == ["high", "low"]
    assert metadata["model"] == "GaussianNB"


def test_a_graph_beyond_the_limit_of_the_format_is_refused(monkeypatch):
    monkeypatch.setattr(module, "_MOST_BYTES", 1000)
    graph = Graph()
    graph.constant(np.zeros(100))
    with pytest.raises(TooLargeError, match="an ONNX file has less than 2 GiB"):
        graph.constant(np.zeros(100))
