"""Rules that cannot be meant are refused when they are made, not when a model is fitted."""

import pickle

import numpy as np
import pytest

from deciban.errors import ParameterError
from deciban.text import TokenRules


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"analyzer": "words"}, "analyzer is one of 'word', .* not 'words'. Did you mean 'word'"),
        ({"analyzer": None}, "analyzer is one of"),
        ({"strip_accents": "utf8"}, "strip_accents is one of 'unicode', 'ascii' or None, not 'utf8'"),
        ({"lowercase": 1}, "lowercase is True or False, not 1"),
        ({"shortest": 0}, "shortest is a number of code points, at least 1, or None, not 0"),
        ({"longest": 2.5}, "longest is a number"),
        ({"longest": 1}, "longest is 1, less than shortest, 2"),
        ({"ngram_range": (2, 1)}, "ngram_range is .first, last. with 1 <= first <= last, not .2, 1."),
        ({"ngram_range": 2}, "ngram_range is"),
        ({"analyzer": str.split}, "a callable is passed as tokenizer"),
        ({"strip_accents": "Ascii"}, "Did you mean 'ascii'"),
        ({"analyzer": "char_wb", "shortest": 2}, "leave out shortest, longest"),
    ],
)
def test_mistakes_are_named(settings, message):
    with pytest.raises(ParameterError, match=message):
        TokenRules(**settings)


def test_rules_are_values():
    rules = TokenRules(analyzer="char", ngram_range=[np.int64(2), 3])
    assert rules == TokenRules(analyzer="char", ngram_range=(2, 3))
    assert hash(rules) == hash(pickle.loads(pickle.dumps(rules)))  # noqa: S301
    assert TokenRules(shortest=1).lengths == (1, None)
    assert TokenRules(analyzer="unicode_word").lengths == (1, None)
