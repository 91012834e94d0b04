"""Segments are those of UAX 29, of which uniseg is another implementation: can't and 3.4 are one word each."""

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from uniseg.wordbreak import words

from deciban.text import TokenRules, tokenize

RULES = TokenRules(analyzer="unicode_word", lowercase=False)

# Characters of every class; emoji are left out, as rule WB3c is.
MIXED = "aB1é_'\".,:;·\u05d0\u05d1カァーひ漢\u0301\u200d\u00ad\r\n\x0b \u3000\u202f🇦🇧٠٬0ก"


def kept(document):
    return [segment for segment in words(document) if any(c.isalnum() for c in segment)]


def test_the_example_of_the_annex():
    [found] = tokenize(["The quick (“brown”) fox can’t jump 32.3 feet, right?"], TokenRules(analyzer="unicode_word"))
    assert found == ["the", "quick", "brown", "fox", "can’t", "jump", "32.3", "feet", "right"]


@given(st.lists(st.text(st.sampled_from(MIXED), max_size=12), min_size=20, max_size=20))
def test_segments_are_those_of_uniseg(documents):
    assert tokenize(documents, RULES) == list(map(kept, documents))


@pytest.mark.parametrize(("name", "step"), [("language_sentences", 100), ("20newsgroups", 300)])
def test_segments_of_real_text_are_those_of_uniseg(shared_data, name, step):
    documents = pq.read_table(shared_data / "text" / f"{name}.parquet")["text"].to_pylist()[::step]
    assert tokenize(documents, RULES) == list(map(kept, documents))


def test_lengths_case_and_accents_apply_before():
    rules = TokenRules(analyzer="unicode_word", strip_accents="unicode", shortest=2, longest=4, ngram_range=(1, 2))
    assert tokenize(["É a Été can't ΟΔΟΣ"], rules) == [["ete", "οδος", "ete οδος"]]
