"""A folder with the example files, and what a command prints there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from typer.testing import CliRunner, Result

from deciban.cli.main import app

Run = Callable[..., Result]


@pytest.fixture
def run(examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in a folder with copies of the example files; `code` is the exit code that it must have."""
    copytree(examples, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str, code: int = 0, stdin: str | None = None) -> Result:
        environment = {"COLUMNS": "120", "FORCE_COLOR": None}
        result = CliRunner().invoke(app, list(arguments), input=stdin, env=environment)
        assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
        return result

    return run_command
