"""Classifiers that learn from files: the same as `fit` on the table, however it is split."""

import numpy as np
import pyarrow as pa
import pytest

import deciban as db
from deciban.engines.files.source import FileSource
from deciban.errors import ColumnMismatchError, InputError
from deciban.models.base import ModelCounting
from tests.engines.files.tables import mixed_table, write_parts

TABLE = mixed_table(3_000)
CODES = pa.table({"a": TABLE["whole"].fill_null(0), "b": TABLE["flag"].fill_null(False).cast("int64"), "y": TABLE["y"]})

MIXED = [
    db.NaiveBayes(),
    db.TAN(),
    db.AODE(),
    db.KDB(),
    db.Discriminant(),
    db.CountForest(n_trees=3),
    db.AutoBayes(),
    db.BayesNetClassifier(),
]
MIXED += [db.NaiveBayes(weights=None, columns={"sky": db.Categorical(missing="state"), "real": db.Kernel()})]
PLAIN = [db.CategoricalNB(), db.GaussianNB(), db.MultinomialNB(), db.BernoulliNB(), db.ComplementNB(), db.JointBayes()]


@pytest.mark.parametrize("model", [*MIXED, *PLAIN], ids=repr)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_small_files_give_what_fit_gives(model, suffix, tmp_path):
    table = (TABLE if model in MIXED else CODES).drop(["w"] if model in MIXED else [])
    write_parts(table, tmp_path, suffix, [10, 1_000])
    found = type(model)(**model.get_params()).fit_files(tmp_path, target="y")
    expected = type(model)(**model.get_params()).fit(table, "y")
    assert found.tally_ == expected.tally_
    assert found.predict_proba(table).tolist() == expected.predict_proba(table).tolist()
    assert found.partial_fit(table, "y").tally_.total == 6_000


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
def test_a_small_file_is_read_and_counted_once(suffix, tmp_path, monkeypatch):
    reads, counts = [], []
    read, count = FileSource.batches, db.NaiveBayes._count
    monkeypatch.setattr(FileSource, "batches", lambda *args: reads.append(1) or read(*args))
    monkeypatch.setattr(db.NaiveBayes, "_count", lambda *args: counts.append(1) or count(*args))
    monkeypatch.delattr(FileSource, "sample")
    monkeypatch.delattr(FileSource, "count")
    write_parts(TABLE.drop(["w"]), tmp_path, suffix, [])
    db.NaiveBayes().fit_files(tmp_path, target="y")
    assert (len(reads), len(counts)) == (1, 1)


def test_weights_are_a_column(tmp_path):
    write_parts(TABLE, tmp_path, ".parquet", [10, 1_000])
    found = db.NaiveBayes().fit_files(tmp_path, target="y", sample_weight="w")
    expected = db.NaiveBayes().fit(TABLE.drop(["w"]), "y", TABLE["w"].to_numpy())
    assert found.tally_ == expected.tally_ and "w" not in found.tally_.names
    assert np.allclose(found.predict_proba(TABLE.drop(["w"])), expected.predict_proba(TABLE.drop(["w"])), atol=1e-12)


def test_counts_are_those_of_all_rows_where_the_form_is_that_of_a_sample(tmp_path, monkeypatch):
    monkeypatch.setattr("deciban.models.base.SAMPLE", 500)
    write_parts(TABLE.drop(["w"]), tmp_path, ".parquet", [1_500])
    found = db.NaiveBayes().fit_files(tmp_path, target="y")
    assert found.tally_.total == 3_000
    fixed = db.NaiveBayes(columns=found.schema_).fit(TABLE.drop(["w"]), "y")
    assert found.tally_ == fixed.tally_


def test_classes_and_labels_of_the_last_rows_count(tmp_path, monkeypatch):
    monkeypatch.setattr("deciban.models.base.SAMPLE", 100)
    table = pa.table({"sky": ["sun", "rain", "sun"] * 1_000 + ["hail"], "y": ["a", "b"] * 1_500 + ["c"]})
    write_parts(table, tmp_path, ".parquet", [3_000])
    for model in (db.NaiveBayes(weights=None), db.CategoricalNB(), db.TAN()):
        found = model.fit_files(tmp_path, target="y")
        assert found.classes_.tolist() == ["a", "b", "c"]
        assert found.tally_ == type(model)(**model.get_params()).fit(table, "y").tally_
        assert found.predict_proba({"sky": ["hail"]})[0, 2] > 0.01


def test_a_failed_call_changes_nothing(tmp_path):
    model = db.NaiveBayes().fit({"sky": ["sun", "rain"]}, ["a", "b"])
    before = dict(model.__dict__)
    write_parts(TABLE, tmp_path, ".parquet", [10])
    with pytest.raises(ColumnMismatchError, match="y names the column 'z'"):
        model.fit_files(tmp_path, target="z")
    with pytest.raises(ColumnMismatchError, match="y names the column 'v'"):
        model.fit_files(tmp_path, target="y", sample_weight="v")
    with pytest.raises(InputError):
        model.fit_files(tmp_path, target="sky")  # which has missing values
    assert model.__dict__ == before


def test_what_is_counted_is_described_by_parameters_and_form():
    descriptions = [
        ModelCounting(model.fit(TABLE, "y"), "y").described
        for model in (db.NaiveBayes(), db.NaiveBayes(), db.NaiveBayes(missing="state"), db.TAN())
    ]
    assert descriptions[0] == descriptions[1] and len(set(descriptions)) == 3


def test_parameters_that_were_set_count_in_fit_files(tmp_path):
    write_parts(TABLE.drop(["w"]), tmp_path, ".parquet", [10])
    model = db.NaiveBayes(weights=None).fit_files(tmp_path, target="y")
    model.set_params(smoothing=db.Lidstone(5.0)).fit_files(tmp_path, target="y")
    expected = db.NaiveBayes(weights=None, smoothing=db.Lidstone(5.0)).fit(TABLE.drop(["w"]), "y")
    rows = TABLE.drop(["w"])
    assert model.predict_proba(rows).tolist() == expected.predict_proba(rows).tolist()
