"""The kernel counts what its readable twin counts, for any gaps and weights."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from deciban import _core
from deciban.nets.learning.families import count_families, families_of
from tests.nets.learning.samples import net_samples
from tests.reference import learning as reference

pytestmark = pytest.mark.usefixtures("each_instruction_set")


@given(net_samples())
def test_families_are_counted_as_the_twin_counts_them(sample):
    g, columns, weights = sample
    rows = list(zip(*(columns[node] for node in g.nodes), strict=True))
    codes = np.array([[-1 if code is None else code for code in row] for row in rows], dtype=np.int32).T.copy()
    exact = None if weights is None else [Fraction(weight) for weight in weights]
    families = families_of(g)
    tables = count_families(codes, np.full(len(g.nodes), 3), families, weights)
    for family, table in zip(families, tables, strict=True):
        twin = reference.count_family(rows, family, exact)
        assert table.dtype == (np.int64 if weights is None else np.float64)
        assert {at: table[at] for at in np.ndindex(table.shape) if table[at]} == {k: v for k, v in twin.items() if v}


def test_large_tables_and_many_rows(any_threads):
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 9, (5, 5_000), dtype=np.int32)
    weights = rng.random(5_000)
    families = [(0, 1, 2, 3), (4,), (3, 0)]
    whole = (codes[:4] >= 0).all(axis=0)
    for threads in (1, 3):
        any_threads(threads)
        table, _, pair = count_families(codes, np.full(5, 9), families, weights)
        expected = np.zeros((9,) * 4)
        np.add.at(expected, tuple(codes[:4, whole]), weights[whole])
        np.testing.assert_allclose(table, expected, rtol=1e-12)
        assert pair.tobytes() == count_families(codes, np.full(5, 9), [(3, 0)], weights)[0].tobytes()


@pytest.mark.parametrize(
    ("codes", "sizes", "starts", "members", "weights", "match"),
    [
        ([[0, 2]], [2], [0, 1], [0], None, "outside"),
        ([[0, -2]], [2], [0, 1], [0], None, "outside"),
        ([[0, 1]], [2, 2], [0, 1], [0], None, "one size"),
        ([[0, 1]], [0], [0, 1], [0], None, "not above 0"),
        ([[0, 1]], [2], [0, 1], [1], None, "no column"),
        ([[0, 1]], [2], [0, 2], [0], None, "must rise"),
        ([[0, 1]], [2], [0, 1], [0], [1.0], "one weight"),
        ([[0, 1]], [1 << 30], [0, 2], [0, 0], None, "too many cells"),
    ],
)
def test_the_door_checks_what_it_is_given(codes, sizes, starts, members, weights, match):
    arrays = [np.array(codes, np.int32), np.array(sizes), np.array(starts), np.array(members, np.int32)]
    with pytest.raises(ValueError, match=match):
        _core.count_families(*arrays, None if weights is None else np.array(weights))
