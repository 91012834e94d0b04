"""One picture, in the colours of wherever it is shown."""

from deciban.nets.graphs.scene import COLOURS, Look, text_width


def test_a_role_has_the_colour_of_the_look_and_a_colour_stays_as_it_is():
    assert Look().colour("now") == COLOURS["now"] and Look(colours={"now": "red"}).colour("now") == "red"
    assert Look().colour("none") == "none" and Look().colour("#123456") == "#123456"
    assert Look(colours={}).text == "" and Look(colours={"text": "red"}).text == ' fill="red"'


def test_a_picture_without_colours_of_its_own_can_be_read_in_light_and_dark():
    """Text and lines have the colour of the page's text; what is behind text lets the page through."""
    assert Look().colour("line") == COLOURS["text"] == "currentColor"
    behind = {role: COLOURS[role] for role in ("paper", "highlight", "uncertain")}
    assert behind.pop("paper") == "none"
    assert all(len(colour) == len("#rrggbbaa") and int(colour[-2:], 16) < 0x40 for colour in behind.values())
    assert "prefers-color-scheme: dark" in Look().style[0] and Look(colours={"line": "red"}).style == []


def test_capitals_and_larger_letters_are_wider():
    assert text_width("ABC") > text_width("abc") > 0 == text_width("")
    assert text_width("abc", 22) == 2 * text_width("abc", 11)
