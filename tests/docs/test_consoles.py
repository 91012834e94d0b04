"""The short examples of a page, in blocks marked ``pycon``, run one after the other in one namespace."""

from __future__ import annotations

import doctest
import re
from io import StringIO
from pathlib import Path

import pytest

from docs.update import PAGES, ROOT, readers_folder

_BLOCK = re.compile(r"^```pycon\n(?P<lines>.*?)^```$", re.MULTILINE | re.DOTALL)


def consoles(text: str) -> str:
    """The lines of the blocks alone; all others are blank, so that line numbers stay those of the page."""
    lines = [""] * (text.count("\n") + 1)
    for found in _BLOCK.finditer(text):
        first = text.count("\n", 0, found.start("lines"))
        block = found["lines"].splitlines()
        lines[first : first + len(block)] = block
    return "\n".join(lines)


WITH_CONSOLES = [page for page in PAGES if _BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", WITH_CONSOLES, ids=lambda page: page.stem)
def test_the_short_examples_of_a_page_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = consoles(page.read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(text, {}, page.stem, str(page.relative_to(ROOT)), 0)
    report = StringIO()
    with readers_folder() as folder:
        monkeypatch.chdir(folder)
        result = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(
            test, out=report.write
        )
    assert result.attempted > 0
    assert result.failed == 0, report.getvalue()


def test_lines_outside_the_blocks_are_left_out() -> None:
    page = "text\n```pycon\n>>> 1 + 1\n2\n```\n>>> no\n"
    assert consoles(page) == "\n\n>>> 1 + 1\n2\n\n\n"


@pytest.mark.parametrize("page", WITH_CONSOLES, ids=lambda page: page.stem)
def test_no_line_of_code_is_wider_than_the_page(page: Path) -> None:
    """88 characters and the prompt; the notes have no menu on the left, so there is room for twelve more."""
    room = 100 if page.stem == "notes" else 92
    lines = consoles(page.read_text(encoding="utf-8")).splitlines()
    assert not [line for line in lines if line.startswith((">>> ", "... ")) and len(line) > room]
