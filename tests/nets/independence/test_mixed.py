"""Conditional-Gaussian and degenerate-Gaussian tests: the twin's values, p-values that are uniform, and poor tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import deciban as db
from deciban.nets import ConditionalGaussian, DegenerateGaussian, FisherZ, GSquared
from tests.reference import mixed_independence as twin

pytestmark = pytest.mark.usefixtures("each_instruction_set")

SETS = ([], ["c"], ["z"], ["c", "z"], ["w", "z"], ["c", "d", "z"])


def table_of(seed, rows=1500):
    """a, b, c, d categories; w, x, y, z numbers; all of them dependent."""
    rng = np.random.default_rng(seed)
    c, d = rng.integers(0, 2, rows), rng.integers(0, 2, rows)
    w, z = rng.normal(size=rows), rng.normal(size=rows) + c
    a = (z + rng.logistic(size=rows) > 0).astype(int) + (rng.random(rows) < 0.3)
    b = (z + a + rng.logistic(size=rows) > 1).astype(int)
    x = z - w + 0.4 * b + (1 + 0.3 * d) * rng.normal(size=rows)
    y = 0.2 * x + w + c + rng.normal(size=rows)
    labels = {name: np.array([f"s{code}" for code in codes]) for name, codes in zip("abcd", (a, b, c, d), strict=True)}
    return {**labels, "w": 1e6 + w, "x": 1e-3 * x, "y": y, "z": z}


@given(st.integers(0, 10_000), st.sampled_from(SETS))
def test_the_ratio_is_that_of_the_twin(seed, others):
    table = table_of(seed)
    test = ConditionalGaussian(table)
    for x, y, by_definition in (
        ("x", "y", twin.two_numbers),
        ("x", "b", twin.number_and_category),
        ("a", "y", lambda rows, a, y, given: twin.number_and_category(rows, y, a, given)),
        ("a", "b", twin.two_categories),
    ):
        if by_definition is twin.two_categories and not {"w", "z"} & {*others}:
            continue
        found, wanted = test.test(x, y, others), by_definition(table, x, y, others)
        assert (found.statistic, found.df, found.p) == pytest.approx(wanted, rel=1e-6, abs=1e-8)


@given(st.integers(0, 10_000), st.sampled_from(SETS), st.sampled_from([ConditionalGaussian, DegenerateGaussian]))
def test_x_and_y_change_places_and_rows_and_columns_their_order(seed, others, kind):
    table = table_of(seed, 300)
    rng = np.random.default_rng(seed)
    order = rng.permutation(300)
    shuffled = {name: table[name][order] for name in rng.permutation(list(table)).tolist()}
    for x, y in (("x", "y"), ("a", "x"), ("a", "b")):
        found, again, other = (
            kind(rows).test(*pair, others) for rows, pair in ((table, (x, y)), (table, (y, x)), (shuffled, (x, y)))
        )
        assert again.p == pytest.approx(found.p, rel=1e-9, abs=1e-12)
        assert other.p == pytest.approx(found.p, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("kind", [ConditionalGaussian, DegenerateGaussian])
def test_weights_are_numbers_of_rows_and_missing_values_leave_out_their_row(kind):
    table = table_of(3, 300)
    weight = np.random.default_rng(0).integers(0, 4, 300)
    weighed = kind(table, sample_weight=weight)
    repeated = kind({name: np.repeat(column, weight) for name, column in table.items()})
    frame = pd.DataFrame(table)
    frame.loc[:49, "z"] = np.nan
    frame.loc[40:79, "a"] = None
    skipping = kind(frame)
    for x, y, others in (("x", "y", ["a", "z"]), ("a", "x", ["z"]), ("a", "b", ["z"]), ("a", "b", ["c"])):
        assert weighed.test(x, y, others).p == pytest.approx(repeated.test(x, y, others).p, rel=1e-6)
        known = frame.dropna(subset=[x, y, *others])
        one, other = skipping.test(x, y, others), kind(known).test(x, y, others)
        assert (one.rows, one.p) == (len(known), pytest.approx(other.p, rel=1e-6))


def test_tables_of_one_kind_have_the_tests_of_that_kind():
    table = table_of(5, 1000)
    labels, numbers = ({name: table[name] for name in names} for names in ("abcd", "wxyz"))
    for others in ([], ["c"], ["c", "d"]):
        assert ConditionalGaussian(table).test("a", "b", others).p == GSquared(labels).test("a", "b", others).p
    for others in ([], ["z"], ["w", "z"]):
        wanted = FisherZ(numbers).test("x", "y", others).p
        for kind in (ConditionalGaussian, DegenerateGaussian):
            assert kind(table).test("x", "y", others).p == pytest.approx(wanted, rel=0.05, abs=1e-4)


def chain(rng, rows):
    """a → z → b, with the spread of z different in each state of a; z → w; c → all."""
    a, c = rng.choice(3, rows, p=[0.5, 0.3, 0.2]), rng.integers(0, 2, rows)
    z = np.array([0, 2, -1])[a] + np.array([1, 0.5, 2])[a] * rng.normal(size=rows) + c
    b = (rng.random(rows) < 1 / (1 + np.exp(-1.5 * z))).astype(int)
    w, v = 0.7 * z + rng.normal(size=rows), -z + c + rng.normal(size=rows)
    labels = {name: [f"s{code}" for code in codes] for name, codes in zip("abc", (a, b, c), strict=True)}
    return {**labels, "z": z, "w": w, "v": v}


NULLS = [
    ("a", "b", ["z"]),
    ("a", "w", ["z"]),
    ("b", "w", ["z"]),
    ("v", "w", ["c", "z"]),
    ("a", "v", ["c", "z"]),
    ("a", "c", []),
    ("b", "a", ["c", "z"]),
]


@pytest.mark.parametrize(("x", "y", "others"), NULLS)
@pytest.mark.parametrize("rows", [200, 1000])
def test_p_is_uniform_where_x_and_y_are_independent(x, y, others, rows):
    draws = (ConditionalGaussian(chain(np.random.default_rng([8, seed]), rows)) for seed in range(150))
    p = np.array([one.test(x, y, others).p for one in draws])
    if {x, y} == {"a", "b"} and rows == 200:  # 200 rows are few for logistic regressions: p is too large, not too small
        assert (p < 0.05).mean() < 0.09
    else:
        assert stats.kstest(p, "uniform").pvalue > 1e-3
    assert (p < 0.05).mean() < 0.12


@pytest.mark.parametrize("kind", [ConditionalGaussian, DegenerateGaussian])
def test_dependent_columns_are_found(kind):
    test = kind(chain(np.random.default_rng(1), 2000))
    for x, y, others in (("a", "z", []), ("z", "w", ["a", "b"]), ("z", "b", ["a", "w"]), ("v", "c", ["z"])):
        assert not test.independent(x, y, others)
    spread = np.repeat([1.0, 3.0], 500) * np.random.default_rng(2).normal(size=1000)
    rows = {"group": np.repeat(["a", "b"], 500), "x": spread}
    assert kind(rows).independent("group", "x") is (kind is DegenerateGaussian)  # it sees no difference in the spread


@pytest.mark.parametrize("kind", [ConditionalGaussian, DegenerateGaussian])
def test_poor_tables_have_an_answer_and_never_nan(kind):
    rng = np.random.default_rng(4)
    rows = 120
    z = rng.normal(size=rows)
    table = {
        "constant": np.full(rows, 3.5),
        "one": np.full(rows, "a"),
        "rare": np.where(np.arange(rows) == 7, "b", "a"),
        "many": np.array([f"s{code}" for code in rng.integers(0, 50, rows)]),
        "z": z,
        "copy": 1e9 - 2 * z,
        "huge": 1e149 * rng.normal(size=rows),
        "zero": np.where(rng.random(rows) < 0.9, 0.0, rng.normal(size=rows)),
        "cut": np.where(z > 0, "high", "low"),
        "y": z + rng.normal(size=rows),
    }
    numbers = pd.DataFrame(table)
    sample = kind(numbers)
    names = list(table)
    for x in names:
        for y in names:
            for others in ([], ["z"], ["many"], ["copy", "z"], ["rare", "zero"], ["cut", "many", "huge"]):
                if x < y and not {x, y} & {*others}:
                    found = sample.test(x, y, others)
                    assert 0 <= found.p <= 1 and np.isfinite(found.statistic), found
    assert sample.test("y", "z", ["copy"]).determined == ("z",)
    if kind is ConditionalGaussian:
        assert sample.test("cut", "y", ["z"]).determined == ("cut",)


TAILS = {
    "t5": lambda rng, rows: rng.standard_t(5, rows),
    "lognormal": lambda rng, rows: rng.lognormal(0, 0.7, rows),
    "uniform": lambda rng, rows: rng.uniform(size=rows),
    "two peaks": lambda rng, rows: rng.normal(size=rows) + 4 * (rng.random(rows) < 0.5),
    "mostly 0": lambda rng, rows: np.where(rng.random(rows) < 0.9, 0.0, rng.normal(size=rows)),
}


@pytest.mark.parametrize("shape", TAILS)
def test_numbers_need_not_be_normal(shape):
    p = []
    for seed in range(150):
        rng = np.random.default_rng([4, seed])
        groups = {"g": rng.choice(["a", "b", "c"], 1000, p=[0.5, 0.3, 0.2]), "h": rng.choice(["a", "b"], 1000)}
        z = rng.normal(size=1000)
        test = ConditionalGaussian({**groups, "z": z, "x": TAILS[shape](rng, 1000) + z})
        p.append([test.test("x", "g", given).p for given in (["z"], ["h", "z"])])
    shares = (np.array(p) < 0.05).mean(axis=0)
    assert (shares < 0.11).all()  # 0.05 is right, with a deviation of 0.018; without the kurtosis up to 0.8


def test_groups_that_are_all_alike_by_chance_are_no_sign_of_dependence():
    rng = np.random.default_rng(6)
    found = 0
    for _ in range(100):
        rare = rng.choice(["a", "b", "c"], 300, p=[0.9, 0.07, 0.03])
        zero = np.where(rng.random(300) < 0.9, 0.0, 1.0)
        found += not ConditionalGaussian({"rare": rare, "x": zero + 1e-9 * np.arange(300)}).independent("rare", "x")
    assert found < 15


def test_discover_reads_a_mixed_table_and_says_how():
    table = chain(np.random.default_rng(9), 3000)
    found = db.discover(table)
    assert found.test.name == "LR"
    assert found.graph == db.discover(dict(reversed(table.items()))).graph
    assert not found.graph.is_adjacent("a", "b") and found.graph.is_adjacent("a", "z")
    shown = " ".join(found.notes)
    assert "read as numbers: z (3,000 different numbers), w" in shown and "counted as categories: a, b, c" in shown
    assert db.discover(table, test="dg").graph.is_adjacent("z", "w")
    again = found.bootstrap(3)
    assert again.nodes == found.graph.nodes if hasattr(again, "nodes") else again is not None
    pags = db.discover(table, method="fci")
    assert pags.graph.is_adjacent("a", "z")


def test_knowledge_and_the_plain_steps_of_ic_take_mixed_tables():
    table = chain(np.random.default_rng(10), 1500)
    first = db.Knowledge(tiers=[["a", "c"], ["z"], ["b", "v", "w"]])
    pc = db.discover(table, knowledge=first)
    assert ("a", "z") in pc.graph.directed_edges and ("z", "w") in pc.graph.directed_edges
    ic = db.discover(table, method="ic", knowledge=first, max_given=2)
    assert ic.graph.is_adjacent("a", "z") and not ic.graph.is_adjacent("a", "w")


def test_groups_with_numbers_far_apart_keep_their_edges():
    rng = np.random.default_rng(3)
    group = rng.choice(["a", "b"], 2000)
    x = np.where(group == "a", 0.0, 1.0) + rng.normal(size=2000)
    far = np.where(group == "a", 0.0, 50.0) + 2 * x + rng.normal(size=2000)
    found = db.discover({"group": group, "x": x, "far": far})
    assert "far determines group" in found.notes
    assert all(found.graph.is_adjacent(a, b) for a, b in (("group", "x"), ("group", "far"), ("x", "far")))
