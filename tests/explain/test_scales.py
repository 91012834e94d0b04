"""A nomogram as a drawing: each value is at its weight, and names are readable by all."""

import re

from deciban.explain import Nomogram, Scale
from deciban.explain.nomogram import draw_nomogram


def test_values_are_ordered_by_their_weight():
    points = (("a", -3.0), ("b", 0.0), ("<c>", 6.0))
    svg = draw_nomogram(Nomogram("yes", "no", 2.0, (Scale("sky & sea", points),), 1))
    at = {title: float(x) for x, title in re.findall(r'cx="([\d.]+)"[^>]*><title>sky &amp; sea ([^:]+):', svg)}
    assert at["a"] < at["b"] < at["&lt;c&gt;"]
    assert abs((at["&lt;c&gt;"] - at["b"]) - 2 * (at["b"] - at["a"])) < 0.3
    assert "Nomogram for yes against no" in svg and "sky &amp; sea: a -3.0, b +0.0, &lt;c&gt; +6.0" in svg


def test_labels_that_would_overlap_are_left_out():
    points = tuple((f"value {i}", 0.001 * i) for i in range(20))
    svg = draw_nomogram(Nomogram("yes", "no", 50.0, (Scale("x", points), Scale("empty", ())), 2))
    assert svg.count("<circle") == 21 and svg.count(">value ") == 2
