"""Where the independence assumption fails, and what TAN would gain."""

from __future__ import annotations

from deciban.decide import Report
from deciban.errors import DecibanError
from deciban.models.assess import Dependence, compare_with_tan
from deciban.nets.graphs.picture import picture_of
from deciban.reports.charts.graph import draw_graph
from deciban.reports.charts.ring import draw_ring
from deciban.reports.classifiers.facts import Facts
from deciban.reports.markup import Cell, Html, details, figure, number, paragraph, signed, table, text
from deciban.reports.page import Section

__all__ = ["dependence"]

_TITLE = "Independence and TAN"
_MOST_PAIRS = 12
_LEAST = 0.005
"""Pairs with less information than this, in nats, are not drawn."""


def dependence(facts: Facts) -> Section:
    """Pairs of columns that depend on each other within the classes, and what a model gains that knows it."""
    lead = (
        "Naive Bayes treats the columns as independent within each class. The thicker a line, the more two columns "
        "say the same, which naive Bayes then counts twice."
    )
    if facts.model.n_features_in_ < 2:
        return Section(
            _TITLE, paragraph("There is only one column, so nothing can depend on it."), lead, key="dependence"
        )
    try:
        found = compare_with_tan(facts.model, facts.X, facts.y, facts.predictions)
    except DecibanError as error:
        return Section(_TITLE, paragraph(f"This was not compared: {text(error, 300)}"), lead, key="dependence")
    return Section(_TITLE, f"{_pairs(found)}{_gain(found)}", lead, key="dependence")


def _pairs(found: Dependence) -> str:
    shown = {pair: tie for pair, tie in list(found.pairs.items())[:_MOST_PAIRS] if tie >= _LEAST}
    if not shown:
        return paragraph("No two columns depend on each other within the classes: the assumption holds.")
    lines: list[list[Cell]] = [[f"{a} – {b}", Html(f"{tie:.3f}", "number")] for (a, b), tie in shown.items()]
    caption = "Conditional mutual information given the class, in nats, without the bias of a finite sample"
    listed = details("The pairs in numbers", table(["columns", number("information")], lines, caption=caption))
    described = "; ".join(f"{a} and {b}: {tie:.3f}" for (a, b), tie in shown.items())
    svg = draw_ring(shown, title="Columns that depend on each other within the classes", description=described)
    drawn = figure(svg, "Conditional mutual information of pairs of columns, given the class; the strongest pairs.")
    return f"{drawn}{listed}"


def _gain(found: Dependence) -> str:
    naive, tan = _losses(found.naive), _losses(found.tan)
    heads: list[Cell] = ["model", *(number(name) for name in ("log loss", "accuracy", "calibration error"))]
    lines: list[list[Cell]] = [["naive Bayes", *naive], ["TAN", *tan], ["difference", *_differences(naive, tan)]]
    gain = naive[0] - tan[0]
    better = (
        f"TAN, in which each column may also depend on one other, would lower the log loss by {gain:.4f} nats a row."
        if gain > 0
        else f"TAN, in which each column may also depend on one other, gains nothing here: its log loss is {-gain:.4f} "
        "nats a row higher."
    )
    rows = f"{found.rows:,} of these rows, drawn at random," if found.is_sample else f"these {found.rows:,} rows"
    how = f"Both were fitted on {rows} and scored by leave-one-out."
    tree = details("The tree of TAN", draw_graph(picture_of(found.tree), "tan", label="The tree of TAN"))
    made = table(heads, lines, caption=how)
    return f"<h3>What TAN would gain</h3>{paragraph(better)}{made}{tree}"


def _losses(report: Report) -> list[float]:
    found = report.probability
    return [] if found is None else [found.log_loss.value, report.accuracy, found.calibration_error.value]


def _differences(a: list[float], b: list[float]) -> list[Cell]:
    return [number(signed(y - x, 4)) for x, y in zip(a, b, strict=True)]
