"""Documents as text: decoding, lower-casing, removing accents, n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import combining, normalize

__all__ = ["decode", "ngrams", "normalize_text", "strip_accents"]


def decode(document: str | bytes) -> str:
    """Bytes are UTF-8; malformed sequences become U+FFFD."""
    return document if isinstance(document, str) else document.decode("utf-8", "replace")


def normalize_text(text: str, lowercase: bool, accents: str | None) -> str:
    """The text in lower case and without accents, where these are set."""
    if lowercase:
        text = text.lower()
    return text if accents is None or text.isascii() else strip_accents(text, accents)


def strip_accents(text: str, accents: str) -> str:
    """Decompose (NFKD), then drop combining marks ("unicode") or everything that is not ASCII ("ascii")."""
    decomposed = normalize("NFKD", text)
    return "".join(c for c in decomposed if (c.isascii() if accents == "ascii" else not combining(c)))


def ngrams(tokens: Sequence[str], first: int, last: int) -> list[str]:
    """Sequences of n tokens, joined by a space, for n = first … last.

    >>> ngrams(["to", "be", "or"], 1, 2)
    ['to', 'be', 'or', 'to be', 'be or']
    """
    sizes = range(first, min(last, len(tokens)) + 1)
    return [" ".join(tokens[i : i + n]) for n in sizes for i in range(len(tokens) - n + 1)]
