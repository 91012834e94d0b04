"""The first row of a stream decides the columns and their distributions."""

import pytest

from deciban.errors import InputError, InputTypeError
from deciban.estimate import Categorical, Gaussian, Laplace, Poisson
from deciban.models.naive_bayes import form_of_first_row
from deciban.models.schema import Defaults

DEFAULTS = Defaults(Laplace(), "skip", "smooth")


def kinds(row, columns="auto", markers=frozenset()):
    form = form_of_first_row(row, columns, markers, DEFAULTS)
    return {plan.name: type(plan.distribution) for plan in form.schema}


def test_numbers_are_gaussian_and_other_values_are_labels():
    assert kinds({"n": 3, "x": 0.5, "sky": "sun", "wet": True}) == {
        "n": Gaussian,
        "x": Gaussian,
        "sky": Categorical,
        "wet": Categorical,
    }


def test_columns_that_are_named_may_be_missing():
    assert kinds({"sky": "sun"}, {"calls": Poisson()}) == {"sky": Categorical, "calls": Poisson}


def test_a_missing_value_has_no_type():
    with pytest.raises(InputError, match="is missing in the first row"):
        kinds({"sky": "?"}, markers=frozenset({"?"}))


@pytest.mark.parametrize("row", [{}, {3: "sun"}])
def test_columns_have_names(row):
    with pytest.raises(InputTypeError, match="the first row names the columns"):
        kinds(row)
