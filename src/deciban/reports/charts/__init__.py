"""Charts as SVG: axes, lines, bars and graphs, in the colours of the page."""

from deciban.reports.charts.bars import belief_bar, share_bar, signed_bar
from deciban.reports.charts.frame import Axis, Frame
from deciban.reports.charts.heat import heat

__all__ = ["Axis", "Frame", "belief_bar", "heat", "share_bar", "signed_bar"]
