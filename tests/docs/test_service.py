"""The transcripts of docs/how-to/service.md are what a running service answers; JSON may be laid out on the page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from typer.testing import CliRunner

from deciban.cli.main import app
from deciban.serve.server import Settings, app_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "service.md"
BLOCK = re.compile(r"^```console\n(?P<lines>(?:.*\n)*?)```$", re.MULTILINE)


def steps() -> list[tuple[str, str]]:
    """The commands of the page, each with what it prints."""
    blocks = [found["lines"] for found in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    parts = [part for lines in blocks for part in re.split(r"^\$ ", lines, flags=re.MULTILINE)[1:]]
    return [(line, output) for line, _, output in (part.partition("\n") for part in parts)]


@contextmanager
def running(path: Path):
    """A service in a thread of this process, and its port."""
    server = uvicorn.Server(uvicorn.Config(app_of(Settings.of(path)), port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def values(text: str) -> list[object]:
    """The JSON values of a text, one after the other, with numbers to nine digits."""
    found, decoder, at = [], json.JSONDecoder(parse_float=lambda number: round(float(number), 9)), 0
    while at < len(text.rstrip()):
        value, at = decoder.raw_decode(text, len(text) - len(text[at:].lstrip()))
        found.append(value)
    return found


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_transcripts_are_what_the_service_answers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for words in (["demo", "--files", "."], "fit tennis.csv --target PlayTennis -o tennis.deciban".split()):
        assert CliRunner().invoke(app, words).exit_code == 0
    with running(Path("tennis.deciban")) as first, running(Path("garden.bif")) as second:
        for line, expected in steps():
            called = line.replace(":8000", f":{first}").replace(":8001", f":{second}")
            printed = subprocess.check_output(["bash", "-c", called], text=True)  # noqa: S607
            assert printed, line
            assert values(expected) == values(printed), line
