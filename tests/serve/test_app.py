"""The application as a whole."""

from fastapi import APIRouter
from starlette.responses import Response

from deciban.serve.app import make_app
from deciban.serve.holder import FixedModel
from tests.serve.client import Client, client_of, net, table_model


def test_further_routes_are_guarded_documented_and_counted():
    router = APIRouter()

    @router.post("/learn")
    async def learn() -> Response:
        return Response("learned")

    client = Client(make_app(FixedModel(table_model()), routers=[router]))
    assert client.post("/learn", content=b"{}").status_code == 415
    assert client.post("/learn", {}).text == "learned" and "/learn" in client.get("/openapi.json").json()["paths"]
    assert 'deciban_requests_total{route="/learn",status="200"} 1' in client.get("/metrics").text


def test_a_model_has_the_routes_that_make_sense_for_it():
    of_rows, of_nodes = (client_of(model()).app.api.openapi()["paths"] for model in (table_model, net))
    assert {"/predict", "/explain"} <= of_rows.keys() and "/query" not in of_rows
    assert "/query" in of_nodes and not {"/predict", "/explain"} & of_nodes.keys()


def test_what_does_not_exist_is_a_problem_document():
    client = client_of(table_model())
    for found, status in ((client.get("/nowhere"), 404), (client.get("/predict"), 405), (client.post("/model"), 405)):
        assert found.status_code == found.json()["status"] == status
        assert found.headers["content-type"] == "application/problem+json"
    assert client.post("/predictt", {}).json()["detail"] == "there is no route /predictt. Did you mean '/predict'?"
    assert client.get("/predict").json()["detail"] == "/predict takes POST, not GET."
    assert "root" not in client.get("/../../etc/passwd").text and client.get("/%2e%2e/etc/passwd").status_code == 404
