"""The example files, and a call of a command in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from deciban.cli.example_files import write_examples
from deciban.cli.main import app


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example files; tests write into folders of their own."""
    folder = tmp_path_factory.mktemp("examples")
    write_examples(folder)
    return folder


@pytest.fixture
def call(examples: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Calls a command in the folder of the examples, and returns its result."""
    monkeypatch.chdir(examples)

    def called(*arguments: object, code: int = 0, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin, env={"COLUMNS": "200"})
        assert result.exit_code == code, result.output
        return result

    return called
