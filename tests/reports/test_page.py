"""The page: nothing from elsewhere, nothing from the data that runs, and headings that can be reached."""

import json
import re
from html.parser import HTMLParser

import pytest

from deciban.reports.page import Section, asset, page


class Outline(HTMLParser):
    """The ids, links, and tags of a page, and whether all tags are closed."""

    void = frozenset({"meta", "link", "br", "input", "img", "hr"})

    def __init__(self, html):
        super().__init__()
        self.ids, self.links, self.tags, self.open = [], [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        held = dict(attrs)
        self.tags.append(tag)
        self.ids += [held["id"]] if "id" in held else []
        self.links += [held[name] for name in ("href", "src") if name in held]
        self.open += [] if tag in self.void else [tag]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_sections_are_listed_and_can_be_reached():
    html = page("Tennis", [Section("Class balance", "<p>a</p>", lead="How often."), Section("Scores", "", key="own")])
    found = Outline(html)
    assert found.open == [] and len(found.ids) == len(set(found.ids))
    assert {"#class-balance", "#own"} <= set(found.links) and {"class-balance", "own"} <= set(found.ids)
    assert '<p class="lead">How often.</p>' in html


def test_it_asks_for_nothing_from_elsewhere():
    html = page("Tennis", [Section("Scores", "")])
    assert all(link.startswith(("#", "data:")) for link in Outline(html).links)
    assert "url(" not in html.replace("url(#", "") and "@import" not in html
    assert "default-src 'none'" in html and "script-src 'none'" in html


def test_titles_are_escaped():
    html = page("<script>alert(1)</script>", [Section("<i>a</i>", "")])
    assert "<script>" not in html and "&lt;i&gt;a&lt;/i&gt;" in html


def test_data_cannot_end_its_element():
    html = page("t", [Section("a", "")], data={"held": {"text": "</script><script>alert(1)</script>"}})
    held = re.search(r'<script type="application/json" id="held">(.*?)</script>', html).group(1)
    assert json.loads(held) == {"text": "</script><script>alert(1)</script>"}
    with pytest.raises(ValueError, match="not JSON compliant"):
        page("t", [Section("a", "")], data={"held": float("nan")})


def test_equal_ids_are_an_error():
    with pytest.raises(ValueError, match="different ids: a, a"):
        page("t", [Section("A", ""), Section("a", "")])


def test_a_title_without_letters_has_an_id():
    assert Section("成績", "").id == "section"


def test_the_style_is_light_and_dark_and_for_print():
    style = asset("style.css")
    assert "prefers-color-scheme: dark" in style and "@media print" in style and "http" not in style
