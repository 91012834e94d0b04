"""Every link of a page to a file leads somewhere, and every page is in the table of contents."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from docs.update import PAGES, ROOT

DOCS = ROOT / "docs"
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)")
_CONTENTS = re.compile(r"^(`{3,}|:{3,})\{toctree\}\n(?P<lines>.*?)^\1$", re.MULTILINE | re.DOTALL)


def contents(page: Path) -> list[str]:
    """The pages that a page lists in its tables of contents, relative to docs/."""
    lists = [found["lines"].splitlines() for found in _CONTENTS.finditer(page.read_text(encoding="utf-8"))]
    names = [line.split("<")[-1].strip("> ") for lines in lists for line in lines if line and not line.startswith(":")]
    return [os.path.normpath(page.relative_to(DOCS).parent / name) for name in names]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.stem)
def test_links_to_files_exist(page: Path) -> None:
    broken = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert not broken


def test_every_page_is_in_the_table_of_contents() -> None:
    pages = {page.relative_to(DOCS).with_suffix("").as_posix(): page for page in PAGES if DOCS in page.parents}
    reached, waiting = set(), ["index"]
    while waiting:
        reached.add(name := waiting.pop())
        waiting += [other for other in contents(pages[name]) if other in pages and other not in reached]
    assert reached == set(pages)
