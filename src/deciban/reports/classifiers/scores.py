"""The scores: with intervals and the baseline, class by class, and as a confusion matrix with costs."""

from __future__ import annotations

import numpy as np

from deciban.charts import Axis, Frame, thin
from deciban.decide import RankingCurves, Reliability, mean_cost
from deciban.decide.rules import check_loss
from deciban.decide.score import SURE, draw_reliability
from deciban.reports.classifiers.data import ORIGINS, Facts, Reported
from deciban.reports.markup import Cell, Html, details, figure, grid, heat, note, number, paragraph, table, text
from deciban.reports.page import Section
from deciban.ties import largest_first

__all__ = ["confusion", "ranking", "reliability", "scores"]


_MEANINGS = {
    "accuracy": "share of rows whose class is right; larger is better",
    "log loss": "mean of −log P(true class), in nats: punishes being sure and wrong; smaller is better",
    "Brier score": "mean squared error of the probabilities; smaller is better",
    "calibration error": "mean difference between how sure the model is and how often it is right; smaller is better",
}
_MOST_CLASSES = 40
_FEW_CLASSES = 8


def scores(facts: Facts[Reported]) -> Section:
    """Accuracy and the scores of the posteriors, with intervals, beside the baseline."""
    report = facts.predictions.scores
    interval, base = report.accuracy_interval, report.baseline
    lead = (
        f"The model is right in <b>{interval.value:.1%}</b> of {len(facts.scored):,} rows (95% confidence interval "
        f"{interval.low:.1%} to {interval.high:.1%}). Always saying {text(base.label)} is right in {base.accuracy:.1%}."
    )
    heads: list[Cell] = ["score", number("value"), number("95% interval"),
                         number("without any column"), "meaning"]  # fmt: skip
    lines: list[list[Cell]] = [
        [name, value.value, Html(f"{value.low:.4f} to {value.high:.4f}", "number"),
         Html("" if baseline is None else f"{baseline:.4f}", "number"), Html(text(_MEANINGS[name], 200), "prose")]
        for name, value, baseline in report.summary()
    ]  # fmt: skip
    caption = "Scores of the model, and of one that knows the shares of the classes and nothing else"
    kind = "warning" if facts.predictions.origin in ("learned", "unknown") else ""
    how = note(f"{ORIGINS[facts.predictions.origin]}{_spread(facts)}", kind)
    intervals = paragraph(
        "Intervals: Wilson's for the accuracy, normal for log loss and Brier score, and a bootstrap for the",
        "calibration error.",
    )
    return Section("Scores", f"{how}{table(heads, lines, caption=caption)}{intervals}{_of_classes(facts)}", lead)


def _spread(facts: Facts[Reported]) -> str:
    """That some rows were scored, where the table is large."""
    if len(facts.scored) == facts.rows:
        return ""
    return f" Of {facts.rows:,} rows, {len(facts.scored):,} that are spread over the table were predicted."


def _of_classes(facts: Facts[Reported]) -> str:
    report = facts.predictions.scores
    heads: list[Cell] = ["class", *(number(name) for name in ("precision", "recall", "F1", "rows"))]
    named = [*zip(map(str, facts.labels), report.scores, strict=True)]
    if len(named) > 1:
        named += [("mean of the classes", report.macro)]
    lines: list[list[Cell]] = [[name, s.precision, s.recall, s.f1, s.rows] for name, s in named]
    caption = (
        "Precision: of the rows that were given to the class, the share that belongs to it. Recall: of the rows of the "
        "class, the share that was found. F1: their harmonic mean"
    )
    made = table(heads, lines, caption=caption)
    return f"<h3>Class by class</h3>{made}" if len(lines) <= 12 else details("Class by class", made)


def confusion(facts: Facts[Reported]) -> Section:
    """True classes against decisions, and what the mistakes cost."""
    lead = (
        "Each line is a true class, each column a decision. Blue cells on the diagonal are right, orange ones are "
        "mistakes; the shade is the share of the line."
    )
    if len(facts.labels) > _MOST_CLASSES:
        body = paragraph(f"{len(facts.labels)} classes are too many for a matrix. {_most_confused(facts)}")
        return Section("Confusion matrix and costs", body + _costs(facts), lead, key="confusion")
    extra = paragraph(_most_confused(facts)) if len(facts.labels) > 2 else ""
    return Section("Confusion matrix and costs", _matrix(facts) + extra + _costs(facts), lead, key="confusion")


def _matrix(facts: Facts[Reported]) -> str:
    """The confusion matrix; of many classes with upright names, so that it stays narrow."""
    report = facts.predictions.scores
    # a class without rows has no shares: no division by 0
    shares = report.confusion / np.maximum(report.confusion.sum(axis=1, keepdims=True), 1)
    lines: list[list[Cell]] = []
    for i, (name, row) in enumerate(zip(map(str, facts.labels), report.confusion.tolist(), strict=True)):
        kinds = ["good" if i == j else "bad" for j in range(len(row))]
        cells = zip(row, shares[i].tolist(), kinds, strict=True)
        lines.append([name, *(heat(f"{count:,}" if count else "·", share, kind) for count, share, kind in cells)])
    is_tight = len(facts.labels) > _FEW_CLASSES
    heads: list[Cell] = [Html("true class")]
    heads += [Html(text(name, 24), "upright" if is_tight else "number") for name in report.decisions]
    caption = "Rows by true class (lines) and decision (columns)"
    return table(heads, lines, caption=caption, kind="matrix tight" if is_tight else "matrix")


def _most_confused(facts: Facts[Reported]) -> str:
    # without the column of rows that were not decided, which are no mistakes
    wrong = facts.predictions.scores.confusion[:, : len(facts.labels)].copy()
    np.fill_diagonal(wrong, 0)
    # stable: equally frequent mistakes are in the order of the classes
    order = np.argsort(-wrong, axis=None, kind="stable")[:3]
    pairs = [np.unravel_index(k, wrong.shape) for k in order.tolist() if wrong.flat[k]]
    if not pairs:
        return "No row is given to a wrong class."
    names = [f"{text(facts.labels[i])} taken for {text(facts.labels[j])} ({wrong[i, j]:,})" for i, j in pairs]
    return f"The most frequent mistakes: {'; '.join(names)}."


def _costs(facts: Facts[Reported]) -> str:
    """What the decisions cost, by the model's own costs where it has some."""
    loss, report = getattr(facts.model, "loss", None), facts.predictions.scores
    if loss is None:
        return paragraph(
            f"No costs were given, so every mistake costs 1: {1 - report.accuracy:.4f} a row. With costs,",
            "<code>loss={truth: {decision: cost}}</code>, the model decides for the least expected cost.",
        )
    cost, costs = mean_cost(report, loss), check_loss(loss, facts.labels)
    # all costs may be 0
    largest = float(np.abs(costs).max()) or 1.0
    lines: list[list[Cell]] = [
        [str(name), *(heat(f"{value:g}", abs(value) / largest, "bad") for value in row)]
        for name, row in zip(facts.labels, costs.tolist(), strict=True)
    ]
    heads: list[Cell] = [Html("true class"), *(Html(text(label, 24), "number") for label in facts.labels)]
    made = table(heads, lines, caption="What each decision (column) costs for each true class (line)", kind="matrix")
    undecided = f" {cost.undecided:,} rows were not decided, and have no cost." if cost.undecided else ""
    return made + paragraph(
        f"The decisions cost <b>{cost.value:.4f}</b> a row. Always deciding for {text(cost.label)}, the cheapest",
        f"single decision, costs {cost.baseline:.4f}.{undecided}",
    )


_MOST_CURVES = 5
_BINS = 10


def ranking(facts: Facts[Reported]) -> Section:
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


def _shown(facts: Facts[Reported], curves: dict[object, RankingCurves]) -> list[RankingCurves]:
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


def reliability(facts: Facts[Reported]) -> Section:
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
        # a confidence of exactly 1 belongs to the last bin
        first = min(int(sure * _BINS), _BINS - 1) / _BINS
        frame.band(first, first + 1 / _BINS, share)
    pairs = zip(bins.confidence.tolist(), shares, strict=True)
    described = "; ".join(f"{share:.1%} of rows near {sure:.0%}" for sure, share in pairs)
    return figure(frame.svg("How sure the model is", described), "How sure the model is of its decisions.")
