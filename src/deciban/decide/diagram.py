"""The reliability diagram: how often a model is right against how sure it is, with Wilson's intervals."""

from __future__ import annotations

from deciban.charts import Axis, Frame
from deciban.decide.intervals import wilson
from deciban.decide.score import Reliability

__all__ = ["SURE", "draw_reliability"]

SURE = "probability of the predicted class"


def draw_reliability(bins: Reliability, *, is_alone: bool = False) -> str:
    """Draw a dot for each bin, and the line on which probabilities are right; with `is_alone`, for a notebook."""
    frame = Frame(Axis(SURE, 0, 1, True), Axis("share that is right", 0, 1, True))
    frame.guide((0, 0), (1, 1))
    points = list(zip(bins.confidence.tolist(), bins.accuracy.tolist(), strict=True))
    titles = []
    for (sure, right), rows in zip(points, bins.counts.tolist(), strict=True):
        ends = wilson(round(right * rows), rows)
        frame.whisker(sure, ends.low, ends.high)
        titles.append(f"{rows:,} rows: {sure:.1%} sure, {right:.1%} right")
    frame.points(points, titles=titles)
    return frame.svg("Reliability diagram", "; ".join(titles), is_alone=is_alone)
