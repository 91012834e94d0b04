"""Bars, shades and graphs in the colours of the page; charts with axes are in `deciban.charts`."""

from deciban.reports.charts.bars import belief_bar, share_bar, signed_bar
from deciban.reports.charts.heat import heat

__all__ = ["belief_bar", "heat", "share_bar", "signed_bar"]
