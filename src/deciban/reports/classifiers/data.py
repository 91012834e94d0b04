"""The rows: how many of each class, which columns, which distribution each column has and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deciban.choices import counted
from deciban.decide import Report
from deciban.errors import DecibanError
from deciban.models.assess import ColumnFacts, Dependence, as_table, compare_with_tan, describe_columns
from deciban.models.base import form_of
from deciban.models.fitting import near_copies
from deciban.nets.graphs.picture import picture_of
from deciban.reports.charts import draw_graph, draw_ring, share_bar
from deciban.reports.classifiers.facts import Facts
from deciban.reports.markup import Cell, Html, details, figure, note, number, paragraph, signed, table, text
from deciban.reports.page import Section
from deciban.ties import largest_first

__all__ = ["balance", "columns", "dependence"]


_MOST_COLUMNS = 60
_MOST_CLASSES = 30
_WEIGHT = (
    "The evidence of a column is multiplied by its weight: it is below 1 where columns say the same, and 0 where a "
    "column is of no use."
)


def columns(facts: Facts) -> Section:
    """The columns of the table, and how the model sees them."""
    model = facts.model
    found = describe_columns(as_table(model._features(facts.X)).named(form_of(model).column_names))
    lead = (
        "Each column of the table, with what it holds and how the model describes its values within each class. "
        "Columns marked as ignored are not used."
    )
    heads, lines = _lines(found, model, facts.rows)
    weighted = paragraph(_WEIGHT) if len(heads) > 6 else ""
    shown = table(heads, lines[:_MOST_COLUMNS], caption="The columns of the table", kind="wide")
    if len(lines) > _MOST_COLUMNS:
        rest = table(heads, lines[_MOST_COLUMNS:], caption="The other columns", kind="wide")
        shown += details(f"{len(lines) - _MOST_COLUMNS} more columns", rest)
    html = f"{_warnings(model)}{weighted}{shown}"
    return Section("Data and columns", html, lead, key="data")


def _lines(found: Sequence[ColumnFacts], model: Any, rows: int) -> tuple[list[Cell], list[list[Cell]]]:
    """The heads and the lines of the table; distributions and weights where the model has some."""
    plans, weights = getattr(model, "schema_", ()), model.weights_ if hasattr(model, "nomogram") else {}
    heads: list[Cell] = ["column", "values", number("distinct"), number("missing")]
    lines: list[list[Cell]] = [
        [c.name, Html(text(c.values, 200), "few-words"), c.distinct, _missing(c.missing, rows)] for c in found
    ]
    for line, plan in zip(lines, plans, strict=False):
        kind = "ignored" if plan.distribution.is_ignored else type(plan.distribution).__name__
        line += [Html(f'<span class="tag">{text(kind)}</span>'), Html(text(plan.reason, 300), "prose")]
    heads += ["distribution", "why"] if plans else []
    if any(weight != 1.0 for weight in weights.values()):
        heads.append(number("weight"))
        for line, plan, weight in zip(lines, plans, weights.values(), strict=True):
            line.append(number("" if plan.distribution.is_ignored else f"{weight:.2f}"))
    return heads, lines


def _missing(missing: int, rows: int) -> Html:
    return Html("0" if missing == 0 else f"{missing:,} ({missing / rows:.1%})", "number")


def _warnings(model: Any) -> str:
    """What a reader should check: columns that identify a row, and copies of the target."""
    plans = getattr(model, "schema_", ())
    identifiers = [plan.name for plan in plans if plan.reason.startswith("identifier")]
    found = []
    if identifiers:
        names = ", ".join(text(name) for name in identifiers)
        found.append(note(f"<b>{names}</b>: nearly every row has a value of its own, so it was ignored.", "warning"))
    copies = near_copies(model) if hasattr(model, "nomogram") else {}
    for name, share in copies.items():
        agrees = (
            "each value belongs to one class" if share == 1.0 else f"it agrees with the class in {share:.1%} of rows"
        )
        said = f"<b>{text(name)}</b>: {agrees}. If it is not known before the class is, leave it out."
        found.append(note(said, "warning"))
    return "".join(found)


def balance(facts: Facts) -> Section:
    """How many rows each class has."""
    order = largest_first(range(len(facts.labels)), lambda j: facts.counts[j])
    largest = max(facts.counts)
    lines: list[list[Cell]] = [
        [
            str(facts.labels[j]),
            facts.counts[j],
            Html(f"{facts.counts[j] / facts.rows:.1%}", "number"),
            Html(share_bar(facts.counts[j] / largest), "bars"),
        ]
        for j in order
    ]
    heads: list[Cell] = ["class", number("rows"), number("share"), ""]
    caption = f"{counted(facts.rows, 'row')} in {counted(len(order), 'class', 'classes')}"
    shown = table(heads, lines[:_MOST_CLASSES], caption=caption, kind="wide")
    if len(lines) > _MOST_CLASSES:
        rest = table(heads, lines[_MOST_CLASSES:], caption="The other classes", kind="wide")
        shown += details(f"{len(lines) - _MOST_CLASSES} more classes", rest)
    best = facts.predictions.scores.baseline
    lead = (
        f"How often each class occurs. A model that always says <b>{text(best.label)}</b> is right in "
        f"{best.accuracy:.1%} of the rows: this is the score to beat."
    )
    return Section("Class balance", shown, lead, key="balance")


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
