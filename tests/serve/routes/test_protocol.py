"""The Open Inference Protocol, by its specification: https://github.com/kserve/open-inference-protocol."""

import numpy as np
import pytest

from tests.serve.client import client_of, net, number_model, records, table_model, text_model

MODEL = "/v2/models/weather"


@pytest.fixture(scope="module")
def client():
    return client_of(table_model(), name="weather")


def inputs(rows):
    kinds = {"sky": "BYTES", "warm": "FP64", "guests": "INT64", "dry": "BOOL"}
    return [
        {"name": name, "shape": [len(rows)], "datatype": kind, "data": [row[name] for row in rows]}
        for name, kind in kinds.items()
    ]


def test_server_and_health(client):
    server = client.get("/v2").json()
    assert server["name"] == "deciban" and server["extensions"] == []
    assert client.get("/v2/health/live").json()["live"] is True
    assert client.get("/v2/health/ready").json()["ready"] is True


@pytest.mark.parametrize("path", [MODEL, f"{MODEL}/versions/1"])
def test_metadata_readiness_and_inference(client, path):
    metadata = client.get(path).json()
    assert metadata["name"] == "weather" and metadata["versions"] == ["1"]
    assert {"name": "warm", "datatype": "FP64", "shape": [-1]} in metadata["inputs"]
    assert {"name": "probabilities", "datatype": "FP64", "shape": [-1, 2]} in metadata["outputs"]
    assert client.get(f"{path}/ready").json() == {"name": "weather", "ready": True}
    rows = records(8)
    found = client.post(f"{path}/infer", {"id": "42", "inputs": inputs(rows)}).json()
    assert (found["model_name"], found["model_version"], found["id"]) == ("weather", "1", "42")
    outputs = {one["name"]: one for one in found["outputs"]}
    assert outputs["probabilities"]["shape"] == [8, 2] and outputs["classes"]["data"] == ["play", "stay"]
    assert outputs["probabilities"]["data"] == table_model().predict_proba(rows).ravel().tolist()
    assert outputs["label"]["data"] == table_model().predict(rows).tolist()


def test_outputs_can_be_chosen_and_no_id_is_made_up(client):
    found = client.post(f"{MODEL}/infer", {"inputs": inputs(records(1)), "outputs": [{"name": "label"}]}).json()
    assert [one["name"] for one in found["outputs"]] == ["label"] and "id" not in found


def test_columns_that_are_left_out_are_missing(client):
    found = client.post(f"{MODEL}/infer", {"inputs": inputs(records(4))[:1]}).json()
    expected = table_model().predict_proba(
        [{"sky": row["sky"], "warm": None, "guests": None, "dry": None} for row in records(4)]
    )
    assert found["outputs"][1]["data"] == expected.ravel().tolist()


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("/v2/models/wether/infer", {}, 404, "Did you mean 'weather'"),
        (f"{MODEL}/versions/2/infer", {}, 404, "no version '2'"),
        (f"{MODEL}/infer", {}, 400, "a list of inputs"),
        (
            f"{MODEL}/infer",
            {"inputs": [{"name": "skyy", "shape": [1], "datatype": "BYTES", "data": ["a"]}]},
            400,
            "sky",
        ),
        (
            f"{MODEL}/infer",
            {"inputs": [{"name": "warm", "shape": [1], "datatype": "BYTES", "data": ["a"]}]},
            400,
            "number",
        ),
        ("/v2/nowhere", {}, 404, "no route /v2/nowhere"),
    ],
)
def test_errors_have_the_form_of_the_specification(client, path, body, status, message):
    found = client.post(path, body)
    assert found.status_code == status and found.headers["content-type"] == "application/json"
    assert list(found.json()) == ["error"] and message in found.json()["error"]


def test_one_tensor_of_all_columns_of_a_matrix():
    rows = np.random.default_rng(1).normal(size=(4, 3))
    tensor = {"name": "input-0", "shape": [4, 3], "datatype": "FP64", "data": rows.ravel().tolist()}
    found = client_of(number_model()).post("/v2/models/model/infer", {"inputs": [tensor]}).json()
    outputs = {one["name"]: one for one in found["outputs"]}
    assert outputs["probabilities"]["data"] == number_model().predict_proba(rows).ravel().tolist()
    assert outputs["label"]["datatype"] == "BOOL"


def test_documents_and_nets_have_tensors_too():
    text = {"name": "text", "shape": [1, 1], "datatype": "BYTES", "data": ["cheap money"]}
    found = client_of(text_model()).post("/v2/models/model/infer", {"inputs": [text]}).json()
    assert found["outputs"][0]["data"] == ["spam"]
    wet = {"name": "wet", "shape": [2], "datatype": "BYTES", "data": ["yes", "no"]}
    found = client_of(net()).post("/v2/models/model/infer", {"inputs": [wet]}).json()["outputs"]
    assert [one["name"] for one in found] == ["rain"] and found[0]["shape"] == [2, 2]
    assert found[0]["data"] == net().predict_proba({"wet": ["yes", "no"]}, "rain").ravel().tolist()
