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

from deciban.text.analyzer import Analyzer, TokenRules, decode, strip_accents
from deciban.text.kernels import tokenize

__all__ = ["Spans", "find_words", "spans_of"]

Span = tuple[int, int]

# Extended_Pictographic of Unicode 15.1 (emoji-data.txt), without letters. Symbols that may become emoji are among them.
_EMOJI = (
    "[\xa9\xae\u203c\u2049\u2122\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2"
    "\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705\u2708-\u2712\u2714\u2716"
    "\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767\u2795-\u2797\u27a1\u27b0\u27bf"
    "\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f0ff\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f\U0001f232-\U0001f23a"
    "\U0001f23c-\U0001f23f\U0001f249-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f774-\U0001f77f\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f"
    "\U0001f888-\U0001f88f\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001faff"
    "\U0001fc00-\U0001fffd]"
)
_ONE = f"{_EMOJI}[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"  # with skin tones and the tags of flags
_EMOJI_TOKEN = f"{_ONE}(?:\u200d{_ONE})*|[\U0001f1e6-\U0001f1ff]{{2}}"
_WORD_OR_EMOJI = re.compile(rf"(?P<word>\w+)|{_EMOJI_TOKEN}")
_WORD_PATTERNS = {
    "word": re.compile(r"\b(?P<word>\w+)\b"),
    "word_emoji": _WORD_OR_EMOJI,
    "word_punct": re.compile(r"(?P<word>\w+|[^\w\s])"),
}


def find_words(text: str, rules: TokenRules) -> list[re.Match[str]] | None:
    """The tokens of an analyzer that a regular expression describes; None for another. Lengths are those of words."""
    pattern = _WORD_PATTERNS.get(rules.analyzer)
    if pattern is None:
        return None
    shortest, longest = rules.lengths
    found = pattern.finditer(text)
    return [m for m in found if m["word"] is None or shortest <= len(m[0]) <= (longest or len(m[0]))]


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
    found = None if rules is None else find_words(normalized, rules)
    if found is not None and [m[0] for m in found] == tokens:
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
