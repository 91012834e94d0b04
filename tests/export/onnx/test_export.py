"""`to_onnx` gives the posteriors of `predict_proba` to 1e-9, for any data: a model in production must not differ."""

import sys

import numpy as np
import onnxruntime
import pytest
import sklearn.naive_bayes
from hypothesis import example, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import FileAccessError, MissingExtraError, UnfittedError
from tests.export.onnx.session import assert_same, run

KINDS = {
    "number": st.one_of(st.none(), st.integers(-400, 400).map(lambda n: n / 16)),
    "label": st.one_of(st.none(), st.sampled_from(["a", "b", "c", "", "é"])),
    "whole": st.integers(-3, 3),
    "flag": st.booleans(),
    "count": st.integers(0, 40),
}
DISTRIBUTIONS = {
    "number": [db.Gaussian(), db.Binned(bins=3), db.Cut(at=[-1.0, 2.0]), db.Bernoulli()],
    "label": [db.Categorical()],
    "whole": [db.Categorical(), db.Gaussian()],
    "flag": [db.Categorical(), db.Bernoulli()],
    "count": [db.Poisson(), db.Categorical(), db.NegativeBinomial()],
}


@st.composite
def samples(draw):
    """A table, its target, a model, and further rows with values that fit has not seen."""
    rows = draw(st.integers(2, 12))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4))
    names = [f"{kind}{i}" for i, kind in enumerate(kinds)]

    def table():
        cells = [draw(st.lists(KINDS[kind], min_size=rows, max_size=rows)) for kind in kinds]
        return dict(zip(names, cells, strict=True))

    model = db.NaiveBayes(
        columns={name: draw(st.sampled_from(DISTRIBUTIONS[kind])) for name, kind in zip(names, kinds, strict=True)},
        smoothing=draw(st.sampled_from([db.Laplace(), db.MLE(), db.Jeffreys()])),
        missing=draw(st.sampled_from(["skip", "state"])),
        unseen=draw(st.sampled_from(["smooth", "ignore"])),
        weights=draw(st.sampled_from([None, "mi", [0.5 * i for i in range(len(names))]])),
        priors=draw(st.sampled_from(["empirical", "uniform"])),
    )
    y = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    return model, table(), y, table()


@given(samples())
@settings(max_examples=150, deadline=None)
def test_any_table_has_the_same_posteriors(sample):
    model, table, y, others = sample
    model.fit(table, y)
    for data in (table, others):
        assert_same(model, {name: _passed(values, model, name) for name, values in data.items()})


def _passed(values, model, name):
    """The values as ONNX can pass them: an empty string is missing, or a label if it is one in fit; never both."""
    if not name.startswith("label"):
        return values
    index = list(model.schema_).index(model.schema_[name])
    known = model.tally_.parts[index].variable.labels.tolist()
    empty = "" if "" in known else None
    return [empty if value in ("", None) else value for value in values]


@st.composite
def matrices(draw):
    rows, columns = draw(st.integers(2, 10)), draw(st.integers(1, 5))
    cells = draw(st.lists(st.integers(0, 4), min_size=2 * rows * columns, max_size=2 * rows * columns))
    y = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    X = np.array(cells, dtype=float).reshape(2, rows, columns)
    return X[0], y, X[1]


@given(matrices(), st.sampled_from(["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"]))
@example((np.array([[0.0], [1.0]]), [0, 1], np.array([[1.0], [1.0]])), "GaussianNB")
@settings(max_examples=150, deadline=None)
def test_any_matrix_has_the_same_posteriors(sample, kind):
    X, y, others = sample
    model = getattr(db, kind)(**({} if kind == "GaussianNB" else {"alpha": 0.5})).fit(X, y)
    assert_same(model, X)
    assert_same(model, others)


@pytest.mark.parametrize("kind", ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"])
def test_the_posteriors_are_those_of_scikit_learn(kind):
    rng = np.random.default_rng(0)
    X, y = rng.poisson(2.0, (300, 8)).astype(float), rng.integers(0, 4, 300)
    theirs = getattr(sklearn.naive_bayes, kind)().fit(X, y)
    outputs = run(getattr(db, kind)().fit(X, y), X)
    np.testing.assert_allclose(outputs["probabilities"], theirs.predict_proba(X), rtol=0, atol=1e-9)
    assert (outputs["label"] == theirs.predict(X)).all()


def test_the_file_is_the_graph(tmp_path):
    model = db.GaussianNB().fit([[1.0], [2.0]], [0, 1])
    path = tmp_path / "model.onnx"
    made = model.to_onnx(path)
    assert path.read_bytes() == made.SerializeToString()
    session = onnxruntime.InferenceSession(str(path))
    assert session.run(["label"], {"X": np.array([[0.9]])})[0].tolist() == [0]
    with pytest.raises(FileAccessError):
        model.to_onnx(tmp_path)


def test_a_model_that_learned_row_by_row_can_be_exported():
    model = db.NaiveBayes()
    for size, label in [(1.0, "a"), (2.0, "a"), (5.0, "b"), (7.0, "b")]:
        model.learn_one({"size": size}, label)
    assert_same(model, {"size": [1.5, 6.0, None]})


def test_parameters_that_were_set_after_fit_change_nothing():
    model = db.NaiveBayes(loss={"a": {"b": 1e9}}).fit({"size": [1.0, 2.0, 3.0, 4.0]}, ["a", "a", "b", "b"])
    before = run(model, {"size": [3.5]})["label"].tolist()
    model.set_params(loss=None)
    assert run(model, {"size": [3.5]})["label"].tolist() == before == ["a"]


def test_a_model_must_be_fitted():
    with pytest.raises(UnfittedError):
        db.GaussianNB().to_onnx()


def test_without_onnx_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"to_onnx needs onnx: pip install 'deciban\[onnx\]'"):
        db.GaussianNB().fit([[1.0], [2.0]], [0, 1]).to_onnx()
