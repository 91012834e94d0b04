"""Tokenizing, as one would write it with ``re``: the readable twin of the core's scanner, for teaching and for tests.

    document → str → lower → accents off → tokens → n-grams

>>> tokenize("The cat's hat", TokenRules(ngrams=(1, 2)))
['the', 'cat', 'hat', 'the cat', 'cat hat']
>>> tokenize("Oh, no!", TokenRules(pattern="words+punct"))
['oh', ',', 'no', '!']
>>> tokenize("Ab c", TokenRules(pattern="chars_wb", chars=(3, 3)))
[' ab', 'ab ', ' c ']
"""

from __future__ import annotations

import re

from deciban.errors import ParameterError
from deciban.text.characters import decode, strip_accents
from deciban.text.rules import TokenRules

__all__ = ["char_ngrams", "prepare", "tokenize", "word_ngrams"]

_WORDS = {"words": re.compile(r"\b\w+\b"), "words+punct": re.compile(r"\w+|[^\w\s]")}
_SPACES = re.compile(r"\s\s+")


def tokenize(document: str | bytes, rules: TokenRules) -> list[str]:
    """The terms of a document, in scikit-learn's order: by size, then by place."""
    text = prepare(document, rules)
    if rules.pattern in _WORDS:
        shortest, longest = rules.lengths
        found = _WORDS[rules.pattern].findall(text)
        return word_ngrams([t for t in found if shortest <= len(t) <= (longest or len(t))], *rules.ngrams)
    if rules.pattern == "chars":
        return char_ngrams(_SPACES.sub(" ", text), *rules.chars)
    if rules.pattern == "chars_wb":
        return [t for word in text.split() for t in _word_chars(f" {word} ", *rules.chars)]
    raise ParameterError(f'pattern="{rules.pattern}" has no twin: `re` knows no word boundaries of UAX 29.')


def prepare(document: str | bytes, rules: TokenRules) -> str:
    """The document as text: decoded, lower-cased, without accents, as the rules have it."""
    text = decode(document)
    if rules.lower:
        text = text.lower()
    return strip_accents(text, rules.accents) if rules.accents else text


def word_ngrams(tokens: list[str], first: int, last: int) -> list[str]:
    """Runs of n tokens, joined by a space, for n = first … last."""
    sizes = range(first, min(last, len(tokens)) + 1)
    return [" ".join(tokens[i : i + n]) for n in sizes for i in range(len(tokens) - n + 1)]


def char_ngrams(text: str, first: int, last: int) -> list[str]:
    """Runs of n characters, for n = first … last."""
    sizes = range(first, min(last, len(text)) + 1)
    return [text[i : i + n] for n in sizes for i in range(len(text) - n + 1)]


def _word_chars(word: str, first: int, last: int) -> list[str]:
    """The n-grams of one padded word; a word that is not longer than n counts once, and ends the sizes."""
    if len(word) <= first:
        return [word]
    return char_ngrams(word, first, min(last, len(word)))
