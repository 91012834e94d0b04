"""A shaded text is the whole text, and nothing that a document holds can do harm on the way."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.explain import Mark
from deciban.explain.document import shade_html, shade_terminal, shown_text

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
