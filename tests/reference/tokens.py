"""Tokenizing with ``re``: the readable twin of the compiled tokenizer, for teaching and for tests.

    document → str → lower case → accents removed → tokens → n-grams

>>> tokenize("The cat's hat", TokenRules(ngram_range=(1, 2)))
['the', 'cat', 'hat', 'the cat', 'cat hat']
>>> tokenize("Oh, no!", TokenRules(analyzer="word_punct"))
['oh', ',', 'no', '!']
>>> tokenize("Ab c", TokenRules(analyzer="char_wb", ngram_range=(3, 3)))
[' ab', 'ab ', ' c ']
"""

from __future__ import annotations

import re

from deciban.errors import ParameterError
from deciban.models.text.explain import find_words
from deciban.text.analyzer import TokenRules, decode, ngrams, normalize_text

__all__ = ["char_ngrams", "prepare", "tokenize"]

_SPACES = re.compile(r"\s\s+")


def tokenize(document: str | bytes, rules: TokenRules) -> list[str]:
    """The terms of a document, in scikit-learn's order: by size, then by position."""
    text = prepare(document, rules)
    found = find_words(text, rules)
    if found is not None:
        return ngrams([match[0] for match in found], *rules.ngram_range)
    if rules.analyzer == "char":
        return char_ngrams(_SPACES.sub(" ", text), *rules.ngram_range)
    if rules.analyzer == "char_wb":
        return [t for word in text.split() for t in _word_chars(f" {word} ", *rules.ngram_range)]
    raise ParameterError(f'analyzer="{rules.analyzer}" has no twin: `re` has no word boundaries of UAX 29.')


def prepare(document: str | bytes, rules: TokenRules) -> str:
    """The document as text: decoded, and by the rules in lower case and without accents."""
    return normalize_text(decode(document), rules.lowercase, rules.strip_accents)


def char_ngrams(text: str, first: int, last: int) -> list[str]:
    """Runs of n characters, for n = first … last."""
    sizes = range(first, min(last, len(text)) + 1)
    return [text[i : i + n] for n in sizes for i in range(len(text) - n + 1)]


def _word_chars(word: str, first: int, last: int) -> list[str]:
    """The n-grams of one padded word; a word that is not longer than n counts once, and larger sizes are skipped."""
    if len(word) <= first:
        return [word]
    return char_ngrams(word, first, min(last, len(word)))
