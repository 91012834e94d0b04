"""The position of each token in a document's original text, before lower-casing and the removal of accents.

    text → lower case → accents removed → tokens → n-grams

Each step except the last keeps, for every character, the index of the original character that it came from. The tokens
are those of the compiled tokenizer, and the regular expressions of its Python twin find their spans. Where the two
disagree, or there is no twin ("unicode_word", callables), each token is searched for after the end of the previous
one. A *unit* is a token, or a character where n-grams are of characters; a term covers one or more units.

>>> spans_of(
...     "Café au lait!", Analyzer.of(strip_accents="unicode", ngram_range=(2, 2))
... ).terms
(('cafe au', (0, 1)), ('au lait', (1, 2)))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from unicodedata import combining

from deciban.text.analyzer import Analyzer
from deciban.text.characters import decode, strip_accents
from deciban.text.rules import TokenRules
from deciban.text.tokens import tokenize

__all__ = ["WORD_PATTERNS", "Spans", "spans_of"]

Span = tuple[int, int]

WORD_PATTERNS = {"word": re.compile(r"\b\w+\b"), "word_punct": re.compile(r"\w+|[^\w\s]")}
"""The analyzers that a regular expression describes."""

_CHARACTERS = re.compile(r"\s\s+|.", re.DOTALL)  # a run of white space is one character
_PAD = -1


@dataclass(frozen=True)
class Spans:
    """A document's units, each with its span or None if it is not in the text, and its terms, each with its units.

    Terms are in the order of the tokenizer. The spaces that pad a word for n-grams of characters are not units.
    """

    text: str
    tokens: tuple[str, ...]
    units: tuple[Span | None, ...]
    terms: tuple[tuple[str, tuple[int, ...]], ...]


def spans_of(document: str | bytes, analyzer: Analyzer) -> Spans:
    """Find the units and terms of a document."""
    text = decode(document)
    rules = analyzer.settings
    normalized, origins = _traced(text, rules)
    if rules.is_of_characters:
        find = _characters if rules.analyzer == "char" else _word_characters
        pieces, terms = find(normalized, rules.ngram_range)
        tokens = [normalized[slice(*piece)] if piece else "" for piece in pieces]
    else:
        tokens = _tokens(document, analyzer)
        pieces = _token_spans(tokens, normalized, analyzer.rules)
        runs = _runs(len(tokens), rules.ngram_range)
        terms = [(" ".join(tokens[i:j]), tuple(range(i, j))) for i, j in runs]
    return Spans(text, tuple(tokens), tuple(_original(piece, origins, text) for piece in pieces), tuple(terms))


def _traced(text: str, rules: TokenRules) -> tuple[str, Sequence[int]]:
    """The normalized text, and for each of its characters the index of the original one.

    Lower-casing depends on neighbouring characters only for the choice between two sigmas, and decomposition reorders
    only combining marks, which are dropped: so the lengths of single characters are those within the whole text.
    """
    if text.isascii():
        return (text.lower() if rules.lowercase else text), range(len(text))
    origins: list[int] = list(range(len(text)))
    if rules.lowercase:
        origins = [i for i, c in enumerate(text) for _ in c.lower()]
        text = text.lower()
    if rules.strip_accents:
        stripped = [strip_accents(c, rules.strip_accents) for c in text]
        origins = [i for i, kept in zip(origins, stripped, strict=True) for _ in kept]
        text = "".join(stripped)
    return text, origins


def _tokens(document: str | bytes, analyzer: Analyzer) -> list[str]:
    """The single tokens, before n-grams are made of them."""
    single = replace(analyzer, settings=replace(analyzer.settings, ngram_range=(1, 1)))
    return tokenize([document], single.rules)[0] if single.tokenizer is None else single.prepare([document])[0]


def _token_spans(tokens: list[str], normalized: str, rules: TokenRules | None) -> list[Span | None]:
    if rules is not None and rules.analyzer in WORD_PATTERNS:
        shortest, longest = rules.lengths
        found = [m for m in WORD_PATTERNS[rules.analyzer].finditer(normalized) if shortest <= len(m[0])]
        found = [m for m in found if longest is None or len(m[0]) <= longest]
        if [m[0] for m in found] == tokens:
            return [m.span() for m in found]
    return list(_searched(tokens, normalized))


def _searched(tokens: list[str], normalized: str) -> Iterator[Span | None]:
    """Search for each token after the previous one; a token that is not in the text, such as a stem, has no span."""
    end = 0
    for token in tokens:
        start = normalized.find(token, end) if token else -1
        if start >= 0:
            end = start + len(token)
        yield (start, end) if start >= 0 else None


def _characters(normalized: str, sizes: Span) -> tuple[list[Span | None], list[tuple[str, tuple[int, ...]]]]:
    found = list(_CHARACTERS.finditer(normalized))
    text = "".join(m[0] if len(m[0]) == 1 else " " for m in found)
    terms = [(text[i:j], tuple(range(i, j))) for i, j in _runs(len(text), sizes)]
    return [m.span() for m in found], terms


def _word_characters(normalized: str, sizes: Span) -> tuple[list[Span | None], list[tuple[str, tuple[int, ...]]]]:
    pieces: list[Span | None] = []
    terms: list[tuple[str, tuple[int, ...]]] = []
    for word in re.finditer(r"\S+", normalized):
        padded = f" {word[0]} "
        units = [_PAD, *range(len(pieces), len(pieces) + len(word[0])), _PAD]
        pieces += [(i, i + 1) for i in range(*word.span())]
        # As in scikit-learn, a word that is not longer than n counts once, and larger sizes are skipped.
        runs = [(0, len(padded))] if len(padded) <= sizes[0] else _runs(len(padded), sizes)
        terms += [(padded[i:j], tuple(u for u in units[i:j] if u != _PAD)) for i, j in runs]
    return pieces, terms


def _runs(length: int, sizes: Span) -> list[Span]:
    """The runs of n = first … last units, by size, then by position."""
    first, last = sizes
    return [(i, i + n) for n in range(first, min(last, length) + 1) for i in range(length - n + 1)]


def _original(piece: Span | None, origins: Sequence[int], text: str) -> Span | None:
    """The span in the original text, including the combining marks of its last character."""
    if piece is None:
        return None
    end = origins[piece[1] - 1] + 1
    while end < len(text) and combining(text[end]):
        end += 1
    return origins[piece[0]], end
