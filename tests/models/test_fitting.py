"""From a file to a fitted model: that of `fit`, with what was asked for beside it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import deciban as db
from deciban.engines.files.names import DocumentFolder
from deciban.engines.files.source import FileSource
from deciban.errors import ColumnMismatchError, InputTypeError, ParameterError
from deciban.models.fitting import fit_documents, fit_table, fit_tally

rng = np.random.default_rng(1)
Y = rng.integers(0, 2, 200)
TABLE = pa.table({"x": rng.normal(Y * 2.0), "z": rng.integers(0, 3, 200).astype(str), "w": np.ones(200), "y": Y})


@pytest.fixture
def source(tmp_path):
    parquet.write_table(TABLE, tmp_path / "table.parquet")
    return FileSource.of(str(tmp_path / "table.parquet"), progress=False)


def test_the_model_is_that_of_fit(source):
    found = fit_table({"naive": db.NaiveBayes()}, source, "y", sample_weight="w", calibrate="temperature")
    expected = db.NaiveBayes().fit(TABLE.select(["x", "z", "y"]), "y", np.ones(200))
    expected.calibrate(TABLE.select(["x", "z"]), TABLE["y"], sample_weight=np.ones(200), learned=True)
    assert found.model.tally_ == expected.tally_ and found.selection is None
    assert found.model.calibration_ == expected.calibration_


def test_the_best_of_several_is_fitted_on_all_rows(source):
    models = {"prior": db.NaiveBayes(columns=db.Ignore()), "naive": db.NaiveBayes()}
    found = fit_table(models, source, "y", exclude=["w"])
    assert found.name == "naive" == found.selection.chosen
    assert found.model.tally_.total == 200 and found.model.feature_names_in_.tolist() == ["x", "z"]


def test_documents_of_files_and_folders_give_the_same_model(tmp_path):
    texts, labels = ["free prize", "lunch noon"] * 4, ["spam", "ham"] * 4
    parquet.write_table(pa.table({"t": texts, "l": labels}), tmp_path / "d.parquet")
    for i, (text, label) in enumerate(zip(texts, labels, strict=True)):
        (tmp_path / "mails" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "mails" / label / str(i)).write_text(text)
    source = FileSource.of(str(tmp_path / "d.parquet"), progress=False)
    a = fit_documents({"text": db.TextNB()}, source, text="t", target="l", calibrate="temperature")
    b = fit_documents({"text": db.TextNB()}, DocumentFolder(tmp_path / "mails", labelled=True), calibrate="temperature")
    assert a.model.predict_proba(texts).tolist() == b.model.predict_proba(texts).tolist()
    with pytest.raises(ParameterError, match="has no calibration"):
        fit_documents({"ratio": db.LogCountRatio()}, source, text="t", target="l", calibrate="isotonic")


def test_learned_documents_are_known_whatever_their_target_is_called(tmp_path):
    texts, labels = ["free prize", "lunch noon", "free lunch"] * 4, ["spam", "ham", "spam"] * 4
    parquet.write_table(pa.table({"t": texts, "l": labels}), tmp_path / "d.parquet")
    model = db.TextNB().fit_files(str(tmp_path / "d.parquet"), text="t", target="l")
    assert model.calibrate(texts, labels, learned=True).calibration_ is not None


def test_names_that_are_wrong_are_errors(source):
    with pytest.raises(ColumnMismatchError, match="has no column 'q'"):
        fit_table({"naive": db.NaiveBayes()}, source, "q")
    with pytest.raises(ParameterError, match="column 'w' has two roles"):
        fit_table({"naive": db.NaiveBayes()}, source, "y", sample_weight="w", exclude=["w"])
    with pytest.raises(InputTypeError, match="holds double, not text"):
        fit_documents({"text": db.TextNB()}, source, text="x", target="y")
    with pytest.raises(InputTypeError, match="not a tally"):
        fit_tally({"naive": db.NaiveBayes()}, db.NaiveBayes())


def test_a_tally_has_no_scores():
    tally = db.tally({"x": ["a", "b"], "y": [0, 1]}, target="y")
    found = fit_tally({"naive": db.NaiveBayes(priors="uniform")}, tally)
    assert found.model.tally_ == tally and found.model.priors == "uniform" and found.summary.report is None
