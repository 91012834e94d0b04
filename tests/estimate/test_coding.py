"""Only a column with states can be counted in combinations with others; any other says what it can be instead."""

import numpy as np
import pytest

from deciban import Gaussian
from deciban.errors import ParameterError
from deciban.read import Column

COLUMN = Column.of_numbers("age", np.array([1.0, 2.0]))


@pytest.mark.parametrize("call", [lambda c: c.variable(COLUMN), lambda c: c.codes(COLUMN, None, "TAN")])
def test_a_column_without_states_is_refused(call):
    with pytest.raises(ParameterError, match=r"column 'age' is Gaussian\(\), but this model counts combinations"):
        call(Gaussian())


def test_by_default_there_are_no_states():
    assert Gaussian().states(None, 2) is None
    assert Gaussian().coding == "Gaussian()"
