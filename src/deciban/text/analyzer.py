"""How documents are split into tokens: by the compiled tokenizer, or by a callable, which is slower.

As scikit-learn's `tokenizer`, a callable takes a document after lower-casing and the removal of accents and returns
its tokens; n-grams are then made of these.

>>> Analyzer.of(tokenizer=str.split, ngram_range=(1, 2)).prepare(["To be or"])
[['to', 'be', 'or', 'to be', 'be or']]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

from deciban.errors import InputTypeError, MissingValueError, ParameterError
from deciban.read.scalar import is_missing
from deciban.text.characters import decode, ngrams, normalize_text
from deciban.text.rules import AnalyzerName, StripAccents, TokenRules

__all__ = ["ANALYZER_PARAMETERS", "Analyzer", "Tokenizer", "check_present", "check_text"]

Tokenizer = Callable[[str], Iterable[str]]

ANALYZER_PARAMETERS = (
    "analyzer",
    "tokenizer",
    "ngram_range",
    "lowercase",
    "strip_accents",
    "shortest",
    "longest",
)
"""The parameters of estimators that say how documents are split into tokens."""


@dataclass(frozen=True)
class Analyzer:
    """The tokenizer's settings; with a callable, they describe the steps before and after it."""

    settings: TokenRules
    tokenizer: Tokenizer | None = None

    @classmethod
    def of(
        cls,
        *,
        analyzer: AnalyzerName = "word",
        tokenizer: Tokenizer | None = None,
        ngram_range: tuple[int, int] = (1, 1),
        lowercase: bool = True,
        strip_accents: StripAccents | None = None,
        shortest: int | None = None,
        longest: int | None = None,
    ) -> Self:
        """The analyzer with these settings; a callable `tokenizer` replaces the tokens of `analyzer`."""
        rules = TokenRules(analyzer, lowercase, strip_accents, shortest, longest, ngram_range)
        if tokenizer is None:
            return cls(rules)
        if not callable(tokenizer):
            raise ParameterError(f"tokenizer is a callable that takes a document, or None, not {tokenizer!r}.")
        if rules.is_of_characters:
            raise ParameterError(f'analyzer="{analyzer}" makes n-grams of characters: leave out tokenizer.')
        if (shortest, longest) != (None, None):
            raise ParameterError("a callable tokenizer decides the lengths of tokens: leave out shortest, longest.")
        return cls(TokenRules("word", lowercase, strip_accents, ngram_range=ngram_range), tokenizer)

    @property
    def rules(self) -> TokenRules | None:
        """The settings of the compiled tokenizer; None where a callable splits documents."""
        return self.settings if self.tokenizer is None else None

    def prepare(self, documents: Any) -> Any:
        """The input of the compiled functions: the documents, or lists of the tokens that the callable returned."""
        if self.tokenizer is None:
            return documents
        listed = documents.to_pylist() if hasattr(documents, "to_pylist") else documents
        return [self._tokens(row, document, self.tokenizer) for row, document in enumerate(listed)]

    def _tokens(self, row: int, document: Any, tokenizer: Tokenizer) -> list[str]:
        check_text(row, document)
        text = normalize_text(decode(document), self.settings.lowercase, self.settings.strip_accents)
        tokens = list(tokenizer(text))
        for token in tokens:
            if not isinstance(token, str):
                kind = type(token).__name__
                raise InputTypeError(f"document {row}: the tokenizer gave a token of type {kind!r}; tokens are str.")
        return ngrams(tokens, *self.settings.ngram_range)


def check_present(row: int, document: Any) -> None:
    """Refuse None, NaN, NaT and pandas.NA."""
    try:
        is_null = bool(is_missing(document))
    except (TypeError, ValueError):  # an array has no truth value
        is_null = False
    if is_null:
        raise MissingValueError(
            f"document {row} is {document!r}, a missing value, which is not a document. Leave out its row."
        )


def check_text(row: int, document: Any, advice: str = "") -> None:
    """Refuse what is neither str nor bytes."""
    if isinstance(document, str | bytes):
        return
    check_present(row, document)
    kind = type(document).__name__
    raise InputTypeError(f"document {row} is of type {kind!r}, not str or bytes. {advice}".rstrip())
