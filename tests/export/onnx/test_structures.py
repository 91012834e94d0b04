"""TAN, AODE and KDB score as in the model: with missing values, unseen labels and impossible rows, in any mixture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from tests.export.onnx.session import assert_same, run, table_of

LOSS = {"low": {"high": 5.0, "middle": 0.5}, "high": {"low": 2.0}}
UNSEEN = {
    "size": [None, 1e200, -1e200, 0.0, None],
    "sky": ["hail", None, "sun", "Sun", None],
    "visits": [10**6, 0, 3, 2, 1],
    "open": [True, False, True, False, True],
    "money": [1e-300, None, 1.0, -1.0, None],
    "wind": ["west", "north", None, None, None],
    "grade": [None, 9.0, 2.5, 1.0, None],
    "door": [99, 100, 104, 10**9, 101],
}
"""Values that fit has not seen, and missing ones where the input has room for them."""


@pytest.mark.parametrize("missing", ["skip", "state"])
@pytest.mark.parametrize("unseen", ["smooth", "ignore"])
@pytest.mark.parametrize("kind", [db.TAN, db.AODE])
def test_models_of_pairs(kind, unseen, missing):
    table, y = table_of()
    model = kind(missing=missing, unseen=unseen).fit(table, y)
    assert_same(model, table)
    assert_same(model, UNSEEN)
    rows = run(model, {name: [*UNSEEN[name], *table[name]] for name in table})["probabilities"]  # a mixture of rows
    np.testing.assert_allclose(rows[:5], model.predict_proba(UNSEEN), rtol=0, atol=1e-9)
    np.testing.assert_allclose(rows[5:], model.predict_proba(table), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        db.TAN(temperature=1.0, strength=5.0),
        db.TAN(smoothing=db.MLE(), strength=0.0),
        db.TAN(columns={"size": db.Ignore()}, root="sky", loss=LOSS, reject=0.5, priors="uniform"),
        db.AODE(least=30, weights=None, temperature=1.0, strength=1.0),
        db.AODE(least=1000),
        db.AODE(smoothing=db.MLE(), strength=0.0),
        db.KDB(weights=None),
        db.KDB(members=1, k=1),
        db.KDB(unseen="ignore", columns={"grade": db.Cut(at=[1.5, 3.0]), "door": db.Ignore()}),
    ],
    ids=repr,
)
def test_parameters(model):
    table, y = table_of()
    model.fit(table, y)
    for data in (table, UNSEEN):
        if model.get_params().get("reject") is None:
            assert_same(model, data)
        else:
            found = run(model, data)["probabilities"]
            np.testing.assert_allclose(found, model.predict_proba(data), rtol=0, atol=1e-9)


def test_numbers_with_many_cuts():
    """The members of KDB cut a column of numbers at hundreds of places, which are searched by halves."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2000)
    table = {"a": rng.normal(size=2000) + y, "b": rng.exponential(1 + y), "c": rng.choice(list("xyz"), 2000)}
    model = db.KDB().fit(table, y)
    ends = sorted({end for view in model.structure_.views if view.column == 0 for end in view.distribution.at})
    assert len(ends) > 100
    at_ends = {"a": ends, "b": np.full(len(ends), np.nan), "c": ["x"] * len(ends)}
    assert_same(model, {name: list(values) for name, values in table.items()})
    assert_same(model, at_ends)
    assert_same(model, {**at_ends, "a": np.nextafter(ends, np.inf)})


def test_rows_of_a_matrix_are_one_input():
    X, y = np.random.default_rng(0).integers(0, 3, (60, 4)).astype(float), [0, 1, 2] * 20
    X[::7, 1] = np.nan
    for kind in (db.TAN, db.AODE, db.KDB):
        model = kind().fit(X, y)
        assert [each.name for each in model.to_onnx().graph.input] == ["X"]
        assert_same(model, X)


@pytest.mark.parametrize("kind", [db.TAN, db.AODE, db.KDB])
def test_one_column_one_row_and_none(kind):
    model = kind().fit({"sky": ["sun", "rain"] * 6}, [0, 1, 1] * 4)
    assert_same(model, {"sky": ["sun"]})
    assert_same(model, {"sky": [None, "hail"]})
    assert run(model, {"sky": []})["probabilities"].shape == (0, 2)


LABELS = st.sampled_from(["a", "b", "c", None])


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(4, 30)), draw(st.integers(1, 5))
    cells = st.lists(LABELS, min_size=rows, max_size=rows)
    tables = [{f"x{i}": draw(cells) for i in range(columns)} for _ in range(2)]
    for values in tables[0].values():
        values[0] = "a"  # a column has a label
    return *tables, [0, 1, *draw(st.lists(st.integers(0, 2), min_size=rows - 2, max_size=rows - 2))]


@given(tables(), st.sampled_from([db.TAN, db.AODE, db.KDB]), st.sampled_from(["skip", "state"]))
@settings(max_examples=100, deadline=None)
def test_any_table_has_the_same_posteriors(sample, kind, missing):
    table, others, y = sample
    model = (kind() if kind is db.KDB else kind(missing=missing)).fit(table, y)
    assert_same(model, table)
    assert_same(model, others)
