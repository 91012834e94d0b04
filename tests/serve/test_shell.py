"""The outermost layer: tokens, limits, times, and errors that never leave a client without an answer."""

import time

import pytest

from deciban.serve.limits import Limits
from deciban.serve.tokens import Tokens
from tests.serve.client import ROW, client_of, table_model

READ, LEARN = "r" * 16, "l" * 16
TOKENS = Tokens([("read", READ), ("learn", LEARN)])


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def guarded():
    return client_of(table_model(), tokens=TOKENS)


def test_every_route_but_the_probes_needs_a_token(guarded):
    paths = guarded.app.api.openapi()["paths"]
    for path, methods in paths.items():
        for method in methods:
            found = guarded.request(method.upper(), path.format(name="model", version="1"))
            is_probe = path in ("/healthz", "/readyz", "/v2/health/live", "/v2/health/ready")
            assert found.status_code == (200 if is_probe else 401), path
    assert guarded.get("/openapi.json").status_code == guarded.get("/nowhere").status_code == 401
    assert guarded.get("/model").headers["www-authenticate"] == "Bearer"


def test_a_token_opens_the_routes_of_its_role(guarded):
    assert guarded.post("/predict", ROW, headers=bearer(READ)).status_code == 200
    assert guarded.post("/predict", ROW, headers=bearer(LEARN)).status_code == 200
    assert guarded.post("/predict", ROW, headers=bearer("x" * 16)).status_code == 401
    refused = guarded.post("/learn", {}, headers=bearer(READ))
    assert refused.status_code == 403 and "role learn" in refused.json()["detail"]


def test_without_tokens_another_host_name_is_refused():
    """Else a page that a user visits could reach the service by a name that resolves to 127.0.0.1."""
    client = client_of(table_model())
    for host, status in [("localhost:8000", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("evil.example", 403)]:
        assert client.get("/healthz", headers={"Host": host}).status_code == status, host


def test_learning_needs_a_content_type_that_a_foreign_page_cannot_send(guarded):
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        found = guarded.post("/learn", content=b"[]", headers={**bearer(LEARN), "Content-Type": kind})
        assert found.status_code == 415
    assert guarded.post("/learn", [], headers=bearer(LEARN)).status_code == 404  # this model does not learn


def test_a_compressed_body_is_refused_with_the_reason():
    found = client_of(table_model()).post("/predict", content=b"\x1f\x8b", headers={"Content-Encoding": "gzip"})
    assert found.status_code == 415 and "Content-Encoding" in found.json()["detail"]


def test_a_body_above_the_limit_is_refused_with_and_without_its_length():
    client = client_of(table_model(), limits=Limits(body=100))

    async def chunks():
        yield b"x" * 60
        yield b"x" * 60

    for content in (b"x" * 120, chunks()):
        found = client.post("/predict", content=content)
        assert found.status_code == 413 and "100 bytes" in found.json()["detail"]


def test_a_request_above_the_time_limit_ends_with_503(monkeypatch):
    client = client_of(table_model(), limits=Limits(seconds=0.05))
    monkeypatch.setattr(client.app.service.adapter, "predict", lambda _rows: time.sleep(0.5))
    found = client.post("/predict", [ROW])
    assert found.status_code == 503 and "0.05 seconds" in found.json()["detail"]
    assert found.headers["retry-after"] == "1"


def test_a_route_without_streams_keeps_its_time_limit_whatever_the_type_of_the_body(monkeypatch):
    client = client_of(table_model(), limits=Limits(seconds=0.05))
    monkeypatch.setattr(client.app.service.adapter, "explain", lambda *_: time.sleep(0.5))
    found = client.post("/explain", content=b"{}", headers={"Content-Type": "application/x-ndjson"})
    assert found.status_code == 503


def test_a_fault_of_the_service_is_a_problem_document_and_is_logged(monkeypatch, caplog):
    client = client_of(table_model())

    def fail(*_):
        raise RuntimeError("secret")

    monkeypatch.setattr(client.app.service.adapter, "predict_one", fail)
    monkeypatch.setattr(client.app.service.adapter, "describe", fail)
    for found in (client.post("/predict", ROW), client.get("/model")):
        assert found.status_code == 500 and "secret" not in found.text
        assert found.headers["content-type"] == "application/problem+json"
    assert "secret" in caplog.text


def test_requests_are_counted_by_route_and_status():
    client = client_of(table_model())
    client.post("/predict", ROW)
    client.post("/predict", {"ski": 1})
    client.get("/v2/models/other")
    client.get("/nowhere/at/all")
    text = client.get("/metrics").text
    for route, status in [("/predict", 200), ("/predict", 422), ("/v2/models/{name}", 404), ("other", 404)]:
        assert f'deciban_requests_total{{route="{route}",status="{status}"}} 1' in text
