r"""How a document becomes terms: the rules of the tokenizer, checked once.

=============  ==========================================================================================
words          ``\w\w+`` between word boundaries, as scikit-learn's ``CountVectorizer``
words+punct    ``\w+|[^\w\s]``: words, and each other character but space (Mitchell, table 6.2)
chars          n-grams of characters, runs of space being one (``analyzer="char"``)
chars_wb       n-grams of characters within each word and a space at either side (``analyzer="char_wb"``)
segments       what lies between the word boundaries of Unicode (UAX 29) and holds a letter or digit
=============  ==========================================================================================

A word character (``\w``) is one of which ``str.isalnum()`` holds, or the underscore; space is ``str.isspace()``.

>>> TokenRules().lengths
(2, None)
>>> TokenRules(pattern="chars", chars=(3, 2))
Traceback (most recent call last):
deciban.errors.ParameterError: chars is (first, last) with 1 <= first <= last, not (3, 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any, Literal, get_args

from deciban.errors import ParameterError

__all__ = ["Accents", "Pattern", "TokenRules"]

Pattern = Literal["words", "words+punct", "chars", "chars_wb", "segments"]
Accents = Literal["unicode", "ascii"]

_OF_CHARACTERS = ("chars", "chars_wb")


@dataclass(frozen=True)
class TokenRules:
    """How a document becomes terms.

    Parameters
    ----------
    pattern : {"words", "words+punct", "chars", "chars_wb", "segments"}
        What a token is; see above.
    lower : bool
        Lower-case first, as ``str.lower()``.
    accents : {None, "unicode", "ascii"}
        Then take accents off: decompose (NFKD) and drop combining marks, or all that is not ASCII.
    shortest, longest : int or None
        The lengths, in code points, of the tokens that are kept. None: from 2 for words and from 1 otherwise, to any
        length. Not for patterns of characters.
    chars : (int, int)
        The sizes of n-grams of characters, first and last; for patterns of characters only.
    ngrams : (int, int)
        The sizes of n-grams of tokens, first and last, which are joined by a space; not for patterns of characters.
    """

    pattern: Pattern = "words"
    lower: bool = True
    accents: Accents | None = None
    shortest: int | None = None
    longest: int | None = None
    chars: tuple[int, int] = (1, 1)
    ngrams: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        _check_choice("pattern", self.pattern, get_args(Pattern))
        _check_choice("accents", self.accents, (None, *get_args(Accents)))
        if not isinstance(self.lower, bool):
            raise ParameterError(f"lower is True or False, not {self.lower!r}.")
        for name in ("chars", "ngrams"):
            object.__setattr__(self, name, _sizes(name, getattr(self, name)))
        for name in ("shortest", "longest"):
            object.__setattr__(self, name, _length(name, getattr(self, name)))
        self._check_lengths()
        self._check_fit()

    @property
    def lengths(self) -> tuple[int, int | None]:
        """The shortest and the longest token that is kept, in code points; None is any length."""
        least = 2 if self.pattern == "words" else 1
        return (least if self.shortest is None else self.shortest), self.longest

    def _check_lengths(self) -> None:
        shortest, longest = self.lengths
        if longest is not None and longest < shortest:
            raise ParameterError(f"longest is {longest}, less than shortest, {shortest}: no token would be kept.")

    def _check_fit(self) -> None:
        """Settings that the pattern would ignore are mistakes."""
        if self.pattern in _OF_CHARACTERS:
            if self.ngrams != (1, 1):
                raise ParameterError(f'pattern="{self.pattern}" takes its sizes from chars: pass chars={self.ngrams}.')
            if (self.shortest, self.longest) != (None, None):
                raise ParameterError(f'pattern="{self.pattern}" has the lengths of chars: leave out shortest, longest.')
        elif self.chars != (1, 1):
            raise ParameterError(
                f'chars={self.chars} needs pattern="chars" or "chars_wb"; for n-grams of words pass ngrams.'
            )


def _check_choice(name: str, found: object, choices: tuple[object, ...]) -> None:
    if not any(found is choice or (isinstance(found, str) and found == choice) for choice in choices):
        raise ParameterError(f"{name} is one of {', '.join(map(repr, choices))}, not {found!r}.")


def _sizes(name: str, found: Any) -> tuple[int, int]:
    try:
        first, last = map(index, found)
    except (TypeError, ValueError):
        first, last = 0, 0
    if not 1 <= first <= last < 1 << 31:
        raise ParameterError(f"{name} is (first, last) with 1 <= first <= last, not {found!r}.")
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
