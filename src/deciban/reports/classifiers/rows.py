"""Ten rows, each with the arithmetic of its prediction."""

from __future__ import annotations

from collections import Counter

from deciban.explain import Explanation
from deciban.models.assess import ChosenRow, explain_rows
from deciban.models.assess.rows import RULES
from deciban.reports.charts import signed_bar
from deciban.reports.classifiers.facts import Facts
from deciban.reports.markup import Cell, Html, listed, note, number, probability, signed, table, text
from deciban.reports.page import Section

__all__ = ["explained_rows", "headline", "rules_note"]

_MOST_REASONS = 8
_IMPOSSIBLE = "The row is impossible in every class: the prediction is that of the priors."


def explained_rows(facts: Facts) -> Section:
    """The chosen rows, explained."""
    explanations = explain_rows(facts.model, facts.X, facts.chosen_rows)
    parts = [
        f"<details{' open' if k == 0 else ''}><summary>{headline(facts, chosen)}</summary>{_sum(explanation)}</details>"
        for k, (chosen, explanation) in enumerate(zip(facts.chosen, explanations, strict=True))
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
    if getattr(facts.model, "calibration_", None) is not None:
        notes.append(note("The model is calibrated: the sums are the evidence before calibration."))
    return f"<p>The {noun} are chosen by these rules (they are numbered from 0):</p>{listed(rules)}{''.join(notes)}"


def headline(facts: Facts, chosen: ChosenRow) -> str:
    """The row, its true class, and the decision with its probability, as HTML."""
    posterior = facts.predictions.posterior[chosen.row]
    decided, truth = facts.predictions.decided[chosen.row], facts.labels[int(facts.scored[chosen.row])]
    code = int(posterior.argmax()) if decided is None else facts.labels.index(_plain(decided))
    said = "no decision" if decided is None else text(decided)
    verdict = "✓" if decided is not None and _plain(decided) == truth else f"✗ truly {text(truth)}"
    return (
        f'Row {facts.predictions.rows[chosen.row]} <span class="tag">{chosen.why}</span> '
        f"<b>{said}</b> with probability {probability(float(posterior[code]))} {verdict}"
    )


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
