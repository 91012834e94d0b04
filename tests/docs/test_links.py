"""Every link of a page to a file leads somewhere, and the contents list every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]

_LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_links_to_files_exist(page: Path) -> None:
    broken = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert not broken


def test_the_contents_list_every_page() -> None:
    linked = set(_LINK.findall((ROOT / "docs" / "index.md").read_text(encoding="utf-8")))
    assert linked == {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}
