"""What a kernel could not use becomes an error that names column, row and what to do."""

import pytest

from deciban.errors import InputError, MissingValueError, UnseenStateError
from deciban.tallies.kernels import raise_fault


@pytest.mark.parametrize(
    ("what", "error", "says"),
    [
        ("missing", MissingValueError, r"column 'sky' \(row 7\) is missing.*Pass missing=\"skip\""),
        ("infinite", InputError, r"infinity.*column 'sky' \(row 7\)"),
        ("negative", InputError, r"Negative values in data passed to Model.*column 'sky' \(row 7\)"),
        ("fractional", InputError, r"column 'sky' \(row 7\) is 2.5, which is not a whole number"),
        ("unseen", UnseenStateError, r"has value 2.5, unseen in fit. Pass unseen=\"smooth\""),
        ("outside", InputError, "Set binarize"),
        ("strange", InputError, r"Model cannot use column 'sky' \(row 7\): strange"),
    ],
)
def test_every_fault_says_where(what, error, says):
    with pytest.raises(error, match=says):
        raise_fault((what, 7, 1), "Model", ("wind", "sky"), 2.5)


def test_columns_without_names_have_numbers():
    with pytest.raises(InputError, match="column 'x1'"):
        raise_fault(("infinite", 0, 1), "Model", None)
