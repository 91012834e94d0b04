"""Fisher's z from a matrix of correlations is that from the rows, on the rows that have all values of a test."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.nets import FisherZ
from deciban.nets.independence.fisher_z import fisher_z
from tests.reference import independence as twin

pytestmark = pytest.mark.usefixtures("each_instruction_set")


@given(st.integers(0, 3), st.integers(0, 10_000))
def test_fisher_z_of_correlations_is_that_of_rows_and_of_the_twin(size, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, 5)) @ rng.normal(size=(5, 5))
    found = FisherZ(values).test("x0", "x1", [f"x{i + 2}" for i in range(size)])
    given_columns = list(range(2, 2 + size))
    for wanted in (fisher_z(values, None, 0, 1, given_columns), twin.fisher_z(values.tolist(), 0, 1, given_columns)):
        assert (found.statistic, found.p) == pytest.approx((wanted[0], wanted[3]), rel=1e-6, abs=1e-9)


def test_fisher_z_leaves_out_rows_test_by_test():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(50, 3))
    values[:10, 2] = np.nan
    assert FisherZ(values).test("x0", "x1").rows == 50
    assert FisherZ(values).test("x0", "x1", ["x2"]).rows == 40
