"""`db.report` finds the report for each kind of model."""

import pytest

import deciban as db
from deciban.reports.report import make_report, report_on_documents, report_on_table


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (db.NaiveBayes, report_on_table),
        (db.TAN, report_on_table),
        (db.GaussianNB, report_on_table),
        (db.AutoBayes, report_on_table),
        (db.TextNB, report_on_documents),
        (db.TextEM, report_on_documents),
        (db.LogCountRatio, report_on_documents),
    ],
)
def test_each_kind_has_its_report(kind, expected):
    assert make_report.dispatch(kind) is expected
