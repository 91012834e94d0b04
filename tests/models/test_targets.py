"""Targets keep their type: scikit-learn's scorers and displays take every target that its own classifiers take."""

import warnings

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import naive_bayes
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.exceptions import DataConversionWarning
from sklearn.inspection import DecisionBoundaryDisplay, permutation_importance
from sklearn.metrics import (
    ConfusionMatrixDisplay,
    DetCurveDisplay,
    PrecisionRecallDisplay,
    RocCurveDisplay,
    get_scorer,
    get_scorer_names,
)
from sklearn.model_selection import LearningCurveDisplay, StratifiedKFold, cross_validate

import deciban as db
from deciban.errors import InputError

mpl.use("Agg")
rng = np.random.default_rng(0)
ROWS = 60
X = rng.normal(size=(ROWS, 2))
IS = X[:, 0] + 0.7 * rng.normal(size=ROWS) > 0
CODES, TEXT = IS.astype(int), np.where(IS, "yes", "no")
THREE = CODES + (X[:, 1] > 0.4)
TARGETS = {
    "numpy bool": IS,
    "numpy int": CODES,
    "numpy int8": CODES.astype("i1"),
    "numpy float": CODES.astype(float),
    "numpy text": TEXT,
    "numpy objects": TEXT.astype(object),
    "list of bools": IS.tolist(),
    "list of text": TEXT.tolist(),
    "pandas bool": pd.Series(IS),
    "pandas boolean": pd.Series(IS, dtype="boolean"),
    "pandas int": pd.Series(CODES),
    "pandas Int64": pd.Series(CODES, dtype="Int64"),
    "pandas Int64 array": pd.array(CODES, dtype="Int64"),
    "pandas boolean array": pd.array(IS, dtype="boolean"),
    "pandas Float64": pd.Series(CODES.astype(float), dtype="Float64"),
    "pandas text": pd.Series(TEXT),
    "pandas objects": pd.Series(TEXT.astype(object), dtype=object),
    "pandas categories of int": pd.Series(CODES).astype("category"),
    "pandas categories of bool": pd.Series(IS).astype("category"),
    "pandas categories of text": pd.Series(TEXT).astype("category"),
    "pandas ordered categories": pd.Series(pd.Categorical(TEXT, ["yes", "no", "never"], ordered=True)),
    "pandas, bool of pyarrow": pd.Series(IS, dtype="bool[pyarrow]"),
    "pandas, int of pyarrow": pd.Series(CODES, dtype="int64[pyarrow]"),
    "pandas, text of pyarrow": pd.Series(TEXT, dtype="string[pyarrow]"),
    "pandas values": pd.Series(TEXT).values,
    "pandas Index": pd.Index(CODES),
    "pandas frame": pd.DataFrame({"won": CODES}),
    "pandas frame of text": pd.DataFrame({"won": TEXT}),
    "polars bool": pl.Series(IS),
    "polars int": pl.Series(CODES),
    "polars text": pl.Series(TEXT),
    "polars categories": pl.Series(TEXT).cast(pl.Categorical),
    "polars enum": pl.Series(TEXT).cast(pl.Enum(["yes", "no"])),
    "polars frame": pl.DataFrame({"won": CODES}),
    "Arrow bool": pa.array(IS),
    "Arrow chunks": pa.chunked_array([IS[:9], IS[9:]]),
    "Arrow int": pa.array(CODES),
    "Arrow text": pa.array(TEXT.tolist()),
    "Arrow dictionary of int": pa.array(CODES).dictionary_encode(),
    "Arrow dictionary of text": pa.array(TEXT.tolist()).dictionary_encode(),
    "Arrow table": pa.table({"won": CODES}),
}
SCORERS = {
    name: get_scorer(name)
    for name in get_scorer_names()
    if "error" not in name and name not in ("r2", "explained_variance", "max_error") and "d2_abs" not in name
}
CLASSIFIERS = [
    db.GaussianNB(),
    db.BernoulliNB(),
    db.NaiveBayes(),
    db.NaiveBayes(reject=db.Reject(posterior=0.5)),
    db.JointBayes(smoothing=db.Laplace()),
    db.TAN(),
    db.AODE(),
    db.BayesNetClassifier(),
    db.KDB(members=3),
    db.Discriminant(),
    db.CountForest(n_trees=3),
    db.AutoBayes(),
]
pytestmark = pytest.mark.filterwarnings("ignore")
targets = pytest.mark.parametrize("name", TARGETS)


def attempt(task, *arguments):
    """What a task gives, or the type of its error."""
    try:
        return task(*arguments)
    except Exception as error:
        return type(error)


def scores(model, y):
    found = cross_validate(model, X, y, scoring=SCORERS, cv=StratifiedKFold(2), error_score=np.nan)
    return {name: values.round(6).tolist() for name, values in found.items() if name.startswith("test_")}


@targets
def test_every_scorer_scores_as_it_scores_scikit_learn(name):
    """The drop-in's scores are those of sklearn.naive_bayes, where that has any."""
    own, theirs = (attempt(scores, make(), TARGETS[name]) for make in (db.GaussianNB, naive_bayes.GaussianNB))
    assert str(own) == str(theirs)
    if isinstance(own, dict):
        assert np.isfinite(own["test_roc_auc"]).all()


@targets
def test_areas_and_losses_are_numbers_for_every_classifier(name):
    y = TARGETS[name]
    chosen = [SCORERS["roc_auc"], SCORERS["neg_log_loss"], SCORERS["accuracy"]]
    theirs = attempt(naive_bayes.GaussianNB().fit, X, y)
    for model in CLASSIFIERS:
        fitted = attempt(model.fit, X, y)
        for score in chosen:
            expected, own = (
                found if isinstance(found, type) else attempt(score, found, X, y) for found in (theirs, fitted)
            )
            assert own is expected if isinstance(expected, type) else np.isfinite(own), repr(model)


DISPLAYS = {
    "ROC": lambda model, y: RocCurveDisplay.from_estimator(model.fit(X, y), X, y),
    "precision and recall": lambda model, y: PrecisionRecallDisplay.from_estimator(model.fit(X, y), X, y),
    "DET": lambda model, y: DetCurveDisplay.from_estimator(model.fit(X, y), X, y),
    "calibration": lambda model, y: CalibrationDisplay.from_estimator(model.fit(X, y), X, y),
    "confusion": lambda model, y: ConfusionMatrixDisplay.from_estimator(model.fit(X, y), X, y),
    "boundary": lambda model, y: DecisionBoundaryDisplay.from_estimator(model.fit(X, y), X, grid_resolution=5),
    "learning curve": lambda model, y: LearningCurveDisplay.from_estimator(model, X, y, cv=2, scoring="roc_auc"),
    "calibrated": lambda model, y: CalibratedClassifierCV(model, cv=2).fit(X, y).predict_proba(X),
    "importance": lambda model, y: permutation_importance(model.fit(X, y), X, y, scoring="roc_auc", n_repeats=1),
    "score": lambda model, y: model.fit(X, y).score(X, y),
}


@targets
def test_every_display_shows_what_it_shows_of_scikit_learn(name):
    for what, task in DISPLAYS.items():
        own = attempt(task, db.NaiveBayes(), TARGETS[name])
        if isinstance(own, type):
            assert attempt(task, naive_bayes.GaussianNB(), TARGETS[name]) is own, what
    plt.close("all")


@targets
def test_classes_have_the_type_of_the_labels(name):
    classes = db.GaussianNB().fit(X, TARGETS[name]).classes_
    assert classes.dtype.kind in {bool: "b", int: "i", float: "f", str: "OU"}[type(classes.tolist()[0])]
    theirs = attempt(lambda model, y: model.fit(X, y).classes_.tolist(), naive_bayes.GaussianNB(), TARGETS[name])
    assert isinstance(theirs, type) or classes.tolist() == theirs


@pytest.mark.parametrize("kind", ["category", "Int64", "int64[pyarrow]"])
def test_three_classes(kind):
    y = pd.Series(THREE).astype(kind)
    scoring = ["roc_auc_ovr", "roc_auc_ovo", "f1_macro"]
    found = cross_validate(db.NaiveBayes(), X, y, scoring=scoring, cv=2, error_score="raise")
    assert all(np.isfinite(values).all() for values in found.values())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [name for name in TARGETS if "frame" in name or name == "Arrow table"])
def test_a_frame_of_one_column_is_a_target_with_a_name(name):
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        model = db.NaiveBayes().fit(X, TARGETS[name])
    assert model.tally_.classes.name == "won"


def test_a_frame_of_two_columns_is_no_target():
    with pytest.raises(InputError, match=r"y should be a 1d array, got an array of shape \(60, 2\)"):
        db.NaiveBayes().fit(X, pd.DataFrame(X))


@pytest.mark.parametrize("y", [pd.Series([1, None], dtype="Int64"), pl.Series(["a", None]), ["a", None], [1.5, 2.5]])
def test_a_label_that_is_missing_or_a_fraction_is_an_error(y):
    with pytest.raises(InputError, match=r"every row needs a label|Unknown label type: continuous"):
        db.NaiveBayes().fit([[0], [1]], y)


def test_bools_of_categories_stay_bools_in_all_that_a_model_gives():
    model = db.NaiveBayes().fit(X, TARGETS["pandas categories of bool"])
    assert model.classes_.dtype == bool and model.predict(X).dtype == bool
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.score(X, TARGETS["pandas categories of bool"]) > 0.6
