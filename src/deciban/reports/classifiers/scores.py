"""The scores: with intervals and the baseline, class by class, and as a confusion matrix with costs."""

from __future__ import annotations

import numpy as np

from deciban.decide import mean_cost
from deciban.decide.rules import check_loss
from deciban.reports.charts import heat
from deciban.reports.classifiers.facts import ORIGINS, Facts
from deciban.reports.markup import Cell, Html, details, note, number, paragraph, table, text
from deciban.reports.page import Section

__all__ = ["confusion", "scores"]

_MEANINGS = {
    "accuracy": "share of rows whose class is right; larger is better",
    "log loss": "mean of −log P(true class), in nats: punishes being sure and wrong; smaller is better",
    "Brier score": "mean squared error of the probabilities; smaller is better",
    "calibration error": "mean difference between how sure the model is and how often it is right; smaller is better",
}
_MOST_CLASSES = 40
_FEW_CLASSES = 8


def scores(facts: Facts) -> Section:
    """Accuracy and the scores of the posteriors, with intervals, beside the baseline."""
    found = facts.predictions.scores
    interval, base = found.accuracy_interval, found.baseline
    lead = (
        f"The model is right in <b>{interval.value:.1%}</b> of {len(facts.scored):,} rows (95% confidence interval "
        f"{interval.low:.1%} to {interval.high:.1%}). Always saying {text(base.label)} is right in {base.accuracy:.1%}."
    )
    heads: list[Cell] = ["score", number("value"), number("95% interval"),
                         number("without any column"), "meaning"]  # fmt: skip
    lines: list[list[Cell]] = [
        [name, value.value, Html(f"{value.low:.4f} to {value.high:.4f}", "number"),
         Html("" if baseline is None else f"{baseline:.4f}", "number"), Html(text(_MEANINGS[name], 200), "prose")]
        for name, value, baseline in found.summary()
    ]  # fmt: skip
    caption = "Scores of the model, and of one that knows the shares of the classes and nothing else"
    kind = "warning" if facts.predictions.origin in ("learned", "unknown") else ""
    how = note(f"{ORIGINS[facts.predictions.origin]}{_spread(facts)}", kind)
    intervals = paragraph(
        "Intervals: Wilson's for the accuracy, normal for log loss and Brier score, and a bootstrap for the",
        "calibration error.",
    )
    return Section("Scores", f"{how}{table(heads, lines, caption=caption)}{intervals}{_of_classes(facts)}", lead)


def _spread(facts: Facts) -> str:
    """That some rows were scored, where the table is large."""
    if len(facts.scored) == facts.rows:
        return ""
    return f" Of {facts.rows:,} rows, {len(facts.scored):,} that are spread over the table were predicted."


def _of_classes(facts: Facts) -> str:
    found = facts.predictions.scores
    heads: list[Cell] = ["class", *(number(name) for name in ("precision", "recall", "F1", "rows"))]
    named = [*zip(map(str, facts.labels), found.scores, strict=True)]
    if len(named) > 1:
        named += [("mean of the classes", found.macro)]
    lines: list[list[Cell]] = [[name, s.precision, s.recall, s.f1, s.rows] for name, s in named]
    caption = (
        "Precision: of the rows that were given to the class, the share that belongs to it. Recall: of the rows of the "
        "class, the share that was found. F1: their harmonic mean"
    )
    made = table(heads, lines, caption=caption)
    return f"<h3>Class by class</h3>{made}" if len(lines) <= 12 else details("Class by class", made)


def confusion(facts: Facts) -> Section:
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


def _matrix(facts: Facts) -> str:
    """The confusion matrix; of many classes with upright names, so that it stays narrow."""
    found = facts.predictions.scores
    shares = found.confusion / np.maximum(found.confusion.sum(axis=1, keepdims=True), 1)
    lines: list[list[Cell]] = []
    for i, (name, row) in enumerate(zip(map(str, facts.labels), found.confusion.tolist(), strict=True)):
        kinds = ["good" if i == j else "bad" for j in range(len(row))]
        cells = zip(row, shares[i].tolist(), kinds, strict=True)
        lines.append([name, *(heat(f"{count:,}" if count else "·", share, kind) for count, share, kind in cells)])
    is_tight = len(facts.labels) > _FEW_CLASSES
    heads: list[Cell] = [Html("true class")]
    heads += [Html(text(name, 24), "upright" if is_tight else "number") for name in found.decisions]
    caption = "Rows by true class (lines) and decision (columns)"
    return table(heads, lines, caption=caption, kind="matrix tight" if is_tight else "matrix")


def _most_confused(facts: Facts) -> str:
    wrong = facts.predictions.scores.confusion[:, : len(facts.labels)].copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:3]
    pairs = [np.unravel_index(k, wrong.shape) for k in order.tolist() if wrong.flat[k]]
    if not pairs:
        return "No row is given to a wrong class."
    names = [f"{text(facts.labels[i])} taken for {text(facts.labels[j])} ({wrong[i, j]:,})" for i, j in pairs]
    return f"The most frequent mistakes: {'; '.join(names)}."


def _costs(facts: Facts) -> str:
    """What the decisions cost, by the model's own costs where it has some."""
    loss, found = getattr(facts.model, "loss", None), facts.predictions.scores
    if loss is None:
        return paragraph(
            f"No costs were given, so every mistake costs 1: {1 - found.accuracy:.4f} a row. With costs,",
            "<code>loss={truth: {decision: cost}}</code>, the model decides for the least expected cost.",
        )
    cost, costs = mean_cost(found, loss), check_loss(loss, facts.labels)
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
