"""Ten rows, each with the arithmetic of its prediction."""

from __future__ import annotations

from collections import Counter

from deciban.explain import Explanation
from deciban.models.assess import explain_rows
from deciban.models.assess.rows import RULES
from deciban.reports.charts import signed_bar
from deciban.reports.classifiers.facts import Facts
from deciban.reports.markup import Cell, Html, listed, note, number, probability, signed, table, text
from deciban.reports.page import Section
from deciban.types import Floats

__all__ = ["explained_rows", "headline", "rules_note"]

_MOST_REASONS = 8
_BASIS = (
    "The first probability, the weights below it and the what-if panel are those of the model as it is, which has "
    "learned these rows. “Left out” is the prediction without the counts of the row itself, as in the scores; the rows "
    "are chosen by it.",
    "The first probability and the weights below it are those of the model as it is, which has learned these "
    "documents. “Held out” is the prediction by the counts of other documents alone, as in the scores; the documents "
    "are chosen by it.",
)
"""What the numbers are about: where rows are left out one at a time, and where documents are held out in parts."""
_IMPOSSIBLE = "The row is impossible in every class: the prediction is that of the priors."


def explained_rows(facts: Facts) -> Section:
    """The chosen rows, explained."""
    explanations = explain_rows(facts.model, facts.X, facts.chosen_rows)
    parts = [
        f"<details{' open' if k == 0 else ''}><summary>{headline(facts, k)}</summary>{_sum(explanation)}</details>"
        for k, explanation in enumerate(explanations)
    ]
    lead = (
        "Each prediction is a sum of weights of evidence, in decibans. Positive weights are for the decided class, "
        "negative ones against it."
    )
    return Section("Explained rows", f"{rules_note(facts)}{''.join(parts)}", lead, key="rows")


def rules_note(facts: Facts, noun: str = "rows") -> str:
    """How the rows were chosen."""
    found = Counter(chosen.why for chosen in facts.chosen)
    rules = [f"<b>{why}</b> ({found[why]}): {text(rule, 200)}" for why, rule in RULES.items() if found[why]]
    notes = []
    if facts.is_left_out:
        notes.append(note(_BASIS[facts.predictions.origin == "held-out"]))
    if getattr(facts.model, "calibration_", None) is not None:
        notes.append(note("The model is calibrated: the sums are the evidence before calibration."))
    return f"<p>The {noun} are chosen by these rules (they are numbered from 0):</p>{listed(rules)}{''.join(notes)}"


def headline(facts: Facts, k: int, noun: str = "Row") -> str:
    """The k-th chosen row, its true class, and the decision of the model as it is with its probability, as HTML.

    Of a row that was learned, the decision without its own counts follows: that is the one that is scored.
    """
    chosen, (posteriors, decisions) = facts.chosen[k], facts.as_it_is
    truth = facts.labels[int(facts.scored[chosen.row])]
    said = _decision(facts, posteriors[k], decisions[k], truth)
    if facts.is_left_out:
        predicted = facts.predictions
        left_out = _decision(facts, predicted.posterior[chosen.row], predicted.decided[chosen.row], truth)
        said += f" · {'held' if predicted.origin == 'held-out' else 'left'} out: {left_out}"
    row = facts.predictions.rows[chosen.row]
    return f'{noun} {row} <span class="tag">{chosen.why}</span> truly {text(truth)}: {said}'


def _decision(facts: Facts, posterior: Floats, decided: object, truth: object) -> str:
    """A decision with its probability, that of the best class where it is rejected; and whether it is right."""
    label = _plain(decided)
    code = int(posterior.argmax()) if label is None else facts.labels.index(label)
    said = "no decision" if label is None else text(label)
    verdict = "✓" if label is not None and label == truth else "✗"
    return f"<b>{said}</b> with probability {probability(float(posterior[code]))} {verdict}"


def _plain(label: object) -> object:
    return label.item() if hasattr(label, "item") else label


def _bold(name: str) -> Html:
    """The name of a line; that of the total stands out."""
    return Html(f"<b>{text(name)}</b>" if name == "total" else text(name))


def _sum(explanation: Explanation) -> str:
    (_, _, prior), *reasons, (_, _, total) = explanation.rows()
    ignored = {reason.name for reason in explanation.reasons if reason.is_ignored}
    reasons = [row for row in reasons if row[0] not in ignored]
    shown, rest = reasons[:_MOST_REASONS], reasons[_MOST_REASONS:]
    lines = [("prior", "", prior), *shown]
    if rest:
        lines.append((f"{len(rest)} other columns", "", sum(weight for *_, weight in rest)))
    lines.append(("total", "", total))
    finite = [abs(weight) for *_, weight in lines if abs(weight) != float("inf")]
    largest = max(finite, default=1.0)
    cells: list[list[Cell]] = [
        [_bold(name), value, number(signed(weight)), Html(signed_bar(weight, largest), "bars")]
        for name, value, weight in lines
    ]
    impossible = f" {_IMPOSSIBLE}" if explanation.is_impossible else ""
    caption = f"Decibans for {explanation.label} against {explanation.against}.{impossible}"
    return table(["column", "value", number("decibans"), ""], cells, caption=caption, kind="wide")
