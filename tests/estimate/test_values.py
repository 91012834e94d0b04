"""Single values of a row: which are numbers, which are missing, and which are refused with the column's name."""

import numpy as np
import pandas as pd
import pytest

from deciban.errors import InputError
from deciban.estimate.values import number_reader, read_number


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float32(3), "3", " 3.0 "])
def test_numbers_of_any_type_are_read(value):
    assert number_reader("age", ())(value) == 3.0


@pytest.mark.parametrize("value", [None, float("nan"), pd.NA, pd.NaT, -999])
def test_missing_values_and_markers_are_none(value):
    assert number_reader("age", (-999,))(value) is None


@pytest.mark.parametrize("value", ["3 years", "nan", b"3", True, [3], object()])
def test_what_is_no_number_is_named(value):
    with pytest.raises(InputError, match="column 'age'"):
        read_number(value, "age")


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), 10**400])
def test_what_no_float_holds_is_refused(value):
    with pytest.raises(InputError, match="age"):
        number_reader("age", ())(value)
