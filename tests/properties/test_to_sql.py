"""Whatever a table holds, a query returns the posteriors of the model: odd names, missing and unseen values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import InputError
from tests.export.sql.databases import arrow, assert_scores, duckdb_database, sqlite_database

NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=8).filter(
    lambda name: name.strip().lower() not in ("", "row id", "rowid", "oid", "_rowid_")
)
LABELS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=3)
VALUES = {
    "label": st.sampled_from(["a", "b", "it's", 'q"', "", "ä", "A"]),
    "text": LABELS,
    "number": st.floats(-1e3, 1e3) | st.sampled_from([0.0, 1e-300, float("nan")]),
    "whole": st.integers(-3, 12),
    "boolean": st.booleans(),
}
EXTREME = {"number": st.sampled_from([1e160, -1e160, 1e-160]), "whole": st.sampled_from([10**12])}
"""Values that occur only in rows to score."""
MODELS = (db.NaiveBayes, db.TAN, db.AODE)


@st.composite
def tables(draw):
    """Rows to learn from, with their classes, and rows to score."""
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.casefold))
    kinds = [draw(st.sampled_from(sorted(VALUES))) for _ in names]
    rows, others = draw(st.integers(6, 20)), draw(st.integers(1, 6))

    def columns(n, more):
        values = {kind: st.none() | VALUES[kind] | more.get(kind, st.nothing()) for kind in kinds}
        return {
            name: draw(st.lists(values[kind], min_size=n, max_size=n)) for name, kind in zip(names, kinds, strict=True)
        }

    learned = columns(rows, {})
    classes = draw(st.sampled_from([["x", "y"], [0, 1, 2], [False, True], ["p'", 'P"', "r", "p'_2"], [1.0, -2.0]]))
    y = draw(st.lists(st.sampled_from(classes), min_size=rows, max_size=rows))
    weights = draw(st.none() | st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=rows, max_size=rows))
    return learned, y, weights, columns(others, EXTREME)


def fitted(kind, learned, y, weights, options):
    return kind(**options).fit(arrow(learned), y, None if weights is None else np.array(weights))


@settings(max_examples=20)
@given(tables(), st.sampled_from(MODELS), st.sampled_from(["skip", "state"]), st.sampled_from(["smooth", "ignore"]))
def test_a_query_scores_any_table(table, kind, missing, unseen):
    learned, y, weights, rows = table
    try:
        model = fitted(kind, learned, y, weights, {"missing": missing, "unseen": unseen})
        model.predict_proba(arrow(rows))
    except InputError:
        return  # a table from which nothing can be learned
    for database in (duckdb_database(), sqlite_database()):
        assert_scores(model, rows, database)


@pytest.mark.parametrize("make", [duckdb_database, sqlite_database])
def test_classes_of_any_type_are_returned_as_they_are(make):
    for labels in (["a'", "b"], [0, 1], [False, True], [1.0, 2.0]):
        model = db.NaiveBayes().fit(arrow({"x": ["u", "u", "v", "v"]}), [labels[0]] * 2 + [labels[1]] * 2)
        assert_scores(model, {"x": ["u", "v", None]}, make())
