r"""How documents are split into terms: by the compiled tokenizer, or by a callable, which is slower.

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

As scikit-learn's `tokenizer`, a callable takes a document after lower-casing and the removal of accents and returns
its tokens; n-grams are then made of these.

>>> Analyzer.of(tokenizer=str.split, ngram_range=(1, 2)).prepare(["To be or"])
[['to', 'be', 'or', 'to be', 'be or']]

Chinese, Japanese, Thai, Lao, Khmer and Burmese texts have no spaces between words, so a run of word characters is a
phrase or a sentence there, which hardly ever occurs again. ``analyzer="auto"`` looks at some of the documents: where
most of those with letters are in such a script, tokens are n-grams of 1 to 3 characters.

>>> is_spaceless(["今天天气很好", "我们去公园散步", "see you"])
True
>>> is_spaceless(["the character 字", "Привет, мир", "오늘 날씨"])
False
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Literal, Self, get_args
from unicodedata import combining, normalize

import numpy as np

from deciban.choices import check_choice
from deciban.errors import InputTypeError, MissingValueError, ParameterError
from deciban.read import is_missing
from deciban.storable import storable

__all__ = [
    "ANALYZER_PARAMETERS",
    "Analyzer",
    "AnalyzerChoice",
    "AnalyzerName",
    "StripAccents",
    "TokenRules",
    "Tokenizer",
    "analyzer_for",
    "check_present",
    "check_text",
    "count_words",
    "decode",
    "is_spaceless",
    "ngrams",
    "normalize_text",
    "strip_accents",
    "was_spaceless",
]


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

    def prepare(self, documents: Collection[object]) -> Collection[object]:
        """The input of the compiled functions: the documents, or lists of the tokens that the callable returned."""
        if self.tokenizer is None:
            return documents
        listed = documents.to_pylist() if hasattr(documents, "to_pylist") else documents
        return [self.tokens(document, row) for row, document in enumerate(listed)]

    def tokens(self, document: object, row: int = 0) -> list[str]:
        """The terms of a document by the callable; an error names the document by its row."""
        if self.tokenizer is None:
            raise ParameterError("the compiled core splits documents where there is no callable tokenizer.")
        text = normalize_text(decode(check_text(row, document)), self.settings.lowercase, self.settings.strip_accents)
        tokens = list(self.tokenizer(text))
        for token in tokens:
            if not isinstance(token, str):
                kind = type(token).__name__
                raise InputTypeError(f"document {row}: the tokenizer gave a token of type {kind!r}; tokens are str.")
        return ngrams(tokens, *self.settings.ngram_range)


def check_present(row: int, document: object) -> None:
    """Refuse None, NaN, NaT and pandas.NA."""
    try:
        is_null = bool(is_missing(document))
    except (TypeError, ValueError):  # an array has no truth value
        is_null = False
    if is_null:
        raise MissingValueError(
            f"document {row} is {document!r}, a missing value, which is not a document. Leave out its row."
        )


def check_text(row: int, document: object, advice: str = "") -> str | bytes:
    """The document; an error where it is neither str nor bytes."""
    if isinstance(document, str | bytes):
        return document
    check_present(row, document)
    kind = type(document).__name__
    raise InputTypeError(f"document {row} is of type {kind!r}, not str or bytes. {advice}".rstrip())


AnalyzerName = Literal["word", "word_emoji", "word_punct", "char", "char_wb", "unicode_word"]
StripAccents = Literal["unicode", "ascii"]

_OF_CHARACTERS = ("char", "char_wb")


@storable
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
        # Lists and NumPy integers become plain values, so that equal rules are equal, in files as well.
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
    def sizes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The sizes of n-grams of characters and of n-grams of tokens; (1, 1) where there are none."""
        return (self.ngram_range, (1, 1)) if self.is_of_characters else ((1, 1), self.ngram_range)

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


def _sizes(ngram_range: Any) -> tuple[int, int]:
    try:
        first, last = map(index, ngram_range)
    except (TypeError, ValueError):
        first, last = 0, 0
    if not 1 <= first <= last < 1 << 31:
        raise ParameterError(f"ngram_range is (first, last) with 1 <= first <= last, not {ngram_range!r}.")
    return first, last


def _length(name: str, value: Any) -> int | None:
    if value is None:
        return None
    try:
        length = index(value)
    except TypeError:
        length = 0
    if not 1 <= length < 1 << 31:
        raise ParameterError(f"{name} is a number of code points, at least 1, or None, not {value!r}.")
    return length


def decode(document: str | bytes) -> str:
    """Bytes are UTF-8; malformed sequences become U+FFFD."""
    return document if isinstance(document, str) else document.decode("utf-8", "replace")


def normalize_text(text: str, lowercase: bool, accents: str | None) -> str:
    """The text in lower case and without accents, where these are set."""
    if lowercase:  # before accents are removed, as in scikit-learn
        text = text.lower()
    return text if accents is None or text.isascii() else strip_accents(text, accents)  # ASCII has no accents


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


AnalyzerChoice = Literal["auto", "word", "word_emoji", "word_punct", "char", "char_wb", "unicode_word"]

_DOCUMENTS = 200  # looked at, spread over all: whether most are of a script needs no more
_CHARACTERS = 200
_LONGEST = 3
_SPACELESS = re.compile(
    "[\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # Han
)


def is_spaceless(documents: Sequence[object]) -> bool:
    """True where most documents that have letters are in scripts without spaces; some documents are looked at."""
    # Spread over all documents: a source may begin with those of one language.
    rows = np.unique(np.linspace(0, len(documents) - 1, _DOCUMENTS).astype(np.int64)) if len(documents) else ()
    kinds = [kind for row in rows if (kind := _is_spaceless(documents[int(row)])) is not None]
    return 2 * sum(kinds) > len(kinds)


def _is_spaceless(document: object) -> bool | None:
    """Whether most letters are of such a script; None without letters, or where the document is not text."""
    text = document.as_py() if hasattr(document, "as_py") else document
    if not isinstance(text, str | bytes):
        return None
    text = decode(text[:_CHARACTERS]) if isinstance(text, bytes) else text[:_CHARACTERS]
    letters = sum(map(str.isalpha, text)) if not text.isascii() else 0  # ASCII has no letter of these scripts
    if not letters:
        return False if any(map(str.isalpha, text)) else None
    return 2 * len(_SPACELESS.findall(text)) > letters


def count_words(text: str) -> int:
    """The number of words: of parts between spaces, or half of the characters of scripts without spaces.

    >>> count_words("to be or not"), count_words("今天天气很好")
    (4, 3)
    """
    words = len(text.split())
    return words if text.isascii() else max(words, len(_SPACELESS.findall(text)) // 2)


def analyzer_for(settings: Mapping[str, Any], usual: AnalyzerName, spaceless: bool) -> Analyzer:
    """The analyzer with these settings, where "auto" is `usual`, or n-grams of characters for scripts without spaces.

    A callable tokenizer, and lengths of tokens, are for words.
    """
    if settings["analyzer"] != "auto":
        return Analyzer.of(**settings)
    of_words = any(settings.get(name) is not None for name in ("tokenizer", "shortest", "longest"))
    if of_words or not spaceless:
        return Analyzer.of(**{**settings, "analyzer": usual})
    first, last = TokenRules(ngram_range=settings["ngram_range"]).ngram_range
    return Analyzer.of(**{**settings, "analyzer": "char", "ngram_range": (first, max(last, _LONGEST))})


def was_spaceless(rules: TokenRules | None) -> bool:
    """Whether "auto" has chosen n-grams of characters, by the rules that documents were counted with."""
    return rules is not None and rules.is_of_characters
