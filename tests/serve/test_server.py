"""The service as a process: settings, addresses, a client of the v2 protocol on the wire, and a clean end."""

import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

import deciban as db
from deciban.errors import FileError, ParameterError
from deciban.serve.limits import Limits
from deciban.serve.server import Settings, app_of, routes_of, serve
from tests.serve.client import ROWS, net, records, table_model

PATIENCE = 60


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "weather.deciban"
    db.save(table_model(), path)
    return path


@contextmanager
def running(path, *options):
    """A service in a process of its own, and its port."""
    command = [sys.executable, "-c", "from deciban.cli import app; app()", "serve", str(path), "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        try:
            for line in process.stderr:
                if found := re.search(r"running on http://127\.0\.0\.1:(\d+)", line):
                    yield process, int(found[1])
                    break
            else:
                pytest.fail("the service did not start")
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)


def test_a_client_of_triton_gets_the_posteriors_and_sigterm_finishes_what_has_begun(saved):
    triton = pytest.importorskip("tritonclient.http")
    with running(saved) as (process, port):
        client = triton.InferenceServerClient(f"127.0.0.1:{port}")
        try:
            assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("weather")
            assert client.get_model_metadata("weather")["versions"] == ["1"]
            check_posteriors(triton, client)
        finally:
            client.close()
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
            answer = answer_across_sigterm(process, connection)
        assert answer.count(b'"label"') == 2 and answer.endswith(b"0\r\n\r\n")
        process.wait(PATIENCE)


def check_posteriors(triton, client):
    rows, kinds = records(8), {"sky": "BYTES", "warm": "FP64", "guests": "INT64"}
    inputs = []
    for name, kind in kinds.items():
        values = np.array([row[name] or "sun" for row in rows], dtype={"BYTES": object}.get(kind))
        inputs.append(triton.InferInput(name, [len(rows)], kind))
        inputs[-1].set_data_from_numpy(values, binary_data=False)
    wanted = [triton.InferRequestedOutput("probabilities", binary_data=False)]
    known = {name: [row[name] or "sun" for row in rows] for name in kinds}
    expected = table_model().predict_proba({**dict.fromkeys(ROWS, [None] * len(rows)), **known})
    for outputs in (wanted, None):
        found = client.infer("weather", inputs, outputs=outputs, request_id="7")
        assert found.as_numpy("probabilities").tolist() == expected.tolist()
        assert found.get_response()["id"] == "7"
    inputs[1].set_data_from_numpy(np.ones(len(rows)))
    with pytest.raises(triton.InferenceServerException, match="binary_data=False"):
        client.infer("weather", inputs)


def answer_across_sigterm(process, connection):
    """Send half of a stream, end the process, and send the other half."""
    head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
    connection.sendall(f"{head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\n{{}}\n\r\n".encode())
    answer = connection.recv(1 << 16)
    process.send_signal(signal.SIGTERM)
    while "Shutting down" not in process.stderr.readline():
        pass
    connection.sendall(b"3\r\n{}\n\r\n0\r\n\r\n")
    while part := connection.recv(1 << 16):
        answer += part
    return answer


def test_a_service_for_other_machines_needs_tokens(saved, monkeypatch, tmp_path):
    monkeypatch.delenv("DECIBAN_READ_TOKEN", raising=False)
    monkeypatch.setattr("uvicorn.run", lambda *_, **given: started.append(given["host"]))
    started, settings = [], Settings.of(saved)
    with pytest.raises(ParameterError, match=r"0\.0\.0\.0 can be reached from other machines, so tokens are needed"):
        serve(settings, host="0.0.0.0")  # noqa: S104
    (tmp_path / "tokens").write_text("read 0123456789abcdef\n")
    serve(Settings.of(saved, tokens=tmp_path / "tokens"), host="0.0.0.0")  # noqa: S104
    monkeypatch.setenv("DECIBAN_READ_TOKEN", "0123456789abcdef")
    serve(settings, host="0.0.0.0")  # noqa: S104
    assert started == ["0.0.0.0"] * 2  # noqa: S104


def test_settings_reach_the_workers_unchanged(saved):
    settings = Settings.of(saved, limits=Limits(rows=7, seconds=0.5))
    assert Settings.of_json(settings.to_json()) == settings and settings.name == "weather"
    with pytest.raises(ParameterError, match="a URL cannot have"):
        Settings.of(saved, name="a/b")


def test_a_net_in_another_format_is_served_and_what_is_no_model_is_an_error(tmp_path):
    net().write(tmp_path / "rain.bif")
    served = app_of(Settings.of(tmp_path / "rain.bif")).service.holder.model
    assert served.query("rain", {"wet": "yes"})["yes"] == pytest.approx(2 / 3)
    assert "POST /query" in routes_of(Settings.of(tmp_path / "rain.bif"))
    (tmp_path / "no.deciban").write_bytes(b"nothing")
    with pytest.raises(FileError, match=r"no\.deciban"):
        app_of(Settings.of(tmp_path / "no.deciban"))
    db.save(table_model().tally_, tmp_path / "tally.deciban")
    with pytest.raises(ParameterError, match="a Tally cannot be served"):
        app_of(Settings.of(tmp_path / "tally.deciban"))
