"""A ring of ties: every node is there, and strong ties are thick."""

import re

from deciban.reports.classifiers.data import draw_ring


def test_strong_ties_are_thick_and_neighbours_are_close():
    svg = draw_ring({("a", "b"): 1.0, ("c", "<d>"): 0.25}, title="Ties", description="two ties")
    widths = [float(width) for width in re.findall(r'stroke-width="([\d.]+)"', svg)]
    assert widths[0] == 2 * widths[1]
    assert svg.count("<circle") == 4 and "c – &lt;d&gt;: 0.250" in svg
    assert re.findall(r">([abc]|&lt;d&gt;)</text>", svg) == ["a", "b", "c", "&lt;d&gt;"]
