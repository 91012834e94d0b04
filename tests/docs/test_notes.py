"""The page that follows the notes: short examples, and numbered sections without gaps."""

from __future__ import annotations

import re

import pytest

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


# What the lecture notes say, as this page writes it, and the section.
IDEAS = {
    "1.10 works in practice": r"In figures: .*\]\(benchmarks\.md",
    "2.3 ranking": r"rank",
    "2.5 i.i.d.": r"independent and identically distributed",
    "2.9 the size of m": r"m \\ge \\left\| V",
    "2.22 stability": r"in every stable distribution",
    "2.32 the crux": r"\\neg .*X_3 \\perp X_2 \\mid X_4",
    "3.11 the density at a point": r"density at a point",
    "3.12 fast to train": r"Fast to train .*\d×.*\]\(benchmarks\.md",
    "4.3 one optimum": r"h_1 = h_2",
    "4.6 the table": r"\| 2/3 \| 2/3 \| 2/3 \| 3/4 \|",
    "5.5 the margins": r"only that of x₂",
}


@pytest.mark.parametrize("idea", IDEAS)
def test_an_idea_of_the_notes_is_in_its_section(idea):
    """A reader with the notes in hand looks for each idea in its order."""
    number = re.escape(idea.split()[0])
    (section,) = re.findall(rf"^### {number} .*?(?=^##|\Z)", SECTIONS, re.MULTILINE | re.DOTALL)
    assert re.search(IDEAS[idea], section, re.DOTALL)
