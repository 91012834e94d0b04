"""Results do not depend on the number of threads, also after a fork and from several Python threads at once."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import deciban as db

pytestmark = pytest.mark.usefixtures("each_instruction_set")

rng = np.random.default_rng(0)
N = 60_000
X = rng.normal(size=(N, 8))
Y = rng.integers(0, 5, N)
W = rng.uniform(size=N)
TERMS = sp.random_array((N, 300), density=0.05, random_state=1, format="csr")

CASES = {
    "gaussian": (db.GaussianNB(), X),
    "categorical": (db.CategoricalNB(), rng.integers(0, 12, (N, 8))),
    "multinomial": (db.MultinomialNB(), TERMS),
    "multinomial-dense": (db.MultinomialNB(), np.abs(X)),
    "complement": (db.ComplementNB(), TERMS),
    "bernoulli": (db.BernoulliNB(), TERMS),
    "tree": (db.TAN(), rng.integers(0, 12, (N, 8))),
    "averaged": (db.AODE(), rng.integers(0, 12, (N, 8))),
    "chains": (db.KDB(members=2), X[:, :6]),
    "cross-products": (db.Discriminant(), X[:, :6]),
    "trees": (db.CountForest(n_trees=3, max_depth=6), X[:, :6]),
}


@pytest.mark.parametrize("name", CASES)
def test_bits_do_not_depend_on_the_number_of_threads(name, any_threads):
    model, data = CASES[name]
    results = []
    for count in (1, 2, 5):
        any_threads(count)
        fitted = model.fit(data, Y, sample_weight=W)
        results.append((fitted.tally_, fitted.predict_joint_log_proba(data), fitted.predict(data)))
    for tally, joint, labels in results[1:]:
        assert tally == results[0][0]
        assert np.array_equal(joint, results[0][1])
        assert np.array_equal(labels, results[0][2])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_the_pool_survives_a_fork(any_threads):
    any_threads(3)
    model = db.GaussianNB().fit(X, Y)  # the pool exists now
    expected = model.predict(X)
    child = os.fork()
    if child == 0:
        again = db.GaussianNB().fit(X, Y).predict(X)
        os._exit(0 if np.array_equal(again, expected) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(model.predict(X), expected)


def test_python_threads_may_call_at_once(any_threads):
    any_threads(3)
    model = db.GaussianNB().fit(X, Y)
    expected = model.predict(X)
    with ThreadPoolExecutor(4) as pool:
        assert all(np.array_equal(got, expected) for got in pool.map(model.predict, [X] * 12))


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_nothing_is_started_at_import():
    code = (
        "import numpy, scipy.sparse, sklearn.base, pyarrow, os; before = len(os.listdir('/proc/self/task'));"
        "import deciban; assert len(os.listdir('/proc/self/task')) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
