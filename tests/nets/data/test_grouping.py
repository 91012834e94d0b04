"""Rows that are equal are asked once: one that is lost or joined with another gets another row's answer."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deciban.nets.data.grouping import distinct_rows, groups_of

CODES = st.tuples(st.integers(0, 12), st.integers(1, 70), st.integers(0, 2**32 - 1)).map(
    lambda key: np.random.default_rng(key[2]).integers(-1, 2, key[:2], dtype=np.int32)
)


@given(CODES)
def test_distinct_rows_are_the_rows_again(codes):
    first, which = distinct_rows(codes)
    assert np.array_equal(codes[first][which], codes)
    assert len({row.tobytes() for row in codes}) == len(first)


@given(CODES)
def test_groups_hold_every_row_once_with_what_is_observed_in_it(codes):
    groups = list(groups_of(codes)) if len(codes) else []
    assert sorted(row for group in groups for row in group.rows) == list(range(len(codes)))
    for group in groups:
        for place, held in group.seen.items():
            assert np.array_equal(codes[group.rows, place], held)
        rest = [place for place in range(codes.shape[1]) if place not in group.seen]
        assert (codes[np.ix_(group.rows, rest)] < 0).all()
    assert len({tuple(group.seen) for group in groups}) == len(groups)
