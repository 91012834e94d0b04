"""Documents as text: decoding, and accents taken off."""

from __future__ import annotations

from unicodedata import combining, normalize

__all__ = ["decode", "strip_accents"]


def decode(document: str | bytes) -> str:
    """Bytes are UTF-8; what is malformed becomes U+FFFD."""
    return document if isinstance(document, str) else document.decode("utf-8", "replace")


def strip_accents(text: str, accents: str) -> str:
    """Decompose (NFKD), then drop combining marks ("unicode") or all that is not ASCII ("ascii")."""
    decomposed = normalize("NFKD", text)
    return "".join(c for c in decomposed if (c.isascii() if accents == "ascii" else not combining(c)))
