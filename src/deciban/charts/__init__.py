"""Charts as SVG, with two axes: of scores, and of the evidence of a whole model."""

from deciban.charts.frame import Axis, Frame, ticks
from deciban.charts.svg import AGAINST, FOR

__all__ = ["AGAINST", "FOR", "Axis", "Frame", "ticks"]
