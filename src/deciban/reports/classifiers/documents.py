"""Sections of the report on a text classifier: the documents, the strongest tokens, explained documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.explain import DocumentExplanation
from deciban.explain.shading import shade_html
from deciban.read.documents import read_documents
from deciban.reports.charts import signed_bar
from deciban.reports.classifiers.facts import Facts
from deciban.reports.classifiers.rows import headline, rules_note
from deciban.reports.markup import Cell, Html, details, grid, number, paragraph, signed, table, text
from deciban.reports.page import Section
from deciban.ties import largest_first

__all__ = ["documents", "explained_documents", "tokens"]

_MOST_TOKENS = 12
_MOST_CLASSES = 12
_MOST_LETTERS = 2_000


def documents(facts: Facts) -> Section:
    """How many documents there are, and how long they are."""
    lengths = np.array([len(text) for text in read_documents(facts.X).to_list()])
    known = getattr(facts.model, "vocabulary_", None)
    size = f" The model knows {len(known):,} tokens." if known is not None else ""
    said = paragraph(
        f"{len(lengths):,} documents; half of them have at most {int(np.median(lengths)):,} letters, the longest has",
        f"{int(lengths.max()):,}.{size}",
    )
    return Section("Documents", said, "What the model reads.", key="data")


def tokens(facts: Facts) -> Section:
    """The tokens that are the strongest evidence for each class."""
    lead = (
        "Which tokens are the strongest evidence for a class against the others, in decibans: +10 multiplies the odds "
        "of the class by 10."
    )
    order = largest_first(range(len(facts.labels)), lambda j: facts.counts[j])
    tables = [_token_table(facts, facts.labels[j]) for j in order]
    rest = "".join(tables[_MOST_CLASSES:])
    more = details(f"{len(tables) - _MOST_CLASSES} more classes", f'<div class="grid">{rest}</div>') if rest else ""
    return Section("Strongest tokens", f"{grid(*tables[:_MOST_CLASSES])}{more}", lead, key="evidence")


def _token_table(facts: Facts, label: Any) -> str:
    found = facts.model.top_tokens(label, n=_MOST_TOKENS)
    largest = max((abs(weight) for _, weight in found), default=1.0)
    return _weights([(token, weight) for token, weight in found], largest, f"Evidence for {label}")


def explained_documents(facts: Facts) -> Section:
    """The chosen documents, with their tokens shaded."""
    held = read_documents(facts.X)
    texts = held.to_list()
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
    largest = max((abs(weight) for _, weight in weights if abs(weight) != float("inf")), default=1.0)
    caption = f"Decibans for {explanation.label} against {explanation.against}"
    return f'<div class="shaded">{shade_html(shown, marks)}</div>{cut}{_weights(weights, largest, caption)}'


def _weights(weights: list[tuple[str, float]], largest: float, caption: str) -> str:
    lines: list[list[Cell]] = [
        [Html(text(name, 40)), number(signed(weight, 2)), Html(signed_bar(weight, largest), "bars")]
        for name, weight in weights
    ]
    return table(["token", number("decibans"), ""], lines, caption=caption, kind="wide")
