"""Conditional mutual information by nearest neighbours: curves are found, p is uniform, and order does not matter."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import digamma

import deciban as db
from deciban.errors import InputError, ParameterError
from deciban.nets import ConditionalGaussian, FisherZ, MixedCMI


def curves(seed, rows=300):
    """z → x, z → y, x → w by squares; z → c and x → d, categories."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=rows)
    x, y = z**2 + 0.5 * rng.normal(size=rows), np.cos(2 * z) + 0.5 * rng.normal(size=rows)
    c = np.where(np.abs(z) + 0.2 * rng.normal(size=rows) > 0.7, "far", "near")
    d = np.where(rng.random(rows) < 0.5, "a", "b")
    return {"c": c, "d": d, "x": x, "y": y, "z": z}


def by_definition(table, x, y, given, k):
    """The estimate from matrices of distances, row by row."""
    n = len(table[x])

    def distances(name):
        column = np.asarray(table[name])
        if column.dtype.kind in "US":
            return (column[:, None] != column).astype(float)
        ranks = stats.rankdata(column)
        return np.abs(ranks[:, None] - ranks) / (n - 1)

    of_x, of_y = distances(x), distances(y)
    of_z = np.max([np.zeros((n, n)), *(distances(name) for name in given)], axis=0)
    terms = []
    for i in range(n):
        radius = np.sort(np.max([of_x[i], of_y[i], of_z[i]], axis=0))[k]
        counts = [
            np.sum(np.max(which, axis=0) <= radius + 1e-12) - 1
            for which in ([of_x[i], of_y[i], of_z[i]], [of_x[i], of_z[i]], [of_y[i], of_z[i]], [of_z[i]])
        ]
        terms.append(digamma(counts) @ [1, -1, -1, 1])
    return max(np.mean(terms), 0)


@pytest.mark.parametrize("k", [1, 10])
@pytest.mark.parametrize("given", [[], ["z"], ["c"], ["c", "d", "z"]])
def test_the_estimate_is_that_of_its_definition(given, k):
    table = curves(1, 80)
    table["x"] = table["x"].round(1)  # with rows at the same distance
    others = [name for name in "cdxyz" if name not in given]
    for x, y in ((others[0], others[-1]), ("x", "y")):
        found = MixedCMI(table, permutations=200, neighbors=k).test(x, y, given)
        assert found.statistic == pytest.approx(by_definition(table, x, y, given, k), abs=1e-9)


def test_a_curve_that_regressions_miss_is_found():
    table = curves(0)
    numbers = {name: table[name] for name in "xz"}
    assert FisherZ(numbers).independent("x", "z")
    assert not MixedCMI(table).independent("x", "z")
    groups = {"z": table["z"], "d": table["d"], "x": np.where(table["d"] == "a", 1, -1) * table["z"]}
    assert ConditionalGaussian(curves(0)).independent("x", "z", ["d"])
    assert not MixedCMI(curves(0)).independent("x", "z", ["d"])
    assert not MixedCMI(groups).independent("d", "x", ["z"])


def test_what_a_curved_common_cause_explains_is_independent_given_it():
    test = MixedCMI(curves(0))
    for x, y in (("x", "y"), ("c", "x")):
        assert not test.independent(x, y)
        assert test.independent(x, y, ["z"])
    graph = db.discover({name: curves(0)[name] for name in "xyz"}, test="mixed_cmi").graph
    assert graph.is_adjacent("x", "z") and graph.is_adjacent("y", "z") and not graph.is_adjacent("x", "y")


@pytest.mark.parametrize(("x", "y", "given"), [("d", "x", []), ("x", "y", ["z"]), ("c", "x", ["z"]), ("d", "x", ["c"])])
def test_p_is_nearly_uniform_where_x_and_y_are_independent(x, y, given):
    p = np.array([MixedCMI(curves(50 + s, 120), permutations=100).test(x, y, given).p for s in range(60)])
    assert (p < 0.1).mean() < 0.25
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_the_order_of_rows_and_columns_changes_nothing():
    table = curves(2, 120)
    table["x"] = table["x"].round(1)
    order = np.random.default_rng(0).permutation(120)
    shuffled = {name: table[name][order] for name in reversed(table)}
    one, other = MixedCMI(table), MixedCMI(shuffled)
    for x, y, given in (("x", "y", []), ("x", "y", ["c", "z"]), ("c", "y", ["d"]), ("c", "z", ["x", "y"])):
        assert one.test(x, y, given) == other.test(x, y, given)
        assert one.test(x, y, given).p == one.test(y, x, given[::-1]).p
    assert one.test("c", "y", ["x"]).p != MixedCMI(table, random_state=1).test("c", "y", ["x"]).p


def test_missing_values_leave_out_their_row_in_the_tests_that_need_it():
    frame = pd.DataFrame(curves(3, 150))
    frame.loc[:19, "z"] = np.nan
    frame.loc[10:29, "c"] = None
    for x, y, given in (("x", "y", []), ("x", "y", ["z"]), ("c", "x", ["z"])):
        known = frame.dropna(subset=[x, y, *given])
        one, other = MixedCMI(frame).test(x, y, given), MixedCMI(known).test(x, y, given)
        assert (one.rows, one.p) == (len(known), other.p)


def test_few_rows_and_categories_that_determine_others_have_no_verdict():
    rng = np.random.default_rng(0)
    number = rng.normal(size=100)
    state = rng.choice(["a", "b", "c"], 100)
    copied = {"x": number, "state": state, "copy": np.char.upper(state)}
    assert MixedCMI(copied).test("copy", "x", ["state"]).determined == ("copy",)
    frame = pd.DataFrame({"x": np.arange(30.0), "y": np.where(np.arange(30) < 8, np.arange(30.0) ** 2, np.nan)})
    assert MixedCMI(frame, neighbors=7).test("x", "y").verdict == "none"
    assert MixedCMI({"x": number, "one": np.array(["a"] * 100)}).test("x", "one").p == 1


def test_what_it_does_not_take_is_said():
    table = curves(0, 60)
    test = MixedCMI(table, sample_weight=np.ones(60))
    for _ in range(2):
        with pytest.raises(ParameterError, match="no sample weights"):
            test.test("x", "y")
    with pytest.raises(ParameterError, match="no sample weights"):
        db.discover(table, test="mixed_cmi", sample_weight=np.ones(60))
    with pytest.raises(InputError, match=r'6,000 rows.*test="cg"'):
        MixedCMI(curves(0, 6000)).test("x", "y")
    for wrong in ({"permutations": 0}, {"neighbors": 2.5}, {"random_state": None}):
        with pytest.raises(ParameterError, match=f"{next(iter(wrong))} is a whole number"):
            MixedCMI(**wrong)
    with pytest.raises(ParameterError, match=r"Pass a larger alpha.*permutations=2000"):
        db.discover(table, test="mixed_cmi", alpha=0.001)
