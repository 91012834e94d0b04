"""CountForest against its definition, and what it keeps when rows come and go, are reordered, or are renamed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, FileError, InputError, ParameterError
from deciban.models.families.trees import distinct_rows
from tests.reference import forests

AGREE = {"a": list("xxyy") * 20, "b": list("uvuv") * 20}
IS_SAME = [1, 0, 0, 1] * 20


def mixed(rows=300):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, rows)
    size = rng.normal(y, 1.0).round(2)
    size[rng.random(rows) < 0.1] = np.nan
    sky = np.where(
        rng.random(rows) < 0.2, None, np.array(["sun", "rain", "snow", "hail"])[(y + rng.integers(0, 2, rows)) % 4]
    )
    return pd.DataFrame({"size": size, "noise": rng.normal(size=rows).round(1), "sky": sky}), y


TABLE, Y = mixed()
MODEL = db.CountForest(n_trees=5).fit(TABLE, Y)


def held(model, table):
    return model.structure_.columns.states(model._features(table), "CountForest")


def test_counts_and_posteriors_are_those_of_the_definition():
    trees, states = MODEL.structure_, held(MODEL, TABLE)
    ends = forests.end_counts(trees, states, Y, 3)
    assert np.array_equal(MODEL.tally_.parts[0].dense(), ends)
    passing = trees.passing(MODEL.tally_.parts[0])
    expected = np.zeros((20, 3))
    for r, row in enumerate(states.T[:20].tolist()):
        for tree in range(trees.count):
            nodes = list(forests.path(trees, tree, row))
            found = forests.probabilities(trees, nodes, lambda node: passing[node])
            expected[r] += found[-1] / trees.count
    joint = np.log(MODEL.class_prior_) + (np.log(expected) - np.log(found[0])) / trees.temperature
    expected = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
    assert MODEL.predict_proba(TABLE[:20]) == pytest.approx(expected, abs=1e-12)


def test_rows_are_left_out_as_in_the_definition():
    trees, states = MODEL.structure_, held(MODEL, TABLE[:25])
    keys, y = trees.columns.keys(states), Y[:25].astype(np.int32)
    rows = distinct_rows(states, keys, db.tallies.Sample(MODEL.tally_.classes, y, np.bincount(y)))
    passing = trees.passing(MODEL.tally_.parts[0])
    expected = forests.left_out_evidence(trees, rows, passing)
    assert trees.score_left_out(rows, passing) == pytest.approx(expected, abs=1e-12)


def test_it_learns_what_no_single_column_says():
    model = db.CountForest(n_trees=8).fit(AGREE, IS_SAME)
    assert model.predict(AGREE).tolist() == IS_SAME
    assert db.NaiveBayes().fit(AGREE, IS_SAME).score(AGREE, IS_SAME) < 0.8


def test_left_out_scores_of_noise_are_no_better_than_the_prior():
    """A tree that was grown with a row says its class too well, even without its counts."""
    rng = np.random.default_rng(1)
    table, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    left = db.CountForest(n_trees=16).fit(table, y).loo_predict_proba(table, y)
    assert -np.log(left[np.arange(300), y]).mean() > 0.98 * np.log(2)


def test_evidence_sums_to_the_joint():
    evidence = MODEL.evidence(TABLE)
    assert evidence.joint == pytest.approx(MODEL.predict_joint_log_proba(TABLE), abs=1e-12)
    odds = np.sort(MODEL.predict_log_proba(TABLE[:1])[0])[::-1]
    assert MODEL.explain(TABLE.iloc[0]).total_db == pytest.approx(10 * (odds[0] - odds[1]) / np.log(10))


def test_batches_merged_parts_and_forgotten_rows_give_the_same_model():
    def like():
        return db.CountForest(structure=MODEL.structure_)

    batches = like().partial_fit(TABLE[:100], Y[:100], classes=[0, 1, 2]).partial_fit(TABLE[100:], Y[100:])
    parts = like().fit(TABLE[:50], Y[:50]).merge(like().fit(TABLE[50:], Y[50:]))
    more = like().fit(pd.concat([TABLE, TABLE[:7]]), [*Y, *Y[:7]]).forget(TABLE[:7], Y[:7])
    for model in (batches, parts, more, like().fit(TABLE, Y)):
        assert model.tally_ == MODEL.tally_
        assert np.array_equal(model.predict_proba(TABLE), MODEL.predict_proba(TABLE))


def test_models_with_other_trees_are_not_merged():
    with pytest.raises(ColumnMismatchError, match=r"structure=first\.structure_"):
        db.CountForest(n_trees=5).fit(TABLE, Y).merge(db.CountForest(n_trees=5, random_state=1).fit(TABLE, Y))


def test_neither_order_nor_names_change_a_posterior():
    rng = np.random.default_rng(2)
    at = rng.permutation(len(Y))
    labels = {"sun": "b", "rain": "a", "snow": "d", "hail": "c"}
    other = TABLE.iloc[at].assign(sky=[labels.get(s) for s in TABLE["sky"].iloc[at]])
    other = other[["sky", "size", "noise"]].set_axis(["x", "y", "z"], axis="columns")
    model = db.CountForest(n_trees=5).fit(other, np.array(["r", "q", "p"])[Y[at]])
    assert model.predict_proba(other)[:, ::-1] == pytest.approx(MODEL.predict_proba(TABLE)[at], abs=1e-9)


def test_whole_number_weights_repeat_rows():
    repeats = np.arange(len(Y)) % 3
    again = np.repeat(np.arange(len(Y)), repeats)
    weighted = db.CountForest(n_trees=5).fit(TABLE, Y, sample_weight=repeats)
    repeated = db.CountForest(n_trees=5).fit(TABLE.iloc[again], Y[again])
    assert weighted.predict_proba(TABLE) == pytest.approx(repeated.predict_proba(TABLE), abs=1e-9)


def test_weights_that_are_no_whole_numbers():
    weights = np.linspace(0.5, 1.5, len(Y))
    model = db.CountForest(n_trees=3).fit(TABLE, Y, sample_weight=weights)
    assert np.isfinite(model.loo_predict_proba(TABLE, Y, sample_weight=weights)).all()
    assert model.tally_.total == pytest.approx(weights.sum())


def test_what_is_not_known():
    model = db.CountForest(n_trees=8, unseen="ignore").fit(AGREE, IS_SAME)
    unknown = {"a": ["new"], "b": ["new"]}
    assert model.predict_proba(unknown) == pytest.approx(model.class_prior_[None])
    assert model.evidence(unknown).columns == pytest.approx(0)
    assert np.isfinite(db.CountForest(n_trees=8).fit(AGREE, IS_SAME).predict_proba(unknown)).all()
    with pytest.raises(InputError, match="new"):
        db.CountForest(unseen="error").fit(AGREE, IS_SAME).predict(unknown)


def test_missing_values_are_evidence_where_fit_had_some():
    table = {"a": ["x", None] * 40, "b": list("uuvv") * 20}
    model = db.CountForest(n_trees=8).fit(table, [0, 1] * 40)
    assert model.predict({"a": ["x", None], "b": ["u", "u"]}).tolist() == [0, 1]
    with pytest.raises(ValueError, match="missing"):
        db.CountForest(missing="error").fit(table, [0, 1] * 40)


def test_a_file_restores_the_model_bit_for_bit(tmp_path):
    db.save(MODEL, tmp_path / "forest")
    loaded = db.load(tmp_path / "forest")
    assert loaded.predict_proba(TABLE).tobytes() == MODEL.predict_proba(TABLE).tobytes()
    assert loaded.structure_ == MODEL.structure_
    assert loaded.partial_fit(TABLE, Y).tally_.total == 600


def test_a_file_with_impossible_trees_is_refused(tmp_path):
    model = db.CountForest(n_trees=2).fit(TABLE, Y)
    trees = model.structure_
    wrong = [
        replace(trees, splits=trees.splits[:, :3]),
        replace(trees, strengths=-trees.strengths),
        replace(trees, temperature=0.0),
        replace(trees, columns=replace(trees.columns, label_ranks=trees.columns.label_ranks[1:])),
        replace(trees, splits=np.where(trees.splits == trees.splits[:, 3:], 0, trees.splits).astype(np.int32)),
    ]
    for spoilt in wrong:
        model._form = replace(model._form, trees=spoilt)
        db.save(model, tmp_path / "spoilt")
        with pytest.raises((FileError, ValueError)):
            db.load(tmp_path / "spoilt")


@pytest.mark.parametrize("values", [[1.0], [None], [np.nan, 1.0]], ids=["one number", "nothing", "a number or missing"])
def test_columns_without_information(values):
    table = {"a": values * (60 // len(values)), "b": [0, 1, 2, 3, 4, 5] * 10}
    assert np.isfinite(db.CountForest(n_trees=2).fit(table, [0, 1] * 30).predict_proba(table)).all()


def test_one_class_and_few_rows():
    assert db.CountForest().fit({"a": [1.5, 2.5]}, ["x", "x"]).predict({"a": [9.0]}).tolist() == ["x"]
    assert np.isfinite(db.CountForest().fit({"a": [1.5, 2.5]}, ["x", "y"]).predict_proba({"a": [9.0]})).all()


def test_a_tally_needs_the_structure():
    again = db.CountForest.from_tally(MODEL.tally_, structure=MODEL.structure_)
    assert np.array_equal(again.predict_proba(TABLE), MODEL.predict_proba(TABLE))
    with pytest.raises(ParameterError, match=r"structure=model\.structure_"):
        db.CountForest.from_tally(MODEL.tally_)
    with pytest.raises(ColumnMismatchError, match="structure has 3 columns"):
        db.CountForest(structure=MODEL.structure_).fit({"a": [1, 2]}, [0, 1])
