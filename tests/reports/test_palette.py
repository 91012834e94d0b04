"""The colours of the page: letters can be read, and series told apart, by readers who do not see every colour."""

import re
from itertools import combinations

import numpy as np
import pytest

from deciban.charts import AGAINST, FOR
from deciban.reports.page import asset

# What is seen without one kind of cones, in linear RGB (Machado, Oliveira and Fernandes, 2009, severity 1).
SIGHT = {
    "all cones": np.eye(3),
    "no red cones": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "no green cones": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "no blue cones": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.0888])


def schemes():
    """The colours by name, light and dark."""
    light, dark = asset("style.css").split("prefers-color-scheme: dark", 1)
    return [dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", part)) for part in (light, dark.split("* {", 1)[0])]


def linear(colour):
    values = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIELAB, in which distances are about as large as differences look."""
    ratio = XYZ @ np.clip(rgb, 0, 1) / WHITE
    f = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(a, b):
    dark, light = sorted(float(XYZ[1] @ linear(colour)) for colour in (a, b))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("number", [0, 1], ids=["light", "dark"])
def test_letters_and_lines_stand_out_from_the_paper(number):
    colours = schemes()[number]
    for paper in ("paper", "raised"):
        for ink in ("ink", "soft", "accent"):
            assert contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)
    for series in range(6):
        assert contrast(colours[f"series-{series}"], colours["paper"]) >= 3, series


@pytest.mark.parametrize("paper", ["#ffffff", "#111111", "#1e1e1e"], ids=["light", "dark", "dark grey"])
def test_shapes_of_pictures_in_notebooks_stand_out_from_any_paper(paper):
    assert min(contrast(colour, paper) for colour in (FOR, AGAINST)) >= 3


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("number", [0, 1], ids=["light", "dark"])
def test_series_and_sides_can_be_told_apart(number, sight):
    seen = {name: lab(np.array(SIGHT[sight]) @ linear(colour)) for name, colour in schemes()[number].items()}
    far = {(a, b): np.linalg.norm(seen[a] - seen[b]) for a, b in combinations(seen, 2)}
    assert far["for", "against"] > 40
    pairs = {pair: apart for pair, apart in far.items() if all(name.startswith("series") for name in pair)}
    assert len(pairs) == 15 and min(pairs.values()) > 10, min(pairs, key=pairs.get)
