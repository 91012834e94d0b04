"""Tests of independence: what they say of data, and that the core counts as its readable twin does."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtrc
from scipy.stats import chi2_contingency

import deciban as db
from deciban import _core
from deciban.errors import ColumnMismatchError, InputError, InputTypeError, ParameterError, UnfittedError
from deciban.nets import ChiSquared, FisherZ, GSquared, Oracle
from tests.nets.independence.tables import coded
from tests.nets.named_graphs import ASIA, dags
from tests.reference import independence as reference

pytestmark = pytest.mark.usefixtures("each_instruction_set")


@given(coded(), st.booleans(), st.booleans(), st.data())
def test_the_core_counts_as_its_twin(sample, is_chi, is_full, data):
    table, weights = sample
    columns = {f"c{i}": [row[i] for row in table] for i in range(len(table[0]))}
    kind = (ChiSquared if is_chi else GSquared)(columns, df="full" if is_full else "active", sample_weight=weights)
    x, y, *rest = data.draw(st.permutations(range(len(table[0]))))
    inside = sorted(rest[: data.draw(st.integers(0, len(rest)))])
    found = kind.test(f"c{x}", f"c{y}", [f"c{z}" for z in inside])
    states = [sorted({row[c] for row in table} - {None}) for c in range(len(table[0]))]
    rows = [[None if v is None else states[c].index(v) for c, v in enumerate(row)] for row in table]
    twin = reference.counts_test(
        rows, [len(s) for s in states], x, y, inside, is_chi=is_chi, is_full=is_full, weights=weights
    )
    got = found.statistic, found.df, found.rows, found.p
    assert got == pytest.approx(twin, rel=1e-8, abs=1e-9)


@given(st.integers(1, 2000), st.floats(1e-3, 4.0))
def test_the_tail_is_scipys(df, ratio):
    assert _core.chi_square_tail(df * ratio, df) == pytest.approx(float(chdtrc(df, df * ratio)), rel=3e-12, abs=1e-290)


@pytest.mark.parametrize("given", [(), (1,), (1, 2), (2, 3), (1, 2, 3), (5,), (1, 6)], ids=str)
@pytest.mark.parametrize(("x", "y"), [(0, 4), (2, 4), (4, 0), (0, 6), (5, 6)])
@pytest.mark.parametrize("gaps", [0.0, 0.05])
def test_small_and_large_tables_are_counted_alike(x, y, given, gaps):
    """Bitmaps, tables of rows and sorted cells: the size of a table decides which, and must not decide what."""
    if x in given or y in given:
        given = tuple(z for z in given if z not in (x, y))
    rng = np.random.default_rng(7)
    sizes = [2, 3, 4, 5, 16, 17, 40]
    codes = rng.integers(0, sizes, (1_337, 7))
    codes[:40] = np.minimum(np.arange(40)[:, None], np.array(sizes) - 1)  # each state occurs
    missing = rng.random(codes.shape) < gaps
    rows = np.where(missing, None, codes.astype(object)).tolist()
    found = GSquared({f"c{i}": [row[i] for row in rows] for i in range(7)}).test(
        f"c{x}", f"c{y}", [f"c{z}" for z in given]
    )
    twin = reference.counts_test(rows, sizes, x, y, given)
    assert (found.statistic, found.df, found.rows, found.p) == pytest.approx(twin, rel=1e-8, abs=1e-9)


def test_wide_columns_need_no_wide_table():
    rng = np.random.default_rng(0)
    data = {name: np.append(np.arange(300), rng.integers(0, 300, 1700)) for name in "abcd"}
    found = GSquared(data).test("a", "b", ["c", "d"])
    rows = np.stack([data[name] for name in "abcd"], axis=1).tolist()
    assert (found.statistic, found.df) == pytest.approx(reference.counts_test(rows, [300] * 4, 0, 1, [2, 3])[:2])
    assert GSquared(data, df="full").test("a", "b", ["c", "d"]).df == 299 * 299 * 300 * 300


def test_unconditional_tests_are_scipys():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3, 500), rng.integers(0, 4, 500)
    table = np.zeros((3, 4))
    np.add.at(table, (a, b), 1)
    for kind, power in ((GSquared, "log-likelihood"), (ChiSquared, "pearson")):
        wanted = chi2_contingency(table, correction=False, lambda_=power)
        found = kind({"a": a, "b": b}).test("a", "b")
        assert (found.statistic, found.df, found.p) == pytest.approx((wanted.statistic, wanted.dof, wanted.pvalue))


def test_weights_are_copies_of_rows():
    rng = np.random.default_rng(2)
    data = {name: rng.integers(0, 3, 200) for name in "xyz"}
    times = rng.integers(0, 4, 200)
    copied = {name: np.repeat(column, times) for name, column in data.items()}
    weighted, plain = GSquared(data, sample_weight=times).test("x", "y", ["z"]), GSquared(copied).test("x", "y", ["z"])
    assert (weighted.statistic, weighted.df, weighted.p) == pytest.approx((plain.statistic, plain.df, plain.p))


def test_the_named_policies():
    """With one stratum that has a single row, full and active degrees of freedom differ."""
    data = {"x": [0, 1, 0, 1, 0], "y": [0, 1, 1, 0, 1], "z": [0, 0, 0, 0, 1]}
    assert GSquared(data, like="bnlearn").test("x", "y", ["z"]).df == 2
    assert GSquared(data, like="causal-learn").test("x", "y", ["z"]).df == 1
    few = GSquared(data, like="pcalg")
    assert few.test("x", "y", ["z"]).verdict == "none" and few.independent("x", "y", ["z"])


def test_what_is_determined_is_not_tested():
    copy = [0, 1, 2] * 40
    data = {"x": copy, "copy": copy, "y": [0, 1, 1] * 40}
    for unsure in ("dependent", "independent"):
        test = GSquared(data, unsure=unsure)
        found = test.test("x", "y", ["copy"])
        assert found.df == 0 and found.verdict == "none" and found.determined == ("x", "y")
        assert not test.independent("x", "y", ["copy"]) and test.determines("copy", "x")
    assert not test.determines("y", "x") and test.determines(["y", "copy"], "x")


def test_what_few_rows_leave_constant_counts_as_unsure():
    """Two rows in each stratum: x is constant there by chance, and ``unsure`` decides as for any test of few rows."""
    data = {"x": [0, 1] * 8, "y": [0, 1, 1, 0] * 4, "z": [str(i) for i in range(16)]}
    assert GSquared(data).test("x", "y", ["z"]).determined == () and GSquared(data).independent("x", "y", ["z"])
    assert not GSquared(data, unsure="dependent").independent("x", "y", ["z"])


def test_mutual_information_is_that_of_a_copied_coin():
    assert GSquared({"a": [0, 1] * 8, "b": [0, 1] * 8}).mutual_information("a", "b") == pytest.approx(math.log(2))


@given(dags(2, 6), st.data())
def test_an_oracle_is_symmetric(dag, data):
    x, y, *rest = data.draw(st.permutations(dag.nodes))
    inside = rest[: data.draw(st.integers(0, len(rest)))]
    assert Oracle(dag).independent(x, y, inside) == Oracle(dag).independent(y, x, inside)


def test_the_oracle_of_asia():
    oracle = db.Oracle(ASIA)
    assert oracle.independent("asia", "smoke") and not oracle.independent("asia", "smoke", ["xray"])
    assert oracle.independent("xray", "smoke", ["either"])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: GSquared({"a": [1, 2], "b": [1, 2]}).test("a", "c"), ColumnMismatchError, "no column 'c'"),
        (lambda: GSquared({"a": [1, 2], "b": [1, 2]}).test("a", "a"), ParameterError, "different columns"),
        (lambda: GSquared().test("a", "b"), UnfittedError, "no data"),
        (lambda: GSquared(df="half"), ParameterError, "'full', 'active'"),
        (lambda: GSquared(like="tetrad"), ParameterError, "bnlearn"),
        (lambda: GSquared({"a": [None, None], "b": [1, 2]}).test("a", "b"), InputError, "every row is missing"),
        (lambda: FisherZ({"a": ["u", "v"], "b": [1, 2]}).test("a", "b"), InputTypeError, "holds labels"),
        (lambda: Oracle("asia"), ParameterError, "from a DAG"),
    ],
)
def test_errors_say_what_to_do(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [GSquared, ChiSquared])
def test_many_rows_are_counted_in_blocks(kind, weighted):
    """Copies of a sample multiply the statistic; above four million rows the strata of rows are not kept."""
    rng = np.random.default_rng(0)
    copies, rows = 70, 1 << 16
    a = rng.integers(0, 20, rows).astype(np.float32)
    columns = {
        "a": np.where(rng.random(rows) < 0.1, np.nan, a),
        "b": (a + rng.integers(0, 3, rows)) % 5,
        "c": np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 3, rows)),
        "d": rng.integers(0, 2, rows),
    }
    weights = rng.integers(1, 3, rows).astype(float) if weighted else None
    small = kind(columns, sample_weight=weights, corrected=False)
    large = kind(
        {name: np.tile(held, copies) for name, held in columns.items()},
        sample_weight=None if weights is None else np.tile(weights, copies),
        corrected=False,
    )
    for x, y, given_ in (("a", "b", []), ("a", "b", ["c"]), ("a", "d", ["b", "c"]), ("c", "d", ["a"])):
        one, many = small.test(x, y, given_), large.test(x, y, given_)
        assert many.statistic == pytest.approx(copies * one.statistic, rel=1e-9)
        assert (many.df, many.rows) == (one.df, copies * one.rows)
