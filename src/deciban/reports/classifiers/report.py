"""The report on a classifier: which sections it has, and in which order."""

from __future__ import annotations

from typing import Any

from deciban.choices import counted
from deciban.reports.classifiers.data import balance, columns, dependence
from deciban.reports.classifiers.evidence import (
    documents,
    explained_documents,
    explained_rows,
    nomogram,
    strongest,
    tokens,
    what_if,
)
from deciban.reports.classifiers.facts import Facts, gather
from deciban.reports.classifiers.scores import confusion, ranking, reliability, scores
from deciban.reports.page import HtmlReport, Section, making_section, page

__all__ = ["report_on_documents", "report_on_table"]


_SCRIPT = "what_if.js"
_LONGEST_MODEL = 160
"""A model that takes more characters to write is only named."""


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


def making(facts: Facts) -> Section:
    """The parameters of the model, and the Python and the command that make the page again."""
    model = facts.model
    tally, calibration = getattr(model, "tally_", None), getattr(model, "calibration_", None)
    parameters = sorted(model.get_params(deep=False).items())
    settings = [
        ("model", facts.kind),
        ("learned rows", "unknown" if tally is None else f"{tally.total:,.10g}"),
        ("rows of this report", f"{facts.rows:,}"),
        *((name, repr(value)) for name, value in parameters if name != "columns"),
        ("calibration", "none" if calibration is None else type(calibration).__name__.lower()),
    ]
    written, target = " ".join(repr(model).split()), "y" if facts.target is None else repr(facts.target)
    made = f"db.{written}" if len(written) <= _LONGEST_MODEL else f"db.{facts.kind}(…)"
    return making_section(
        settings,
        [
            "import deciban as db",
            "",
            f"model = {made}.fit(X, {target})",
            f'db.report(model, X, {target}).save("report.html")',
        ],
        [
            f"deciban fit data.csv --target {facts.target or 'CLASS'} -o model.deciban",
            "deciban report model.deciban data.csv -o report.html",
        ],
    )
