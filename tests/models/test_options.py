"""Options are words that editors complete and scikit-learn checks: one list for both."""

from typing import get_args

import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.models.base import Missing, Rule, Unseen, words


@pytest.mark.parametrize("options", [Missing, Rule, Unseen])
def test_the_constraint_has_the_words_of_the_type(options):
    assert words(options).options == set(get_args(options))


@pytest.mark.parametrize("parameter", ["missing", "unseen", "rule"])
def test_another_word_is_refused_with_the_known_ones(parameter):
    with pytest.raises(ParameterError, match=f"'{parameter}' parameter"):
        db.NaiveBayes(**{parameter: "other"}).fit({"x": ["a", "b"]}, [0, 1])
