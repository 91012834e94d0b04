"""The OpenAPI description: clients are made from it, so it must be true of every route."""

import pytest

from deciban.serve.app import make_app
from deciban.serve.holder import FixedModel
from deciban.serve.limits import Limits
from tests.serve.client import client_of, net, number_net, table_model, text_model
from tests.serve.schemas import explore

MODELS = {"rows": table_model, "documents": text_model, "net": net, "numbers": number_net}


@pytest.mark.filterwarnings("ignore")  # of schemathesis' client, and of the model about strange documents
@pytest.mark.parametrize("kind", ["rows", "net"])  # tests/servers/test_service.py has the others, and more requests
def test_requests_made_from_the_description_find_no_fault_of_the_service(kind):
    answers = explore(make_app(FixedModel(MODELS[kind]()), limits=Limits(rows=20)), examples=6)
    assert answers[200] > 0 and answers[422] + answers[400] > 0


@pytest.mark.parametrize("kind", MODELS)
def test_every_example_is_answered(kind):
    client = client_of(MODELS[kind]())
    paths = client.get("/openapi.json").json()["paths"]
    tried = 0
    for path, methods in paths.items():
        content = methods.get("post", {}).get("requestBody", {}).get("content", {})
        for example in content.get("application/json", {}).get("examples", {}).values():
            found = client.post(path.format(name="model", version="1"), example["value"])
            assert found.status_code == 200, (path, found.text)
            tried += 1
    assert tried >= 3


def test_examples_come_from_the_columns_of_the_model():
    paths = client_of(table_model()).get("/openapi.json").json()["paths"]
    content = paths["/predict"]["post"]["requestBody"]["content"]
    assert content["application/json"]["examples"]["one"]["value"]["sky"] == "sun"
    assert "application/x-ndjson" in content
    against = paths["/explain"]["post"]["parameters"][0]
    assert (against["name"], against["schema"]["enum"]) == ("against", ["play", "stay"])
