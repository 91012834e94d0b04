"""Text estimators keep scikit-learn's promises: the checks that apply to them, and its tools on every kind of column.

scikit-learn's `check_estimator` stops at once for estimators whose X is not a table. So the checks that need no X run
by name; and `OnTables` writes the rows of a table as documents, which lets all of them run, but for those that a text
estimator cannot pass, each listed with its reason.
"""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted, validate_data

import deciban as db

CLASSIFIERS = [db.TextNB, db.LogCountRatio, db.AutoText, db.TextEM]
TRANSFORMERS = [db.CountVectorizer, db.HashingVectorizer]
ALL = [*CLASSIFIERS, *TRANSFORMERS]
BY_NAME = [
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_estimators_unfitted",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_transformers_unfitted",
    "check_valid_tag_types",
]

rng = np.random.default_rng(0)
Y = np.array(["ham", "spam"] * 30)
WORDS = {"ham": ["lunch", "noon", "meeting", "report"], "spam": ["prize", "free", "win", "report"]}
X = [" ".join(rng.choice([*WORDS[label], "the", "and"], 6)) for label in Y]
COLUMNS = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda held: np.array(held, dtype=object),
    "pandas": pd.Series,
    "pandas-odd-index": lambda held: pd.Series(held, index=range(100, 100 + len(held))),
    "pandas-arrow": lambda held: pd.Series(held, dtype="string[pyarrow]"),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow-chunks": lambda held: pa.chunked_array([held[:20], held[20:]]),
}
every = pytest.mark.parametrize("make", ALL)
classifiers = pytest.mark.parametrize("make", CLASSIFIERS)
columns = pytest.mark.parametrize("column", COLUMNS)


# Checks that need no X -----------------------------------------------------------------------------------------------


@every
@pytest.mark.parametrize("check", BY_NAME)
def test_estimator_check_by_name(make, check):
    getattr(estimator_checks, check)(make.__name__, make())


@every
def test_tags_say_that_x_is_text(make):
    tags = get_tags(make())
    assert tags.input_tags.string and tags.input_tags.one_d_array
    assert not tags.input_tags.two_d_array and not tags.input_tags.sparse
    assert tags.requires_fit == (make is not db.HashingVectorizer)


@every
def test_fit_gives_itself_and_leaves_parameters_alone(make):
    model = make()
    before = {name: pickle.dumps(value) for name, value in model.get_params().items()}
    held = list(X)
    assert model.fit(held, Y) is model
    assert {name: pickle.dumps(value) for name, value in model.get_params().items()} == before
    assert held == X
    check_is_fitted(model)


@every
def test_a_fitted_model_counts_no_features_and_its_clone_is_unfitted(make):
    model = make().fit(X, Y)
    assert not hasattr(model, "n_features_in_") and not hasattr(model, "feature_names_in_")
    again = clone(model)
    assert again.get_params() == model.get_params()
    if make is not db.HashingVectorizer:
        with pytest.raises(NotFittedError):
            (again.predict if make in CLASSIFIERS else again.transform)(X)


@every
def test_a_pickle_is_the_same_model(make):
    model = make().fit(X, Y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    if make in CLASSIFIERS:
        assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    else:
        assert (again.transform(X) != model.transform(X)).nnz == 0


# scikit-learn's tools, on every kind of column -----------------------------------------------------------------------


@classifiers
@columns
def test_cross_validation(make, column):
    scores = cross_val_score(make(), COLUMNS[column](X), Y, cv=3, error_score="raise")
    assert scores.tolist() == cross_val_score(make(), X, Y, cv=3, error_score="raise").tolist()
    assert scores.mean() > 0.9


@columns
@pytest.mark.parametrize("make", TRANSFORMERS)
def test_pipelines(make, column):
    few = {"n_features": 2**12} if make is db.HashingVectorizer else {}  # a weight for each of 2²⁰ would take long
    pipeline = make_pipeline(make(**few), LogisticRegression())
    found = cross_val_predict(pipeline, COLUMNS[column](X), Y, cv=3)
    assert found.tolist() == cross_val_predict(pipeline, X, Y, cv=3).tolist()
    assert np.mean(found == Y) > 0.9


@columns
def test_grids(column):
    grids = {
        db.TextNB: {"event": ["boolean", "complement"], "ngram_range": [(1, 1), (1, 2)]},
        db.LogCountRatio: {"beta": [0.25, 1.0]},
        db.TextEM: {"unlabelled_weight": [0.1, 1.0]},
    }
    for make, grid in grids.items():
        search = GridSearchCV(make(), grid, cv=2, error_score="raise").fit(COLUMNS[column](X), Y)
        assert search.best_score_ > 0.9
        assert search.predict(COLUMNS[column](X)).tolist() == search.predict(X).tolist()


def test_grids_reach_into_pipelines_and_nested_models():
    pipeline = make_pipeline(db.CountVectorizer(), db.MultinomialNB())
    grid = {"countvectorizer__ngram_range": [(1, 1), (1, 2)], "multinomialnb__alpha": [0.1, 1.0]}
    assert GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(X, Y).best_score_ > 0.9
    nested = {"model__event": ["multinomial", "boolean"]}
    search = GridSearchCV(db.TextEM(db.TextNB("boolean")), nested, cv=2, error_score="raise").fit(X, Y)
    assert search.best_params_["model__event"] in nested["model__event"]


# All checks, on tables whose rows are written as documents -----------------------------------------------------------


class OnTables(ClassifierMixin, BaseEstimator):
    """A text classifier for tables: each cell becomes a token of its column and its rounded value."""

    def __init__(self, model=None):
        self.model = model

    def fit(self, X, y):
        return self._fit(X, y)

    def _fit(self, X, y, **weights):
        self.model_ = clone(self.model).fit(self._written(X, y), y, **weights)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self._fitted().predict(self._written(X))

    def predict_proba(self, X):
        return self._fitted().predict_proba(self._written(X))

    def _fitted(self):
        check_is_fitted(self)
        return self.model_

    def _written(self, X, *y):
        table = validate_data(self, X, dtype=np.float64, reset=bool(y))
        return [" ".join(f"c{i}_{np.clip(np.rint(2 * v), -99, 99):.0f}" for i, v in enumerate(row)) for row in table]


class OnWeightedTables(OnTables):
    """The same, of rows that have weights."""

    def fit(self, X, y, sample_weight=None):
        return self._fit(X, y, sample_weight=sample_weight)


def expected_failures(estimator):
    """What a check asks for that its model does not promise, with the reason."""
    if isinstance(estimator.model, db.TextEM):
        return {"check_classifiers_classes": "the check has a class −1, which is no label to TextEM"}
    if isinstance(estimator.model, db.LogCountRatio):
        return {"check_sample_weight_equivalence_on_dense_data": "liblinear stops within a tolerance, here or there"}
    return {}


ON_TABLES = [OnWeightedTables(db.TextNB()), OnWeightedTables(db.LogCountRatio()), OnTables(db.TextEM())]


@parametrize_with_checks(ON_TABLES, expected_failed_checks=expected_failures)
@pytest.mark.filterwarnings("ignore")
def test_estimator_check(estimator, check):
    check(estimator)


@classifiers
def test_a_document_of_weight_0_is_as_if_it_were_not_there(make):
    if make is db.TextEM:
        pytest.skip("TextEM takes no weights of documents")
    more, labels = [*X, "zebra prize", "zebra"], [*Y, "ham", "other"]
    with_zeros = make().fit(more, labels, sample_weight=[1.0] * len(X) + [0.0, 0.0])
    without = make().fit(X, Y, sample_weight=np.ones(len(X)))
    found = with_zeros.predict_proba(more)[:, [list(with_zeros.classes_).index(label) for label in without.classes_]]
    assert found == pytest.approx(without.predict_proba(more), rel=1e-9)
