"""The vectorizers' documents in the form of the compiled core: as text, or as tokens that Python has made.

The core reads UTF-8 text and finds words (those of scikit-learn's default `token_pattern`) and n-grams of characters.
Files, other patterns and the user's own functions are left to scikit-learn's analyzer, whose tokens the core then
counts. Both ways give the same vocabulary and the same matrix.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.utils._param_validation import InvalidParameterError

from deciban.errors import DecibanError, InputError, InputTypeError, ParameterError, UnfittedError
from deciban.read.documents import read_documents
from deciban.read.frames import is_frame
from deciban.text.analyzer import check_present, check_text
from deciban.text.rules import TokenRules

__all__ = ["DocumentVectorizer", "PreparedDocuments", "as_deciban_errors", "tag_texts"]

_SHORTEST = {r"(?u)\b\w\w+\b": 2, r"(?u)\b\w+\b": 1, r"\b\w\w+\b": 2, r"\b\w+\b": 1}
"""The token patterns of the core, and the length of their shortest tokens."""
_UTF8 = frozenset({"utf-8", "utf8", "UTF-8", "UTF8"})
_OTHERS = "Pass analyzer= or preprocessor= for other documents."
_HOOKS = ("build_analyzer", "build_preprocessor", "build_tokenizer", "decode")


@dataclass(frozen=True, eq=False)
class PreparedDocuments:
    """Documents for the core: text and the rules to tokenize it, or, without rules, lists of tokens."""

    documents: Any
    rules: TokenRules | None

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def has_other_tokens(self) -> bool:
        """True where an analyzer returned tokens that are not str."""
        if self.rules is not None:
            return False
        kinds = {kind for tokens in self.documents for kind in set(map(type, tokens))}
        return not all(issubclass(kind, str) for kind in kinds)


class DocumentVectorizer:
    """The part that both vectorizers share; scikit-learn's parameters and methods come from the other base class."""

    input: str
    encoding: str
    decode_error: str
    strip_accents: Any
    lowercase: bool
    preprocessor: Any
    tokenizer: Any
    stop_words: Any
    token_pattern: str | None
    ngram_range: tuple[int, int]
    analyzer: Any
    dtype: Any
    build_analyzer: Callable[[], Callable[[Any], Iterable[Any]]]
    build_preprocessor: Callable[[], Any]
    build_tokenizer: Callable[[], Any]
    get_stop_words: Callable[[], Any]
    decode: Callable[[Any], str]
    _validate_params: Callable[[], None]
    _validate_ngram_range: Callable[[], None]
    _warn_for_unused_params: Callable[[], None]
    _check_stop_words_consistency: Callable[[Any, Any, Any], Any]

    def _check_settings(self) -> None:
        with as_deciban_errors():
            self._validate_params()
            self._validate_ngram_range()
            self._warn_for_unused_params()
        if self.analyzer == "word" and self.tokenizer is None and self.token_pattern is None:
            raise ParameterError("token_pattern=None needs a tokenizer.")

    def _prepare(self, raw_documents: Any) -> PreparedDocuments:
        """Read the documents, and tokenize them where the core cannot."""
        if isinstance(raw_documents, str):
            raise InputError("Iterable over raw text documents expected, string object received. Pass [document].")
        with as_deciban_errors():
            stop_words = self.get_stop_words() if self.analyzer == "word" else None
            rules = self._core_rules(has_stop_words=stop_words is not None)
            if rules is None:
                analyze = self.build_analyzer()
            elif stop_words is not None:
                self._check_stop_words_consistency(stop_words, self.build_preprocessor(), self.build_tokenizer())
        if rules is not None:
            return PreparedDocuments(self._readable(read_documents(raw_documents).texts), rules)
        documents = enumerate(_listed(raw_documents))
        return PreparedDocuments([self._tokens_of(analyze, row, document) for row, document in documents], None)

    def _core_rules(self, *, has_stop_words: bool) -> TokenRules | None:
        """The core's rules for these settings; None where it does not support them."""
        has_own_step = callable(self.analyzer) or callable(self.strip_accents) or self.preprocessor is not None
        if has_own_step or self.input != "content" or not self._has_usual_steps():
            return None
        common: dict[str, Any] = {
            "lowercase": bool(self.lowercase),
            "strip_accents": self.strip_accents,
            "ngram_range": self.ngram_range,
        }
        if self.analyzer != "word":
            return TokenRules(self.analyzer, **common)
        if self.tokenizer is not None or self.token_pattern not in _SHORTEST:
            return None
        if has_stop_words and not self._core_drops_stop_words():
            return None
        return TokenRules(shortest=_SHORTEST[self.token_pattern], **common)

    def _core_drops_stop_words(self) -> bool:
        """True where stop words can be removed after the core has counted."""
        return False

    def _has_usual_steps(self) -> bool:
        """False where a subclass overrides a step."""
        return all(getattr(type(self), name) is getattr(HashingVectorizer, name) for name in _HOOKS)

    def _readable(self, held: Any) -> Any:
        """The documents; bytes are decoded here unless the core decodes them in the same way."""
        if isinstance(held, list | tuple):
            kinds = set(map(type, held))
            if not all(issubclass(kind, str | bytes) for kind in kinds):
                row = next(row for row, document in enumerate(held) if not isinstance(document, str | bytes))
                check_text(row, held[row], _OTHERS)
            has_bytes = any(issubclass(kind, bytes) for kind in kinds)
        else:
            has_bytes = "binary" in str(getattr(held, "type", ""))
        if not has_bytes or (self.decode_error == "replace" and self.encoding in _UTF8):
            return held
        listed = held if isinstance(held, list | tuple) else held.to_pylist()
        return [self._text(row, document) for row, document in enumerate(listed)]

    def _text(self, row: int, document: Any) -> Any:
        """Bytes as text, by the `encoding` parameter."""
        if not isinstance(document, bytes):
            return document
        try:
            return document.decode(self.encoding, self.decode_error)
        except (UnicodeDecodeError, LookupError) as error:
            advice = 'Pass encoding=… or decode_error="replace"'
            raise InputError(f"document {row} cannot be decoded: {error}. {advice}.") from None

    def _tokens_of(self, analyze: Callable[[Any], Iterable[Any]], row: int, document: Any) -> list[Any]:
        """The tokens of one document, by scikit-learn's analyzer."""
        check_present(row, document)
        if self.input == "content":
            document = self._text(row, document)
            takes_any = callable(self.analyzer) or self.preprocessor is not None or not self._has_usual_steps()
            if not takes_any:
                check_text(row, document, _OTHERS)
        return list(analyze(document))


@contextmanager
def as_deciban_errors() -> Iterator[None]:
    """Turn the errors of scikit-learn's checks into deciban's."""
    try:
        yield
    except DecibanError:
        raise
    except InvalidParameterError as error:
        raise ParameterError(str(error)) from None
    except NotFittedError as error:
        raise UnfittedError(f"{error}: call fit first, or pass vocabulary=.") from None
    except (ValueError, re.error) as error:
        raise ParameterError(str(error)) from None


def _listed(raw_documents: Any) -> list[Any]:
    """A list of documents of any type, from a list, array, Series, Arrow column or any iterable."""
    if is_frame(raw_documents) or isinstance(raw_documents, Mapping | bytes) or sp.issparse(raw_documents):
        kind = type(raw_documents).__name__
        raise InputTypeError(f"X is a {kind}, not a column of documents. Pass one of its columns.")
    if isinstance(raw_documents, np.ndarray) and raw_documents.ndim == 2 and raw_documents.shape[1] == 1:
        raw_documents = raw_documents[:, 0]
    for to_list in ("to_pylist", "tolist", "to_list"):  # Arrow; numpy and pandas; polars
        if hasattr(raw_documents, to_list):
            return list(getattr(raw_documents, to_list)())
    if not isinstance(raw_documents, Iterable):
        raise InputTypeError(f"X is a {type(raw_documents).__name__}, not a collection of documents.")
    return list(raw_documents)


def tag_texts(tags: Any) -> Any:
    """scikit-learn's tags of an estimator whose X is one column of text."""
    tags.input_tags.two_d_array = False
    tags.input_tags.one_d_array = True
    tags.input_tags.string = True
    return tags
