"""Bytes become text without an error, and accents are taken off in both of scikit-learn's ways."""

import pytest
from sklearn.feature_extraction.text import strip_accents_ascii, strip_accents_unicode

from deciban.text.analyzer import decode, strip_accents


def test_malformed_bytes_are_replaced():
    assert decode("é") == "é"
    assert decode("é".encode()) == "é"
    assert decode(b"a\xffb") == "a\ufffdb"


@pytest.mark.parametrize("text", ["Crème brûlée", "Ångström", "naïve ﬁ", "日本", "é\u0301"])
def test_accents_are_scikit_learns(text):
    assert strip_accents(text, "unicode") == strip_accents_unicode(text)
    assert strip_accents(text, "ascii") == strip_accents_ascii(text)
