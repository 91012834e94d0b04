"""Numbers in bins, counted by the database."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.engines.sql.table import DatabaseTable
from deciban.errors import InputError
from tests.engines.sql.tables import ENGINES, opened

CUTS = [-1.5, 0.0, 0.1, 1e9]


@pytest.mark.parametrize("engine", ENGINES)
@given(st.lists(st.none() | st.sampled_from(CUTS) | st.floats(-1e10, 1e10), min_size=1, max_size=20))
@settings(max_examples=15)
def test_a_number_at_a_cut_is_below_it(engine, numbers):
    with opened(engine, {"x": ("DOUBLE", numbers)}) as source:
        (found,) = DatabaseTable.of(*source).count([("x",)], {"x": CUTS})
    expected = [None if x is None else int(np.searchsorted(CUTS, x)) for x in numbers]
    assert dict(zip(found.values[0], found.counts.tolist(), strict=True)) == {v: expected.count(v) for v in expected}


@pytest.mark.parametrize("engine", ENGINES)
def test_infinity_has_no_bin(engine):
    with opened(engine, {"x": ("DOUBLE", [0.0, np.inf])}) as source, pytest.raises(InputError, match="infinity"):
        DatabaseTable.of(*source).count([("x",)], {"x": CUTS})


def test_a_column_of_weights_is_no_column_of_the_table():
    with opened("duckdb table", {"x": ("TEXT", ["a"]), "w": ("DOUBLE", [2.0])}) as source:
        assert DatabaseTable.of(*source, sample_weight="w").names == ("x",)
