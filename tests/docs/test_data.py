"""The data files of the pages are small and made by ``docs/data/make.py``, and a page that reads one links it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from docs.update import PAGES, ROOT

DATA = ROOT / "docs" / "data"
FILES = runpy.run_path(str(DATA / "make.py"))["FILES"]


def test_every_file_is_made():
    assert {path.name for path in DATA.iterdir() if path.is_file() and path.suffix not in {".py", ".md"}} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_made_again_byte_for_byte(name: str) -> None:
    made = FILES[name]().encode()
    assert (DATA / name).read_bytes() == made, f"{name} is out of date: python docs/data/make.py"
    assert len(made) < 200_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_that_reads_a_file_links_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [name for name in FILES if f'"{name}"' in text and f"data/{name}" not in text]
    assert not missing, "say where the reader gets the file"
