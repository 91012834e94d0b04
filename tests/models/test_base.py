"""Every classifier explains itself: single rows in all forms, and a shallow tree of classes."""

import importlib
import pkgutil
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import ClassifierMixin

import deciban as db
import deciban.models
from deciban.errors import ColumnMismatchError, InputError, MissingValueError, UnfittedError, UnseenStateError
from deciban.models.base import BayesClassifier
from deciban.units import decibans_from_nats

rng = np.random.default_rng(0)
N = 60
Y = rng.choice(["no", "perhaps", "yes"], N)
SHIFT = (Y == "yes").astype(int)
COUNTS = pd.DataFrame(
    {"red": rng.integers(0, 4, N) + SHIFT, "green": rng.integers(0, 4, N), "deep blue": rng.integers(0, 3, N)}
)
MIXED = pd.DataFrame(
    {
        "sky": rng.choice(["sun", "rain"], N),
        "warm": rng.normal(15 + 5 * SHIFT, 5),
        "wind speed": rng.choice(["low", "high"], N),
    }
)
LABELS = MIXED[["sky", "wind speed"]]
MODELS = [
    (db.GaussianNB(), COUNTS.astype(float)),
    (db.MultinomialNB(), COUNTS),
    (db.ComplementNB(), COUNTS),
    (db.ComplementNB(norm=True), COUNTS),
    (db.BernoulliNB(binarize=1.0), COUNTS),
    (db.BernoulliNB(alpha=0.0), COUNTS),
    (db.CategoricalNB(), COUNTS),
    (db.CategoricalNB(), LABELS),
    (db.JointBayes(smoothing=db.Laplace()), LABELS),
    (db.JointBayes(smoothing=db.Laplace(), rule="ml"), LABELS),
    (db.NaiveBayes(), MIXED),
    (db.NaiveBayes(weights="mi"), MIXED),
    (db.NaiveBayes(loss=[[0, 1, 1], [1, 0, 1], [9, 9, 0]]), MIXED),
    (db.TAN(), MIXED),
    (db.AODE(), MIXED),
    (db.BayesNetClassifier(), MIXED),
    (db.KDB(members=3), MIXED),
    (db.Discriminant(), MIXED),
    (db.CountForest(n_trees=3), MIXED),
    (db.AutoBayes(), MIXED),
]
FORMS = {
    "mapping": lambda frame, row: frame.iloc[row].to_dict(),
    "Series": lambda frame, row: frame.iloc[row],
    "table": lambda frame, row: frame.iloc[[row]],
    "named tuple": lambda frame, row: list(frame.itertuples())[row],
    "named tuple without index": lambda frame, row: list(frame.itertuples(index=False))[row],
    "tuple": lambda frame, row: tuple(frame.iloc[row]),
    "list": lambda frame, row: frame.iloc[row].tolist(),
    "array": lambda frame, row: frame.iloc[row].to_numpy(),
    "array of one row": lambda frame, row: frame.iloc[[row]].to_numpy(),
}


def one(model, frame, row):
    """The label and the log-posteriors by label, of the table that holds the row alone."""
    table = frame.iloc[[row]]
    return model.predict(table)[0], dict(zip(model.classes_.tolist(), model.predict_log_proba(table)[0], strict=True))


def name_of(value):
    return str(value) if isinstance(value, BayesClassifier) else None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("model", "frame"), MODELS, ids=name_of)
def test_one_row_in_any_form_is_a_table_of_one_row(model, frame, form):
    model.fit(frame, Y)
    for i in range(3):
        row = FORMS[form](frame, i)
        label, logs = one(model, frame, i)
        assert model.predict_one(row) == label
        assert model.predict_proba_one(row) == pytest.approx({key: np.exp(log) for key, log in logs.items()})
        explained = model.explain(row)
        assert explained.label == label
        if getattr(model, "rule", "map") == "map":
            odds = logs[explained.label] - logs[explained.against]
            assert explained.total_db == pytest.approx(decibans_from_nats(odds), abs=1e-9)
        assert [reason.name for reason in explained.reasons][: frame.shape[1]] == list(frame)


@pytest.mark.parametrize(("model", "frame"), MODELS, ids=name_of)
def test_rows_of_a_model_without_names(model, frame):
    model.fit(frame.to_numpy(), Y)
    row = frame.iloc[0].to_numpy()
    assert model.predict_one(row) == model.predict(row[None])[0] == model.explain(row).label
    assert model.predict_one(dict(zip(["x0", "x1", "x2"], row, strict=False))) == model.predict_one(row)


@pytest.mark.parametrize(("model", "frame"), MODELS, ids=name_of)
def test_wrong_rows_are_named(model, frame):
    with pytest.raises(UnfittedError):
        type(model)().explain(frame.iloc[0])
    model.fit(frame, Y)
    with pytest.raises(ColumnMismatchError, match="there is no column 'pink'"):
        model.explain({"pink": 1})
    with pytest.raises(ColumnMismatchError, match="the row has 1 value"):
        model.predict_one([1])
    with pytest.raises(InputError, match="one row is expected, not 60"):
        model.predict_proba_one(frame)


@pytest.mark.parametrize("make", [db.GaussianNB, db.MultinomialNB, db.BernoulliNB, db.CategoricalNB])
def test_columns_that_a_row_does_not_name_are_missing(make):
    row = {"red": 1, "green": 0}
    for method in ("explain", "predict_one", "predict_proba_one"):
        with pytest.raises(MissingValueError, match="'deep blue'"):
            getattr(make().fit(COUNTS, Y), method)(row)
    model = make(missing="skip").fit(COUNTS, Y)
    explained = model.explain(row)
    assert explained.reasons[2].is_missing
    assert explained.reasons[2].weight_db == 0.0
    assert explained.label == model.predict_one(row)


@pytest.mark.parametrize(
    ("model", "row", "error", "message"),
    [
        (db.MultinomialNB(), [1, -1, 0], InputError, "Negative values"),
        (db.BernoulliNB(binarize=None), [1, 2, 0], InputError, "from 0 to 1"),
        (db.GaussianNB(), [1, np.inf, 0], InputError, "infinity"),
        (db.CategoricalNB(unseen="error"), [1, 17, 0], UnseenStateError, "unseen in fit"),
    ],
)
def test_values_that_a_model_cannot_use_are_refused_by_evidence_as_by_predict(model, row, error, message):
    model.fit(COUNTS.clip(upper=1), Y)
    for use in (model.predict_one, model.predict_proba_one, model.explain):
        with pytest.raises(error, match=message):
            use(row)
    with pytest.raises(error, match=message):
        model.evidence(pd.DataFrame([row], columns=COUNTS.columns))


def test_a_sparse_row():
    model = db.MultinomialNB().fit(sp.csr_array(COUNTS.to_numpy()), Y)
    row = sp.csr_array(COUNTS.to_numpy()[:1])
    assert model.predict_one(row) == model.predict(row)[0] == model.explain(row).label


@pytest.mark.parametrize(("model", "frame"), MODELS, ids=name_of)
def test_evidence_and_explain_read_a_row_once(model, frame, monkeypatch):
    model.fit(frame, Y)
    calls = Counter()

    def counting(name, plain):
        def method(self, *args):
            calls[name] += 1
            return plain(self, *args)

        return method

    for name in ("_read", "_column_evidence", "_scores"):
        monkeypatch.setattr(type(model), name, counting(name, getattr(type(model), name)))
    model.evidence(frame)
    assert (calls["_read"], calls["_column_evidence"], calls["_scores"]) == (1, 1, 0)
    model.explain(frame.iloc[0])
    assert calls["_read"] <= 2
    assert (calls["_column_evidence"], calls["_scores"]) == (2, 0)


CLASSIFIERS = [
    kind for name in dir(db) if isinstance(kind := getattr(db, name), type) and issubclass(kind, ClassifierMixin)
]


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_every_public_classifier_has_the_methods_for_one_row(kind):
    assert {"explain", "predict_one", "predict_proba_one"} <= set(dir(kind))


def models_of_the_package():
    for module in pkgutil.walk_packages(deciban.models.__path__, "deciban.models."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and value.__module__ == module.name:
                yield value


def test_fitted_attributes_are_plain_cached_values():
    assert [kind.__name__ for kind in models_of_the_package() if "__getattr__" in vars(kind)] == []
