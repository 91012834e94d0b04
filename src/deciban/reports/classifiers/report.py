"""The report on a classifier: which sections it has, and in which order."""

from __future__ import annotations

from typing import Any

from deciban.choices import counted
from deciban.reports.classifiers.curves import ranking, reliability
from deciban.reports.classifiers.data import balance, columns
from deciban.reports.classifiers.dependence import dependence
from deciban.reports.classifiers.documents import documents, explained_documents, tokens
from deciban.reports.classifiers.evidence import nomogram, strongest
from deciban.reports.classifiers.facts import Facts, gather
from deciban.reports.classifiers.making import making
from deciban.reports.classifiers.rows import explained_rows
from deciban.reports.classifiers.scores import confusion, scores
from deciban.reports.classifiers.what_if import what_if
from deciban.reports.page import Section, page
from deciban.reports.result import HtmlReport

__all__ = ["report_on_documents", "report_on_table"]

_SCRIPT = "what_if.js"


def report_on_table(model: Any, X: Any, y: Any, title: str | None) -> HtmlReport:
    """The report on a classifier of rows."""
    facts = gather(model, X, y)
    panel, data = what_if(facts)
    found = [
        scores(facts), columns(facts), balance(facts), ranking(facts), reliability(facts), confusion(facts),
        strongest(facts), nomogram(facts), explained_rows(facts), panel, dependence(facts), making(facts),
    ]  # fmt: skip
    sections = [section for section in found if section is not None]
    size = counted(model.n_features_in_, "column")
    return _made(facts, title, sections, size, data)


def report_on_documents(model: Any, X: Any, y: Any, title: str | None) -> HtmlReport:
    """The report on a classifier of documents."""
    facts = gather(model, X, y)
    sections = [
        scores(facts), documents(facts), balance(facts), ranking(facts), reliability(facts), confusion(facts),
        tokens(facts), explained_documents(facts), making(facts),
    ]  # fmt: skip
    return _made(facts, title, sections, "documents", {})


def _made(facts: Facts, title: str | None, sections: list[Section], size: str, data: dict[str, Any]) -> HtmlReport:
    name = title if title is not None else f"{facts.target or 'Classes'} by {facts.kind}"
    classes = counted(len(facts.labels), "class", "classes")
    subtitle = f"{facts.kind} · {facts.rows:,} rows · {size} · {classes}"
    html = page(name, sections, subtitle=subtitle, data=data, scripts=[_SCRIPT] if data else [])
    return HtmlReport(name, html)
