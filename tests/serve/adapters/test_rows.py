"""Rows: single rows, batches and tensors get the posteriors of the library, whatever is in them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import DecibanError, InputTypeError
from deciban.serve.adapters import RowClassifier
from tests.serve.client import LABELS, ROW, ROWS, number_model, records, table_model, tree_model

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(["sun", "rain", "snow", ""]),
    st.integers(-3, 3),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.just([1]),
    st.just({}),
)
ANY_ROWS = st.lists(st.dictionaries(st.sampled_from([*ROWS, "skies"]), VALUES), min_size=1, max_size=4)


def outcome(work):
    """The probabilities, rounded, or that the input is refused."""
    try:
        return [round(p, 9) for p in work()["probabilities"].values()]
    except DecibanError:
        return "refused"


@settings(max_examples=40)
@given(ANY_ROWS)
def test_a_row_gets_the_same_answer_alone_and_in_a_batch(rows):
    """A service in which the neighbours of a row matter would be wrong only under load."""
    adapter = RowClassifier(table_model())
    alone = [outcome(lambda row=row: adapter.predict_one(row)) for row in rows]
    tables = [outcome(lambda row=row: adapter.predict([row])[0]) for row in rows]
    assert alone == tables
    good = [row for row, found in zip(rows, alone, strict=True) if found != "refused"]
    if good:
        together = [outcome(lambda found=found: found) for found in adapter.predict(good)]
        assert together == [found for found in alone if found != "refused"]


@pytest.mark.parametrize("model", [table_model(), tree_model()], ids=lambda model: type(model).__name__)
def test_posteriors_and_labels_are_those_of_the_model(model):
    adapter, rows = RowClassifier(model), records()
    found = adapter.predict(rows)
    assert [list(one["probabilities"].values()) for one in found] == model.predict_proba(rows).tolist()
    assert [one["label"] for one in found] == model.predict(rows).tolist()
    alone = [adapter.predict_one(row) for row in rows]
    assert [one["label"] for one in alone] == model.predict(rows).tolist()
    values = [list(one["probabilities"].values()) for one in alone]
    assert np.allclose(values, model.predict_proba(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize("setting", [{"loss": {"play": {"stay": 50.0}}}, {"reject": 0.999}, {"rule": "ml"}])
def test_the_label_follows_the_rule_of_the_model(setting):
    model = db.NaiveBayes(**setting).fit(ROWS, LABELS)
    adapter, rows = RowClassifier(model), records(8)
    expected = model.predict(rows).tolist()
    assert [adapter.predict_one(row)["label"] for row in rows] == expected
    assert [found["label"] for found in adapter.predict(rows)] == expected


def test_missing_columns_are_missing_values_and_unknown_ones_are_errors():
    adapter = RowClassifier(table_model())
    assert adapter.predict([{}])[0] == adapter.predict([dict.fromkeys(ROWS)])[0]
    for work in (adapter.predict_one, lambda row: adapter.predict([row]), adapter.explain):
        with pytest.raises(DecibanError, match=r"there is no column 'skyy'\. Did you mean 'sky'"):
            work({"skyy": "sun"})


def test_a_nested_value_is_refused_with_its_column_and_row():
    adapter = RowClassifier(table_model())
    with pytest.raises(InputTypeError, match=r"column 'sky' is \['sun'\] \(row 1\)"):
        adapter.predict([ROW, {"sky": ["sun"]}])


def test_the_target_by_name_may_be_in_a_row():
    model = db.NaiveBayes().fit({**ROWS, "play": LABELS}, "play")
    adapter = RowClassifier(model)
    assert adapter.predict_one({**ROW, "play": "play"}) == adapter.predict_one(ROW)
    assert adapter.predict([{**ROW, "play": "play"}]) == adapter.predict([ROW])


def test_rows_without_names_are_lists():
    adapter = RowClassifier(number_model())
    rows = [[0.5, 1.0, 0.0], [-0.5, 0, 1]]
    found = adapter.predict(rows)
    assert [list(one["probabilities"].values()) for one in found] == number_model().predict_proba(rows).tolist()
    assert [one["label"] for one in found] == [True, False] and list(found[0]["probabilities"]) == ["false", "true"]
    assert adapter.predict([{"x0": 0.5, "x1": 1.0, "x2": 0.0}]) == found[:1]
    assert adapter.rows_of(rows[0]) == ([rows[0]], True) and adapter.rows_of(rows) == (rows, False)
    assert adapter.example() == [1.0, 1.0, 1.0]
    with pytest.raises(DecibanError, match="2 values"):
        adapter.predict([[1, 2]])


@pytest.mark.parametrize("body", ["sun", 3, None, True])
def test_what_is_no_row_is_refused(body):
    with pytest.raises(DecibanError, match="an object of names and values"):
        RowClassifier(table_model()).rows_of(body)
    with pytest.raises(DecibanError, match="not an object of names and values"):
        RowClassifier(table_model()).predict([ROW, body])


def test_an_explanation_has_the_weights_of_the_library():
    found, expected = RowClassifier(table_model()).explain(ROW), table_model().explain(ROW)
    assert found["total_db"] == expected.total_db and found["prior_db"] == expected.prior_db
    weights = {reason["column"]: reason["weight_db"] for reason in found["reasons"]}
    assert weights == {reason.name: reason.weight_db for reason in expected.reasons}
    assert abs(found["prior_db"] + sum(weights.values()) - found["total_db"]) < 1e-9
    sizes = [abs(reason["weight_db"]) for reason in found["reasons"]]
    assert sizes == sorted(sizes, reverse=True)
    other = RowClassifier(table_model()).explain(ROW, "stay")
    assert (other["label"], other["against"]) == ("play", "stay")


def test_the_example_is_a_row_of_the_schema():
    adapter = RowClassifier(table_model())
    assert adapter.example().keys() == ROWS.keys() and adapter.predict_one(adapter.example())
    schema = adapter.row_schema()
    assert schema["properties"]["warm"]["type"] == ["number", "null"]
    assert "required" in RowClassifier(number_model()).row_schema()["anyOf"][1]
