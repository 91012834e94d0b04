"""Documents → terms, by the compiled tokenizer; ``tests/reference/tokens.py`` does the same with ``re``.

>>> tokenize(["The Cat's hat", "café".encode()], TokenRules(strip_accents="unicode"))
[['the', 'cat', 'hat'], ['cafe']]
"""

from __future__ import annotations

from collections.abc import Iterable

from deciban import _core
from deciban.errors import InputTypeError
from deciban.text.kernels import CORE_NAMES, sizes
from deciban.text.rules import TokenRules

__all__ = ["tokenize", "unicode_version"]


def tokenize(documents: Iterable[str | bytes], rules: TokenRules | None = None) -> list[list[str]]:
    """The terms of each document, in scikit-learn's order: by size, then by position.

    Parameters
    ----------
    documents : iterable of str or bytes
        Bytes are UTF-8; each malformed sequence reads as U+FFFD, as with ``bytes.decode("utf-8", "replace")``.
    rules : TokenRules
        What a term is; by default the words of scikit-learn's ``CountVectorizer``.
    """
    rules = TokenRules() if rules is None else rules
    text = (CORE_NAMES[rules.analyzer], rules.lowercase, rules.strip_accents)
    return _core.tokenize(checked(documents), *text, *rules.lengths, *sizes(rules))


def unicode_version() -> str:
    """The version of Unicode of the compiled tokenizer: that of the Python it was built with."""
    return _core.unicode_version()


def checked(documents: Iterable[str | bytes]) -> list[str | bytes]:
    """The documents as a list, each of them str or bytes."""
    if isinstance(documents, str | bytes):
        kind = type(documents).__name__
        raise InputTypeError(f"documents are a list of str or bytes, not one {kind}. Pass [document].")
    listed = list(documents)
    for i, document in enumerate(listed):
        if not isinstance(document, str | bytes):
            raise InputTypeError(f"document {i} is {type(document).__name__}, not str or bytes.")
    return listed
