"""`db.report`: one page about a model and its data.

A kind of model is reported on by the function that is registered for its class, at the end of this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from deciban.errors import InputTypeError, ParameterError
from deciban.models.base import BayesClassifier
from deciban.models.text.log_count_ratio import LogCountRatio
from deciban.models.text.text_em import TextEM
from deciban.models.text.text_nb import TextNB
from deciban.reports.classifiers.report import report_on_documents, report_on_table
from deciban.reports.nets.report import NETS, NetOptions, report_net
from deciban.reports.page import HtmlReport

__all__ = ["make_report", "report"]


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
def make_report(model: Any, X: Any, y: Any, title: str | None) -> HtmlReport:  # noqa: ARG001
    """The report on a model; registered for each kind of model."""
    raise InputTypeError(f"a report is about a fitted classifier or net, not about a {type(model).__name__}.")


make_report.register(BayesClassifier, report_on_table)
for _kind in (TextNB, TextEM, LogCountRatio):
    make_report.register(_kind, report_on_documents)
