"""Reports: one self-contained HTML page about a model and its data."""

from deciban.reports.report import report
from deciban.reports.result import HtmlReport

__all__ = ["HtmlReport", "report"]
