"""A level of PC by Fisher's z is that of one test after the other, whatever the correlations, sets and threads are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban import _core
from deciban.nets.independence.fisher_z import correlations
from deciban.nets.independence.independence_test import VerdictRules
from tests.reference import independence as twin


def copied(x, rng):
    x[:, 1] = x[:, 0]


def negated(x, rng):
    x[:, 2] = 3 - 2 * x[:, -1]


def almost_copied(x, rng):
    x[:, 1] = x[:, 2] + 1e-3 * rng.normal(size=len(x))


def summed(x, rng):
    x[:, 0] = x[:, 1] + x[:, 2]


def constant(x, rng):
    x[:, 1] = 7.0


def independent(x, rng):
    x[:] = rng.normal(size=x.shape)


def collinear(x, rng):
    x[:] = x[:, :1]


KINDS = (copied, negated, almost_copied, summed, constant, independent, collinear)


def numbers(rng, rows, columns, kinds):
    x = rng.normal(size=(rows, columns)) @ (np.eye(columns) + (rng.random((columns, columns)) < 0.3))
    for change in kinds:
        change(x, rng)
    return x


def level(source, rules, edges, pool, size, *, is_all):
    alpha, power, is_sure = rules
    marks = edges.astype(np.uint8), pool.astype(np.uint8)
    return _core.test_level(source, *marks, size, alpha, power, is_sure, 0.0, is_all, None)


@pytest.mark.usefixtures("each_instruction_set")
@settings(max_examples=50)
@given(
    st.integers(0, 10_000),
    st.integers(4, 11),
    st.sampled_from([6, 9, 30, 200]),
    st.integers(0, 4),
    st.lists(st.sampled_from(KINDS), max_size=2),
    st.sampled_from([VerdictRules(0.01, 0.0, True), VerdictRules(0.2, 0.0, False), VerdictRules(0.05, 10.0, True)]),
    st.booleans(),
)
def test_a_level_is_that_of_the_twin(seed, columns, rows, size, kinds, rules, is_all):
    rng = np.random.default_rng(seed)
    matrix, weight = correlations(numbers(rng, rows, columns, kinds))
    edges = np.triu(rng.random((columns, columns)) < 0.8, 1)
    edges, pool = edges | edges.T, (rng.random((columns, columns)) < 0.8) & ~np.eye(columns, dtype=bool)
    source = _core.gaussian_source(matrix, weight)
    x, y, sets, values, tests, unsure, skipped = level(source, rules, edges, pool, size, is_all=is_all)
    best, *counts = twin.gaussian_level(matrix, weight, rules, edges, pool, size, is_all=is_all)
    assert [tests, unsure, skipped] == [*counts, 0]
    assert dict(zip(zip(x.tolist(), y.tolist(), strict=True), map(tuple, sets.tolist()), strict=True)) == {
        pair: tuple(given) for pair, (given, _) in best.items()
    }
    assert values == pytest.approx(np.array([row for _, row in best.values()]).reshape(-1, 4), rel=1e-9)


def sparse(rng, columns, rows, degree=3.0):
    x = rng.normal(size=(rows, columns))
    edges = np.triu(rng.random((columns, columns)) < degree / columns, 1)
    for child in range(columns):
        x[:, child] += x[:, edges[:, child]].sum(axis=1)
    return {f"v{i:03}": x[:, i] for i in range(columns)}


def test_neither_threads_nor_the_order_of_columns_change_a_discovery(any_threads):
    rng = np.random.default_rng(2)
    data = sparse(rng, 60, 300)
    data["v001"] = data["v000"]
    results = []
    for count in (1, 2, 3):
        any_threads(count)
        results.append(db.discover({name: data[name] for name in rng.permutation(sorted(data))}))
    for other in results[1:]:
        assert other.graph == results[0].graph and other.removed == results[0].removed
        assert (other.tests, other.unsure, other.conflicts) == (
            results[0].tests,
            results[0].unsure,
            results[0].conflicts,
        )
