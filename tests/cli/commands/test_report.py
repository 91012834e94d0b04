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


def test_a_net_has_a_page_without_rows_and_with_them(run):
    run("report", "garden.bif", "-o", "garden.html", "--given", "wet=yes", "-q")
    assert "sprinkler" in Path("garden.html").read_text(encoding="utf-8")
    run("convert", "garden.bif", "garden.deciban")
    run("report", "garden.deciban", "garden.csv", "--bootstrap", "2", "-o", "rows.html", "-q")
    assert "bootstrap" in Path("rows.html").read_text(encoding="utf-8")


def test_a_classifier_needs_rows_and_has_no_evidence(run):
    assert run("report", "tennis.deciban", "-o", "report.html", code=2).output
    assert run("report", "tennis.deciban", "tennis.csv", "--given", "wet=yes", "-o", "report.html", code=2).output
    assert not Path("report.html").exists()
