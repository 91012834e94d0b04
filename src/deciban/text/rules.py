r"""How a document is split into terms: the tokenizer's settings, checked once.

=============  ==========================================================================================
word           ``\w\w+`` between word boundaries, as in scikit-learn's ``CountVectorizer``
word_emoji     the same words, and emoji, each with what is joined to it: skin tones, families, flags
word_punct     ``\w+|[^\w\s]``: words, and every other character that is not space (Mitchell, table 6.2)
char           n-grams of characters; a run of white space counts as one space
char_wb        n-grams of characters within each word, which is padded with a space on both sides
unicode_word   the segments between Unicode word boundaries (UAX 29) that contain a letter or digit
=============  ==========================================================================================

A word character (``\w``) is a character for which ``str.isalnum()`` is true, or the underscore; white space is
``str.isspace()``. The names are scikit-learn's where it has them. Documents are not normalized: "é" as one character
(NFC) and "e" with a combining accent (NFD) are different, unless `strip_accents` removes accents.

>>> TokenRules().lengths
(2, None)
>>> TokenRules(ngram_range=(3, 2))
Traceback (most recent call last):
deciban.errors.ParameterError: ngram_range is (first, last) with 1 <= first <= last, not (3, 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any, Literal, get_args

from deciban.choices import check_choice
from deciban.errors import ParameterError

__all__ = ["AnalyzerName", "StripAccents", "TokenRules"]

AnalyzerName = Literal["word", "word_emoji", "word_punct", "char", "char_wb", "unicode_word"]
StripAccents = Literal["unicode", "ascii"]

_OF_CHARACTERS = ("char", "char_wb")


@dataclass(frozen=True)
class TokenRules:
    """How a document is split into terms.

    Parameters
    ----------
    analyzer : {"word", "word_emoji", "word_punct", "char", "char_wb", "unicode_word"}
        What a token is; see the table above.
    lowercase : bool
        Convert to lower case first, as ``str.lower()`` does.
    strip_accents : {None, "unicode", "ascii"}
        Then remove accents: decompose (NFKD) and drop the combining marks, or everything that is not ASCII.
    shortest, longest : int or None
        The minimum and maximum length, in code points, of the words to keep. None: at least 2 for "word" and
        "word_emoji" and 1 for the others, without a maximum. Not for the analyzers of characters.
    ngram_range : (int, int)
        The sizes of n-grams, first and last: of tokens, joined by a space, or of characters.
    """

    analyzer: AnalyzerName = "word"
    lowercase: bool = True
    strip_accents: StripAccents | None = None
    shortest: int | None = None
    longest: int | None = None
    ngram_range: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        hint = "; a callable is passed as tokenizer" if callable(self.analyzer) else ""
        check_choice("analyzer", self.analyzer, get_args(AnalyzerName), other=hint)
        if self.strip_accents is not None:
            check_choice("strip_accents", self.strip_accents, get_args(StripAccents), other=" or None")
        if not isinstance(self.lowercase, bool):
            raise ParameterError(f"lowercase is True or False, not {self.lowercase!r}.")
        object.__setattr__(self, "ngram_range", _sizes(self.ngram_range))
        for name in ("shortest", "longest"):
            object.__setattr__(self, name, _length(name, getattr(self, name)))
        self._check_lengths()

    @property
    def is_of_characters(self) -> bool:
        """True where n-grams are made of characters rather than of tokens."""
        return self.analyzer in _OF_CHARACTERS

    @property
    def has_sequences(self) -> bool:
        """True where terms may consist of several tokens."""
        return not self.is_of_characters and self.ngram_range[1] > 1

    @property
    def lengths(self) -> tuple[int, int | None]:
        """The minimum and maximum length of a token, in code points; None is no maximum."""
        least = 2 if self.analyzer in ("word", "word_emoji") else 1
        return (least if self.shortest is None else self.shortest), self.longest

    def _check_lengths(self) -> None:
        if self.is_of_characters and (self.shortest, self.longest) != (None, None):
            raise ParameterError(
                f'analyzer="{self.analyzer}" takes the lengths from ngram_range: leave out shortest, longest.'
            )
        shortest, longest = self.lengths
        if longest is not None and longest < shortest:
            raise ParameterError(f"longest is {longest}, less than shortest, {shortest}: no token would be kept.")


def _sizes(found: Any) -> tuple[int, int]:
    try:
        first, last = map(index, found)
    except (TypeError, ValueError):
        first, last = 0, 0
    if not 1 <= first <= last < 1 << 31:
        raise ParameterError(f"ngram_range is (first, last) with 1 <= first <= last, not {found!r}.")
    return first, last


def _length(name: str, found: Any) -> int | None:
    if found is None:
        return None
    try:
        length = index(found)
    except TypeError:
        length = 0
    if not 1 <= length < 1 << 31:
        raise ParameterError(f"{name} is a number of code points, at least 1, or None, not {found!r}.")
    return length
