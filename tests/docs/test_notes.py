"""The page that follows the notes: short examples, and numbered sections without gaps."""

from __future__ import annotations

import re

from docs.update import ROOT

PAGE = (ROOT / "docs" / "notes.md").read_text(encoding="utf-8")
SECTIONS = PAGE[PAGE.index("## 1 ") :]


def test_each_idea_takes_at_most_five_lines():
    blocks = re.findall(r"^```pycon\n(.*?)^```$", SECTIONS, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 70
    for block in blocks:
        typed = [line for line in block.splitlines() if line.startswith((">>>", "..."))]
        assert len(typed) <= 5, typed[0]


def test_the_sections_are_numbered_without_gaps():
    last = {"1": 0, "2": 0, "3": 0, "4": 0, "5": 0}
    for text, first, to in re.findall(r"^### (\d)\.(\d+)(?:–\d\.(\d+))? ", SECTIONS, re.MULTILINE):
        assert int(first) == last[text] + 1
        last[text] = int(to or first)
    assert last["3"] == 14, "the sections of Zhu have the numbers of the items"
    assert all(last.values())


def test_each_section_has_an_example():
    for section in re.split(r"^### ", SECTIONS, flags=re.MULTILINE)[1:]:
        assert "```pycon" in section, section.splitlines()[0]
