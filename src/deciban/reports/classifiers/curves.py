"""ROC and precision–recall curves, and the reliability diagram."""

from __future__ import annotations

from deciban.charts import Axis, Frame
from deciban.charts.thin import thin
from deciban.decide import RankingCurves, Reliability
from deciban.decide.diagram import SURE, draw_reliability
from deciban.reports.classifiers.facts import Facts
from deciban.reports.markup import Cell, details, figure, grid, number, paragraph, table
from deciban.reports.page import Section
from deciban.ties import largest_first

__all__ = ["ranking", "reliability"]

_MOST_CURVES = 5
_BINS = 10


def ranking(facts: Facts) -> Section:
    """How well the probability of a class ranks the rows."""
    curves = facts.predictions.scores.curves
    title = "ROC and precision–recall"
    if not curves:
        return Section(title, paragraph("All rows are of one class, so there is nothing to rank."), key="curves")
    lead = (
        "How well the probability of a class ranks the rows, for every threshold. A perfect ranking reaches the upper "
        "left corner of the ROC curve and the upper right one of precision–recall; the dotted line is chance."
    )
    shown = _shown(facts, curves)
    roc, precision = _roc(shown), _precision(shown)
    heads: list[Cell] = ["class", *(number(name) for name in ("ROC area", "average precision", "by chance"))]
    lines: list[list[Cell]] = [
        [str(curve.label), curve.roc_area, curve.average_precision, curve.share] for curve in curves.values()
    ]
    areas = table(heads, lines, caption="Areas under the curves, each class against all others: 1 is perfect")
    if len(lines) > 12:
        areas = details("Areas of all classes", areas)
    few = f"The curves of the {len(shown)} most frequent of {len(curves)} classes." if len(shown) < len(curves) else ""
    more = paragraph(few) if few and len(curves) > 2 else ""
    return Section(title, f"{grid(roc, precision)}{more}{areas}", lead, key="curves")


def _shown(facts: Facts, curves: dict[object, RankingCurves]) -> list[RankingCurves]:
    """The curves that are drawn: of two classes the rarer one, else of the most frequent ones."""
    ordered = largest_first(curves.values(), lambda curve: curve.share)
    return ordered[-1:] if len(facts.labels) == 2 else ordered[:_MOST_CURVES]


def _name(curve: RankingCurves) -> str:
    return str(curve.label)[:26]


def _roc(shown: list[RankingCurves]) -> str:
    frame = Frame(Axis("false positive rate", 0, 1), Axis("recall", 0, 1))
    frame.guide((0, 0), (1, 1))
    for k, curve in enumerate(shown):
        points = thin(curve.false_positive_rate, curve.recall)
        if len(shown) == 1:
            frame.area(points, series=k)
        frame.line(points, series=k, label=_name(curve))
    areas = ", ".join(f"{curve.label}: {curve.roc_area:.3f}" for curve in shown)
    return figure(frame.svg("ROC curve", f"Area {areas}"), f"ROC curve. Area: {areas}")


def _precision(shown: list[RankingCurves]) -> str:
    frame = Frame(Axis("recall", 0, 1), Axis("precision", 0, 1))
    for k, curve in enumerate(shown):
        if len(shown) == 1:
            frame.guide((0, curve.share), (1, curve.share))
        frame.line(thin(curve.recall, curve.precision), series=k, label=_name(curve))
    areas = ", ".join(f"{curve.label}: {curve.average_precision:.3f}" for curve in shown)
    svg = frame.svg("Precision–recall curve", f"Average precision {areas}")
    return figure(svg, f"Precision–recall curve. Average precision: {areas}")


def reliability(facts: Facts) -> Section:
    """Whether the probabilities can be taken at their word."""
    bins, error = facts.probability.reliability, facts.probability.calibration_error
    lead = (
        "When the model says 80%, is it right in 80% of such rows? On the dotted line it is. Dots below it: the "
        "model is too sure; above it: it could be surer."
    )
    gap = bins.overconfidence
    said = paragraph(
        f"The calibration error is <b>{error.value:.4f}</b> (95% interval {error.low:.4f} to {error.high:.4f}).",
        f"On average the probabilities are {100 * abs(gap):.1f} percentage points too {'high' if gap > 0 else 'low'}.",
    )
    return Section("Reliability", f"{said}{grid(_diagram(bins), _histogram(bins))}", lead)


def _diagram(bins: Reliability) -> str:
    """How often the model is right against how sure it is."""
    return figure(draw_reliability(bins), "Dots: groups of rows, with 95% intervals.")


def _histogram(bins: Reliability) -> str:
    """How sure the model is: the share of rows in each bin."""
    shares = (bins.counts / bins.counts.sum()).tolist()
    frame = Frame(Axis(SURE, 0, 1, True), Axis("share of rows", 0, max(shares) * 1.05, True))
    for sure, share in zip(bins.confidence.tolist(), shares, strict=True):
        first = min(int(sure * _BINS), _BINS - 1) / _BINS
        frame.band(first, first + 1 / _BINS, share)
    pairs = zip(bins.confidence.tolist(), shares, strict=True)
    described = "; ".join(f"{share:.1%} of rows near {sure:.0%}" for sure, share in pairs)
    return figure(frame.svg("How sure the model is", described), "How sure the model is of its decisions.")
