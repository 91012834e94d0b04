"""Ordered categories: the generalized Cochran–Mantel–Haenszel test."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import deciban as db
from deciban.errors import ColumnMismatchError, ParameterError, UnseenStateError
from deciban.nets import GSquared, MantelHaenszel
from tests.reference.ordered import cochran_mantel_haenszel

# Job satisfaction by income of 104 black Americans, women and men (Agresti 2002, table 7.8).
JOBS = np.array(
    [
        [[1, 3, 11, 2], [2, 3, 17, 3], [0, 1, 8, 5], [0, 2, 4, 2]],
        [[1, 1, 2, 1], [0, 3, 5, 1], [0, 0, 7, 3], [0, 1, 9, 6]],
    ]
)


def _rows(tables, names=("x", "y", "s")):
    s, x, y = np.repeat(np.indices(tables.shape).reshape(3, -1), tables.reshape(-1), axis=1)
    return dict(zip(names, (x, y, s), strict=True))


def _trend(rows, ordered, given=(), **options):
    test = MantelHaenszel(rows, columns=dict.fromkeys(ordered, "ordered"), is_trend_only=True, **options)
    return test.test("x", "y", given)


def test_the_twin_has_the_published_values():
    income, satisfaction = np.array([[3.0, 10, 20, 35]]), np.array([[1.0, 3, 4, 5]])
    indicators = np.eye(4)[:3]
    # R, mantelhaen.test: 10.2001, df 9. SAS in Agresti (2002), p. 298: row mean scores 9.0342, correlation 6.1563.
    assert cochran_mantel_haenszel(JOBS, indicators, indicators) == (pytest.approx(10.2001, abs=5e-5), 9)
    assert cochran_mantel_haenszel(JOBS, indicators, satisfaction) == (pytest.approx(9.0342, abs=5e-5), 3)
    assert cochran_mantel_haenszel(JOBS, income, satisfaction) == (pytest.approx(6.1563, abs=5e-5), 1)


@pytest.mark.parametrize("ordered", ["xy", "x", "y"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_kernel_agrees_with_the_twin(ordered, is_weighted):
    rows = _rows(JOBS)
    options = {"sample_weight": np.ones(len(rows["x"]))} if is_weighted else {}
    found = _trend(rows, ordered, ["s"], **options)
    scores = {True: np.arange(4.0)[None], False: np.eye(4)[:3]}
    statistic, df = cochran_mantel_haenszel(JOBS, scores["x" in ordered], scores["y" in ordered])
    assert (found.statistic, found.df) == (pytest.approx(statistic, rel=1e-10), df)
    assert found.p == pytest.approx(stats.chi2.sf(statistic, df), rel=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 5), st.integers(1, 3), st.integers(1, 40))
def test_any_table_agrees_with_the_twin(seed, x, y, strata, most):
    tables = np.random.default_rng(seed).integers(0, most, (strata, x, y)) // 2
    rows = _rows(tables)
    if not len(rows["x"]):
        return
    for ordered in ("xy", "y"):
        found = _trend(rows, ordered, ["s"])
        scores = {True: np.arange(float(y))[None], False: np.eye(x)}
        statistic, df = cochran_mantel_haenszel(
            tables, scores[ordered == "xy"][:, :x] if ordered == "y" else np.arange(float(x))[None], scores[True]
        )
        assert found.df == df
        assert found.statistic == pytest.approx(statistic, rel=1e-8, abs=1e-9)


def test_a_table_too_large_to_hold_gives_the_same():
    rng = np.random.default_rng(0)
    x, s = np.repeat(np.arange(300), 7), rng.integers(0, 300, 2_100)
    rows = {"x": x, "y": (x // 100 + rng.integers(0, 60, 2_100)), "s": s // 100, "t": s % 100}
    options = {"columns": dict.fromkeys("xyst", "category") | {"x": "ordered", "y": "ordered"}, "is_trend_only": True}
    wide = MantelHaenszel(rows, **options).test("x", "y", ["s", "t"])
    tables = np.zeros((300, 300, 62))
    np.add.at(tables, (s, x, rows["y"]), 1)
    assert wide.statistic == pytest.approx(
        cochran_mantel_haenszel(tables, np.arange(300.0)[None], np.arange(62.0)[None])[0]
    )


def test_of_one_stratum_it_is_the_correlation_and_the_mean_scores():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 5, 300), rng.integers(0, 4, 300)
    assert _trend({"x": x, "y": y}, "xy").statistic == pytest.approx(299 * stats.pearsonr(x, y)[0] ** 2)
    # Of a score with the values of ranks it is the test of Kruskal and Wallis.
    two = {"x": x, "y": (y > 1).astype(int)}
    kruskal = stats.kruskal(*(two["y"][x == k] for k in range(5))).statistic
    assert _trend(two, "y").statistic == pytest.approx(kruskal)


def test_without_an_order_it_is_g_squared():
    rows = _rows(JOBS)
    own, other = MantelHaenszel(rows).test("x", "y", ["s"]), GSquared(rows).test("x", "y", ["s"])
    assert (own.statistic, own.df, own.p) == (other.statistic, other.df, other.p)


def test_p_values_are_uniform_where_there_is_nothing():
    rng = np.random.default_rng(1)
    for sizes, is_trend_only in (((4, 5, 3), False), ((4, 3, 8), False), ((4, 5, 30), True)):
        values = []
        for _ in range(400):
            s = rng.integers(0, sizes[2], 240)
            x = np.minimum(rng.poisson(1 + s / sizes[2]), sizes[0] - 1)
            y = np.minimum(rng.poisson(1 + s / sizes[2]), sizes[1] - 1)
            columns = {"x": "ordered", "y": "category" if sizes[1] == 3 else "ordered"}
            test = MantelHaenszel({"x": x, "y": y, "s": s}, columns=columns, is_trend_only=is_trend_only)
            values.append(test.test("x", "y", ["s"]).p)
        assert stats.kstest(values, "uniform").pvalue > 0.005, sizes


def _found(draw, test, columns, trials=60):
    """How often a dependence is found, at alpha = 0.05."""
    rng = np.random.default_rng(2)
    rows = [draw(rng) for _ in range(trials)]
    return np.mean([test(table, columns=columns).test("x", "y", ["s"]).p < 0.05 for table in rows])


def test_a_trend_is_found_in_fewer_rows_and_a_curve_is_not_lost():
    def draw(rng, curve=0.0, slope=0.0):
        s, x = rng.integers(0, 3, 300), rng.integers(0, 5, 300)
        y = np.clip(np.round(slope * (x - 2) + curve * np.abs(x - 2) + s / 2 + rng.normal(2, 1.2, 300)), 0, 4)
        return {"x": x, "y": y.astype(int), "s": s}

    order = {"x": "ordered", "y": "ordered"}
    trend = [
        _found(lambda rng: draw(rng, slope=0.15), test, columns)
        for test, columns in ((MantelHaenszel, order), (GSquared, None))
    ]
    curve = [
        _found(lambda rng: draw(rng, curve=0.7), test, columns)
        for test, columns in ((MantelHaenszel, order), (GSquared, None))
    ]
    assert trend[0] > trend[1] + 0.25
    assert curve[0] > 0.9 * curve[1] > 0.5


LEVELS = ["low", "mid", "high"]


def _frames():
    values = ["low", "high", "mid", "low"] * 30
    ordered = pa.DictionaryArray.from_arrays(
        pa.array([LEVELS.index(v) for v in values]), pa.array(LEVELS), ordered=True
    )
    return values, {
        "pandas": pd.DataFrame({"x": pd.Categorical(values, LEVELS, ordered=True)}),
        "polars": pl.DataFrame({"x": pl.Series(values, dtype=pl.Enum(LEVELS))}),
        "arrow": pa.table({"x": ordered}),
    }


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_types_that_have_an_order_declare_it(kind):
    _, frames = _frames()
    test = MantelHaenszel(frames[kind])
    assert (test.sample.ordered, test.sample.states["x"].values) == (("x",), tuple(LEVELS))
    # But a user has the last word.
    assert MantelHaenszel(frames[kind], columns={"x": "category"}).sample.ordered == ()


def test_auto_uses_a_declared_order(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 400)
    y = np.clip(x + rng.integers(-1, 2, 400), 0, 2)
    table = {"x": [LEVELS[i] for i in x], "y": y}
    assert db.discover(table).test.name == "G²"
    found = db.discover(table, columns={"x": LEVELS, "y": "ordered"})
    assert (found.test.name, found.test.sample.states["x"].values) == ("M²", tuple(LEVELS))
    assert db.discover(pd.DataFrame({**table, "x": pd.Categorical(table["x"], LEVELS, ordered=True)})).test.name == "M²"
    # The same from a file; the types of its columns have no order.
    path = tmp_path / "rows.parquet"
    pd.DataFrame(table).to_parquet(path)
    again = db.discover(path, columns={"x": LEVELS, "y": "ordered"})
    assert again.test.sample.states["x"].values == tuple(LEVELS)
    assert again.test.test("x", "y").p == found.test.test("x", "y").p


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        ({"x": "ordered"}, ParameterError, r"holds labels such as 'high'.*columns=\{'x': \['high'"),
        ({"x": ["low", "mid"]}, UnseenStateError, "has value 'high', which is not one of its states in columns"),
        ({"x": "ordinal"}, ParameterError, "'ordered'"),
        ({"z": "ordered"}, ColumnMismatchError, "columns names 'z', which is no column"),
        ({"x": ["low", "low"]}, ParameterError, "different values"),
        (["x"], ParameterError, "columns is a mapping"),
    ],
)
def test_errors_say_what_to_do(columns, error, words):
    values, _ = _frames()
    for call in (db.discover, db.search):
        with pytest.raises(error, match=words):
            call({"x": values, "y": values[1:] + values[:1]}, columns=columns)


def test_a_missing_value_has_no_place_in_an_order():
    table = {"x": [0, 1, None, 2] * 20, "y": [0, 1, 1, 0] * 20}
    with pytest.raises(ParameterError, match="no place in the order"):
        db.discover(table, columns={"x": "ordered"}, missing="state")
    assert db.discover(table, columns={"x": "ordered"}, missing="skip").test.sample.ordered == ("x",)
