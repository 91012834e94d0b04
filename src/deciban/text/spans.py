"""Where a document's tokens stand in its text as it was written, before case and accents were dropped.

    text → lower → accents off → tokens → n-grams

Each step but the last keeps, for every character, the place in the original that it came from. The tokens are those of
the core; the regular expressions of its twin find their places, and where they do not agree, or there is no twin
(`"segments"`, callables), each token is looked for behind the one before it. N-grams are made of tokens, or of
characters where the pattern is one of characters: these are the units that a term covers.

>>> spans_of("Café au lait!", Analyzer.of(accents="unicode", ngrams=(2, 2))).terms
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

__all__ = ["Spans", "spans_of"]

Span = tuple[int, int]

_WORDS = {"words": re.compile(r"\b\w+\b"), "words+punct": re.compile(r"\w+|[^\w\s]")}
_CHARACTERS = re.compile(r"\s\s+|.", re.DOTALL)  # a run of space is one character
_PAD = -1


@dataclass(frozen=True)
class Spans:
    """The text; the units, how each reads and its span, None where it has none; and the terms, each with its units.

    Terms come in the order of the tokenizer. A term of characters may also cover the space that was put around a
    word, which is no unit.
    """

    text: str
    tokens: tuple[str, ...]
    units: tuple[Span | None, ...]
    terms: tuple[tuple[str, tuple[int, ...]], ...]


def spans_of(document: str | bytes, analyzer: Analyzer) -> Spans:
    """Find the units and terms of a document."""
    text = decode(document)
    rules = analyzer.settings
    prepared, origins = _traced(text, rules)
    if analyzer.cut is None and rules.pattern in ("chars", "chars_wb"):
        pieces, terms = (_characters if rules.pattern == "chars" else _word_characters)(prepared, rules.chars)
        tokens = [prepared[slice(*piece)] if piece else "" for piece in pieces]
    else:
        tokens = _tokens(document, analyzer)
        pieces = _places(tokens, prepared, None if analyzer.cut is not None else rules)
        runs = _runs(len(tokens), rules.ngrams)
        terms = [(" ".join(tokens[i:j]), tuple(range(i, j))) for i, j in runs]
    return Spans(text, tuple(tokens), tuple(_original(piece, origins, text) for piece in pieces), tuple(terms))


def _traced(text: str, rules: TokenRules) -> tuple[str, Sequence[int]]:
    """The prepared text, and the place in the original of each of its characters.

    Lower-casing looks at neighbours only to choose one of two sigmas, and decomposing reorders only marks, which are
    dropped: so the lengths, character by character, are those of the whole.
    """
    if text.isascii():
        return (text.lower() if rules.lower else text), range(len(text))
    origins: list[int] = list(range(len(text)))
    if rules.lower:
        origins = [i for i, c in enumerate(text) for _ in c.lower()]
        text = text.lower()
    if rules.accents:
        stripped = [strip_accents(c, rules.accents) for c in text]
        origins = [i for i, held in zip(origins, stripped, strict=True) for _ in held]
        text = "".join(stripped)
    return text, origins


def _tokens(document: str | bytes, analyzer: Analyzer) -> list[str]:
    """The tokens as the core or the callable cuts them, before they are joined."""
    single = replace(analyzer, settings=replace(analyzer.settings, ngrams=(1, 1)))
    return tokenize([document], single.rules)[0] if single.cut is None else single.prepare([document])[0]


def _places(tokens: list[str], prepared: str, rules: TokenRules | None) -> list[Span | None]:
    if rules is not None and rules.pattern in _WORDS:
        shortest, longest = rules.lengths
        found = [m for m in _WORDS[rules.pattern].finditer(prepared) if shortest <= len(m[0])]
        found = [m for m in found if longest is None or len(m[0]) <= longest]
        if [m[0] for m in found] == tokens:
            return [m.span() for m in found]
    return list(_sought(tokens, prepared))


def _sought(tokens: list[str], prepared: str) -> Iterator[Span | None]:
    """Look for each token behind the one before it; a token that is not in the text, as a stem, has no place."""
    end = 0
    for token in tokens:
        at = prepared.find(token, end) if token else -1
        if at >= 0:
            end = at + len(token)
        yield (at, end) if at >= 0 else None


def _characters(prepared: str, sizes: Span) -> tuple[list[Span | None], list[tuple[str, tuple[int, ...]]]]:
    found = list(_CHARACTERS.finditer(prepared))
    text = "".join(m[0] if len(m[0]) == 1 else " " for m in found)
    terms = [(text[i:j], tuple(range(i, j))) for i, j in _runs(len(text), sizes)]
    return [m.span() for m in found], terms


def _word_characters(prepared: str, sizes: Span) -> tuple[list[Span | None], list[tuple[str, tuple[int, ...]]]]:
    pieces: list[Span | None] = []
    terms: list[tuple[str, tuple[int, ...]]] = []
    for word in re.finditer(r"\S+", prepared):
        padded = f" {word[0]} "
        units = [_PAD, *range(len(pieces), len(pieces) + len(word[0])), _PAD]
        pieces += [(i, i + 1) for i in range(*word.span())]
        # A word that is not longer than n counts once, and ends the sizes.
        runs = [(0, len(padded))] if len(padded) <= sizes[0] else _runs(len(padded), sizes)
        terms += [(padded[i:j], tuple(u for u in units[i:j] if u != _PAD)) for i, j in runs]
    return pieces, terms


def _runs(length: int, sizes: Span) -> list[Span]:
    """The runs of n = first … last, by size, then by place."""
    first, last = sizes
    return [(i, i + n) for n in range(first, min(last, length) + 1) for i in range(length - n + 1)]


def _original(piece: Span | None, origins: Sequence[int], text: str) -> Span | None:
    """The span in the original, with the marks that stand on its last character."""
    if piece is None:
        return None
    end = origins[piece[1] - 1] + 1
    while end < len(text) and combining(text[end]):
        end += 1
    return origins[piece[0]], end
