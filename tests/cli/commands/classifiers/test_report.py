"""`deciban report`: the page of `db.report`."""

from __future__ import annotations

from pathlib import Path


def test_the_page_is_written(run):
    shown = run("report", "tennis.deciban", "tennis.csv", "-o", "report.html", "--title", "Tennis <days>").output
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Wrote report.html" in shown
    assert page.lower().startswith("<!doctype html>") and "Tennis &lt;days&gt;" in page


def test_documents_have_a_page(run):
    run("fit", "messages.jsonl", "--text", "text", "-t", "label", "-o", "m.deciban", "-q")
    run("report", "m.deciban", "messages.jsonl", "-o", "report.html", "-q")
    assert "prize" in Path("report.html").read_text(encoding="utf-8")
