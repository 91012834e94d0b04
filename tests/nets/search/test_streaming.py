"""A search that goes on finds what a fresh search of all its rows finds, whatever is added and forgotten."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, MissingValueError, NegativeCountError, ParameterError


def categories(seed, rows):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2 + seed % 3, rows)
    b = np.where(rng.random(rows) < 0.7, a, rng.integers(0, 3, rows))
    return {"a": a, "b": b, "c": (a + b + (rng.random(rows) < 0.2)) % 3, "d": rng.choice(list("xyz"), rows)}


def numbers(seed, rows):
    rng = np.random.default_rng(seed)
    a, b, noise = rng.normal(size=(3, rows)) + 100
    return {"a": a, "b": b, "c": a - b + 0.5 * noise + seed % 2, "d": rng.normal(size=rows)}


def joined(tables):
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}


@given(
    st.sampled_from([(categories, "bic"), (categories, db.BDeu(1)), (categories, "k2"), (numbers, "gaussian_bic")]),
    st.sampled_from(["ges", "hc", "tabu"]),
    st.lists(st.tuples(st.booleans(), st.integers(0, 99), st.integers(2, 40)), max_size=5),
)
@settings(max_examples=25, deadline=None)
def test_a_stream_finds_what_a_fresh_search_finds(kind, method, steps):
    make, score = kind
    held = [make(1, 30)]
    result = db.search(held[0], score, method=method)
    for is_added, seed, rows in steps:
        before = result.graph
        if is_added or len(held) == 1:
            held.append(make(seed, rows))
            result = result.update(held[-1])
        else:
            result = result.forget(held.pop(seed % len(held)))
        fresh = db.search(joined(held), score, method=method)
        assert result.graph == fresh.graph and result.score == pytest.approx(fresh.score, rel=1e-9)
        assert result.rows == fresh.rows and (result.flipped == ()) == (before == result.graph)


def test_new_states_come_and_go():
    result = db.search({"a": [0, 1] * 10, "b": [0, 1, 1, 0] * 5})
    later = {"a": ["new", None, "new"], "b": [0, 1, 1]}
    with pytest.raises(MissingValueError):
        result.update(later)
    longer = result.update({"a": [7, 1], "b": [5, 1]}, sample_weight=[2.0, 0.5])
    assert longer.rows == 22.5 and longer.stream.sample.states["a"].labels.tolist() == [0, 1, 7]
    assert result.update({"a": [7, None], "b": [5, 1]}, missing="drop").dropped == 1
    again = longer.forget({"a": [7, 1], "b": [5, 1]}, sample_weight=[2.0, 0.5])
    assert again.score == pytest.approx(result.score) and again.rows == 20


def test_a_result_names_what_changed_and_can_be_kept():
    rows = categories(2, 300)
    result = db.search({name: column[:40] for name, column in rows.items()}, penalty=1.5)
    later = result.update({name: column[40:] for name, column in rows.items()})
    assert later.flipped and later.notes[0] == f"changed: {later.flipped[0]}"
    assert later.penalty == 1.5 and later.graph == db.search(rows, penalty=1.5).graph
    again = pickle.loads(pickle.dumps(later))  # noqa: S301  our own
    assert again.forget({name: column[40:] for name, column in rows.items()}).graph == result.graph
    with pytest.raises(ParameterError, match="no rows to resample"):
        later.bootstrap(3)


def test_what_cannot_be_added_or_taken_out():
    rows = categories(2, 50)
    result = db.search(rows)
    with pytest.raises(NegativeCountError, match="not counted as often"):
        result.forget({"a": [9], "b": [0], "c": [0], "d": ["x"]})
    with pytest.raises(ParameterError, match="no row would be left"):
        result.forget(rows)
    with pytest.raises(ColumnMismatchError, match="'e' in one only"):
        result.update({**rows, "e": rows["a"]})
    gaps = {**rows, "a": [None, *rows["a"][1:].tolist()]}
    for other in (
        db.search(numbers(1, 90), bins=3),
        db.search(gaps, missing="skip"),
        db.search(numbers(1, 90), "dg_bic"),
    ):
        with pytest.raises(ParameterError, match="search all rows again"):
            other.update(rows)
