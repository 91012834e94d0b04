"""Every command has help, an example that runs, and a section on the page with transcripts that are run here, too."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deciban.cli.command import EXIT_CODES
from deciban.cli.main import COMMANDS, app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "command.md").read_text(encoding="utf-8")
TRANSCRIPT = re.compile(r"^```console\n(?P<lines>(?:.*\n)*?)```$", re.MULTILINE)
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]

by_name = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)


def run(line: str, stdin: str | None = None) -> str:
    """What a command prints; it must succeed."""
    result = CliRunner().invoke(app, shlex.split(line)[1:], input=stdin, env={"COLUMNS": "120", "FORCE_COLOR": None})
    assert result.exit_code == 0, f"{line}\n{result.output}"
    return result.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("examples")
    run(f"deciban demo --files {made}")
    return made


@by_name
def test_a_command_has_help_that_ends_with_its_example(command):
    shown = run(f"deciban {command.name} --help")
    assert command.run.__doc__.strip().endswith(".")
    assert all(re.sub(r"\s+", " ", line) in re.sub(r"\s+", " ", shown) for line in command.example.splitlines())


@by_name
def test_the_example_of_a_command_runs(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    for line in command.example.splitlines():
        run(line)


@by_name
def test_a_command_has_a_section_on_the_page(command):
    assert f"`deciban {command.name}`" in {section.splitlines()[0] for section in SECTIONS}


@by_name
def test_an_unknown_option_is_a_usage_error(command):
    result = CliRunner().invoke(app, [command.name, "--no-such-option"])
    assert result.exit_code == 2


def test_the_page_lists_the_exit_codes():
    for code, meaning in EXIT_CODES.items():
        assert f"| {code} | {meaning} |" in PAGE


def test_an_unknown_command_names_the_closest():
    result = CliRunner().invoke(app, ["demmo"])
    assert result.exit_code == 2 and "demo" in result.output


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.splitlines()[0].strip("`"))
def test_the_transcripts_of_a_section_are_what_the_commands_print(section, tmp_path, monkeypatch):
    """Sections are independent of each other: each begins in a folder with the example files."""
    monkeypatch.chdir(tmp_path)
    run("deciban demo --files .")
    for found in TRANSCRIPT.finditer(section):
        for line, expected in steps(found["lines"]):
            assert _trimmed(run(line)) == _trimmed(expected), line


def steps(lines: str) -> list[tuple[str, str]]:
    """The commands of a transcript, each with what it prints."""
    parts = re.split(r"^\$ ", lines, flags=re.MULTILINE)[1:]
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1]) for part in parts]


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]
