"""Columns in another order, or other columns, are an error in scikit-learn's words; not silently wrong posteriors."""

import pytest

from deciban.errors import ColumnMismatchError
from deciban.models.schema import check_names


def test_equal_names_are_taken():
    check_names("NaiveBayes", ("a", "b"), ("a", "b"))
    check_names("NaiveBayes", None, None)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("b", "a"), "must be in the same order"),
        (("a", "c"), "unseen at fit time:\n- c\nFeature names seen at fit time, yet now missing:\n- b"),
        (tuple("abcdefgh"), "- g\n- ...\n"),
    ],
)
def test_other_names_are_listed(given, says):
    with pytest.raises(ColumnMismatchError, match=says):
        check_names("NaiveBayes", ("a", "b"), given)


@pytest.mark.parametrize(("known", "given"), [(("a",), None), (None, ("a",))])
def test_a_warning_where_only_one_side_has_names(known, given):
    with pytest.warns(UserWarning, match="feature names"):
        check_names("NaiveBayes", known, given)
