"""Conditional tables: labelled, with the rows behind them, and shortened where they are large."""

import numpy as np
import pytest

import deciban as db
from deciban.reports.nets.probabilities import table_section
from deciban.reports.page import page
from tests.reports.nets.pages import Page


def shown(net, counts=None):
    section = table_section(net.network, counts)
    held = Page(page("t", [section]))
    return held.tables["tables"], held.text["tables"], section.html


def test_rows_are_labelled_by_the_states_of_the_parents():
    net = db.BayesNet.from_tables(
        [("rain", "wet"), ("sprinkler", "wet")],
        {"rain": ("no", "yes"), "sprinkler": ("off", "on"), "wet": ("no", "yes")},
        {"rain": [0.8, 0.2], "sprinkler": [0.5, 0.5], "wet": [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]]},
        parents={"wet": ("rain", "sprinkler")},
    )
    tables, text, html = shown(net)
    assert tables[0] == [["", "= no", "= yes"], ["probability", "0.800", "0.200"]]
    assert tables[2][0] == ["rain", "sprinkler", "= no", "= yes"]
    assert tables[2][2] == ["no", "on", "0.100", "0.900"]
    assert "P(wet | rain, sprinkler)" in text and "<details>" not in html and "shortened" not in text


def wide(rows=300):
    rng = np.random.default_rng(0)
    data = {"a": rng.integers(0, 40, rows), "b": rng.integers(0, 2, rows)}
    data["a"][: rows // 3] = 37
    return db.BayesNet([("a", "b")]).fit(data)


def test_a_long_table_shows_the_most_frequent_rows():
    net = wide()
    tables, text, _ = shown(net, net.tally_.counts)
    assert "shows the most frequent 24 of 40 rows" in text
    frequent = [int(row[0]) for row in tables[1][1:]]
    counts = net.tally_.counts["b"].sum(axis=1)
    assert len(frequent) == 24 and 37 in frequent
    left = [count for state, count in enumerate(counts) if net.states["a"][state] not in frequent]
    assert max(left) <= min(float(row[-1]) for row in tables[1][1:])
    assert "10 most probable of 40 states" in text


def test_without_counts_the_first_rows_are_shown():
    tables, text, _ = shown(wide())
    assert "shows the first 24 of 40 rows" in text and tables[1][0] == ["a", "= 0", "= 1"]


@pytest.mark.parametrize(("p", "text"), [(0.0, "0.000"), (1e-7, "1e-07"), (0.25, "0.250")])
def test_a_small_probability_is_not_shown_as_0(p, text):
    net = db.BayesNet.from_tables(db.DAG(nodes=["a"]), {"a": (0, 1)}, {"a": [p, 1 - p]})
    assert shown(net)[0][0][1][1] == text


def test_many_tables_open_by_a_click():
    chain = db.DAG([(i, i + 1) for i in range(60)])
    tables = {i: [[0.5, 0.5]] * 2 if i else [0.5, 0.5] for i in range(61)}
    html = shown(db.BayesNet.from_tables(chain, dict.fromkeys(range(61), "ab"), tables))[2]
    assert html.count("<details>") == 61 and "P(1 | 0): 2 rows" in html
