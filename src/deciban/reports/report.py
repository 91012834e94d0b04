"""`db.report`: one page about a model and its data.

A kind of model is reported on by the function that is registered for its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from deciban.choices import counted
from deciban.errors import InputTypeError, ParameterError
from deciban.models.base import BayesClassifier
from deciban.reports.classifiers import data, evidence, scores
from deciban.reports.classifiers.data import DocumentModel, Facts, Reported, gather
from deciban.reports.nets.report import NETS, NetOptions, report_net
from deciban.reports.page import HtmlReport, Section, making_section, page

__all__ = ["make_report", "report", "report_on_documents", "report_on_table"]


def report(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    path: Any = None,
    title: str | None = None,
    evidence: Mapping[Any, Any] | None = None,
    bootstrap: int | None = None,
) -> HtmlReport:
    """Make one self-contained HTML page about a model and its data.

    Parameters
    ----------
    model : fitted model, net or result
        A fitted classifier; or a `BayesNet`, a `GaussianNet`, or the result of `discover` or `search`.
    X : table or documents, optional
        Rows: those that the model was fitted on, or others. A net needs no rows; where X is given, its edges are looked
        for in them, and its probabilities compared with their frequencies.
    y : array or str, optional
        The classes of the rows; or the name of a column of X. It may be left out where the model was fitted with one.
    path : str or path, optional
        A file to write the page to.
    title : str, optional
        The heading of the page.
    evidence : mapping, optional
        Of a net, observed states or numbers: the page shows the probabilities given them.
    bootstrap : int, optional
        Of a net, the number of bootstrap samples for the confidence in edges; by the size of the data where not given,
        and 0 for none.

    Returns
    -------
    HtmlReport
        A value with `html`, the page, and `save(path)`; a notebook shows it.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> days = {"sky": ["sun", "sun", "rain", "rain"], "play": ["yes", "yes", "no", "no"]}
    >>> page = report(NaiveBayes().fit(days, "play"), days, title="Days")
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """
    if isinstance(model, NETS):
        if y is not None:
            raise ParameterError("a net has no target: leave out y.")
        made = report_net(model, X, NetOptions(title, evidence, bootstrap))
    elif evidence is not None or bootstrap is not None:
        raise ParameterError("evidence and bootstrap are for reports on nets: leave them out.")
    else:
        made = make_report(model, X, y, title)
    if path is not None:
        made.save(path)
    return made


@singledispatch
def make_report(model: object, X: Any, y: Any, title: str | None) -> HtmlReport:  # noqa: ARG001
    """The report on a model; registered for each kind of model."""
    raise InputTypeError(f"a report is about a fitted classifier or net, not about a {type(model).__name__}.")


@make_report.register
def report_on_table(model: BayesClassifier, X: Any, y: Any, title: str | None) -> HtmlReport:
    """The report on a classifier of rows: its sections, in their order."""
    facts = gather(model, X, y)
    panel, panel_data = evidence.what_if(facts)
    optional = [
        scores.scores(facts), data.columns(facts), data.balance(facts),
        scores.ranking(facts), scores.reliability(facts), scores.confusion(facts),
        evidence.strongest(facts), evidence.nomogram(facts), evidence.explained_rows(facts), panel,
        data.dependence(facts), making(facts),
    ]  # fmt: skip
    sections = [section for section in optional if section is not None]
    return _made(facts, title, sections, counted(model.n_features_in_, "column"), panel_data)


@make_report.register
def report_on_documents(model: DocumentModel, X: Any, y: Any, title: str | None) -> HtmlReport:
    """The report on a classifier of documents: its sections, in their order."""
    facts = gather(model, X, y)
    sections = [
        scores.scores(facts), evidence.documents(facts), data.balance(facts),
        scores.ranking(facts), scores.reliability(facts), scores.confusion(facts),
        evidence.tokens(facts), evidence.explained_documents(facts), making(facts),
    ]  # fmt: skip
    return _made(facts, title, sections, "documents", {})


def _made(
    facts: Facts[Reported], title: str | None, sections: list[Section], size: str, panel: Mapping[str, object]
) -> HtmlReport:
    name = title if title is not None else f"{facts.target or 'Classes'} by {facts.kind}"
    classes = counted(len(facts.labels), "class", "classes")
    subtitle = f"{facts.kind} · {facts.rows:,} rows · {size} · {classes}"
    return HtmlReport(name, page(name, sections, subtitle=subtitle, data=panel, scripts=[_SCRIPT] if panel else []))


_SCRIPT = "what_if.js"
_LONGEST_MODEL = 160
"""A model that takes more characters to write is only named."""


def making(facts: Facts[Reported]) -> Section:
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
    # scikit-learn breaks a long repr into lines
    written, target = " ".join(repr(model).split()), "y" if facts.target is None else repr(facts.target)
    made = f"db.{written}" if len(written) <= _LONGEST_MODEL else f"db.{facts.kind}(…)"
    fit = f"model = {made}.fit(X, {target})"
    return making_section(
        settings,
        ["import deciban as db", "", fit, f'db.report(model, X, {target}).save("report.html")'],
        [
            f"deciban fit data.csv --target {facts.target or 'CLASS'} -o model.deciban",
            "deciban report model.deciban data.csv -o report.html",
        ],
    )
