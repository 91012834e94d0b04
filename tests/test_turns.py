"""What several threads teach one model is all learned, and a model with a lock can still be copied."""

import copy
import gc
import pickle
import sys
from threading import Thread

import numpy as np
import pytest

import deciban as db
from deciban import turns

RNG = np.random.default_rng(0)
NUMBERS, CODES, Y = RNG.normal(size=(60, 3)), RNG.integers(0, 3, (60, 3)), np.arange(60) % 2
TEXTS = ["free prize", "lunch at noon"] * 30
MODELS = [
    (db.NaiveBayes, NUMBERS),
    (db.GaussianNB, NUMBERS),
    (db.MultinomialNB, CODES),
    (db.CategoricalNB, CODES),
    (db.TAN, CODES),
    (db.KDB, NUMBERS),
    (db.Discriminant, NUMBERS),
    (db.JointBayes, CODES),
    (db.TextNB, TEXTS),
    (db.AutoBayes, NUMBERS),
]


@pytest.fixture(autouse=True)
def _often_interrupted():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(teach, threads=4, times=8):
    """Teach in several threads; an error in one of them fails the test."""
    errors = []

    def run():
        try:
            for _ in range(times):
                teach()
        except BaseException as error:
            errors.append(error)

    held = [Thread(target=run) for _ in range(threads)]
    for thread in held:
        thread.start()
    for thread in held:
        thread.join()
    if errors:
        raise errors[0]
    return threads * times


@pytest.mark.parametrize(("kind", "rows"), MODELS, ids=lambda value: getattr(value, "__name__", ""))
def test_no_batch_is_lost(kind, rows):
    model = kind().fit(rows, Y)
    times = in_threads(lambda: model.partial_fit(rows, Y))
    assert model.tally_.total == (times + 1) * 60


def test_merging_forgetting_and_learning_at_once_keep_count():
    model, other = db.GaussianNB().fit(NUMBERS, Y), db.GaussianNB().fit(NUMBERS[:10], Y[:10])

    def teach():
        model.partial_fit(NUMBERS, Y)
        model.merge(other)
        model.forget(NUMBERS, Y)

    times = in_threads(teach)
    assert model.tally_.total == 60 + times * 10


def test_no_single_row_is_lost():
    model, texts = db.NaiveBayes(), db.TextNB()
    times = in_threads(lambda: model.learn_one({"a": 1.5, "b": "x"}, "u"), times=100)
    assert model.tally_.total == times
    times = in_threads(lambda: texts.learn_one("free prize", "spam"), times=50)
    assert texts.tally_.total == times


def test_no_rows_of_a_net_are_lost():
    codes, numbers = {"a": CODES[:, 0], "b": CODES[:, 1]}, {"a": NUMBERS[:, 0], "b": NUMBERS[:, 1]}
    net, normal = db.BayesNet([("a", "b")]).fit(codes), db.GaussianNet([("a", "b")]).fit(numbers)
    times = in_threads(lambda: net.partial_fit(codes))
    assert net.tally_.rows == 60 * (times + 1)
    times = in_threads(lambda: normal.partial_fit(numbers))
    assert normal.tally_.total == 60 * (times + 1)


def test_a_taught_model_is_copied_and_pickled_and_leaves_no_lock_behind():
    model = db.GaussianNB().fit(NUMBERS, Y)
    for made in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301
        assert turns.turn(made) is not turns.turn(model)
    number = id(model)
    assert number in turns._LOCKS
    del model, made
    gc.collect()
    assert number not in turns._LOCKS
