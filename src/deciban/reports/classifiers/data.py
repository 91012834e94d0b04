"""What a report on a classifier is about, and its sections on the rows: classes, columns, and how columns depend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Generic, TypeAlias, TypeVar, cast

import numpy as np

from deciban.charts import Anchor, Point, circle, drawing, words
from deciban.choices import counted
from deciban.decide import ProbabilityScores, Report
from deciban.errors import DecibanError
from deciban.models import AutoText, LogCountRatio, NaiveBayes, TextEM, TextNB
from deciban.models.assess import (
    ChosenRow,
    ColumnFacts,
    Dependence,
    Origin,
    Predictions,
    as_table,
    choose_rows,
    compare_with_tan,
    describe_columns,
    named_target,
    predict_honestly,
)
from deciban.models.base import BayesClassifier, form_of, schema_of
from deciban.models.fitting import near_copies
from deciban.nets.graphs.picture import picture_of
from deciban.read import read_target, split_target, take_rows
from deciban.read.target import Target
from deciban.reports.markup import (
    Cell,
    Html,
    details,
    draw_graph,
    figure,
    note,
    number,
    paragraph,
    share_bar,
    signed,
    table,
    text,
)
from deciban.reports.page import Section
from deciban.ties import first_largest, largest_first
from deciban.types import AnyArray, Codes, Floats

__all__ = ["ORIGINS", "DocumentModel", "Facts", "Reported", "balance", "columns", "dependence", "draw_ring", "gather"]


DocumentModel: TypeAlias = TextNB | TextEM | LogCountRatio | AutoText
Reported: TypeAlias = BayesClassifier | DocumentModel
"""What a report can be about."""

M = TypeVar("M", bound=Reported)
M_co = TypeVar("M_co", bound=Reported, covariant=True)

ORIGINS: dict[Origin, str] = {
    "leave-one-out": (
        "These are the rows that the model was fitted on. Each is predicted as if it had not been learned (exact "
        "leave-one-out), so the scores are about those to expect on new rows. What was chosen by means of all rows, "
        "such as cuts of columns and their weights, is kept, which makes them a little too good."
    ),
    "held-out": (
        "These are the documents that the model was fitted on. They are predicted in parts, each by the counts of the "
        "others, so the scores are those to expect on new documents."
    ),
    "learned": (
        "These are the rows that the model was fitted on, and this kind of model has no leave-one-out: the scores are "
        "better than those to expect on new rows. Pass rows that the model has not learned."
    ),
    "other": (
        "These are not the rows that the model was fitted on, as their counts show: they are predicted as new rows. If "
        "the model has learned some of them, or all of them with weights, the scores are better than those to expect."
    ),
    "unknown": (
        "It is not known whether the model was fitted on these rows. If it was, the scores are better than those to "
        "expect on new rows."
    ),
}
"""How the rows were predicted, in a sentence."""


@dataclass(frozen=True, eq=False)
class Facts(Generic[M_co]):
    """The model, the rows without their classes, the classes, the name of their column, and the predictions.

    `codes` are the classes of all rows, `scored` those of the rows that were predicted: of a large table, some.
    """

    model: M_co
    X: Any
    y: Any
    target: str | None
    codes: Codes
    predictions: Predictions

    @property
    def labels(self) -> list[object]:
        return list(self.model.classes_.tolist())

    @property
    def rows(self) -> int:
        return len(self.codes)

    @property
    def scored(self) -> Codes:
        return self.codes[self.predictions.rows]

    @property
    def kind(self) -> str:
        """The name of the model's class."""
        return type(self.model).__name__

    @property
    def probability(self) -> ProbabilityScores:
        """The scores of the posteriors."""
        return cast(ProbabilityScores, self.predictions.scores.probability)

    @cached_property
    def counts(self) -> list[int]:
        """The number of rows of each class."""
        return list(np.bincount(self.codes, minlength=len(self.labels)).tolist())

    @cached_property
    def chosen(self) -> list[ChosenRow]:
        """Ten of the predicted rows to explain, or all of a smaller table; by their index among those."""
        return choose_rows(self.predictions.posterior, self.scored)

    @property
    def chosen_rows(self) -> list[int]:
        """The same, by their index in the table."""
        return [int(self.predictions.rows[chosen.row]) for chosen in self.chosen]

    @cached_property
    def as_it_is(self) -> tuple[Floats, AnyArray]:
        """The posteriors and the decisions of the model as it is for the chosen rows, which it may have learned."""
        rows = take_rows(self.X, np.array(self.chosen_rows))
        return self.model.predict_proba(rows), self.model.predict(rows)

    @property
    def is_left_out(self) -> bool:
        """Whether the rows were learned, and predicted as if they had not been."""
        return self.predictions.origin in ("leave-one-out", "held-out")


def gather(model: M, X: Any, y: Any) -> Facts[M]:
    """Predict the rows and read their classes."""
    model._check_fitted()
    X, y, named = split_target(X, named_target(model, y))
    predictions = predict_honestly(model, X, y)
    target = read_target(y, len(y))
    code_of = {label: code for code, label in enumerate(model.classes_.tolist())}
    codes = np.array([code_of.get(label, 0) for label in target.classes.labels.tolist()], dtype=np.int32)
    return Facts(model, X, y, named or _name_of_target(model, target), codes[target.codes], predictions)


def _name_of_target(model: Reported, target: Target) -> str | None:
    """The name of the column of the classes, as the labels or the model know it."""
    tally = getattr(model, "tally_", None)
    names = (target.classes.name, "y" if tally is None else tally.classes.name)
    return next((name for name in names if name != "y"), None)


_MOST_COLUMNS = 60
_MOST_CLASSES = 30
_WEIGHT = (
    "The evidence of a column is multiplied by its weight: it is below 1 where columns repeat each other's evidence, "
    "and 0 where a column is of no use."
)


def columns(facts: Facts[BayesClassifier]) -> Section:
    """The columns of the table, and how the model sees them."""
    model = facts.model
    described = describe_columns(as_table(model._features(facts.X)).named(form_of(model).column_names))
    lead = (
        "Each column of the table, with what it holds and how the model describes its values within each class. "
        "Columns marked as ignored are not used."
    )
    heads, lines = _column_lines(described, model, facts.rows)
    weighted = paragraph(_WEIGHT) if len(heads) > 6 else ""
    shown = _long_table(heads, lines, _MOST_COLUMNS, "columns", "The columns of the table")
    return Section("Data and columns", f"{_warnings(model)}{weighted}{shown}", lead, key="data")


def _long_table(heads: Sequence[Cell], lines: Sequence[Sequence[Cell]], most: int, noun: str, caption: str) -> str:
    """A table whose lines beyond the first are shown after a click."""
    shown = table(heads, lines[:most], caption=caption, kind="wide")
    if len(lines) <= most:
        return shown
    rest = table(heads, lines[most:], caption=f"The other {noun}", kind="wide")
    return shown + details(f"{len(lines) - most} more {noun}", rest)


def _column_lines(
    described: Sequence[ColumnFacts], model: BayesClassifier, rows: int
) -> tuple[list[Cell], list[list[Cell]]]:
    """The heads and the lines of the table; distributions and weights where the model has some."""
    plans, weights = schema_of(model), model.weights_ if isinstance(model, NaiveBayes) else {}
    heads: list[Cell] = ["column", "values", number("distinct"), number("missing")]
    lines: list[list[Cell]] = [
        [c.name, Html(text(c.values, 200), "few-words"), c.distinct, _missing(c.missing, rows)] for c in described
    ]
    # not strict: a model without a schema has no plans
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


def _warnings(model: BayesClassifier) -> str:
    """What a reader should check: columns that identify a row, and copies of the target."""
    identifiers = [plan.name for plan in schema_of(model) if plan.reason.startswith("identifier")]
    warnings = []
    if identifiers:
        names = ", ".join(text(name) for name in identifiers)
        warnings.append(note(f"<b>{names}</b>: nearly every row has a value of its own, so it was ignored.", "warning"))
    copies = near_copies(model) if isinstance(model, NaiveBayes) else {}
    for name, share in copies.items():
        agrees = (
            "each value belongs to one class" if share == 1.0 else f"it agrees with the class in {share:.1%} of rows"
        )
        said = f"<b>{text(name)}</b>: {agrees}. If it is not known before the class is, leave it out."
        warnings.append(note(said, "warning"))
    return "".join(warnings)


def balance(facts: Facts[Reported]) -> Section:
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
    shown = _long_table(heads, lines, _MOST_CLASSES, "classes", caption)
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


def dependence(facts: Facts[BayesClassifier]) -> Section:
    """Pairs of columns that depend on each other within the classes, and what a model gains that knows it."""
    lead = (
        "Naive Bayes treats the columns as independent within each class. The thicker a line, the more evidence two "
        "columns share, which naive Bayes then counts twice."
    )
    if facts.model.n_features_in_ < 2:
        return Section(
            _TITLE, paragraph("There is only one column, so nothing can depend on it."), lead, key="dependence"
        )
    try:
        compared = compare_with_tan(facts.model, facts.X, facts.y, facts.predictions)
    # not every table can be compared, and the rest of the page does not depend on it
    except DecibanError as error:
        return Section(_TITLE, paragraph(f"This was not compared: {text(error, 300)}"), lead, key="dependence")
    return Section(_TITLE, f"{_pairs(compared)}{_gain(compared)}", lead, key="dependence")


def _pairs(compared: Dependence) -> str:
    shown = {pair: tie for pair, tie in list(compared.pairs.items())[:_MOST_PAIRS] if tie >= _LEAST}
    if not shown:
        return paragraph("No two columns depend on each other within the classes: the assumption holds.")
    lines: list[list[Cell]] = [[f"{a} – {b}", Html(f"{tie:.3f}", "number")] for (a, b), tie in shown.items()]
    caption = "Conditional mutual information given the class, in nats, without the bias of a finite sample"
    listed = details("The pairs in numbers", table(["columns", number("information")], lines, caption=caption))
    described = "; ".join(f"{a} and {b}: {tie:.3f}" for (a, b), tie in shown.items())
    svg = draw_ring(shown, title="Columns that depend on each other within the classes", description=described)
    drawn = figure(svg, "Conditional mutual information of pairs of columns, given the class; the strongest pairs.")
    return f"{drawn}{listed}"


def _gain(compared: Dependence) -> str:
    naive, tan = _probability_scores(compared.naive), _probability_scores(compared.tan)
    heads: list[Cell] = ["model", *(number(name) for name in ("log loss", "accuracy", "calibration error"))]
    lines: list[list[Cell]] = [
        ["naive Bayes", *naive],
        ["TAN", *tan],
        ["difference", *(number(signed(b - a, 4)) for a, b in zip(naive, tan, strict=True))],
    ]
    gain = naive[0] - tan[0]
    better = (
        f"TAN, in which each column may also depend on one other, would lower the log loss by {gain:.4f} nats a row."
        if gain > 0
        else f"TAN, in which each column may also depend on one other, gains nothing here: its log loss is {-gain:.4f} "
        "nats a row higher."
    )
    rows = (
        f"{compared.rows:,} of these rows, drawn at random," if compared.is_sample else f"these {compared.rows:,} rows"
    )
    how = f"Both were fitted on {rows} and scored by leave-one-out."
    tree = details("The tree of TAN", draw_graph(picture_of(compared.tree), "tan", label="The tree of TAN"))
    made = table(heads, lines, caption=how)
    return f"<h3>What TAN would gain</h3>{paragraph(better)}{made}{tree}"


def _probability_scores(report: Report) -> list[float]:
    scores = report.probability
    return [] if scores is None else [scores.log_loss.value, report.accuracy, scores.calibration_error.value]


_WIDTH, _RADIUS, _TOP = 500.0, 125.0, 26.0
_THICKEST = 9.0
_LONGEST_NAME = 22


def draw_ring(ties: Mapping[tuple[str, str], float], *, title: str, description: str) -> str:
    """Draw the nodes of the ties on a circle, and the ties between them."""
    nodes = _ordered(ties)
    centre = (_WIDTH / 2, _RADIUS + _TOP)
    # −π/2: the first node is at the top, since y grows downwards in SVG
    angles = {node: 2 * math.pi * k / len(nodes) - math.pi / 2 for k, node in enumerate(nodes)}
    at = {node: _on_circle(centre, _RADIUS, angle) for node, angle in angles.items()}
    strongest = max(ties.values(), default=1.0) or 1.0
    shapes = [_tie(at[a], at[b], centre, f"{a} – {b}: {tie:.3f}", tie / strongest) for (a, b), tie in ties.items()]
    for node in nodes:
        shapes.append(circle(at[node], 5.0, "node"))
        shapes.append(_name(node, centre, angles[node]))
    return drawing(_WIDTH, 2 * (_RADIUS + _TOP), shapes, title=title, description=description)


def _ordered(ties: Mapping[tuple[str, str], float]) -> list[str]:
    """The nodes in an order that keeps the strongest ties short: each after the one it is tied to most."""
    strength: dict[str, dict[str, float]] = {}
    for (a, b), tie in ties.items():
        strength.setdefault(a, {})[b] = tie
        strength.setdefault(b, {})[a] = tie
    nodes = list(strength)
    order = nodes[:1]
    while len(order) < len(nodes):
        outside = [node for node in nodes if node not in order]
        order.append(outside[first_largest([strength[order[-1]].get(node, 0.0) for node in outside])])
    return order


def _on_circle(centre: Point, radius: float, angle: float) -> Point:
    return centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)


def _tie(a: Point, b: Point, centre: Point, title: str, share: float) -> str:
    """A line that bends a little towards the centre, so that it does not pass through other nodes."""
    bend = [(p + q) / 2 + 0.35 * (c - (p + q) / 2) for p, q, c in zip(a, b, centre, strict=True)]
    path = f"M{a[0]:.1f} {a[1]:.1f}Q{bend[0]:.1f} {bend[1]:.1f} {b[0]:.1f} {b[1]:.1f}"
    # the root keeps weak ties visible beside strong ones
    width, opacity = max(_THICKEST * share**0.5, 1.0), 0.45 + 0.5 * share
    style = f'stroke-width="{width:.1f}" stroke-opacity="{opacity:.2f}"'
    return f'<path d="{path}" class="tie" {style}><title>{escape(title)}</title></path>'


def _name(node: str, centre: Point, angle: float) -> str:
    x, y = _on_circle(centre, _RADIUS + 11.0, angle)
    across = math.cos(angle)
    anchor: Anchor = "middle" if abs(across) < 0.2 else "start" if across > 0 else "end"
    shown = node if len(node) <= _LONGEST_NAME else f"{node[: _LONGEST_NAME - 1]}…"
    return words((x, y + 4.0 + 5.0 * math.sin(angle)), shown, "", anchor)
