"""The report on a discovery: the same findings as text and as tables, none left out."""

import re

import numpy as np

import deciban as db
from tests.nets.discovery.test_discover import sprinkler

ORACLE = db.DAG([("<rain>", "wet"), ("sprinkler", "wet"), ("wet", "slippery")])


def test_the_text_has_a_line_for_each_finding():
    found = db.discover(sprinkler())
    lines = str(found.report()).splitlines()
    assert lines[0] == repr(found) and "\n" not in repr(found.report())
    findings = len(found.notes) + len(found.removed) + len(found.colliders) + len(found.conflicts)
    assert len(lines) == 1 + findings + bool(found.ambiguous)


def test_a_notebook_shows_the_graph_and_a_row_for_each_pair():
    """As one string of text the tests of a discovery cannot be read in a notebook."""
    found = db.discover(sprinkler())
    html = found.report()._repr_html_()
    pairs, colliders = re.findall(r"<table>.*?</table>", html, re.DOTALL)
    assert html.count("<svg") == 1
    assert pairs.count("<tr>") == 1 + len(found.removed) and "<td>independent</td>" in pairs
    assert colliders.count("<tr>") == 1 + len(found.colliders) and "rain → wet ← sprinkler" in colliders


def test_of_an_oracle_there_are_no_statistics():
    html = db.discover(db.Oracle(ORACLE)).report()._repr_html_()
    assert "<td>&lt;rain&gt;, sprinkler</td><td></td><td>independent</td>" in html
    assert "<rain>" not in html and "statistic" not in html


def test_notes_and_conflicts_are_shown():
    rng = np.random.default_rng(0)
    table = {"a": rng.integers(0, 2, 300), "constant": np.zeros(300, dtype=int), "b": rng.integers(0, 2, 300)}
    found = db.discover(table)
    html = found.report()._repr_html_()
    assert found.notes and all(f"<li>{note}</li>" in html for note in found.notes)
    assert all(f"note: {note}" in str(found.report()) for note in found.notes)
    many = [db.discover(sprinkler(120, seed), alpha=0.2) for seed in range(30)]
    conflicting = next(one for one in many if one.conflicts)
    assert f"<li>{conflicting.conflicts[0]}</li>" in conflicting.report()._repr_html_()
