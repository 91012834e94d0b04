"""The report on a classifier: which sections it has, and in which order."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np

import deciban
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
from deciban.reports.markup import code, text
from deciban.reports.page import HtmlReport, Section, page

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


def making(facts: Facts) -> Section:
    """The parameters of the model, the versions, and the Python and the command that make the page again."""
    lead = "What is needed to make this page again."
    return Section("How it was made", f"{_parameters(facts)}{_python(facts)}{_command(facts)}", lead, key="making")


def _parameters(facts: Facts) -> str:
    model = facts.model
    lines = [("model", facts.kind), ("learned rows", _learned(model)), ("rows of this report", f"{facts.rows:,}")]
    lines += [(name, repr(value)) for name, value in sorted(model.get_params(deep=False).items()) if name != "columns"]
    calibration = getattr(model, "calibration_", None)
    lines.append(("calibration", "none" if calibration is None else type(calibration).__name__.lower()))
    versions = {"deciban": deciban.__version__, "Python": platform.python_version(), "numpy": np.__version__}
    lines.append(("versions", ", ".join(f"{name} {version}" for name, version in versions.items())))
    return f"<dl>{''.join(f'<dt>{text(name)}</dt><dd>{text(value, 200)}</dd>' for name, value in lines)}</dl>"


def _learned(model: Any) -> str:
    tally = getattr(model, "tally_", None)
    return "unknown" if tally is None else f"{tally.total:,.10g}"


def _python(facts: Facts) -> str:
    target = repr(facts.target) if facts.target is not None else "y"
    made = " ".join(repr(facts.model).split())
    model = f"db.{made}" if len(made) <= 160 else f"db.{facts.kind}(…)"
    return "<h3>In Python</h3>" + code(
        f'import deciban as db\n\nmodel = {model}.fit(X, {target})\ndb.report(model, X, {target}).save("report.html")'
    )


def _command(facts: Facts) -> str:
    target = facts.target if facts.target is not None else "CLASS"
    return "<h3>On the command line</h3>" + code(
        f"deciban fit data.csv --target {target} -o model.deciban\ndeciban report model.deciban data.csv -o report.html"
    )
