"""What models of combinations share: reading any table, merging, saving, and errors that say what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, MissingValueError, ParameterError, UnseenStateError

rng = np.random.default_rng(0)
N = 300
Y = rng.integers(0, 3, N)
FRAME = pd.DataFrame(
    {
        "sky": np.array(["sun", "rain", "fog", "hail"])[(Y + rng.integers(0, 2, N)) % 4],
        "warm": np.where(rng.uniform(size=N) < 0.1, np.nan, rng.normal(Y, 0.5)),
        "wind": rng.integers(0, 5, N),
        "note": [f"a day with {i} kinds of long words in it" for i in range(N)],
    }
)
MAKERS = [
    lambda **k: db.TAN(temperature=1.0, **k),
    lambda **k: db.AODE(weights=None, temperature=1.0, **k),
    lambda **k: db.AODE(n=2, weights=None, temperature=1.0, **k),
]
makers = pytest.mark.parametrize("make", MAKERS, ids=["TAN", "AODE", "A2DE"])


@makers
def test_frames_of_all_kinds_give_the_same(make):
    expected = make().fit(FRAME, Y).predict_proba(FRAME)
    for convert in (pl.from_pandas, pa.Table.from_pandas):
        frame = convert(FRAME)
        assert make().fit(frame, Y).predict_proba(frame) == pytest.approx(expected, rel=1e-12)


@makers
def test_the_schema_says_how_columns_are_coded(make):
    schema = make().fit(FRAME, Y).schema_
    kinds = [type(plan.distribution).__name__ for plan in schema]
    assert kinds == ["Categorical", "Cut", "Categorical", "Ignore"]
    assert schema["warm"].reason.endswith("bins by 'mdl'")
    assert "left out" in schema["note"].reason


@makers
def test_models_with_other_cuts_are_not_merged_unless_the_columns_are_taken_over(make):
    first, second = make().fit(FRAME[:150], Y[:150]), make().fit(FRAME[150:], Y[150:])
    with pytest.raises(ColumnMismatchError, match=r"'warm' is cut at .* columns=first\.schema_"):
        first.merge(second)
    second = make(columns=first.schema_).fit(FRAME[150:], Y[150:])
    merged = first.merge(second)
    whole = make(columns=first.schema_).fit(FRAME, Y)
    assert merged.tally_ == whole.tally_
    assert merged.predict_proba(FRAME).tobytes() == whole.predict_proba(FRAME).tobytes()


@makers
def test_a_file_keeps_the_model(make, tmp_path):
    model = make(missing="state").fit(FRAME, Y)
    db.save(model, tmp_path / "model")
    loaded = db.load(tmp_path / "model")
    assert loaded.tally_ == model.tally_ and loaded.schema_ == model.schema_
    assert loaded.predict_proba(FRAME).tobytes() == model.predict_proba(FRAME).tobytes()
    loaded.forget(FRAME[:50], Y[:50])
    assert loaded.tally_ == model.forget(FRAME[:50], Y[:50]).tally_


@makers
def test_a_tally_makes_the_model_again(make):
    model = make().fit(FRAME, Y)
    kind, parameters = type(model), {"n": model.n} if isinstance(model, db.AODE) else {}
    again = kind.from_tally(model.tally_, columns=model.schema_, **parameters)
    assert again.predict_proba(FRAME).tobytes() == model.predict_proba(FRAME).tobytes()
    with pytest.raises(ParameterError, match="'warm' of the tally was cut into bins"):
        kind.from_tally(model.tally_, **parameters)
    with pytest.raises(ParameterError, match="takes the tally of sets"):
        kind.from_tally(db.NaiveBayes(weights=None).fit(FRAME, Y).tally_)


@makers
def test_missing_and_unseen_values_can_be_errors(make):
    with pytest.raises(MissingValueError, match="'warm'"):
        make(missing="error").fit(FRAME, Y)
    row = {"sky": "snow", "warm": 1.0, "wind": 2, "note": "x"}
    with pytest.raises(UnseenStateError, match=r"'sky'.*'snow'"):
        make(unseen="error").fit(FRAME, Y).predict_one(row)
    ignored = make(unseen="ignore").fit(FRAME, Y)
    assert ignored.predict_proba_one(row) == pytest.approx(ignored.predict_proba_one({**row, "sky": None}))


@makers
def test_distributions_that_count_nothing_are_refused(make):
    with pytest.raises(ParameterError, match=r"'warm' is Gaussian\(\)"):
        make(columns={"warm": db.Gaussian()}).fit(FRAME, Y)


@makers
def test_markers_are_missing_and_one_row_need_not_name_all_columns(make):
    marked = FRAME.assign(sky=FRAME["sky"].where(FRAME["sky"] != "fog", "?"))
    model = make(na_values="?").fit(marked, Y)
    known = make().fit(FRAME.assign(sky=FRAME["sky"].where(FRAME["sky"] != "fog", None)), Y)
    assert model.tally_ == known.tally_
    assert model.predict_proba_one({"wind": 2, "sky": "?"}) == pytest.approx(model.predict_proba_one({"wind": 2}))
    assert model.predict_one({"wind": 2}) in Y


@makers
def test_decisions_follow_loss_rejection_and_calibration(make):
    model = make(reject=0.9).fit(FRAME, Y)
    labels, posterior = model.predict(FRAME), model.predict_proba(FRAME)
    assert [label is None for label in labels] == (posterior.max(axis=1) < 0.9).tolist()
    loss = 1.0 - np.eye(3)
    loss[0, 1:] = 100.0
    assert (make(loss=loss).fit(FRAME, Y).predict(FRAME) == 0).sum() > (make().fit(FRAME, Y).predict(FRAME) == 0).sum()
    assert make().fit(FRAME, Y).calibrate(FRAME, Y).predict_proba(FRAME).sum(axis=1) == pytest.approx(1.0)


@makers
def test_new_classes_and_labels_may_come_later(make):
    kinds = {"sky": db.Categorical(), "warm": db.Cut(at=[0.5, 1.5]), "wind": db.Categorical(), "note": db.Ignore()}
    order = np.argsort(Y, kind="stable")
    X, y = FRAME.iloc[order], Y[order]
    model = make(columns=kinds).partial_fit(X[:150], y[:150], classes=[0, 1, 2]).partial_fit(X[150:], y[150:])
    assert model.tally_ == make(columns=kinds).fit(X, y).tally_


@makers
def test_explanations_sum_to_the_log_odds(make):
    model = make().fit(FRAME, Y)
    shown = model.explain(FRAME.iloc[3])
    joint = model.predict_joint_log_proba(FRAME[3:4])[0]
    a, b = (list(model.classes_).index(label) for label in (shown.label, shown.against))
    assert shown.total_db == pytest.approx(10 / np.log(10) * (joint[a] - joint[b]))
    with pytest.raises(InputError, match="one row is expected, not 2"):
        model.explain(FRAME[:2])


def test_a_tally_of_pairs_shows_itself():
    text = str(db.AODE().fit({"sky": ["a", "b"], "day": ["x", "x"]}, [0, 1]).tally_)
    assert "Tally of 2 rows" in text and "sky" in text and "day" in text


def test_a_model_that_only_learns_makes_no_tables():
    model = db.AODE(weights=None, temperature=1.0).fit(FRAME, Y)
    assert "table" not in vars(model._tables.parents)
    model.predict(FRAME)
    assert "table" in vars(model._tables.parents)


@pytest.mark.parametrize("make", [db.TAN, db.AODE])
def test_rows_of_weight_0_are_not_learned_from(make):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"a": rng.integers(0, 3, 6000), "b": rng.integers(0, 3, 6000)})
    y, weights = (rows["a"] + rng.integers(0, 2, 6000)) % 2, rng.integers(0, 2, 6000).astype(float)
    counted = weights > 0
    expected = make().fit(rows[counted], y[counted])
    found = make().fit(rows, y, sample_weight=weights)
    np.testing.assert_allclose(found.predict_proba(rows), expected.predict_proba(rows), rtol=1e-6)
