"""scikit-learn's vectorizers with the compiled core's speed.

They are subclasses of scikit-learn's with other `fit`, `transform` and `fit_transform`: the parameters and the other
methods are inherited, and the matrix and the vocabulary are the same. What the core cannot tokenize
(`deciban.text.vectorizer_input`) is tokenized by scikit-learn's analyzer and counted by the core.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
import sklearn.feature_extraction.text as sk
from sklearn.preprocessing import normalize

from deciban.errors import InputError, InputTypeError, ParameterError
from deciban.text import kernels
from deciban.text.counting import object_matrix
from deciban.text.tokens import tokenize
from deciban.text.vectorizer_input import DocumentVectorizer, PreparedDocuments, as_deciban_errors
from deciban.text.vocabulary import Vocabulary
from deciban.types import AnyArray, Ints

__all__ = ["CountVectorizer", "HashingVectorizer"]


class CountVectorizer(DocumentVectorizer, sk.CountVectorizer):  # type: ignore[misc]
    """Documents × tokens counts, the same as those of ``sklearn.feature_extraction.text.CountVectorizer``.

    The parameters are scikit-learn's. The core tokenizes documents where `analyzer` is a name, `token_pattern` is the
    default or one for words of any length, `preprocessor` and `tokenizer` are None, `input` is "content", and stop
    words are not combined with n-grams; otherwise Python does, which takes longer.

    Examples
    --------
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.fit_transform(["to be or not", "to be"]).toarray().tolist()
    [[1, 1, 1, 1], [1, 0, 0, 1]]
    >>> vectorizer.get_feature_names_out().tolist()
    ['be', 'not', 'or', 'to']
    """

    max_df: float
    min_df: float
    max_features: int | None
    vocabulary: Any
    binary: bool
    _tokens: Vocabulary | None  # None where the vocabulary has tokens that are not str
    _columns: dict[Any, int] | None  # None until it is first used

    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the vocabulary."""
        self.fit_transform(raw_documents, y)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> sp.csr_matrix:  # noqa: ARG002
        """Learn the vocabulary, and count the tokens of each document."""
        self._check_settings()
        with as_deciban_errors():
            self._validate_vocabulary()
        if self.fixed_vocabulary_:
            self._warn_of_upper_case()
            return self._counted(self._prepare(raw_documents))
        prepared = self._prepare(raw_documents)
        if prepared.has_other_tokens:
            matrix, columns = _object_matrix(prepared)
            return self._learned(matrix, sorted(columns, key=columns.__getitem__))
        matrix, vocabulary = _new_matrix(prepared)
        stopped = self._stopped(prepared, vocabulary)
        if stopped is None:
            return self._learned(matrix, vocabulary)
        return self._learned(*_restricted(matrix, vocabulary, ~stopped))

    def transform(self, raw_documents: Any) -> sp.csr_matrix:
        """Count the tokens of each document that are in the vocabulary."""
        self._check_vocabulary()
        return self._counted(self._prepare(raw_documents))

    def inverse_transform(self, X: Any) -> list[AnyArray]:
        """The tokens of each row of a matrix whose entries are not 0."""
        with as_deciban_errors():
            return list(super().inverse_transform(X))

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """The tokens, in the order of the columns."""
        self._check_vocabulary()
        if self._tokens is None:
            return np.asarray(super().get_feature_names_out(input_features))
        return np.array(self._tokens.tokens, dtype=object)

    # The vocabulary ------------------------------------------------------------------------------------------------

    @property
    def vocabulary_(self) -> dict[Any, int]:
        """Each token's column."""
        if "_tokens" not in self.__dict__:
            raise AttributeError("this CountVectorizer has no vocabulary before fit.")
        if self._columns is None:
            self._columns = {token: column for column, token in enumerate(self._tokens or ())}
        return self._columns

    @vocabulary_.setter
    def vocabulary_(self, columns: Mapping[Any, int]) -> None:
        tokens = sorted(columns, key=columns.__getitem__)
        is_plain = all(isinstance(token, str) and columns[token] == i for i, token in enumerate(tokens))
        self._columns, self._tokens = dict(columns), Vocabulary.of(tokens) if is_plain else None

    def _check_vocabulary(self) -> None:
        if "_tokens" not in self.__dict__:
            with as_deciban_errors():
                super()._check_vocabulary()

    def _adopt(self, tokens: Vocabulary | list[Any]) -> None:
        if isinstance(tokens, Vocabulary):
            self._tokens, self._columns = tokens, None
        else:
            self.vocabulary_ = {token: column for column, token in enumerate(tokens)}

    def _warn_of_upper_case(self) -> None:
        has_upper_case = self.lowercase and any(
            any(map(str.isupper, t)) for t in self.vocabulary_ if isinstance(t, str)
        )
        if has_upper_case:
            warnings.warn(
                "Upper case characters found in vocabulary while 'lowercase' is True. These entries will not be "
                "matched with any documents",
                UserWarning,
                stacklevel=3,
            )

    # Counting ------------------------------------------------------------------------------------------------------

    def _counted(self, prepared: PreparedDocuments) -> sp.csr_matrix:
        """The counts of the vocabulary's tokens."""
        if self._tokens is None or prepared.has_other_tokens:
            return self._finished(_object_matrix(prepared, self.vocabulary_)[0])
        index = self._tokens.index(prepared.rules)
        terms = kernels.document_terms(prepared.documents, prepared.rules, index=index)
        matrix = sp.csr_matrix((terms.counts, terms.indices, terms.starts), (len(prepared), terms.size))
        stopped = self._stopped(prepared, self._tokens)
        if stopped is not None:
            matrix.data[stopped[matrix.indices]] = 0
            matrix.eliminate_zeros()
        return self._finished(matrix)

    def _learned(self, matrix: sp.csr_matrix, tokens: Vocabulary | list[Any]) -> sp.csr_matrix:
        """Choose the tokens of the vocabulary, as scikit-learn does."""
        if len(tokens) == 0:
            raise InputError(
                "empty vocabulary; perhaps the documents only contain stop words, or there are no documents."
            )
        kept = self._kept(matrix)
        if not kept.all():
            matrix, tokens = _restricted(matrix, tokens, kept)
        self._adopt(tokens)
        return self._finished(matrix)

    def _stopped(self, prepared: PreparedDocuments, tokens: Vocabulary) -> AnyArray | None:
        """The mask of stop words; None where there are none. Python's tokens are free of them already."""
        stop_words = self.get_stop_words() if self.analyzer == "word" and prepared.rules is not None else None
        if stop_words is None:
            return None
        stopped = np.fromiter((token in stop_words for token in tokens), dtype=bool, count=len(tokens))
        return stopped if stopped.any() else None

    def _core_drops_stop_words(self) -> bool:
        return tuple(self.ngram_range) == (1, 1)  # in n-grams, the words around a stop word become neighbours

    def _kept(self, matrix: sp.csr_matrix) -> AnyArray:
        rows, columns = matrix.shape
        highest = self.max_df if isinstance(self.max_df, Integral) else self.max_df * rows
        lowest = self.min_df if isinstance(self.min_df, Integral) else self.min_df * rows
        if highest < lowest:
            raise ParameterError(
                f"max_df corresponds to < documents than min_df: max_df={self.max_df}, min_df={self.min_df}."
            )
        documents = np.bincount(matrix.indices, minlength=columns)
        kept = (documents <= highest) & (documents >= lowest)
        if self.max_features is not None and kept.sum() > self.max_features:
            counts = documents if self.binary else np.bincount(matrix.indices, matrix.data, columns)
            columns_kept = np.flatnonzero(kept)
            chosen = columns_kept[np.argsort(-counts[columns_kept].astype(np.int64))[: self.max_features]]
            kept = np.zeros(columns, dtype=bool)
            kept[chosen] = True
        if not kept.any():
            raise InputError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        return kept

    def _finished(self, matrix: sp.csr_matrix) -> sp.csr_matrix:
        if self.binary:
            matrix.data[:] = 1
        return matrix if matrix.dtype == self.dtype else matrix.astype(self.dtype)

    def __sklearn_tags__(self) -> Any:
        return _tagged(super().__sklearn_tags__())


class HashingVectorizer(DocumentVectorizer, sk.HashingVectorizer):  # type: ignore[misc]
    """Documents × hashed tokens, the same as those of ``sklearn.feature_extraction.text.HashingVectorizer``.

    The parameters are scikit-learn's; see `CountVectorizer` for the documents that the core tokenizes.

    Examples
    --------
    >>> HashingVectorizer(n_features=8, norm=None).transform(["to be or not to be"]).shape
    (1, 8)
    """

    n_features: int
    binary: bool
    norm: str | None
    alternate_sign: bool

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ARG002
        """Check the parameters; there is nothing to learn for hashing."""
        if isinstance(X, str):
            raise InputError("Iterable over raw text documents expected, string object received. Pass [document].")
        self._check_settings()
        return self

    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """Do the same as `fit`."""
        return self.fit(X, y)

    def fit_transform(self, X: Any, y: Any = None) -> sp.csr_matrix:
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> sp.csr_matrix:
        """Count the tokens of each document by their hashes."""
        with as_deciban_errors():
            self._validate_params()
            self._validate_ngram_range()
        prepared = self._prepare(X)
        if prepared.has_other_tokens:
            raise InputTypeError("the analyzer returned tokens that are not str; these cannot be hashed.")
        terms = kernels.hashed_terms(
            prepared.documents, prepared.rules, self.n_features, alternate_sign=self.alternate_sign
        )
        matrix = sp.csr_matrix(
            (terms.counts.astype(self.dtype), terms.indices, terms.starts), (len(prepared), self.n_features)
        )
        if self.binary:
            matrix.data[:] = 1
        is_done = self.norm is None or not len(prepared)
        return matrix if is_done else normalize(matrix, norm=self.norm, copy=False)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = _tagged(super().__sklearn_tags__())
        tags.requires_fit = False
        return tags


def _new_matrix(prepared: PreparedDocuments) -> tuple[sp.csr_matrix, Vocabulary]:
    """Documents × tokens, and the vocabulary, sorted by token."""
    terms = kernels.document_terms(prepared.documents, prepared.rules)
    matrix = sp.csr_matrix((terms.counts, terms.indices, terms.starts), (len(prepared), terms.size))
    return matrix, Vocabulary.spelled(terms.spelling)  # type: ignore[arg-type]


def _object_matrix(
    prepared: PreparedDocuments, columns: Mapping[Any, int] | None = None
) -> tuple[sp.csr_matrix, Mapping[Any, int]]:
    held, rules = prepared.documents, prepared.rules
    if rules is not None:
        held = tokenize(held if isinstance(held, list | tuple) else held.to_pylist(), rules)
    try:
        return object_matrix(held, columns)
    except TypeError as error:
        raise InputTypeError(f"the analyzer's tokens cannot be put into a vocabulary: {error}.") from None


def _restricted(
    matrix: sp.csr_matrix, tokens: Vocabulary | list[Any], kept: AnyArray
) -> tuple[sp.csr_matrix, Vocabulary | list[Any]]:
    columns: Ints = np.flatnonzero(kept)
    left = tokens.subset(kept) if isinstance(tokens, Vocabulary) else [tokens[i] for i in columns.tolist()]
    return matrix[:, columns], left


def _tagged(tags: Any) -> Any:
    tags.input_tags.two_d_array = False
    tags.input_tags.one_d_array = True
    tags.input_tags.string = True
    return tags
