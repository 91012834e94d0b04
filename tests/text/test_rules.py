"""Rules that cannot be meant are refused when they are made, not when a model is fitted."""

import pickle

import numpy as np
import pytest

from deciban.errors import ParameterError
from deciban.text import TokenRules


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pattern": "word"}, "pattern is one of 'words', .* not 'word'"),
        ({"pattern": None}, "pattern is one of"),
        ({"accents": "utf8"}, "accents is one of None, 'unicode', 'ascii', not 'utf8'"),
        ({"lower": 1}, "lower is True or False, not 1"),
        ({"shortest": 0}, "shortest is a number of code points, at least 1, or None, not 0"),
        ({"longest": 2.5}, "longest is a number"),
        ({"longest": 1}, "longest is 1, less than shortest, 2"),
        ({"ngrams": (2, 1)}, "ngrams is .first, last. with 1 <= first <= last, not .2, 1."),
        ({"ngrams": 2}, "ngrams is"),
        ({"chars": (1, 2)}, "chars=.1, 2. needs pattern"),
        ({"pattern": "chars", "ngrams": (1, 2)}, "takes its sizes from chars: pass chars=.1, 2."),
        ({"pattern": "chars_wb", "shortest": 2}, "leave out shortest, longest"),
    ],
)
def test_mistakes_are_named(settings, message):
    with pytest.raises(ParameterError, match=message):
        TokenRules(**settings)


def test_rules_are_values():
    rules = TokenRules(pattern="chars", chars=[np.int64(2), 3])
    assert rules == TokenRules(pattern="chars", chars=(2, 3))
    assert hash(rules) == hash(pickle.loads(pickle.dumps(rules)))  # noqa: S301
    assert TokenRules(shortest=1).lengths == (1, None)
    assert TokenRules(pattern="segments").lengths == (1, None)
