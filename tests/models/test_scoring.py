"""Predictions, scores and forgetting, batch by batch."""

from __future__ import annotations

import pyarrow as pa
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, InputTypeError, ParameterError
from deciban.models.batches import (
    class_named,
    columns_of,
    evaluate_batches,
    forget_batches,
    predict_batches,
    predict_record,
    row_values,
    target_of,
)

TABLE = pa.table({"sky": ["sun", "rain", "sun", "rain"] * 5, "id": [*range(20)], "play": [1, 0, 1, 1] * 5})
MODEL = db.NaiveBayes().fit(TABLE.drop_columns(["id"]), "play")
TEXT = db.TextNB().fit(["free prize", "lunch noon"] * 4, ["spam", "ham"] * 4)


def test_batches_give_the_predictions_of_the_whole():
    parts = predict_batches(MODEL, [TABLE[:7], TABLE[7:]], keep=["id"], posteriors=True)
    found = pa.concat_tables(parts)
    rows = TABLE.select(["sky"])
    assert found.column_names == ["id", "prediction", "posterior", "p_0", "p_1"]
    assert found["prediction"].to_pylist() == MODEL.predict(rows).tolist()
    assert found["p_1"].to_pylist() == MODEL.predict_proba(rows)[:, 1].tolist()
    assert found["posterior"].to_pylist() == MODEL.predict_proba(rows).max(axis=1).tolist()


def test_a_rejected_decision_has_the_posterior_of_the_best_class():
    model = db.NaiveBayes(reject=0.99).fit(TABLE.drop_columns(["id"]), "play")
    [found] = predict_batches(model, [TABLE[:1]])
    assert found.to_pylist() == [{"prediction": None, "posterior": model.predict_proba({"sky": ["sun"]}).max()}]
    assert predict_record(model, {"sky": "sun"}) == found.to_pylist()[0]


def test_a_record_is_predicted_as_a_row_of_a_table():
    [found] = predict_batches(MODEL, [TABLE[:1]], keep=None, posteriors=True)
    record = predict_record(MODEL, TABLE[:1].to_pylist()[0], keep=None, posteriors=True)
    assert record == pytest.approx(found.to_pylist()[0])


def test_scores_of_batches_are_those_of_the_whole():
    report = evaluate_batches(MODEL, [TABLE[:7], TABLE[7:]])
    rows = TABLE.select(["sky"])
    assert report.accuracy == MODEL.score(rows, TABLE["play"])
    expected = db.evaluate(TABLE["play"], posterior=MODEL.predict_proba(rows)).probability
    assert report.probability.log_loss == expected.log_loss
    with pytest.raises(InputError, match="no rows to evaluate"):
        evaluate_batches(MODEL, [])


def test_batches_are_forgotten_with_their_weights():
    model = db.NaiveBayes().fit(TABLE.drop_columns(["id"]), "play")
    forget_batches(model, [TABLE[:4], TABLE[4:8]])
    assert model.tally_.total == 12
    with pytest.raises(ColumnMismatchError, match="no column 'w'"):
        forget_batches(model, [TABLE[:4]], sample_weight="w")


def test_columns_and_target_are_found_by_name():
    assert columns_of(MODEL, ["id", "sky"]) == ["sky"] and target_of(MODEL, ["play"]) == "play"
    assert columns_of(TEXT, ["message"]) == "message" and columns_of(TEXT, ["id", "text"]) == "text"
    assert target_of(TEXT, ["label"]) == "label"
    with pytest.raises(ColumnMismatchError, match="Did you mean 'sky1'"):
        columns_of(MODEL, ["sky1"])
    with pytest.raises(ParameterError, match="not documents"):
        columns_of(MODEL, ["sky"], "sky")
    with pytest.raises(ParameterError, match="without names"):
        columns_of(db.GaussianNB().fit([[0.0], [1.0]], [0, 1]), ["x"])
    with pytest.raises(ParameterError, match="does not know the name of its target"):
        target_of(db.NaiveBayes().fit({"x": [1, 2]}, [0, 1]), ["x"])


def test_rows_and_classes_by_their_texts():
    assert class_named(MODEL, "1") == 1 and class_named(MODEL, None) is None
    assert row_values(MODEL, {"sky": "sun", "id": 3, "play": 1}) == {"sky": "sun"}
    assert row_values(TEXT, "free") == row_values(TEXT, {"text": "free"}) == "free"
    for row in (3, ["free"]):
        with pytest.raises(InputTypeError):
            row_values(TEXT, row)


def test_a_column_with_the_name_of_a_result_is_an_error():
    with pytest.raises(ParameterError, match="a column 'prediction' already"):
        [*predict_batches(MODEL, [TABLE.rename_columns(["sky", "prediction", "play"])], keep=None)]
