"""`docs/update.py` rewrites the code and the output of examples, and nothing else."""

import runpy
from pathlib import Path

import pytest

updated = runpy.run_path(str(Path(__file__).resolve().parents[2] / "docs" / "update.py"))["updated"]

PRINTS, SILENT = '"""Prints."""\n\nprint(2)\n', '"""Silent."""\nx = 1\n'
SNIPPETS = {'"""Prints."""': PRINTS, '"""Silent."""': SILENT}
OUTPUTS = {PRINTS: "2\n", SILENT: ""}


def update(page: str) -> str:
    return updated(page, SNIPPETS, OUTPUTS.__getitem__)


def block(kind: str, text: str) -> str:
    return f"```{kind}\n{text}```\n"


def test_code_and_output_are_rewritten_and_the_prose_stays():
    old = "Before.\n\n" + block("python", '"""Prints."""\nprint(1)\n') + "\n" + block("text", "1\n") + "\nAfter.\n"
    new = "Before.\n\n" + block("python", PRINTS) + "\n" + block("text", "2\n") + "\nAfter.\n"
    assert update(old) == new
    assert update(new) == new


def test_an_example_without_output_gets_no_output_block():
    rest = "\nA paragraph.\n\n" + block("text", "kept\n")
    assert update(block("python", '"""Silent."""\n') + rest) == block("python", SILENT) + rest


def test_an_unknown_example_is_an_error():
    with pytest.raises(KeyError, match="Lost"):
        update(block("python", '"""Lost."""\n'))
