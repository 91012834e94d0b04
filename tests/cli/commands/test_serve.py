"""``deciban serve``: its options reach the service, and mistakes end with one line and an exit code."""

import pytest
from typer.testing import CliRunner

import deciban as db
from deciban.cli.main import app
from deciban.serve.limits import Limits


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "days.deciban"
    db.save(db.NaiveBayes().fit({"sky": ["sun", "rain", "sun", "rain"]}, ["yes", "no", "no", "yes"]), path)
    return path


def run(*words):
    return CliRunner().invoke(app, ["serve", *map(str, words)])


def test_the_routes_are_listed(model):
    result = run(model, "--check")
    assert result.exit_code == 0
    assert {"POST /predict", "POST /explain", "GET  /v2", "POST /learn"} <= set(result.output.splitlines())


def test_options_reach_the_service(model, monkeypatch, tmp_path):
    given = {}
    monkeypatch.setattr("deciban.serve.server.serve", lambda settings, **more: given.update(more, settings=settings))
    (tmp_path / "tokens").write_text("read 0123456789abcdef")
    words = "--host 0.0.0.0 --port 81 --workers 3 --name n --max-body 5 --max-rows 6 --max-columns 7 --timeout 8"
    result = run(model, *words.split(), "--tokens", tmp_path / "tokens", "--access-log")
    assert result.exit_code == 0, result.output
    settings = given.pop("settings")
    assert given == {"host": "0.0.0.0", "port": 81, "workers": 3, "access_log": True}  # noqa: S104
    assert (settings.name, settings.path) == ("n", str(model)) and settings.tokens == str(tmp_path / "tokens")
    assert settings.limits == Limits(body=5, rows=6, columns=7, seconds=8)


def test_mistakes_have_exit_codes(model, tmp_path):
    assert run(tmp_path / "absent.deciban", "--check").exit_code == 3
    open_to_all = run(model, "--host", "0.0.0.0")  # noqa: S104
    assert open_to_all.exit_code == 1 and "tokens are needed" in open_to_all.output
    assert run(model, "--port", "99999").exit_code == 2
