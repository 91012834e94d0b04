"""What the model has learned: the strongest values for each class, the strongest columns, and the nomogram."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from deciban.decide import Calibration, Isotonic, Temperature
from deciban.errors import ParameterError
from deciban.estimate.likelihood import plain_numbers
from deciban.explain import DocumentExplanation, Explanation
from deciban.explain.document import shade_html
from deciban.explain.nomogram import draw_nomogram
from deciban.models.assess import RULES, ValueEvidence, explain_rows, strongest_values
from deciban.models.base import BayesClassifier
from deciban.models.fitting import column_strengths
from deciban.models.naive_bayes import NaiveBayes
from deciban.read.documents import read_documents
from deciban.reports.classifiers.data import DocumentModel, Facts, Reported
from deciban.reports.markup import (
    Cell,
    Html,
    assigned,
    details,
    figure,
    grid,
    listed,
    note,
    number,
    paragraph,
    probability,
    scroll,
    share_bar,
    signed,
    signed_bar,
    table,
    text,
)
from deciban.reports.page import Section
from deciban.ties import largest_first
from deciban.types import Floats

__all__ = [
    "documents",
    "explained_documents",
    "explained_rows",
    "nomogram",
    "strongest",
    "tokens",
    "what_if",
]


_MOST_CLASSES = 6
_MOST_COLUMNS = 15


def strongest(facts: Facts[BayesClassifier]) -> Section:
    """The values with the most evidence for each class, and the columns that carry the evidence."""
    lead = (
        "Which values are the strongest evidence for a class, in decibans: +10 multiplies the odds of the class by 10, "
        "+3 doubles them, 0 is no evidence."
    )
    is_learned = facts.predictions.origin == "leave-one-out"
    weights = column_strengths(facts.model, facts.X, facts.y, is_learned=is_learned)
    # only naive Bayes can weigh a row without its own counts
    left_out = is_learned and isinstance(facts.model, NaiveBayes)
    columns = _columns(weights, left_out=left_out)
    return Section("Strongest evidence", f"{_values(facts)}{columns}", lead, key="evidence")


def _values(facts: Facts[BayesClassifier]) -> str:
    if not isinstance(facts.model, NaiveBayes):
        return ""
    values_of_class = strongest_values(facts.model)
    largest = max((value.weight_db for values in values_of_class.values() for value in values), default=1.0)
    order = largest_first(values_of_class, lambda label: facts.counts[facts.labels.index(label)])
    tables = [_value_table(label, values_of_class[label], largest) for label in order]
    said = paragraph("Values that at least a hundredth of the learned rows have, each class against all others.")
    return f"{said}{_class_tables(tables, _MOST_CLASSES)}"


def _class_tables(tables: Sequence[str], most: int) -> str:
    """Tables beside each other; those of further classes after a click."""
    if len(tables) <= most:
        return grid(*tables)
    return grid(*tables[:most]) + details(f"{len(tables) - most} more classes", grid(*tables[most:]))


def _value_table(label: object, values: list[ValueEvidence], largest: float) -> str:
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
    hidden = (
        f"; {len(weights) - len(shown)} columns of less evidence are not shown" if len(weights) > len(shown) else ""
    )
    caption = f"Mean weight of each column for the class of a row, in decibans{hidden}"
    made = _weight_table("column", list(shown.items()), caption)
    how = " Each row is weighed without its own counts, as in the scores." if left_out else ""
    said = paragraph(
        f"The evidence of a column's value for the class, on average; below 0, it misleads more than it helps.{how}"
    )
    return f"<h3>Which columns carry the evidence</h3>{said}{made}"


def nomogram(facts: Facts[BayesClassifier]) -> Section | None:
    """The whole model on one page; of more than two classes, the two most frequent ones."""
    if not isinstance(facts.model, NaiveBayes) or len(facts.labels) < 2:
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


def explained_rows(facts: Facts[BayesClassifier]) -> Section:
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


def rules_note(facts: Facts[Reported], noun: str = "rows") -> str:
    """How the rows were chosen."""
    times = Counter(chosen.why for chosen in facts.chosen)
    rules = [f"<b>{why}</b> ({times[why]}): {text(rule, 200)}" for why, rule in RULES.items() if times[why]]
    notes = []
    if facts.is_left_out:
        notes.append(note(_BASIS[facts.predictions.origin == "held-out"]))
    if getattr(facts.model, "calibration_", None) is not None:
        notes.append(note("The model is calibrated: the sums are the evidence before calibration."))
    return f"<p>The {noun} are chosen by these rules (they are numbered from 0):</p>{listed(rules)}{''.join(notes)}"


def headline(facts: Facts[Reported], k: int, noun: str = "Row") -> str:
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


def _decision(facts: Facts[Reported], posterior: Floats, decided: object, truth: object) -> str:
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
    largest = _largest(weight for *_, weight in lines)
    cells: list[list[Cell]] = [
        [_bold(name), value, number(signed(weight)), Html(signed_bar(weight, largest), "bars")]
        for name, value, weight in lines
    ]
    impossible = f" {_IMPOSSIBLE}" if explanation.is_impossible else ""
    caption = f"Decibans for {explanation.label} against {explanation.against}.{impossible}"
    return table(["column", "value", number("decibans"), ""], cells, caption=caption, kind="wide")


def _largest(weights: Iterable[float]) -> float:
    """The weight that fills a bar: an infinite one would leave all others without any."""
    return max((abs(weight) for weight in weights if math.isfinite(weight)), default=1.0)


_MOST_TOKENS = 12
_MOST_TOKEN_CLASSES = 12
_MOST_LETTERS = 2_000


def documents(facts: Facts[DocumentModel]) -> Section:
    """How many documents there are, and how long they are."""
    lengths = np.array([len(text) for text in read_documents(facts.X).to_list()])
    known = getattr(facts.model, "vocabulary_", None)
    size = f" The model knows {len(known):,} tokens." if known is not None else ""
    said = paragraph(
        f"{len(lengths):,} documents; half of them have at most {int(np.median(lengths)):,} letters, the longest has",
        f"{int(lengths.max()):,}.{size}",
    )
    return Section("Documents", said, "What the model reads.", key="data")


def tokens(facts: Facts[DocumentModel]) -> Section:
    """The tokens that are the strongest evidence for each class."""
    lead = (
        "Which tokens are the strongest evidence for a class against the others, in decibans: +10 multiplies the odds "
        "of the class by 10."
    )
    order = largest_first(range(len(facts.labels)), lambda j: facts.counts[j])
    tables = [_token_table(facts, facts.labels[j]) for j in order]
    return Section("Strongest tokens", _class_tables(tables, _MOST_TOKEN_CLASSES), lead, key="evidence")


def _token_table(facts: Facts[DocumentModel], label: object) -> str:
    return _token_weights([*facts.model.top_tokens(label, n=_MOST_TOKENS)], f"Evidence for {label}")


def explained_documents(facts: Facts[DocumentModel]) -> Section:
    """The chosen documents, with their tokens shaded."""
    texts = read_documents(facts.X).to_list()
    parts = []
    for k, row in enumerate(facts.chosen_rows):
        explanation = facts.model.explain(texts[row])
        opened = " open" if k == 0 else ""
        summary = headline(facts, k, "Document")
        parts.append(f"<details{opened}><summary>{summary}</summary>{_document(explanation)}</details>")
    lead = (
        "Tokens in blue are evidence for the decided class, tokens in red against it; the stronger the shade, the "
        "larger the weight."
    )
    return Section("Explained documents", f"{rules_note(facts, 'documents')}{''.join(parts)}", lead, key="rows")


def _document(explanation: DocumentExplanation) -> str:
    marks = [mark for mark in explanation.marks if mark.end <= _MOST_LETTERS]
    shown = explanation.text[:_MOST_LETTERS] if len(explanation.text) > _MOST_LETTERS else explanation.text
    cut = paragraph(f"The first {_MOST_LETTERS:,} letters.") if len(explanation.text) > _MOST_LETTERS else ""
    weights = explanation.weights(_MOST_TOKENS)
    caption = f"Decibans for {explanation.label} against {explanation.against}"
    return f'<div class="shaded">{shade_html(shown, marks)}</div>{cut}{_token_weights(weights, caption)}'


def _weight_table(head: str, weights: Sequence[tuple[Cell, float]], caption: str) -> str:
    """Names with their weights, as numbers and as bars."""
    largest = _largest(weight for _, weight in weights)
    lines: list[list[Cell]] = [
        [name, number(signed(weight)), Html(signed_bar(weight, largest), "bars")] for name, weight in weights
    ]
    return table([head, number("decibans"), ""], lines, caption=caption, kind="wide")


def _token_weights(weights: Sequence[tuple[str, float]], caption: str) -> str:
    return _weight_table("token", [(Html(text(token, 40)), weight) for token, weight in weights], caption)


_TITLE = "What if"
_MOST_FIELDS = 80
_MOST_NUMBERS = 60_000
_PANEL = (
    '<div class="what-if" id="what-if" hidden></div>'
    '<noscript><p class="note">This panel computes in the page, which needs scripts; they are off. Everything else on '
    "the page is readable without them.</p></noscript>"
)


def what_if(facts: Facts[BayesClassifier]) -> tuple[Section, dict[str, object]]:
    """The section, and the data for the script of the page: nothing where the model has no panel."""
    lead = (
        "Change a value, and see the weights of evidence and the probabilities move. Everything is computed in this "
        "page, from the tables of the model as it is; nothing is sent anywhere."
    )
    try:
        panel = _panel_data(facts)
    except ParameterError as error:
        said = f"There is no panel for this model: {text(error, 300)}"
        return Section(_TITLE, note(said), key="what-if-section"), {}
    return Section(_TITLE, _PANEL, lead, key="what-if-section"), {"what-if-model": panel}


def _panel_data(facts: Facts[BayesClassifier]) -> dict[str, object]:
    """The model in plain form, and rows to start from."""
    form = plain_form(facts.model)
    if len(form["columns"]) > _MOST_FIELDS:
        raise ParameterError(f"{len(form['columns'])} columns are too many to be changed one by one.")
    if _numbers(form) > _MOST_NUMBERS:
        raise ParameterError(f"its tables hold {_numbers(form):,} numbers, which are too many for a page.")
    explained = explain_rows(facts.model, facts.X, facts.chosen_rows)
    values = [{reason.name: reason.value for reason in explanation.reasons} for explanation in explained]
    starts = zip(facts.chosen_rows, facts.chosen, plain_rows(facts.model, values), strict=True)
    rows = [{"name": f"row {row} ({chosen.why})", "values": start} for row, chosen, start in starts]
    return {"model": form, "rows": rows}


def plain_form(model: BayesClassifier) -> dict[str, Any]:
    """What the script of the panel computes by: the closed form of a fitted model as JSON holds it.

    `ClosedForm.to_plain`, with the classes as texts and the calibration: None, {"temperature": T}, or {"points": [[x,
    y] of each class]}. JSON has no infinity: it is the text "Infinity" or "-Infinity".
    """
    classes = [str(label) for label in model.classes_.tolist()]
    return {
        "classes": classes,
        "calibration": _plain_calibration(model._calibration()),
        **model._closed_form().to_plain(),
    }


def plain_rows(model: BayesClassifier, rows: Sequence[Mapping[str, object]]) -> list[list[float | None]]:
    """The values of rows, by name, as the plain form takes them, in the order of its columns.

    The index of a label, −1 for one that was not seen in fit; 0 or 1 for presence; else a number. None is missing.
    """
    columns = model._closed_form().columns
    return [[column.plain_value(row.get(column.name)) for column in columns] for row in rows]


def _plain_calibration(calibration: Calibration | None) -> dict[str, object] | None:
    if isinstance(calibration, Temperature):
        return {"temperature": calibration.value}
    if isinstance(calibration, Isotonic):
        return {"points": [[plain_numbers(x), plain_numbers(y)] for x, y in calibration.points]}
    if calibration is None:
        return None
    raise ParameterError(f"a calibration by {type(calibration).__name__} has no plain form.")


def _numbers(value: object) -> int:
    """How many numbers a plain value holds."""
    if isinstance(value, dict):
        return sum(map(_numbers, value.values()))
    return sum(map(_numbers, value)) if isinstance(value, list) else 1
