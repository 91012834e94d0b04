"""Tokens are found where they stand: otherwise an explanation would shade the wrong words."""

import pytest
from hypothesis import given

from deciban.models.text.explain import spans_of
from deciban.text import Analyzer, TokenRules, tokenize
from tests.reference.tokens import decode, prepare
from tests.text.test_tokens import RULES, bad_bytes, pytestmark, texts

__all__ = ["pytestmark"]

SEGMENTS = TokenRules(analyzer="unicode_word", ngram_range=(1, 2))


@pytest.mark.parametrize("rules", [*RULES, SEGMENTS], ids=repr)
@given(document=texts | bad_bytes)
def test_terms_are_those_of_the_core(rules, document):
    spans = spans_of(document, Analyzer(rules))
    assert [term for term, _ in spans.terms] == tokenize([document], rules)[0]
    assert spans.text == decode(document)


@pytest.mark.parametrize("rules", [*RULES, SEGMENTS], ids=repr)
@given(document=texts | bad_bytes)
def test_units_stand_in_the_text_in_order(rules, document):
    spans = spans_of(document, Analyzer(rules))
    assert len(spans.tokens) == len(spans.units)
    places = [span for span in spans.units if span is not None]
    assert all(0 <= start < end <= len(spans.text) for start, end in places)
    assert places == sorted(places)
    assert all(u < len(spans.units) for _, units in spans.terms for u in units)


@pytest.mark.parametrize("analyzer", ["word", "word_punct", "unicode_word"])
@given(document=texts)
def test_a_span_reads_as_its_token_where_nothing_is_changed(analyzer, document):
    spans = spans_of(document, Analyzer(TokenRules(analyzer=analyzer, lowercase=False)))
    for token, (start, end) in zip(spans.tokens, spans.units, strict=True):
        assert document[start : start + len(token)] == token and end >= start + len(token)


@pytest.mark.parametrize("strip_accents", [None, "unicode", "ascii"])
@given(document=texts)
def test_a_span_holds_what_its_token_was_made_of(strip_accents, document):
    rules = TokenRules(analyzer="word_punct", strip_accents=strip_accents)
    spans = spans_of(document, Analyzer(rules))
    for token, (start, end) in zip(spans.tokens, spans.units, strict=True):
        assert token.replace("ς", "σ") in prepare(document[start:end], rules).replace("ς", "σ")


def test_case_accents_and_ligatures_keep_their_places():
    text = "İSTANBUL ﬁne x½ cafe\u0301s"
    spans = spans_of(text, Analyzer.of(strip_accents="unicode"))
    assert spans.tokens == ("istanbul", "fine", "x1", "cafes")
    assert [text[slice(*span)] for span in spans.units] == ["İSTANBUL", "ﬁne", "x½", "cafe\u0301s"]


def test_ngrams_cover_their_tokens_and_characters():
    spans = spans_of("To be", Analyzer.of(ngram_range=(1, 2)))
    assert spans.terms == (("to", (0,)), ("be", (1,)), ("to be", (0, 1)))
    spans = spans_of("a  b", Analyzer.of(analyzer="char", ngram_range=(3, 3)))
    assert spans.terms == (("a b", (0, 1, 2)),) and spans.units == ((0, 1), (1, 3), (3, 4))
    spans = spans_of("ab", Analyzer.of(analyzer="char_wb", ngram_range=(1, 2)))
    assert spans.terms[:2] == ((" ", ()), ("a", (0,))) and spans.terms[-1] == ("b ", (1,))


def test_what_a_callable_makes_up_has_no_place():
    stems = Analyzer.of(
        tokenizer=lambda text: [word.removesuffix("s") if word != "is" else "be" for word in text.split()]
    )
    spans = spans_of("Rain is rains", stems)
    assert spans.tokens == ("rain", "be", "rain") and spans.units == ((0, 4), None, (8, 12))
