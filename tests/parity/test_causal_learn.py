"""Tests of independence and PC against causal-learn (0.1.4.8).

Known differences, each held below:

* Without a degree of freedom (df = 0) causal-learn says p = 1 and independent. deciban says p = 1 and "no verdict",
  which counts as independent unless ``unsure="dependent"``.
* causal-learn's PC takes the first separating set that it meets, and the order of columns can change its arrows; its
  skeleton, as ours, cannot change.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.nets import ChiSquared, GSquared

pytestmark = pytest.mark.filterwarnings("ignore")  # the peer's own


@pytest.fixture
def cit():
    return pytest.importorskip("causallearn.utils.cit")


@pytest.fixture
def pc():
    return pytest.importorskip("causallearn.search.ConstraintBased.PC").pc


def draw(rows, seed):
    """Five columns of two to four states: a chain, a collider, and one that stands alone."""
    rng = np.random.default_rng(seed)
    a, e = rng.integers(0, 3, rows), rng.integers(0, 4, rows)
    b = np.where(rng.random(rows) < 0.7, a, rng.integers(0, 3, rows))
    c = rng.integers(0, 2, rows)
    d = np.where(rng.random(rows) < 0.8, (b + c) % 3, rng.integers(0, 3, rows))
    return np.stack([a, b, c, d, e], axis=1)


@pytest.mark.parametrize("rows", [30, 400])
@pytest.mark.parametrize(("name", "kind"), [("gsq", GSquared), ("chisq", ChiSquared)])
def test_p_is_the_same(cit, rows, name, kind):
    """Also with few rows, where many strata and states are empty."""
    table = draw(rows, rows)
    theirs = cit.CIT(table, name)
    ours = kind(pd.DataFrame(table, columns=list("abcde")), corrected=False)
    for x, y in combinations(range(5), 2):
        rest = [z for z in range(5) if z not in (x, y)]
        for size in range(4):
            for given in combinations(rest, size):
                found = ours.test("abcde"[x], "abcde"[y], ["abcde"[z] for z in given])
                assert found.p == pytest.approx(theirs(x, y, given), rel=1e-8, abs=1e-14)


def test_what_is_determined_is_independent_there_and_separates_nothing_here(cit):
    """A test given what determines one of its columns says nothing: it must not remove an edge."""
    table = draw(200, 0)[:, [0, 0, 3]]
    assert cit.CIT(table, "gsq")(0, 2, (1,)) == 1
    found = GSquared(pd.DataFrame(table, columns=["a", "copy", "d"]))
    assert found.test("a", "d", ["copy"]).verdict == "none" and found.test("a", "d", ["copy"]).p == 1
    assert not found.independent("a", "d", ["copy"])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rows", [100, 2_000])
def test_skeletons_are_equal(pc, rows, seed):
    table = draw(rows, seed)
    theirs = pc(table, 0.01, "gsq", show_progress=False).G.graph != 0
    ours = db.discover(table, alpha=0.01).graph.adjacency()
    assert ((ours | ours.T) == theirs).all()


def test_skeletons_of_asia_are_equal(pc, shared_data):
    table = pd.read_csv(shared_data / "nets" / "asia.sample.csv.gz", dtype=str, keep_default_na=False).head(2_000)
    codes = np.stack([pd.Categorical(table[name]).codes for name in table], axis=1).astype(np.int64)
    theirs = pc(codes, 0.01, "gsq", show_progress=False).G.graph != 0
    ours = db.discover(table, test=GSquared(like="causal-learn")).graph.adjacency()
    assert ((ours | ours.T) == theirs).all()


def test_the_order_of_columns_turns_arrows_there_and_not_here(pc):
    """The peer's graphs need not differ on every table; ours must not on any."""
    table = draw(300, 1)
    order = [4, 2, 0, 3, 1]
    back = np.argsort(order)
    ours = db.discover(table).graph.adjacency()
    assert (db.discover(table[:, order]).graph.adjacency()[np.ix_(back, back)] == ours).all()
    theirs = [pc(table[:, o], 0.01, "gsq", show_progress=False).G.graph for o in (list(range(5)), order)]
    assert ((theirs[1][np.ix_(back, back)] != 0) == (theirs[0] != 0)).all()
