"""What the model has learned: the strongest values for each class, the strongest columns, and the nomogram."""

from __future__ import annotations

from typing import Any

from deciban.explain.scales import draw_nomogram
from deciban.models.assess import ValueEvidence, strongest_values
from deciban.models.summary import column_strengths
from deciban.models.tables.naive_bayes import NaiveBayes
from deciban.reports.charts import share_bar, signed_bar
from deciban.reports.classifiers.facts import Facts
from deciban.reports.markup import (
    Cell,
    Html,
    assigned,
    details,
    figure,
    grid,
    number,
    paragraph,
    scroll,
    signed,
    table,
    text,
)
from deciban.reports.page import Section
from deciban.ties import largest_first

__all__ = ["nomogram", "strongest"]

_MOST_CLASSES = 6
_MOST_COLUMNS = 15


def strongest(facts: Facts) -> Section:
    """The values that speak most for each class, and the columns that carry the evidence."""
    lead = (
        "Which values are the strongest evidence for a class, in decibans: +10 multiplies the odds of the class by 10, "
        "+3 doubles them, 0 says nothing."
    )
    is_learned = facts.predictions.origin == "leave-one-out"
    weights = column_strengths(facts.model, facts.X, facts.y, is_learned=is_learned)
    left_out = is_learned and isinstance(facts.model, NaiveBayes)
    columns = _columns(weights, left_out=left_out)
    return Section("Strongest evidence", f"{_values(facts)}{columns}", lead, key="evidence")


def _values(facts: Facts) -> str:
    if not hasattr(facts.model, "nomogram"):
        return ""
    found = strongest_values(facts.model)
    largest = max((value.weight_db for values in found.values() for value in values), default=1.0)
    order = largest_first(found, lambda label: facts.counts[facts.labels.index(label)])
    tables = [_value_table(label, found[label], largest) for label in order]
    rest = "".join(tables[_MOST_CLASSES:])
    more = details(f"{len(tables) - _MOST_CLASSES} more classes", f'<div class="grid">{rest}</div>') if rest else ""
    said = paragraph("Values that at least a hundredth of the learned rows have, each class against all others.")
    return f"{said}{grid(*tables[:_MOST_CLASSES])}{more}"


def _value_table(label: Any, values: list[ValueEvidence], largest: float) -> str:
    if not values:
        return paragraph(f"No frequent value is evidence for <b>{text(label)}</b>.")
    lines: list[list[Cell]] = [
        [
            Html(assigned(v.name, v.value)),
            number(signed(v.weight_db, 1)),
            Html(share_bar(v.weight_db / largest), "bars"),
        ]
        for v in values
    ]
    return table(["value", number("decibans"), ""], lines, caption=f"Evidence for {label}", kind="wide")


def _columns(weights: dict[str, float], *, left_out: bool) -> str:
    shown = dict(list(weights.items())[:_MOST_COLUMNS])
    largest = max((abs(weight) for weight in shown.values()), default=1.0)
    lines: list[list[Cell]] = [
        [name, number(signed(weight, 2)), Html(signed_bar(weight, largest), "bars")] for name, weight in shown.items()
    ]
    hidden = (
        f"; {len(weights) - len(shown)} columns of less evidence are not shown" if len(weights) > len(shown) else ""
    )
    caption = f"Mean weight of each column for the class of a row, in decibans{hidden}"
    made = table(["column", number("decibans"), ""], lines, caption=caption, kind="wide")
    how = " Each row is weighed without its own counts, as in the scores." if left_out else ""
    said = paragraph(
        f"What the value of a column says of the class, on average; below 0, it misleads more than it helps.{how}"
    )
    return f"<h3>Which columns carry the evidence</h3>{said}{made}"


def nomogram(facts: Facts) -> Section | None:
    """The whole model on one page; of more than two classes, the two most frequent ones."""
    if not hasattr(facts.model, "nomogram") or len(facts.labels) < 2:
        return None
    order = largest_first(range(len(facts.labels)), lambda j: facts.counts[j])[:2]
    against, label = (facts.labels[j] for j in order)
    drawn = facts.model.nomogram(label, against, max_columns=_MOST_COLUMNS)
    hidden = f" {drawn.hidden} columns of a smaller range are not shown." if drawn.hidden else ""
    pair = "" if len(facts.labels) == 2 else " Of all classes, these are the two most frequent ones."
    lead = (
        f"The whole model for <b>{text(label)}</b> against <b>{text(against)}</b>: find the value of each column on "
        f"its line, read its decibans above, and add them up. Above 0 the sum is for {text(label)}.{pair}"
    )
    picture = scroll(figure(draw_nomogram(drawn), kind="unscaled"), "Drawing of the nomogram")
    return Section("Nomogram", picture + (paragraph(hidden) if hidden else ""), lead)
