"""The notebooks of the tutorials hold what their pages hold, and each runs by itself from top to bottom."""

from __future__ import annotations

import ast
import doctest
import json
import re
import warnings
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import deciban as db
from docs.notebooks import FOLDER, TABLES, TUTORIALS, make_notebook

BOOKS = sorted(FOLDER.glob("*.ipynb"))


def run(source: str, names: dict[str, Any]) -> str:
    """What a cell shows: what it prints, then the value of its last line unless that ends with a semicolon."""
    *lines, last = ast.parse(source).body
    with redirect_stdout(StringIO()) as printed:
        if not isinstance(last, ast.Expr) or source.endswith(";"):
            exec(compile(source, "<cell>", "exec"), names)  # noqa: S102
        else:
            exec(compile(ast.Module(lines, []), "<cell>", "exec"), names)  # noqa: S102
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
            if value is not None:
                print(repr(value))
    return printed.getvalue()


def shown(cell: dict[str, Any]) -> str:
    texts = [output["text"] if "text" in output else output["data"]["text/plain"] for output in cell["outputs"]]
    return "".join("".join(text) for text in texts)


def test_every_tutorial_has_a_notebook():
    assert [book.stem for book in BOOKS] == [page.stem for page in TUTORIALS]


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_notebook_is_what_its_page_makes_it(page: Path):
    made = (FOLDER / f"{page.stem}.ipynb").read_text(encoding="utf-8")
    assert made == make_notebook(page), "out of date: python docs/notebooks.py"


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_a_notebook_runs_by_itself_and_shows_what_it_holds(book: Path, tmp_path, monkeypatch):
    """In an empty folder, in one namespace, with warnings as errors."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for cell in json.loads(book.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                printed = run("".join(cell["source"]), names)
            assert doctest.OutputChecker().check_output(shown(cell), printed, flags), "".join(cell["source"])
    db.set_threads(None)


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_a_notebook_is_in_one_piece(book: Path):
    cells = json.loads(book.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert not set(re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE)) & set(TABLES)
    assert not re.search(
        r"save\s+this\s+as|examples\s+below\s+import|\]\((?!https?:|attachment:)", prose, re.IGNORECASE
    )
    assert len({cell["id"] for cell in cells}) == len(cells)
