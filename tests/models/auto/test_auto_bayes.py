"""AutoBayes: what it chooses, that its evidence is a sum, and that it learns on like its models."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

import deciban as db
from deciban.errors import ColumnMismatchError, DecibanWarning, FileError, ParameterError

rng = np.random.default_rng(0)


def mixed(rows=240):
    y = rng.integers(0, 2, rows)
    size = rng.normal(y, 1.0)
    twice = 2 * size + rng.normal(size=rows)
    table = pd.DataFrame({"size": size, "twice": twice, "sky": rng.choice(list("abc"), rows)})
    return table, y


TABLE, Y = mixed()
MODEL = db.AutoBayes().fit(TABLE, Y)


def independent(rows=2_000):
    y = rng.integers(0, 2, rows)
    return {f"x{i}": (rng.random(rows) < 0.3 + 0.3 * y).astype(int) for i in range(6)}, y


def test_where_columns_are_independent_naive_bayes_is_enough():
    table, y = independent()
    model = db.AutoBayes(models=["NaiveBayes", "KDB"]).fit(table, y)
    naive, chains = model.report().candidates
    assert naive.log_loss == pytest.approx(chains.log_loss, abs=0.005)  # without parents, both are naive Bayes
    assert sum(model.weights_.values()) == pytest.approx(1, abs=0.15)


def test_where_only_pairs_of_columns_say_something_it_uses_kdb():
    a, b = rng.integers(0, 2, (2, 400))
    model = db.AutoBayes(models=["NaiveBayes", "KDB"]).fit({"a": a, "b": b}, a ^ b)
    assert model.weights_["KDB"] > 0.5
    assert model.predict({"a": [0, 0, 1], "b": [0, 1, 0]}).tolist() == [0, 1, 1]


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_reported_scores_are_about_those_of_new_rows(load):
    table, y = load(return_X_y=True, as_frame=True)
    report = db.AutoBayes().fit(table, y).report()
    found = log_loss(y, cross_val_predict(db.AutoBayes(), table, y, cv=5, method="predict_proba"))
    assert report.log_loss == pytest.approx(found, abs=0.04)
    assert report.log_loss <= min(candidate.log_loss for candidate in report.candidates) + 0.005


def test_of_large_tables_some_rows_are_scored_that_no_choice_depends_on():
    table, y = independent(5_100)
    model = db.AutoBayes(effort="fast").fit(table, y)
    assert model.report().how == "which no choice depends on"
    assert model.report().rows == 5_100 / 5
    assert model.tally_.total == 5_100
    rest = {name: np.delete(column, np.s_[::5]) for name, column in table.items()}
    assert db.KDB().fit(rest, np.delete(y, np.s_[::5])).structure_ == model.models_["KDB"].structure_


def test_models_are_those_that_may_add_something():
    labels, y = independent(200)
    assert list(db.AutoBayes().fit({k: v.astype(str) for k, v in labels.items()}, y).models_) == [
        "NaiveBayes",
        "KDB",
        "CountForest",
    ]
    assert list(MODEL.models_) == ["NaiveBayes", "KDB", "FineKDB", "CountForest"]
    assert "Discriminant" in db.AutoBayes().fit(TABLE[["size", "twice"]], Y).models_
    assert list(db.AutoBayes(effort="fast").fit(TABLE, Y).models_) == ["NaiveBayes", "KDB"]


def test_the_report_says_what_each_model_adds():
    report = MODEL.report()
    for candidate in report.candidates:
        assert candidate.without is not None
        assert candidate.without >= report.log_loss - 0.005  # the penalty may cost the combination a little
        if candidate.weight == 0:
            assert candidate.without == report.log_loss


def test_large_tables_may_have_classes_of_few_rows():
    y = np.where(np.arange(6_000) % 1_000 == 0, 2, rng.integers(0, 2, 6_000))
    model = db.AutoBayes().fit({"x": rng.normal(y), "z": rng.normal(size=6_000)}, y)
    assert np.isfinite(model.report().log_loss)


def test_evidence_is_the_weighted_sum_of_the_models():
    evidence = MODEL.evidence(TABLE)
    assert evidence.joint == pytest.approx(MODEL.predict_joint_log_proba(TABLE), abs=1e-12)
    parts = [MODEL.weights_[name] * model.evidence(TABLE).columns for name, model in MODEL.models_.items()]
    assert evidence.columns == pytest.approx(sum(parts), abs=1e-12)
    odds = np.diff(MODEL.predict_log_proba(TABLE[:1])[0])[0]
    assert abs(MODEL.explain(TABLE.iloc[0]).total_db) == pytest.approx(abs(10 * odds / np.log(10)))


def test_batches_merged_parts_and_forgotten_rows_give_the_same_model():
    def given():
        return db.AutoBayes(structure=MODEL.structure_)

    whole = given().fit(TABLE, Y)
    assert whole.predict_proba(TABLE) == pytest.approx(MODEL.predict_proba(TABLE), abs=1e-12)
    batches = given().partial_fit(TABLE[:100], Y[:100], classes=[0, 1]).partial_fit(TABLE[100:], Y[100:])
    parts = given().fit(TABLE[:90], Y[:90]).merge(given().fit(TABLE[90:], Y[90:]))
    more = given().fit(pd.concat([TABLE, TABLE[:7]]), [*Y, *Y[:7]]).forget(TABLE[:7], Y[:7])
    for model in (batches, parts, more):
        assert model.predict_proba(TABLE) == pytest.approx(whole.predict_proba(TABLE), abs=1e-9)


def test_models_that_chose_otherwise_are_not_merged():
    other = db.AutoBayes(random_state=1).fit(TABLE, Y)
    with pytest.raises(ColumnMismatchError, match="cuts or parents"):
        db.AutoBayes().fit(TABLE, Y).merge(other)
    with pytest.raises(ColumnMismatchError, match="different models"):
        db.AutoBayes().fit(TABLE, Y).merge(db.AutoBayes(models=["KDB"]).fit(TABLE, Y))


def test_a_file_restores_the_model_bit_for_bit(tmp_path):
    db.save(MODEL, tmp_path / "auto")
    loaded = db.load(tmp_path / "auto")
    assert loaded.predict_proba(TABLE).tobytes() == MODEL.predict_proba(TABLE).tobytes()
    assert repr(loaded.report()) == repr(MODEL.report())
    assert loaded.partial_fit(TABLE, Y).tally_.total == 2 * len(Y)


def test_a_file_with_impossible_weights_is_refused(tmp_path):
    model = db.AutoBayes().fit(TABLE, Y)
    form = model._form
    first, *others = form.comparison.candidates
    wrong = [
        replace(form, comparison=replace(form.comparison, candidates=(replace(first, weight=-1.0), *others))),
        replace(form, comparison=replace(form.comparison, candidates=tuple(others))),
        replace(form, models=form.models[1:]),
    ]
    for spoilt in wrong:
        model._form = spoilt
        db.save(model, tmp_path / "spoilt")
        with pytest.raises(FileError, match="cannot read it"):
            db.load(tmp_path / "spoilt")


def test_leave_one_out_and_calibration():
    posterior = MODEL.loo_predict_proba(TABLE, Y)
    assert log_loss(Y, posterior) > log_loss(Y, MODEL.predict_proba(TABLE))
    assert 0.5 < db.AutoBayes().fit(TABLE, Y).calibrate(TABLE, Y).calibration_.value < 2


def test_it_says_what_is_wrong():
    with pytest.raises(ParameterError, match="Did you mean 'KDB'"):
        db.AutoBayes(models=["KBD"]).fit(TABLE, Y)
    with pytest.raises(ParameterError, match="at least one"):
        db.AutoBayes(models=[]).fit(TABLE, Y)
    with pytest.raises(ParameterError, match=r"structure=model\.structure_"):
        db.AutoBayes.from_tally(MODEL.tally_)
    with pytest.raises(ValueError, match="missing"):
        db.AutoBayes(missing="error").fit({"a": [1.5, None, 2.5]}, [0, 1, 0])


def test_a_tally_with_the_structure_is_a_model():
    again = db.AutoBayes.from_tally(MODEL.tally_, structure=MODEL.structure_)
    assert np.array_equal(again.predict_proba(TABLE), MODEL.predict_proba(TABLE))


def test_one_class_and_few_rows():
    assert db.AutoBayes().fit({"a": [1.5, 2.5]}, ["x", "x"]).predict({"a": [9.0]}).tolist() == ["x"]
    assert np.isfinite(db.AutoBayes().fit({"a": [1.5, 2.5, 2.0]}, ["x", "y", "y"]).predict_proba({"a": [9.0]})).all()


def test_it_warns_of_a_column_once():
    with pytest.warns(DecibanWarning) as caught:
        db.AutoBayes().fit({"name": [f"n{i}" for i in range(100)], "x": rng.integers(0, 3, 100)}, [0, 1] * 50)
    assert len(caught) == 1


def test_text_columns_are_used():
    words = ["free prize now for you and me", "see you at the usual place at noon", "win a free prize now with us"]
    text = [f"{words[i % 3]} {i}" for i in range(90)]
    model = db.AutoBayes().fit({"text": text, "n": rng.normal(size=90)}, [i % 3 == 1 for i in range(90)])
    assert model.score({"text": text, "n": np.zeros(90)}, [i % 3 == 1 for i in range(90)]) == 1.0
