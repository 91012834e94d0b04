"""The reliability diagram: a dot for each bin, at how sure the model is and how often it is right."""

import re

import numpy as np

from deciban.decide.score import Reliability, draw_reliability

BINS = Reliability(np.array([10, 40]), np.array([0.55, 0.95]), np.array([0.4, 0.95]))


def test_a_bin_that_is_too_sure_is_below_the_line():
    svg = draw_reliability(BINS)
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)
    (x1, y1), (x2, y2) = (tuple(map(float, dot)) for dot in dots)
    guide = re.search(r'<line x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)" class="guide"', svg)
    left, bottom, right, top = map(float, guide.groups())
    on_line = [bottom - (x - left) / (right - left) * (bottom - top) for x in (x1, x2)]
    assert y1 > on_line[0] + 10 and abs(y2 - on_line[1]) < 0.5
    assert "10 rows: 55.0% sure, 40.0% right" in svg and svg.count('class="whisker') == 2


def test_alone_it_brings_its_style():
    assert "<style>" in draw_reliability(BINS, is_alone=True) and "<style>" not in draw_reliability(BINS)
