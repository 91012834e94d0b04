"""A thinned line keeps its ends and its shape."""

import numpy as np

from deciban.charts import thin


def test_a_short_line_is_kept():
    assert thin(np.array([0.0, 1.0]), np.array([0.0, 1.0])) == [(0.0, 0.0), (1.0, 1.0)]


def test_a_long_line_keeps_its_ends_and_its_steep_part():
    x = np.append(np.zeros(5000), np.linspace(0, 1, 5000))
    y = np.append(np.linspace(0, 1, 5000), np.ones(5000))
    points = thin(x, y, 50)
    assert len(points) <= 50 and points[0] == (0.0, 0.0) and points[-1] == (1.0, 1.0)
    assert 20 <= sum(px == 0 for px, _ in points) <= 30
