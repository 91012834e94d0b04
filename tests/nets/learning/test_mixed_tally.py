"""Counts and moments of mixed families: exact, a group, and the regressions of each configuration from them."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban import _core
from deciban.errors import ColumnMismatchError, InputError, NegativeCountError
from deciban.estimate import Laplace
from deciban.nets.data.samples import read_net_sample
from deciban.nets.learning.grouped import GroupedMoments, estimate_regressions
from deciban.nets.learning.mixed import MixedTally, estimate_network, find_cuts, tally_mixed
from deciban.read import Variable
from tests.reference.learning import grouped_sums

DAG = db.DAG([("sex", "height"), ("height", "weight"), ("diet", "weight"), ("weight", "ill"), ("sex", "ill")])
CUTS = {"sex": {}, "diet": {}, "ill": {"weight": np.array([60.0, 75.0])}}
KINDS = {"sex": "category", "diet": "category", "ill": "category", "height": "number", "weight": "number"}


SUMS = {}


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    sex, diet = rng.choice(["f", "m"], n), rng.choice(["a", "b", "c"], n)
    height = np.where(sex == "f", 165.0, 178.0) + rng.normal(size=n) * 7
    weight = np.where(diet == "a", 0.0, 5.0) + 0.9 * height - 90 + rng.normal(size=n) * 5
    ill = np.where(weight + rng.normal(size=n) * 10 > 75, "yes", "no")
    return {"sex": sex, "diet": diet, "height": height, "weight": weight, "ill": ill}


def counted(table, weights=None, missing="error", cuts=CUTS):
    sample, _ = read_net_sample(
        table, DAG.nodes, kinds=KINDS, fixed={}, known={}, sample_weight=weights, missing=missing
    )
    return tally_mixed(DAG, sample, cuts)


def rows_of(table, kept):
    return {name: values[kept] for name, values in table.items()}


def close(a, b):
    assert a.categories == b.categories
    for node, one in a.moments.items():
        other = b.moments[node]
        np.testing.assert_allclose(one.weight, other.weight, rtol=1e-12)
        np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12)
        np.testing.assert_allclose(one.cross, other.cross, rtol=1e-12, atol=1e-12 * np.abs(one.cross).max())


values = st.none() | st.integers(-8, 8)
codes = st.sampled_from([None, 0, 1, 2])


@given(st.lists(st.tuples(values, values, codes, codes, st.integers(1, 4)), min_size=1, max_size=40), st.booleans())
@settings(deadline=None)
def test_the_kernel_sums_what_the_reference_sums(rows, is_weighted):
    numbers = np.array([[np.nan if row[c] is None else row[c] for row in rows] for c in (0, 1)], dtype=float)
    coded = np.array([[-1 if row[c] is None else row[c] for row in rows] for c in (2, 3)], dtype=np.int32)
    weights = np.array([row[4] for row in rows], dtype=float) if is_weighted else None
    families = [([0, 1], [0, 1]), ([1], [1]), ([0], [])]
    ragged = [
        part
        for which in (0, 1)
        for part in (
            np.cumsum([0, *(len(family[which]) for family in families)], dtype=np.int64),
            np.array([index for family in families for index in family[which]], dtype=np.int32),
        )
    ]
    sums = _core.grouped_cross_sums(numbers, np.zeros(2), coded, np.full(2, 3), *ragged, weights)
    start = 0
    for members, groups in families:
        shape = (3,) * len(groups)
        part = sums[start : start + 16 * 3 ** len(groups)].reshape(-1, 2, 8)
        start += part.size
        found = GroupedMoments.of_sums(part, shape, len(members), np.zeros(len(members)))
        expected = grouped_sums(
            [tuple(None if x is None else Fraction(x) for x in row[:2]) + row[2:4] for row in rows],
            members,
            [2 + g for g in groups],
            [row[4] for row in rows] if is_weighted else None,
        )
        for cell in np.ndindex(shape):
            total, first, second = expected.get(cell, (0, [0, 0], [[0, 0], [0, 0]]))
            assert found.weight[cell] == total
            if total:
                mean = [s / total for s in first[: len(members)]]
                assert found.mean[cell].tolist() == [float(m) for m in mean]
                cross = [
                    [float(second[i][j] - total * mean[i] * mean[j]) for j, _ in enumerate(mean)]
                    for i, _ in enumerate(mean)
                ]
                np.testing.assert_allclose(found.cross[cell], cross, rtol=1e-15)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("weights", [None, np.random.default_rng(4).random(60_000)])
def test_sums_do_not_depend_on_threads_or_instruction_sets(weights):
    table, before = people(60_000), _core.thread_count()
    try:
        _core.set_thread_count(1)
        alone = counted(table, weights)
        _core.set_thread_count(3)
        assert counted(table, weights) == alone
    finally:
        _core.set_thread_count(before)
    assert SUMS.setdefault(weights is None, alone) == alone  # of the instruction set before


def test_large_means_lose_no_digits():
    rng = np.random.default_rng(0)
    table = people(400)
    table["height"] = 1e9 + rng.integers(0, 5, 400).astype(float)
    found = counted(table).moments["height"]
    for j, sex in enumerate(("f", "m")):
        own = [Fraction(x) for x in table["height"][table["sex"] == sex].tolist()]
        mean = sum(own) / len(own)
        assert found.cross[j, 0, 0] == pytest.approx(float(sum((x - mean) ** 2 for x in own)), rel=1e-15)


@given(st.integers(0, 10_000), st.sampled_from([None, "weights"]))
@settings(deadline=None, max_examples=25)
def test_parts_add_up_to_the_whole_and_are_taken_out_again(seed, weights):
    rng = np.random.default_rng(seed)
    table = people(80, seed)
    weight = rng.random(80) + 0.1 if weights else None
    part = rng.random(80) < 0.5
    part[0], part[1] = True, False
    a = counted(rows_of(table, part), None if weight is None else weight[part])
    b = counted(rows_of(table, ~part), None if weight is None else weight[~part])
    whole = counted(table, weight)
    if weights:
        for node in whole.moments:
            both, one = (a + b).moments[node], whole.moments[node]
            np.testing.assert_allclose(both.cross, one.cross, rtol=1e-12, atol=1e-10)
    else:
        close(a + b, whole)
        close(whole - b, a)
        close(b + a, whole)


def test_a_new_state_enlarges_the_groups_and_is_dropped_when_its_rows_are():
    table = people(60)
    few = table["diet"] != "c"
    some, others = counted(rows_of(table, few)), counted(rows_of(table, ~few))
    both = some + others
    assert both.states["diet"] == ("a", "b", "c") and both.moments["weight"].weight.shape == (3,)
    close(both, counted(table))
    close(both - others, some)


def test_a_sum_of_nothing_and_a_scaled_tally():
    table = people(50)
    whole = counted(table)
    double = whole.scaled(2)
    assert double.rows == 100
    np.testing.assert_allclose(double.moments["weight"].cross, (whole + whole).moments["weight"].cross, rtol=1e-14)
    nothing = whole - whole
    assert nothing.rows == 0 and not nothing.moments["weight"].weight.any()


def test_rows_that_were_not_counted_cannot_be_taken_out():
    table = people(50)
    other = rows_of(table, slice(0, 2))
    other["height"] = other["height"] + 100
    with pytest.raises(NegativeCountError):
        _ = counted(rows_of(table, slice(0, 3))) - counted(rows_of(table, slice(0, 4)))


def test_missing_values_are_left_out_of_the_families_that_need_them():
    table = people(300)
    rng = np.random.default_rng(1)
    holes = {name: values.astype(object) for name, values in table.items()}
    for column in holes.values():
        column[rng.random(300) < 0.2] = None
    found = counted({name: list(values) for name, values in holes.items()}, missing="skip")
    whole = [all(holes[name][r] is not None for name in ("height", "diet", "weight")) for r in range(300)]
    expected = counted(rows_of(table, np.array(whole)))
    np.testing.assert_allclose(found.moments["weight"].weight, expected.moments["weight"].weight)
    np.testing.assert_allclose(found.moments["weight"].cross, expected.moments["weight"].cross, rtol=1e-12)


def test_the_order_of_nodes_is_irrelevant():
    table = people(100)
    other = db.DAG(DAG.directed_edges, list(reversed(DAG.nodes)))
    sample, _ = read_net_sample(table, other.nodes, kinds=KINDS, fixed={}, known={})
    backwards = tally_mixed(other, sample, CUTS)
    close(counted(table) + backwards, counted(table).scaled(2))


def test_tallies_with_other_cuts_cannot_be_added():
    table = people(50)
    with pytest.raises(ColumnMismatchError, match="cut 'weight' for 'ill'"):
        _ = counted(table) + counted(table, cuts={**CUTS, "ill": {"weight": np.array([61.0])}})


def test_a_part_of_the_families():
    whole = counted(people(50))
    part = whole.marginal("sex", "diet", "height", "weight")
    assert part.dag.nodes == ("sex", "height", "weight", "diet")
    assert part.moments["weight"] == whole.moments["weight"]
    with pytest.raises(ColumnMismatchError, match="'ill' depend on its parent"):
        whole.marginal("ill", "sex")


def test_a_tally_is_equal_to_its_copies():
    whole = counted(people(50))
    assert pickle.loads(pickle.dumps(whole)) == whole  # noqa: S301
    assert MixedTally._of_state(whole._state()) == whole
    state = whole._state()
    with pytest.raises(ValueError, match="cuts of 'ill'"):
        MixedTally._of_state({**state, "cuts": {**CUTS, "ill": {}}})


def test_regressions_are_least_squares_in_each_configuration():
    table = people(3000)
    moments = counted(table).moments["weight"]
    found = estimate_regressions(moments, ("diet",), ("height",), "weight", shrinkage=0.0)
    near = estimate_regressions(moments, ("diet",), ("height",), "weight", shrinkage=2.0)
    for j, diet in enumerate(("a", "b", "c")):
        own = table["diet"] == diet
        design = np.column_stack([np.ones(own.sum()), table["height"][own]])
        line, left, *_ = np.linalg.lstsq(design, table["weight"][own], rcond=None)
        np.testing.assert_allclose([found.intercepts[j], found.slopes[j, 0]], line, rtol=1e-9)
        np.testing.assert_allclose(found.variances[j], left[0] / own.sum(), rtol=1e-9)
        np.testing.assert_allclose(near.slopes[j, 0], line[1], rtol=5e-3)
        np.testing.assert_allclose(near.variances[j], left[0] / own.sum(), rtol=2e-2)


def test_shrinkage_is_that_of_further_rows_on_the_regression_over_all_rows():
    rng = np.random.default_rng(3)
    group, z = rng.integers(0, 2, 40), rng.normal(size=40)
    x = 1 + 2 * z + rng.normal(size=40)
    table = {"j": np.array(["a", "b"])[group], "z": z, "x": x}
    dag = db.DAG([("j", "x"), ("z", "x")])
    sample, _ = read_net_sample(table, dag.nodes, kinds={"z": "number", "x": "number"}, fixed={})
    moments = tally_mixed(dag, sample, {"j": {}}).moments["x"]
    found = estimate_regressions(moments, ("j",), ("z",), "x", shrinkage=5.0)
    design = np.column_stack([np.ones(40), z])
    pooled, left, *_ = np.linalg.lstsq(design, x, rcond=None)
    own = [np.linalg.lstsq(design[group == j], x[group == j], rcond=None)[1][0] for j in (0, 1)]
    within = min(sum(own) / (40 - 4), left[0] / 40)
    strength = 5 * within / (left[0] / 40)
    for j in (0, 1):
        rows, e = design[group == j], (x - design @ pooled)[group == j]
        precision = strength * design.T @ design / 40
        change = np.linalg.solve(rows.T @ rows + precision, rows.T @ e)
        left_over = ((e - rows @ change) ** 2).sum()
        np.testing.assert_allclose([found.intercepts[j], found.slopes[j, 0]], pooled + change, rtol=1e-9)
        np.testing.assert_allclose(found.variances[j], (left_over + 5 * within) / (len(e) + 5), rtol=1e-9)


def test_no_configuration_is_singular():
    table = people(200)
    table["diet"][:] = "a"
    table["diet"][0] = "b"  # one row
    table["diet"][1:3] = "c"  # two rows, which any line fits
    sample, _ = read_net_sample(
        table, DAG.nodes, kinds=KINDS, fixed={"diet": Variable.of_states("diet", ["a", "b", "c", "d"], "fixed")}
    )
    tally = tally_mixed(DAG, sample, CUTS)
    for shrinkage in (0.0, 2.0):
        found = estimate_regressions(tally.moments["weight"], ("diet",), ("height",), "weight", shrinkage=shrinkage)
        whole = db.GaussianNet([("height", "weight")]).fit({k: table[k] for k in ("height", "weight")})
        pooled = whole.parameters["weight"]
        assert np.isfinite(found.variances).all() and (found.variances >= 0).all()
        # No row has diet d: the regression over all rows.
        assert found.intercepts[3] == pytest.approx(pooled.intercept)
        assert found.variances[3] == pytest.approx(pooled.variance)
        # One row says nothing about the slope.
        assert found.slopes[1, 0] == pytest.approx(pooled.coefficients["height"], rel=0.2)
    assert found.variances[1] > 1 and found.variances[2] > 1


def test_relations_without_noise_stay_without_noise():
    z = np.arange(20.0)
    group = np.array(["a", "b"] * 10)
    table = {"j": group, "z": z, "x": np.where(group == "a", 1 + 2 * z, 3 - z)}
    dag = db.DAG([("j", "x"), ("z", "x")])
    sample, _ = read_net_sample(table, dag.nodes, kinds={"z": "number", "x": "number"}, fixed={})
    moments = tally_mixed(dag, sample, {"j": {}}).moments["x"]
    found = estimate_regressions(moments, ("j",), ("z",), "x", shrinkage=2.0)
    np.testing.assert_allclose(found.slopes[:, 0], [2, -1], rtol=1e-12)
    assert found.variances.tolist() == [0, 0]


def test_numbers_are_cut_where_they_separate_the_states():
    table = people(2000)
    sample, _ = read_net_sample(table, DAG.nodes, kinds=KINDS, fixed={})
    cuts = find_cuts(DAG, sample, {})
    assert cuts["sex"] == {} and 1 <= len(cuts["ill"]["weight"]) < 10
    kept = find_cuts(DAG, sample, {"ill": {"weight": [70.0]}})
    assert kept["ill"]["weight"].tolist() == [70.0]
    table["ill"] = np.random.default_rng(5).choice(["no", "yes"], 2000)
    sample, _ = read_net_sample(table, DAG.nodes, kinds=KINDS, fixed={})
    # Nothing separates the states: four bins of equal frequency.
    spread = find_cuts(DAG, sample, {})["ill"]["weight"]
    np.testing.assert_allclose(spread, np.quantile(table["weight"], [0.25, 0.5, 0.75]), rtol=0.01)


def test_a_network_has_the_parents_in_the_order_of_the_graph():
    net = estimate_network(counted(people(500)), Laplace(), "prior", 2.0)
    assert net.tables["ill"].shape == (2, 3, 2)
    assert net.cuts["ill"]["weight"].tolist() == [60.0, 75.0]
    assert net.regressions["weight"].categories == ("diet",)
    with pytest.raises(InputError, match="no rows"):
        estimate_network(counted(people(50)) - counted(people(50)), Laplace(), "prior", 2.0)
