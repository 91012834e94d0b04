"""Shapes: short numbers, escaped text."""

from deciban import charts as svg


def test_numbers_are_short():
    assert svg.line((0, 0.25), (10.04, 3), "axis") == '<line x1="0" y1="0.2" x2="10" y2="3" class="axis"/>'
    assert 'width="0"' in svg.rectangle(0, 0, -3, 1, "bar")


def test_text_is_escaped():
    assert svg.words((0, 0), "<b>") == '<text x="0" y="0">&lt;b&gt;</text>'
    assert "<title>&lt;b&gt;</title>" in svg.circle((0, 0), 1, "dot", "<b>")
    assert svg.circle((0, 0), 1, "dot") == '<circle cx="0" cy="0" r="1" class="dot"/>'
