"""Copies and exact linear relations of numbers are named, with the remedy, and leave the rest of the graph as it is."""

import numpy as np
import pandas as pd
import pytest

import deciban as db

COPIES = "W, X and Y are linear copies of one another: leave all but one out"


def copies(rows=500, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    v = x + rng.normal(size=rows)
    return {"X": x, "W": 0.5 * x, "Y": 1e6 - 0.8 * x, "V": v, "U": v + rng.normal(size=rows)}


@pytest.mark.parametrize("label", [False, True])
def test_copies_are_named_and_the_rest_is_found(label):
    table = copies()
    if label:
        table["sex"] = np.random.default_rng(1).choice(["f", "m"], 500)
    found, best = db.discover(table), db.search(table)
    assert COPIES in found.notes and COPIES in best.notes
    for graph in (found.graph, best.cpdag):
        assert graph.is_adjacent("U", "V") and any(graph.is_adjacent("V", copy) for copy in "WXY")
        assert not any(graph.is_adjacent("U", copy) for copy in "WXY")


def test_sums_are_named_and_noise_is_no_relation():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 300))
    table = {"a": a, "b": b, "c": 3 * a - b, "d": a + b + 1e-3 * rng.normal(size=300)}
    notes = db.search(table).notes
    assert "c is a linear function of a and b: leave one of them out" in notes
    assert not any(note.startswith("d ") for note in notes)
    assert db.search({name: table[name] for name in "abd"}).notes == ()
    few = {f"x{i}": rng.normal(size=6) for i in range(5)}
    assert not any("linear" in note for note in db.discover(few).notes)


def test_relations_are_those_of_the_rows_that_are_known():
    table = pd.DataFrame(copies())
    table.loc[::7, "W"] = np.nan
    assert COPIES in db.search(table, missing="skip").notes
    assert COPIES in db.discover(table, missing="skip").notes
