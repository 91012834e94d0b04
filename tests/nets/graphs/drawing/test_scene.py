"""A picture is drawn once: what a page shows and what a plot shows are the same."""

import sys
from xml.etree import ElementTree as ET

import pytest

from deciban.errors import MissingExtraError
from deciban.nets.graphs.scene import Arrow, Box, Scene, Words, plot_scene, scene_svg

ARROW, BOX = Arrow(((5, 5), (5, 20), (40, 40))), Box(1, 2, 30, 10, "#fff", "#999", 3)
SCENE = Scene(100, 50, (ARROW, BOX, Words(9, 9, "a < b & $c$", "end")))


def test_the_svg_is_well_formed_and_escaped():
    parsed = ET.fromstring(scene_svg(SCENE))  # noqa: S314  our own
    assert [child.tag.split("}")[1] for child in parsed] == ["style", "defs", "polyline", "rect", "text"]
    assert parsed[4].text == "a < b & $c$" and parsed[4].get("text-anchor") == "end"


def test_matplotlib_draws_the_same_shapes():
    axes = plot_scene(SCENE)
    assert len(axes.patches) == 1 and len(axes.lines) == 1
    assert [text.get_text() for text in axes.texts] == ["", "a < b & $c$"]
    assert plot_scene(SCENE, axes) is axes
    axes.figure.canvas.draw()


def test_a_plot_without_matplotlib_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"needs matplotlib: pip install 'deciban\[plot\]'"):
        plot_scene(SCENE)
