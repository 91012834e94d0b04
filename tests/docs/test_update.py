"""`docs/update.py` rewrites the code and the output of examples, and nothing else."""

import runpy
from pathlib import Path

import pytest

_script = runpy.run_path(str(Path(__file__).resolve().parents[2] / "docs" / "update.py"))
updated, with_outputs = _script["updated"], _script["with_outputs"]

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


def test_outputs_of_short_examples_are_rewritten_where_they_differ():
    first, second = ">>> x = 2\n>>> x + 1\n", ">>> for i in (x, x):\n...     i\n"
    old = block("pycon", first + "2\n") + "\nText.\n\n" + block("pycon", second)
    new = block("pycon", first + "3\n") + "\nText.\n\n" + block("pycon", second + "2\n2\n")
    assert with_outputs(old) == new
    assert with_outputs(new) == new


def test_outputs_that_doctest_accepts_stay():
    page = block("pycon", ">>> print('a   b')\na b\n\n>>> list(range(9))  # doctest: +ELLIPSIS\n[0, ..., 8]\n")
    assert with_outputs(page) == page


def test_errors_and_blank_lines_are_shown_as_doctest_reads_them():
    first, second = ">>> print('a\\n\\nb')\n", ">>> {}['k']\n"
    error = "Traceback (most recent call last):\n    ...\nKeyError: 'k'\n"
    new = block("pycon", first + "a\n<BLANKLINE>\nb\n" + second + error)
    assert with_outputs(block("pycon", first + second)) == new
    assert with_outputs(new) == new
