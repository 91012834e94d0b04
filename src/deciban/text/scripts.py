"""Scripts that are written without spaces between words, where tokens are n-grams of characters.

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
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from deciban.text.analyzer import Analyzer
from deciban.text.characters import decode
from deciban.text.rules import AnalyzerName, TokenRules

__all__ = ["AnalyzerChoice", "analyzer_for", "count_words", "is_spaceless", "usual_words", "was_spaceless"]

AnalyzerChoice = Literal["auto", "word", "word_emoji", "word_punct", "char", "char_wb", "unicode_word"]

_DOCUMENTS = 200
_CHARACTERS = 200
_LONGEST = 3
_SPACELESS = re.compile(
    "[\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # Han
)


def is_spaceless(documents: Any) -> bool:
    """True where most documents that have letters are in scripts without spaces; some documents are looked at."""
    rows = np.unique(np.linspace(0, len(documents) - 1, _DOCUMENTS).astype(np.int64)) if len(documents) else ()
    kinds = [kind for row in rows if (kind := _is_spaceless(documents[int(row)])) is not None]
    return 2 * sum(kinds) > len(kinds)


def _is_spaceless(document: Any) -> bool | None:
    """Whether most letters are of such a script; None without letters, or where the document is not text."""
    text = document.as_py() if hasattr(document, "as_py") else document
    if not isinstance(text, str | bytes):
        return None
    text = decode(text[:_CHARACTERS]) if isinstance(text, bytes) else text[:_CHARACTERS]
    letters = sum(map(str.isalpha, text)) if not text.isascii() else 0
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


def usual_words(rules: TokenRules | None) -> AnalyzerName:
    """The words that "auto" means: those by which documents were counted; models of older files have no emoji."""
    return "word" if rules is not None and rules.analyzer == "word" else "word_emoji"


def was_spaceless(rules: TokenRules | None) -> bool:
    """Whether "auto" has chosen n-grams of characters, by the rules that documents were counted with."""
    return rules is not None and rules.is_of_characters
