"""What cuts documents into tokens: the core's tokenizer by its rules, or any callable, which is slower.

A callable takes a document and gives its tokens. As in scikit-learn, it sees the text after case and accents were
settled, and sequences of tokens are made from what it gives.

>>> Analyzer.of(str.split, ngrams=(1, 2)).prepare(["To be or"])
[['to', 'be', 'or', 'to be', 'be or']]
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

from deciban.errors import InputTypeError, MissingValueError, ParameterError
from deciban.estimate.distributions.values import is_missing
from deciban.text.rules import TokenRules

__all__ = ["Analyzer", "check_present", "check_text"]

_OF_CHARACTERS = ("chars", "chars_wb")


@dataclass(frozen=True)
class Analyzer:
    """Rules for the core, or a callable and the same rules for what comes before and after it."""

    settings: TokenRules
    cut: Callable[[str], Iterable[str]] | None = None

    @classmethod
    def of(
        cls,
        pattern: Any = "words",
        ngrams: tuple[int, int] = (1, 1),
        lower: bool = True,
        accents: Any = None,
        shortest: int | None = None,
        longest: int | None = None,
    ) -> Self:
        """The analyzer for a pattern's name or a callable; `ngrams` are of characters where the pattern is."""
        if callable(pattern):
            if (shortest, longest) != (None, None):
                raise ParameterError("a callable pattern settles the lengths of tokens: leave out shortest, longest.")
            return cls(TokenRules(lower=lower, accents=accents, ngrams=ngrams), pattern)
        sizes = "chars" if pattern in _OF_CHARACTERS else "ngrams"
        rules = {"lower": lower, "accents": accents, "shortest": shortest, "longest": longest, sizes: ngrams}
        return cls(TokenRules(pattern=pattern, **rules))

    @property
    def rules(self) -> TokenRules | None:
        """What the core is told; None where it is given tokens."""
        return self.settings if self.cut is None else None

    def prepare(self, documents: Any) -> Any:
        """What the core is given: the documents, or their tokens."""
        if self.cut is None:
            return documents
        listed = documents.to_pylist() if hasattr(documents, "to_pylist") else documents
        return [self._tokens(row, document) for row, document in enumerate(listed)]

    def _tokens(self, row: int, document: Any) -> list[str]:
        check_text(row, document)
        text = document.decode("utf-8", "replace") if isinstance(document, bytes) else document
        text = _without_accents(text.lower() if self.settings.lower else text, self.settings.accents)
        tokens = list(self.cut(text)) if self.cut is not None else []
        for token in tokens:
            if not isinstance(token, str):
                kind = type(token).__name__
                raise InputTypeError(f"document {row}: the pattern gave a token of type {kind!r}; tokens are str.")
        first, last = self.settings.ngrams
        return [" ".join(tokens[i : i + n]) for n in range(first, last + 1) for i in range(len(tokens) - n + 1)]


def check_present(row: int, document: Any) -> None:
    """Refuse None, NaN, NaT and pandas.NA."""
    try:
        is_null = bool(is_missing(document))
    except (TypeError, ValueError):  # an array has no truth value
        is_null = False
    if is_null:
        raise MissingValueError(f"document {row} is {document!r}: a missing value is no document. Leave its row out.")


def check_text(row: int, document: Any, advice: str = "") -> None:
    """Refuse what is neither str nor bytes."""
    if isinstance(document, str | bytes):
        return
    check_present(row, document)
    kind = type(document).__name__
    raise InputTypeError(f"document {row} is of type {kind!r}, not str or bytes. {advice}".rstrip())


def _without_accents(text: str, how: str | None) -> str:
    if how is None or text.isascii():
        return text
    text = unicodedata.normalize("NFKD", text)
    if how == "ascii":
        return text.encode("ascii", "ignore").decode("ascii")
    return "".join(c for c in text if not unicodedata.combining(c))
