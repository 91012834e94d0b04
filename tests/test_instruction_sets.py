"""A model that is learned on one processor and used on another has the same counts, scores and answers, to the bit."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import deciban as db
from deciban import _core

OTHERS = [name for name in _core.instruction_sets() if name != _core.instruction_set()]


@pytest.fixture(params=OTHERS or [pytest.param("", marks=pytest.mark.skip("this processor has one instruction set"))])
def with_other(request):
    """Computes something with another instruction set."""
    before = _core.instruction_set()

    def run(compute):
        _core.set_instruction_set(request.param)
        try:
            return compute()
        finally:
            _core.set_instruction_set(before)

    return run


def numbers(rows=333, cols=19, classes=5, seed=0):
    """Columns of several scales, with missing values; so many that vectors of every width are filled in part."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    x = (random.normal(size=(rows, cols)) + y[:, None]) * 10.0 ** random.integers(-8, 9, cols)
    x[random.random(x.shape) < 0.01] = np.nan
    return x, y


def labels(rows=333, cols=11, classes=3, seed=1):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    table = {f"x{i}": (random.integers(0, 2 + i % 4, rows) + (random.random(rows) < 0.3) * y) for i in range(cols)}
    return {name: column.astype(str) for name, column in table.items()}, y.astype(str)


def terms(rows=150, cols=400, classes=7, seed=2):
    random = np.random.default_rng(seed)
    return sp.random_array((rows, cols), density=0.05, rng=random, format="csr") * 3, random.integers(0, classes, rows)


def same(first, second):
    first, second = np.asarray(first), np.asarray(second)
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("classes", [2, 3, 4, 5, 9, 17, 40])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_normal_columns(with_other, classes, dtype, order):
    x, y = numbers(classes=classes)
    x = np.asarray(x, dtype, order=order)
    weights = np.random.default_rng(3).random(len(y))

    def learn():
        model = db.GaussianNB().fit(np.nan_to_num(x), y, sample_weight=weights)
        return (
            model.theta_,
            model.var_,
            model.predict_proba(np.nan_to_num(x)),
            model.predict_log_proba(np.nan_to_num(x)),
        )

    for here, there in zip(learn(), with_other(learn), strict=True):
        same(here, there)


@pytest.mark.parametrize("model", [db.MultinomialNB(), db.ComplementNB(), db.BernoulliNB()], ids=repr)
@pytest.mark.parametrize("classes", [2, 7, 20, 33, 70])
def test_terms(with_other, model, classes):
    x, y = terms(rows=300, classes=classes)

    def learn():
        fitted = model.fit(x, y)
        return fitted.feature_log_prob_, fitted.predict_proba(x), fitted.predict_proba(x.toarray())

    for here, there in zip(learn(), with_other(learn), strict=True):
        same(here, there)


@pytest.mark.parametrize("classes", [2, 3, 5, 8, 9])
@pytest.mark.parametrize(
    "model",
    [db.CategoricalNB, db.NaiveBayes, db.TAN, db.AODE, db.KDB, db.CountForest, db.AutoBayes],
    ids=lambda model: model.__name__,
)
def test_labels(with_other, model, classes):
    table, y = labels(classes=classes)
    x = np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.values()])

    def learn():
        return model().fit(x, y).predict_proba(x)

    same(learn(), with_other(learn))


def test_mixed_columns_with_learned_weights(with_other):
    table, y = labels()
    x, _ = numbers()
    table = {**table, **{f"n{i}": column for i, column in enumerate(x.T)}}

    def learn():
        return db.NaiveBayes().fit(table, y).predict_proba(table)

    same(learn(), with_other(learn))


def test_texts(with_other):
    random = np.random.default_rng(4)
    texts = [" ".join(f"w{word}" for word in random.zipf(1.5, 40) % 300) for _ in range(200)]
    y = random.integers(0, 20, 200)

    def learn():
        model = db.TextNB().fit(texts, y)
        return model.predict_proba(texts)

    same(learn(), with_other(learn))


def test_nets(with_other):
    table, y = labels(rows=2000)
    table = {**table, "y": y}

    def learn():
        found = db.search(table)
        net = db.BayesNet(found.graph.extension()).fit(table)
        marginals = [sorted(belief.items()) for belief in net.marginals({"x0": "1"}).values()]
        graph = db.discover(table).graph
        return str(sorted(map(str, found.graph.edges))), str(marginals), str(net.sample(50, random_state=0)), str(graph)

    assert learn() == with_other(learn)


def test_numbers_in_nets(with_other):
    x, _ = numbers()
    table = {f"n{i}": column for i, column in enumerate(np.nan_to_num(x[:, :6]).T)}

    def learn():
        return str(db.discover(table).graph), str(sorted(map(str, db.search(table).graph.edges)))

    assert learn() == with_other(learn)


def run_with(wanted):
    code = "from deciban import _core; print(_core.instruction_set())"
    environment = {**os.environ, "DECIBAN_ISA": wanted}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("wanted", _core.instruction_sets())
def test_environment_chooses(wanted):
    assert run_with(wanted).stdout.strip() == wanted


def test_unknown_instruction_set_is_named():
    error = run_with("v5").stderr
    assert "DECIBAN_ISA is one of 'baseline'" in error
    assert "on this processor, not 'v5'" in error
