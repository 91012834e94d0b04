"""Every example of the documentation is a file that runs, and prints what the page says.

A page shows ``docs/snippets/<page>/<name>.py`` word for word in a block marked ``python``; where the file prints
anything, a block marked ``text`` follows at once and holds what it prints. Snippets run in a folder that holds the
files of ``docs/data`` and nothing else, as the folder of a reader does who downloaded them.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

import pytest

import deciban as db
from docs.update import PAGES, ROOT, SNIPPETS, TABLES, add_download, is_download_missing, readers_folder, run_alone

ENGINES = {"dask", "pyspark"}
RUN_HERE = [snippet for snippet in SNIPPETS if snippet.parent.name != "servers"]

_EXAMPLE = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n*```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL)


def examples(page: Path) -> dict[str, str]:
    """The code blocks of a page, each with the output block that follows it."""
    return {found["code"]: found["output"] or "" for found in _EXAMPLE.finditer(page.read_text(encoding="utf-8"))}


def lacks_engine(snippet: Path) -> bool:
    """True for a snippet that imports an engine which only ``make test-engines`` installs, and which is not here."""
    imported = re.findall(r"^(?:from|import) (\w+)", snippet.read_text(encoding="utf-8"), re.MULTILINE)
    return any(name in ENGINES and find_spec(name) is None for name in imported)


@contextmanager
def as_script(snippet: Path) -> Iterator[None]:
    """The reader's folder as working directory, the snippet's folder first on the path, and all put back afterwards."""
    folder, path, modules = os.getcwd(), sys.path.copy(), set(sys.modules)
    sys.path[:0] = [str(snippet.parent), str(TABLES)]
    with readers_folder() as readers:
        add_download(snippet, readers)
        os.chdir(readers)
        try:
            yield
        finally:
            os.chdir(folder)
            sys.path[:] = path
            for name in (other.stem for other in SNIPPETS):  # a snippet that imports another runs it again
                if name not in modules:
                    sys.modules.pop(name, None)
            db.set_threads(None)


def run(snippet: Path) -> str:
    """What a snippet prints, in a namespace of its own; a warning is an error, as it is for a reader who copies it."""
    printed = StringIO()
    with as_script(snippet), warnings.catch_warnings(), redirect_stdout(printed):
        warnings.simplefilter("error")
        runpy.run_path(str(snippet), run_name="__main__")
    return printed.getvalue()


@pytest.mark.parametrize("snippet", RUN_HERE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_page_shows_the_snippet_and_what_it_prints(snippet: Path) -> None:
    code = snippet.read_text(encoding="utf-8")
    outputs = [shown[code] for shown in map(examples, PAGES) if code in shown]
    assert outputs, f"no page shows {snippet.name} as it is now"
    if lacks_engine(snippet):
        pytest.skip("the engine of this snippet is not installed: make test-engines")
    if is_download_missing(snippet):
        pytest.skip("the table that readers of this page download is not beside the project")
    printed = run(snippet)
    assert all(output == printed for output in outputs)


def test_an_interpreter_of_its_own_makes_no_difference() -> None:
    """The others run in the tests' interpreter, where everything is imported already; a reader begins with nothing."""
    readme = ROOT / "docs" / "snippets" / "readme" / "readme.py"
    assert run_alone(readme) == run(readme)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_example_on_a_page_is_a_snippet(page: Path) -> None:
    files = {snippet.read_text(encoding="utf-8") for snippet in SNIPPETS}
    untested = [code for code in examples(page) if code not in files]
    assert not untested, f"keep this example in docs/snippets, so that it is run:\n{''.join(untested[:1])}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_reader_gets_the_modules_that_the_examples_import(page: Path) -> None:
    """A module with data is shown on the page, or linked from it."""
    text, shown = page.read_text(encoding="utf-8"), examples(page)
    imported = {name for code in shown for name in re.findall(r"^from (\w+) import", code, re.MULTILINE)}
    modules = [path for path in TABLES.glob("*.py") if path.stem in imported]
    lost = [path.name for path in modules if path.read_text(encoding="utf-8") not in shown and path.name not in text]
    assert not lost, "say where the reader gets the module"
