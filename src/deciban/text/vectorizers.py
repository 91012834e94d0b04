"""The tokenizer as scikit-learn transformers: documents in, a sparse matrix out, for those who only want the speed.

Both take scikit-learn's parameters where the core can do what they ask, and give the same matrix and vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize

from deciban.errors import InputError, ParameterError, UnfittedError
from deciban.read.documents import read_documents
from deciban.text import kernels
from deciban.text.analyzer import Analyzer
from deciban.text.counting import term_matrix
from deciban.text.vocabulary import Vocabulary
from deciban.types import AnyArray

__all__ = ["CountVectorizer", "HashingVectorizer"]

_PATTERNS = {"word": "words", "char": "chars", "char_wb": "chars_wb"}
_TOKEN_PATTERN = r"(?u)\b\w\w+\b"  # noqa: S105  no password


class _Vectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What both share: how documents are cut."""

    strip_accents: str | None
    lowercase: bool
    tokenizer: Any
    token_pattern: str | None
    ngram_range: tuple[int, int]
    analyzer: Any
    dtype: Any

    def _analyzer(self) -> Analyzer:
        if callable(self.analyzer):
            return Analyzer.of(self.analyzer, (1, 1), lower=False)
        if self.analyzer not in _PATTERNS:
            raise ParameterError(f'analyzer is "word", "char", "char_wb" or a callable, not {self.analyzer!r}.')
        if self.tokenizer is not None and self.analyzer == "word":
            return Analyzer.of(self.tokenizer, self.ngram_range, self.lowercase, self.strip_accents)
        if self.token_pattern not in (None, _TOKEN_PATTERN):
            raise ParameterError(
                f"token_pattern={self.token_pattern!r} is not scikit-learn's own. Pass tokenizer=re.compile(…).findall."
            )
        return Analyzer.of(_PATTERNS[self.analyzer], self.ngram_range, self.lowercase, self.strip_accents)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        return tags


class CountVectorizer(_Vectorizer):
    """Documents × tokens counts, as ``sklearn.feature_extraction.text.CountVectorizer`` gives them.

    Parameters
    ----------
    strip_accents, lowercase, tokenizer, token_pattern, ngram_range, analyzer, max_df, min_df, max_features, vocabulary,
    binary, dtype : scikit-learn's. `token_pattern` is its default; other patterns go in as `tokenizer`.

    Examples
    --------
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.fit_transform(["to be or not", "to be"]).toarray().tolist()
    [[1, 1, 1, 1], [1, 0, 0, 1]]
    >>> vectorizer.get_feature_names_out().tolist()
    ['be', 'not', 'or', 'to']
    """

    def __init__(
        self,
        *,
        strip_accents: str | None = None,
        lowercase: bool = True,
        tokenizer: Any = None,
        token_pattern: str | None = _TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: Any = np.int64,
    ) -> None:
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.tokenizer = tokenizer
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the vocabulary."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> sp.csr_matrix:  # noqa: ARG002
        """Learn the vocabulary, and count each document's tokens."""
        if self.vocabulary is not None:
            self._adopt(Vocabulary.of(_given_tokens(self.vocabulary)))
            return self.transform(X)
        matrix, vocabulary = term_matrix(read_documents(X), self._analyzer())
        if vocabulary is None or len(vocabulary) == 0:
            raise InputError("empty vocabulary; perhaps the documents hold no token of two letters or more.")
        kept = self._kept(matrix)
        if not kept.all():
            matrix, vocabulary = matrix[:, np.flatnonzero(kept)], vocabulary.subset(kept)
        self._adopt(vocabulary)
        return self._finished(matrix)

    def transform(self, X: Any) -> sp.csr_matrix:
        """Count each document's tokens, those that the vocabulary has."""
        if "_tokens" not in self.__dict__:
            if self.vocabulary is None:
                raise UnfittedError("Vocabulary not fitted or provided: this CountVectorizer needs fit first.")
            self._adopt(Vocabulary.of(_given_tokens(self.vocabulary)))
        analyzer = self._analyzer()
        matrix, _ = term_matrix(read_documents(X), analyzer, self._tokens.index(analyzer.rules))
        return self._finished(matrix)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """The tokens, in the order of the columns."""
        if "_tokens" not in self.__dict__:
            raise UnfittedError("Vocabulary not fitted or provided: this CountVectorizer needs fit first.")
        return np.array(self._tokens.tokens, dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """Each token's column."""
        if "_tokens" not in self.__dict__:
            raise AttributeError("this CountVectorizer has no vocabulary before fit.")
        return {token: column for column, token in enumerate(self._tokens.tokens)}

    def _adopt(self, vocabulary: Vocabulary) -> None:
        self._tokens = vocabulary
        self.fixed_vocabulary_ = self.vocabulary is not None

    def _finished(self, matrix: sp.csr_matrix) -> sp.csr_matrix:
        if self.binary:
            matrix.data[:] = 1
        return matrix if matrix.dtype == self.dtype else matrix.astype(self.dtype)

    def _kept(self, matrix: sp.csr_matrix) -> AnyArray:
        """Which columns stay, as scikit-learn chooses them."""
        rows, columns = matrix.shape
        highest = self.max_df if isinstance(self.max_df, Integral) else self.max_df * rows
        lowest = self.min_df if isinstance(self.min_df, Integral) else self.min_df * rows
        if highest < lowest:
            raise ParameterError(f"max_df={self.max_df} corresponds to fewer documents than min_df={self.min_df}.")
        documents = np.bincount(matrix.indices, minlength=columns)
        kept = (documents <= highest) & (documents >= lowest)
        if self.max_features is not None and kept.sum() > self.max_features:
            counts = documents if self.binary else np.bincount(matrix.indices, matrix.data, columns)
            places = np.flatnonzero(kept)
            chosen = places[np.argsort(-counts[places].astype(np.int64))[: self.max_features]]
            kept = np.zeros(columns, dtype=bool)
            kept[chosen] = True
        if not kept.any():
            raise InputError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        return kept


class HashingVectorizer(_Vectorizer):
    """Documents × hashed tokens, as ``sklearn.feature_extraction.text.HashingVectorizer`` gives them.

    Parameters
    ----------
    strip_accents, lowercase, tokenizer, token_pattern, ngram_range, analyzer, n_features, binary, norm, alternate_sign,
    dtype : scikit-learn's. `token_pattern` is its default; other patterns go in as `tokenizer`.

    Examples
    --------
    >>> HashingVectorizer(n_features=8, norm=None).transform(["to be or not to be"]).shape
    (1, 8)
    """

    def __init__(
        self,
        *,
        strip_accents: str | None = None,
        lowercase: bool = True,
        tokenizer: Any = None,
        token_pattern: str | None = _TOKEN_PATTERN,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        n_features: int = 1 << 20,
        binary: bool = False,
        norm: str | None = "l2",
        alternate_sign: bool = True,
        dtype: Any = np.float64,
    ) -> None:
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.tokenizer = tokenizer
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.n_features = n_features
        self.binary = binary
        self.norm = norm
        self.alternate_sign = alternate_sign
        self.dtype = dtype

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ARG002
        """Do nothing but check the parameters: hashing learns nothing."""
        self._analyzer()
        return self

    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """Do the same as `fit`."""
        return self.fit(X, y)

    def fit_transform(self, X: Any, y: Any = None) -> sp.csr_matrix:  # noqa: ARG002
        return self.transform(X)

    def transform(self, X: Any) -> sp.csr_matrix:
        """Count each document's tokens by their hashes."""
        analyzer, data = self._analyzer(), read_documents(X)
        terms = kernels.hashed_terms(
            analyzer.prepare(data.held), analyzer.rules, self.n_features, alternate_sign=self.alternate_sign
        )
        matrix = sp.csr_matrix(
            (terms.counts.astype(self.dtype), terms.indices, terms.starts), (len(data), self.n_features)
        )
        if self.binary:
            matrix.data[:] = 1
        return matrix if self.norm is None else normalize(matrix, norm=self.norm, copy=False)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def _given_tokens(vocabulary: Mapping[str, int] | Iterable[str]) -> list[str]:
    """The tokens of a given vocabulary by column, checked as scikit-learn checks them."""
    if isinstance(vocabulary, Mapping):
        if sorted(vocabulary.values()) != list(range(len(vocabulary))):
            raise ParameterError("the columns of the vocabulary are not 0, 1, …, each once.")
        tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    else:
        tokens = sorted(vocabulary) if isinstance(vocabulary, set | frozenset) else list(vocabulary)
    if not tokens:
        raise ParameterError("empty vocabulary passed to fit")
    if len(set(tokens)) != len(tokens):
        raise ParameterError("the vocabulary has a token twice.")
    return tokens
