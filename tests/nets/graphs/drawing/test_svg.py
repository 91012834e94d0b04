"""A picture is read by eyes, by screen readers and beside other pictures."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

from deciban.nets.graphs.drawing import to_svg
from deciban.nets.graphs.scene import Look
from tests.nets.named_graphs import ASIA, SPRINKLER

SPACE = "{http://www.w3.org/2000/svg}"


def test_a_title_and_a_description_say_what_is_drawn():
    title, description = list(ET.fromstring(SPRINKLER.to_svg()))[:2]  # noqa: S314  our own
    assert (title.tag, title.text) == (f"{SPACE}title", "Graph with 5 nodes and 5 edges")
    assert description.tag == f"{SPACE}desc" and "rain → wet" in description.text


def test_ids_of_two_pictures_in_one_page_differ():
    one, other = (to_svg(SPRINKLER._picture, Look(ids)) for ids in ("one", "other"))
    ids = [set(re.findall(r'id="([^"]+)"', svg)) for svg in (one, other)]
    assert ids == [{"one-arrow"}, {"other-arrow"}]
    assert set(re.findall(r"url\(#([^)]+)\)", one)) == ids[0]


def test_colours_are_those_of_the_page():
    svg = to_svg(SPRINKLER._picture, Look("page", {"line": "var(--line)", "paper": "var(--paper)", "text": "#123"}))
    assert "#666" not in svg and "#fff" not in svg
    assert 'stroke="var(--line)"' in svg and ET.fromstring(svg).get("fill") == "#123"  # noqa: S314  our own


def test_strong_edges_are_thick_and_weak_ones_dashed():
    strengths, is_weak = (1.0, 0.6, 0.4, 0.0, 1.0), (False, False, True, True, False)
    root = ET.fromstring(to_svg(replace(SPRINKLER._picture, strengths=strengths, is_weak=is_weak)))  # noqa: S314  our own
    lines = list(root.iter(f"{SPACE}polyline"))
    widths = [float(line.get("stroke-width")) for line in lines]
    assert widths[0] == widths[4] > widths[1] > widths[2] > widths[3] > 0
    assert tuple("stroke-dasharray" in line.attrib for line in lines) == is_weak


def test_everything_lies_inside_the_picture():
    root = ET.fromstring(ASIA.to_svg())  # noqa: S314  our own
    _, _, width, height = map(float, root.get("viewBox").split())
    for oval in root.iter(f"{SPACE}ellipse"):
        x, y, rx, ry = (float(oval.get(name)) for name in ("cx", "cy", "rx", "ry"))
        assert rx <= x <= width - rx and ry <= y <= height - ry
