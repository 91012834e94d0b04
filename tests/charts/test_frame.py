"""Charts: points are where the axes say, and every chart has a name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.charts import Axis, Frame, ticks


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_inside(low, span):
    found = ticks(low, low + span)
    assert len(found) <= 7 and found == sorted(found)
    assert all(low - 1e-6 * (span + abs(low)) <= tick <= low + span + 1e-6 * (span + abs(low)) for tick in found)


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0), (0.0, float("inf"))])
def test_an_empty_or_endless_range_has_one_tick(low, high):
    assert ticks(low, high) == [low]


def test_points_are_where_the_axes_say():
    frame = Frame(Axis("x", 0, 10), Axis("y", 0, 1))
    (left, bottom), (right, top) = frame.at(0, 0), frame.at(10, 1)
    assert left < right <= frame.width and top < bottom <= frame.height
    assert frame.at(5, 0.5) == pytest.approx(((left + right) / 2, (top + bottom) / 2))
    assert Axis("x", 3, 3).share(3) == 0


def test_a_chart_has_a_name_a_description_and_a_legend():
    frame = Frame(Axis("recall", 0, 1), Axis("share", 0, 1, is_percent=True))
    frame.line([(0, 0), (1, 1)], series=0, label="<spam>")
    assert "legend" not in frame.svg("ROC") and "&lt;spam&gt;" not in frame.svg("ROC")
    frame.line([(0, 0), (1, 0.5)], series=7, label="ham")
    frame.points([(0.5, 0.5)], titles=["5 rows"])
    frame.whisker(0.5, 0.4, 0.6)
    frame.band(0.1, 0.2, 0.3)
    frame.area([(0, 0), (1, 1)])
    frame.guide((0, 0), (1, 1))
    svg = frame.svg("ROC", "Two classes")
    assert 'role="img"' in svg and "<title>ROC</title><desc>Two classes</desc>" in svg
    assert "&lt;spam&gt;" in svg and "series-1" in svg and "80%" in svg and "5 rows" in svg
