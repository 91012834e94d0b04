"""What the service says of itself."""

from tests.serve.client import ROW, ROWS, client_of, net, table_model


def test_the_model_describes_itself():
    found = client_of(table_model(), name="weather").get("/model").json()
    assert (found["name"], found["kind"], found["rows"], found["classes"]) == (
        "weather",
        "NaiveBayes",
        80,
        ["play", "stay"],
    )
    assert [column["name"] for column in found["columns"]] == list(ROWS)
    assert found["columns"][0]["values"] == ["rain", "sun"]
    assert client_of(net()).get("/model").json()["nodes"][0]["states"] == ["no", "yes"]


def test_probes():
    client = client_of(table_model())
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready", "model": "model"}


def test_metrics_count_rows():
    client = client_of(table_model())
    client.post("/predict", ROW)
    client.post("/predict", [ROW] * 3)
    client.post("/explain", [ROW] * 2)
    found = client.get("/metrics")
    assert found.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'deciban_rows_total{verb="predict"} 4' in found.text and 'deciban_rows_total{verb="explain"} 2' in found.text


def test_the_page_needs_nothing_from_elsewhere():
    found = client_of(table_model()).get("/docs")
    assert found.headers["content-type"].startswith("text/html")
    assert "<script" not in found.text and "http" not in found.text and "default-src 'none'" in str(found.headers)
    assert "POST /predict" in found.text and "sun" in found.text
