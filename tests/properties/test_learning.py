"""Learning in parts is learning at once: fit = partial_fit in any batches = merge of parts; forgetting undoes it."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, DecibanError, InputError, NegativeCountError

rng = np.random.default_rng(0)
N, P = 60, 5
NUMBERS = rng.normal(size=(N, P)) * [1, 10, 0.01, 1e5, 3]
CODES = rng.integers(0, 4, (N, P))
GAPS = np.where(rng.uniform(size=(N, P)) < 0.2, np.nan, CODES)
MIXED = pd.DataFrame({f"c{i}": CODES[:, i] for i in range(3)} | {"n": NUMBERS[:, 0], "s": CODES[:, 3].astype(str)})
MIXED_GAPS = MIXED.assign(n=GAPS[:, 1], s=MIXED["s"].where(rng.uniform(size=N) > 0.2, None))
Y = rng.integers(0, 3, N)
Y[:3] = [0, 1, 2]

KINDS = {
    "c0": db.Categorical(),
    "c1": db.Categorical(),
    "c2": db.Categorical(),
    "n": db.Gaussian(),
    "s": db.Categorical(),
}
"""Distributions that do not depend on which rows are learned first."""


def naive(missing="skip", **kinds):
    return db.NaiveBayes(KINDS | kinds, missing=missing, weights=None)


MODELS = {
    "gaussian": (db.GaussianNB, NUMBERS),
    "gaussian-gaps": (lambda: db.GaussianNB(missing="skip"), GAPS),
    "categorical": (db.CategoricalNB, CODES),
    "categorical-gaps": (lambda: db.CategoricalNB(missing="skip"), GAPS),
    "categorical-labels": (db.CategoricalNB, CODES.astype(str)),
    "multinomial": (db.MultinomialNB, CODES),
    "complement": (db.ComplementNB, CODES),
    "bernoulli": (db.BernoulliNB, CODES),
    "bernoulli-gaps": (lambda: db.BernoulliNB(missing="skip"), GAPS),
    "naive": (naive, MIXED),
    "naive-gaps": (naive, MIXED_GAPS),
    "naive-state": (lambda: naive("state"), MIXED_GAPS),
    "naive-state-kinds": (lambda: naive("state", n=db.Kernel(), c0=db.Bernoulli(), c1=db.Binned()), MIXED_GAPS),
    "naive-kinds": (lambda: naive(c0=db.Poisson(), c1=db.Bernoulli(), c2=db.Exponential()), MIXED),
    "naive-kernel": (lambda: naive(n=db.Kernel(), c0=db.NegativeBinomial()), MIXED_GAPS),
    "naive-binned": (lambda: naive(n=db.Binned(how="frequency")), MIXED),
    "naive-tied": (lambda: db.NaiveBayes(db.Gaussian(tie="class"), weights=None), NUMBERS),
    "joint": (db.JointBayes, CODES[:, :2]),
    "joint-gaps": (lambda: db.JointBayes(missing="skip"), GAPS[:, :2]),
}

cases = pytest.mark.parametrize("name", MODELS)
cuts = st.lists(st.integers(1, N - 1), max_size=4, unique=True).map(lambda c: [0, *sorted(c), N])
weights = st.sampled_from([None, rng.uniform(0.1, 3, N)])


def same(a, b, data):
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.tally_.class_counts == pytest.approx(b.tally_.class_counts, rel=1e-12)
    assert a.predict_joint_log_proba(data) == pytest.approx(b.predict_joint_log_proba(data), rel=1e-9, abs=1e-9)


def take(data, rows):
    return data.iloc[rows] if isinstance(data, pd.DataFrame) else data[rows]


def part(w, rows):
    return None if w is None else w[rows]


@cases
@given(cut=cuts, w=weights, seed=st.integers(0, 5))
def test_batches_in_any_order_are_one_fit(name, cut, w, seed):
    make, data = MODELS[name]
    order = np.random.default_rng(seed).permutation(N)
    whole = make().fit(data, Y, sample_weight=w)
    model = make()
    for a, b in pairwise(cut):
        rows = order[a:b]
        model.partial_fit(take(data, rows), Y[rows], classes=[0, 1, 2], sample_weight=part(w, rows))
    same(model, whole, data)
    if w is None and "gaussian" not in name and "naive" not in name:
        assert model.tally_ == whole.tally_


@cases
@given(cut=cuts, w=weights)
def test_merging_parts_is_one_fit(name, cut, w):
    make, data = MODELS[name]
    whole = make().fit(data, Y, sample_weight=w)
    parts = [make().fit(take(data, slice(a, b)), Y[a:b], sample_weight=part(w, slice(a, b))) for a, b in pairwise(cut)]
    merged = parts[-1]
    for other in parts[-2::-1]:
        merged.merge(other)
    same(merged, whole, data)


@cases
@given(w=weights, count=st.integers(1, N - 3))
def test_forgetting_rows_is_never_having_seen_them(name, w, count):
    make, data = MODELS[name]
    kept, gone = slice(0, N - count), slice(N - count, N)
    model = make().fit(data, Y, sample_weight=w).forget(take(data, gone), Y[gone], sample_weight=part(w, gone))
    never = make().partial_fit(take(data, kept), Y[kept], classes=[0, 1, 2], sample_weight=part(w, kept))
    assert model.tally_.class_counts == pytest.approx(never.tally_.class_counts, rel=1e-9)
    if name in ("gaussian", "multinomial", "complement", "bernoulli"):
        same(model, never, data)


@cases
def test_forgetting_everything_leaves_the_empty_tally(name):
    make, data = MODELS[name]
    model = make().fit(data, Y).forget(data, Y)
    assert model.tally_.is_empty
    assert not np.isnan(model.predict_proba(data)).any()


@cases
def test_forgetting_what_was_not_learned_is_refused_and_changes_nothing(name):
    make, data = MODELS[name]
    model = make().fit(take(data, slice(0, 20)), Y[:20])
    before = model.tally_
    with pytest.raises((NegativeCountError, InputError)):
        model.forget(take(data, np.repeat(np.arange(20, N), 3)), np.repeat(Y[20:], 3))
    assert model.tally_ is before
    with pytest.raises(InputError, match="never learned"):
        model.forget(take(data, slice(0, 1)), [17])


@cases
def test_a_failed_partial_fit_changes_nothing(name):
    make, data = MODELS[name]
    model = make().fit(data, Y)
    before = dict(model.__dict__)
    warnings.simplefilter("ignore")  # some of the inputs have no names
    for X, y, w in (
        (CODES[:, :1], Y, None),
        (data, Y[:-1], None),
        (data, Y, -np.ones(N)),
        (take(data, slice(0, 0)), Y[:0], None),
        (np.full(data.shape, np.inf), Y, None),
    ):
        with pytest.raises(DecibanError):
            model.partial_fit(X, y, sample_weight=w)
        assert model.__dict__ == before


@cases
def test_new_classes_may_come_later(name):
    make, data = MODELS[name]
    first, rest = Y < 2, Y == 2
    model = make().partial_fit(take(data, first), Y[first], classes=[0, 1])
    model.partial_fit(take(data, rest), Y[rest])
    same(model, make().fit(data, Y), data)


def test_text_classes_may_come_later_too():
    labels = np.array(["ant", "bee", "cat"])[Y]
    first = labels != "bee"
    model = db.GaussianNB().partial_fit(NUMBERS[first], labels[first], classes=["ant", "cat"])
    model.partial_fit(NUMBERS[~first], labels[~first])
    same(model, db.GaussianNB().fit(NUMBERS, labels), NUMBERS)


def test_models_of_other_kinds_or_columns_do_not_merge():
    with pytest.raises(DecibanError, match="cannot be merged with"):
        db.GaussianNB().fit(CODES, Y).merge(db.MultinomialNB().fit(CODES, Y))
    with pytest.raises(ColumnMismatchError):
        db.MultinomialNB().fit(CODES, Y).merge(db.MultinomialNB().fit(CODES[:, :2], Y))


@given(st.permutations(range(N)))
def test_the_order_of_rows_is_irrelevant(order):
    order = np.array(order)
    assert db.CategoricalNB().fit(CODES[order], Y[order]).tally_ == db.CategoricalNB().fit(CODES, Y).tally_
    a, b = db.GaussianNB().fit(NUMBERS[order], Y[order]), db.GaussianNB().fit(NUMBERS, Y)
    assert a.var_ == pytest.approx(b.var_, rel=1e-12)


@pytest.mark.parametrize("make", [db.CategoricalNB, db.JointBayes])
@pytest.mark.parametrize("rare", ["c", 5])
def test_forgetting_the_only_row_with_a_state_forgets_the_state(make, rare):
    rows = [["a"], ["a"], ["b"]] if rare == "c" else [[0], [0], [1]]
    never = make().fit(rows, [0, 0, 1])
    forgot = make().fit([*rows, [rare]], [0, 0, 1, 1]).forget([[rare]], [1])
    assert forgot.tally_ == never.tally_
    assert np.array_equal(forgot.predict_proba(rows), never.predict_proba(rows))


@cases
def test_a_tally_makes_the_model_again(name):
    make, data = MODELS[name]
    model = make().fit(data, Y)
    parameters = {key: value for key, value in model.get_params().items() if key in ("missing", "columns")}
    again = type(model).from_tally(model.tally_, **parameters)
    assert np.array_equal(again.predict_proba(data), model.predict_proba(data))
    assert again.partial_fit(data, Y).tally_ == model.partial_fit(data, Y).tally_


def test_a_tally_of_float_columns_makes_a_gaussian_model():
    frame = {f"c{i}": column for i, column in enumerate(NUMBERS.T)}
    model = db.GaussianNB.from_tally(db.tally(frame | {"y": Y}, target="y"))
    assert model.predict_proba(frame) == pytest.approx(db.GaussianNB().fit(NUMBERS, Y).predict_proba(NUMBERS), rel=1e-9)
    with pytest.raises(DecibanError, match="moments alone"):
        db.GaussianNB.from_tally(db.tally({"s": ["a"], "y": [0]}, target="y"))


def test_columns_of_a_mapping_are_known_by_name():
    model = db.CategoricalNB().fit({"a": ["x", "y"], "b": ["y", "x"]}, [1, 2])
    assert model.evidence({"a": ["x"], "b": ["y"]}).names == ("a", "b")
    with pytest.raises(ColumnMismatchError, match="same order"):
        model.predict({"b": ["x"], "a": ["y"]})


def test_a_model_of_named_columns_goes_on_learning_from_an_array_with_a_warning():
    frame = pd.DataFrame(CODES, columns=list("abcde"))
    for make in (db.GaussianNB, db.MultinomialNB, db.CategoricalNB):
        model = make().fit(frame, Y)
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            model.partial_fit(CODES, Y)
        assert model.feature_names_in_.tolist() == list("abcde")
        assert model.tally_.total == 2 * N


def test_evidence_too_large_for_memory_is_refused():
    model = db.MultinomialNB().fit(np.eye(4000, dtype=np.uint8), np.arange(4000))
    with pytest.raises(DecibanError, match="Pass fewer rows"):
        model.evidence(np.eye(4000, dtype=np.uint8))
