"""Streams: lines in, lines out, in constant memory, and a bad line does not end the stream."""

import asyncio
import json

from deciban.serve.limits import NDJSON, Limits
from tests.serve.client import ROW, client_of, records, table_model

HEADERS = {"Content-Type": NDJSON}


def stream(client, content):
    found = client.post("/predict", content=content, headers=HEADERS)
    assert found.status_code == 200 and found.headers["content-type"] == NDJSON
    return [json.loads(line) for line in found.text.splitlines()]


def test_each_line_gets_its_prediction():
    client = client_of(table_model(), limits=Limits(rows=3))  # of a batch, not of a stream
    found = stream(client, "\n".join(json.dumps(row) for row in records()))
    posteriors = [list(one["probabilities"].values()) for one in found]
    assert posteriors == table_model().predict_proba(records()).tolist()
    assert 'deciban_rows_total{verb="predict"} 80' in client.get("/metrics").text


def test_a_line_that_cannot_be_scored_is_a_problem_document_in_its_place():
    lines = [json.dumps(ROW), "{", '{"skyy": 1}', "[{}]", json.dumps(ROW)]
    found = stream(client_of(table_model()), "\n".join(lines))
    assert found[0] == found[4] and found[0]["label"] == "play"
    assert [(one["status"], one["line"]) for one in found[1:4]] == [(400, 2), (422, 3), (422, 4)]


def test_a_line_above_the_limit_ends_the_stream_with_its_reason():
    found = stream(client_of(table_model(), limits=Limits(body=50)), json.dumps({"sky": "sun"}) + "\n" + "x" * 60)
    assert found[-1]["status"] == 413


def test_answers_are_sent_while_the_request_is_still_read():
    """Else a long stream would fill the memory of the server."""
    app, sent, waiting = client_of(table_model()).app, [], []

    async def run():
        async def receive():
            waiting.append(sum(message["type"] == "http.response.body" for message in sent))
            return {"type": "http.request", "body": b"{}\n" * 10, "more_body": len(waiting) < 50}

        async def send(message):
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", NDJSON.encode())]
        scope = {"type": "http", "method": "POST", "path": "/predict", "headers": headers, "query_string": b""}
        await app(scope, receive, send)

    asyncio.run(run())
    assert waiting == list(range(50))  # block i was answered before block i + 1 was asked for
    assert b"".join(message.get("body", b"") for message in sent).count(b"\n") == 500


def test_a_client_that_does_not_read_is_left():
    app = client_of(table_model(), limits=Limits(seconds=0.05)).app

    async def run():
        async def receive():
            return {"type": "http.request", "body": b"{}\n", "more_body": True}

        async def send(message):
            await asyncio.sleep(60 if message["type"] == "http.response.body" else 0)

        headers = [(b"host", b"localhost"), (b"content-type", NDJSON.encode())]
        await app({"type": "http", "method": "POST", "path": "/predict", "headers": headers}, receive, send)

    asyncio.run(asyncio.wait_for(run(), 30))


def test_a_stream_that_stops_ends_with_a_reason():
    async def slow():
        yield b"{}\n"
        await asyncio.sleep(1)
        yield b"{}\n"

    found = stream(client_of(table_model(), limits=Limits(seconds=0.1)), slow())
    assert "label" in found[0] and found[-1]["status"] == 503
