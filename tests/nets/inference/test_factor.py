"""Tables that are multiplied along the wrong axes give answers that look right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.nets.inference.elimination import Factor, joined, product, rescaled, sliced, summed_to


def test_observed_axes_go_and_the_others_are_sorted():
    table = np.arange(24.0).reshape(2, 3, 4)
    (factor,) = sliced([table], [(5, 1, 3)], {1: np.array([2, 0])})
    assert factor.scope == (3, 5) and factor.table.shape == (2, 4, 2)
    assert np.array_equal(factor.table[0], table[:, 2, :].T) and np.array_equal(factor.table[1], table[:, 0, :].T)
    (whole,) = sliced([table], [(5, 1, 3)], {})
    assert whole.scope == (1, 3, 5) and np.array_equal(whole.table[0], table.transpose(1, 2, 0))


@given(st.permutations(range(3)))
def test_products_do_not_depend_on_the_order(order):
    rng = np.random.default_rng(0)
    factors = [
        Factor((0, 2), rng.random((1, 2, 3))),
        Factor((1,), rng.random((4, 2))),
        Factor((1, 2), rng.random((1, 2, 3))),
    ]
    whole, log_scale = product([factors[place] for place in order])
    wanted = np.einsum("rac,sb,rbc->sabc", *(factor.table for factor in factors))
    assert log_scale == 0 and whole.scope == (0, 1, 2) and np.allclose(whole.table, wanted, rtol=1e-14)


def test_the_empty_product_is_one():
    whole, log_scale = product([])
    assert whole.table.tolist() == [1] and whole.scope == () and log_scale == 0


def test_sums_keep_what_is_asked_for():
    factor = joined(Factor((1,), np.array([[1.0, 2.0]])), Factor((4,), np.array([[3.0, 4.0]])))
    assert summed_to(factor, [4]).table.tolist() == [[9.0, 12.0]]
    assert summed_to(factor, []).table.tolist() == [21.0]


def test_rescaling_never_divides_by_zero():
    factor, log = rescaled(Factor((0,), np.array([[1e-300, 2e-300], [0.0, 0.0]])))
    assert factor.table.tolist() == [[0.5, 1.0], [0.0, 0.0]]
    assert np.allclose(log, [np.log(2e-300), 0])


def test_products_of_many_small_numbers_do_not_vanish():
    whole, log_scale = product([Factor((), np.array([1e-200, 0.0]))] * 5)
    assert np.log(whole.table[0]) + log_scale[0] == pytest.approx(-1000 * np.log(10)) and whole.table[1] == 0
