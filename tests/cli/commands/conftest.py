"""The example files, and a call of a command in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from click.testing import Result
from typer.testing import CliRunner

from deciban.cli.demonstration import write_examples
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


@pytest.fixture
def run(examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs a command in a folder with copies of the example files; `code` is the exit code that it must have."""
    copytree(examples, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str, code: int = 0, stdin: str | None = None) -> Result:
        environment = {"COLUMNS": "120", "FORCE_COLOR": None}
        result = CliRunner().invoke(app, list(arguments), input=stdin, env=environment)
        assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
        return result

    return run_command
