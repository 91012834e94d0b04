"""An explained document shows what its tokens say, and nothing that a document holds can do harm on the way."""

import re
import sys
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.explain import DocumentExplanation, Mark, TokenReason, TopTokens
from deciban.explain.shading import shade_html, shade_terminal, shown_text

TEXT = "Free <b>prize</b>\x1b[31m for zork"
MARKS = (Mark(0, 4, 6.0), Mark(8, 13, -3.0), Mark(23, 26, 0.0), Mark(27, 31, 0.0, is_known=False))
REASONS = (TokenReason("free", 2, 6.0), TokenReason("prize", 1, -3.0), TokenReason("for", 1, 0.0))
TOLD = DocumentExplanation(TEXT, "spam", "ham", -1.0, REASONS, None, ("zork",), MARKS)

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@st.composite
def marked(draw):
    text = draw(st.text(st.characters(exclude_categories=[]), max_size=40))
    marks = []
    for _ in range(draw(st.integers(0, 6)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        weight = draw(st.sampled_from([0.0, 1.5, -2.0, float("inf"), float("-inf")]))
        marks.append(Mark(start, draw(st.integers(start + 1, len(text))), weight, draw(st.booleans())))
    return text, marks


class Reader(HTMLParser):
    """Collects the text and the tags."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", set()

    def handle_data(self, data):
        self.text += data

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)


def test_text_without_a_terminal_is_plain():
    assert TOLD.to_text() == str(TOLD) == (
        "Free <b>prize</b>␛[31m for zork\n"
        "Weight for spam against ham, in decibans:\n"
        "  prior       -1.00\n"
        "  free ×2     +6.00\n"
        "  prize       -3.00\n"
        "  for         +0.00\n"
        "  total       +2.00\n"
        "Unknown: zork"
    )  # fmt: skip


def test_a_terminal_gets_colours(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shaded = TOLD.to_text()
    assert ANSI.search(shaded) and ANSI.sub("", shaded) == TOLD.to_text(shaded=False)


def test_many_tokens_are_summed_up():
    assert TOLD.weights(1) == [("prior", -1.0), ("free ×2", 6.0), ("… 2 more tokens", -3.0), ("total", 2.0)]
    assert "1 more" not in TOLD.to_text(None)


def test_what_is_lacking_has_a_line_and_counts():
    told = DocumentExplanation("", "a", "b", 1.0, (), 2.5, (), ())
    assert told.weights() == [("prior", 1.0), ("tokens it lacks", 2.5), ("total", 3.5)]


def test_html_shades_and_escapes():
    html = TOLD._repr_html_()
    assert 'title="+6.00 decibans">Free</span> &lt;b&gt;' in html
    assert 'title="unknown">zork</span>' in html
    assert "<b>prize" not in html and "\x1b" not in html


@given(marked())
def test_the_whole_text_is_shown_once_and_only_as_text(case):
    text, marks = case
    reader = Reader()
    html = shade_html(text, marks)
    reader.feed(html)
    reader.close()
    assert unescape(re.sub(r"<[^>]*>", "", html)) == shown_text(text)
    assert reader.tags <= {"div", "span"}
    html.encode()


@given(marked())
def test_a_terminal_gets_the_text_and_colours_only(case):
    text, marks = case
    shaded = ANSI.sub("", shade_terminal(text, marks))
    assert "\x1b" not in shaded and "\x9b" not in shaded
    assert shaded.replace("\n", "").replace(" ", "") == shown_text(text).expandtabs().replace("\n", "").replace(" ", "")


@pytest.mark.parametrize("weight", [float("inf"), float("-inf"), 0.0])
def test_any_weight_is_shown(weight):
    assert "nan" not in shade_html("a b", [Mark(0, 1, weight), Mark(2, 3, weight)])


def test_top_tokens_are_a_list_and_a_table():
    top = TopTokens([("free", 12.0), ("<i>", 3.0)], "spam", "ham")
    assert top == [("free", 12.0), ("<i>", 3.0)]
    assert str(top) == "decibans for spam against ham\nfree  +12.00\n<i>    +3.00"
    assert "<td>&lt;i&gt;</td><td>+3.00</td>" in top._repr_html_()
    assert TopTokens([], "a", "b").to_text() == "decibans for a against b"
