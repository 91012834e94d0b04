"""Choices among equals do not depend on the last digits of sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.ties import (
    exceeds,
    first_largest,
    first_smallest,
    first_smallest_each,
    largest_first,
    settled,
    tied_largest,
    to_nine_digits,
)

VALUES = st.lists(st.sampled_from([0.0, 1e-17, 0.1, 0.3, 0.1 + 0.2, 1.0, 5.0, -2.0, np.inf, -np.inf]), min_size=1)


def test_a_sum_in_another_order_is_equal():
    assert 0.1 + 0.2 > 0.3
    assert first_largest([0.3, 0.1 + 0.2]) == 0 and first_smallest([0.1 + 0.2, 0.3]) == 0
    assert not exceeds(0.1 + 0.2, 0.3) and exceeds(0.3001, 0.3)
    assert largest_first("ab", {"a": 0.3, "b": 0.1 + 0.2}.get) == ["a", "b"]


def test_small_values_of_a_unit_of_their_own_stay_apart():
    assert first_largest([1e-12, 2e-12]) == 0 and first_largest([1e-12, 2e-12], scale=0.0) == 1
    assert exceeds(2e-12, 1e-12, scale=0.0) and not exceeds(2e-12, 1e-12)


@given(VALUES, st.integers(0, 2**32))
def test_rounding_decides_nothing(values, seed):
    noise = np.random.default_rng(seed).uniform(-1e-15, 1e-15, len(values))
    moved = np.array(values) * (1.0 + noise) + 1e-16 * noise
    assert tied_largest(values).tolist() == tied_largest(moved).tolist()
    assert largest_first(range(len(values)), values.__getitem__) == largest_first(range(len(values)), moved.__getitem__)


@given(VALUES)
def test_keys_that_are_settled_keep_the_order_of_all_others(values):
    keys = settled(values)
    finite = np.isfinite(values)
    assert (np.isinf(keys) == ~finite).all()
    assert np.abs(keys[finite] - np.array(values)[finite]).max(initial=0.0) <= 1e-9 * 5.0
    assert (settled(keys) == keys).all()


def test_a_long_run_of_neighbours_is_no_single_tie():
    values = 1.0 + np.arange(100) * 0.5e-9
    keys = settled(values)
    assert len(set(keys.tolist())) > 20 and np.abs(keys - values).max() <= 1.1e-9


@pytest.mark.parametrize("value", [0.5, 1.0, 0.05, 1e-300, 0.0])
def test_nine_digits_have_no_edge_at_plain_numbers(value):
    assert to_nine_digits(np.nextafter(value, 2.0)) == to_nine_digits(value) or value == 0.0
    assert to_nine_digits(np.nextafter(value, -1.0)) == to_nine_digits(value) or value == 0.0
    assert to_nine_digits(float("inf")) == float("inf")


@given(st.lists(st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.1 + 0.2, 1.0, 5.0]), min_size=3, max_size=3), min_size=1))
def test_each_row_has_its_first_smallest(table):
    for scale in (0.0, 1.0, 7.0):
        expected = [first_smallest(row, scale) for row in table]
        assert first_smallest_each(np.array(table), scale).tolist() == expected
