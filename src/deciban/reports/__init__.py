"""Reports: one self-contained HTML page about a model and its data."""

from deciban.reports.page import HtmlReport
from deciban.reports.report import report

__all__ = ["HtmlReport", "report"]
