"""scikit-learn's CountVectorizer with the compiled core's speed.

It is a subclass of scikit-learn's with another `fit`, `transform` and `fit_transform`: the parameters and the other
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

from deciban.errors import InputError, InputTypeError, ParameterError
from deciban.text import kernels
from deciban.text.counting import object_matrix
from deciban.text.tokens import tokenize
from deciban.text.vectorizer_input import DocumentVectorizer, PreparedDocuments, as_deciban_errors, tag_texts
from deciban.text.vocabulary import Vocabulary
from deciban.types import AnyArray, Ints

__all__ = ["CountVectorizer"]


class CountVectorizer(DocumentVectorizer, sk.CountVectorizer):  # type: ignore[misc]
    """Documents × tokens counts, the same as those of ``sklearn.feature_extraction.text.CountVectorizer``, and faster.

    The core tokenizes documents where `analyzer` is a name, `token_pattern` is the default or one for words of any
    length, `preprocessor` and `tokenizer` are None, `input` is "content", and stop words are not combined with n-grams;
    otherwise Python does, which takes longer.

    Parameters
    ----------
    input : {"content", "filename", "file"}
        Whether documents are texts, names of files, or files.
    encoding : str
        The encoding of bytes and files.
    decode_error : {"strict", "ignore", "replace"}
        What is done with bytes that cannot be decoded.
    strip_accents : {"ascii", "unicode"} or callable, optional
        How to remove accents; they stay when None.
    lowercase : bool
        Whether to convert to lower case.
    preprocessor : callable, optional
        A function that takes a document and returns the text to split.
    tokenizer : callable, optional
        A function that takes a text and returns its tokens.
    stop_words : "english" or list, optional
        Tokens to leave out.
    token_pattern : str
        The regular expression of a token, where `analyzer` is "word".
    ngram_range : (int, int)
        The sizes of n-grams, first and last.
    analyzer : {"word", "char", "char_wb"} or callable
        What a token is: a word, or n-grams of characters; or a function that takes a document and returns its tokens.
    max_df, min_df : float or int
        The maximum and minimum number of documents that contain a token; a float is a share of the documents.
    max_features : int, optional
        The number of most frequent tokens to keep; all when None.
    vocabulary : mapping or iterable, optional
        The tokens, instead of those of the documents in `fit`.
    binary : bool
        Whether a token that is present counts as 1.
    dtype : type
        The type of the counts.

    Attributes
    ----------
    vocabulary_ : dict
        Each token's column.
    fixed_vocabulary_ : bool
        True where the parameter `vocabulary` was given.

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
        """Learn the vocabulary.

        Parameters
        ----------
        raw_documents : iterable
            The documents.
        y : ignored

        Returns
        -------
        self : the vectorizer
        """
        self.fit_transform(raw_documents, y)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> sp.csr_matrix:  # noqa: ARG002
        """Learn the vocabulary, and count the tokens of each document.

        Parameters
        ----------
        raw_documents : iterable
            The documents.
        y : ignored

        Returns
        -------
        counts : sparse matrix of shape (n_documents, n_tokens)
        """
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
        """Count the tokens of each document that are in the vocabulary.

        Parameters
        ----------
        raw_documents : iterable
            The documents.

        Returns
        -------
        counts : sparse matrix of shape (n_documents, n_tokens)
        """
        self._check_vocabulary()
        return self._counted(self._prepare(raw_documents))

    def inverse_transform(self, X: Any) -> list[AnyArray]:
        """List the tokens of each row of a matrix whose entries are not 0.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_documents, n_tokens)
            Counts.

        Returns
        -------
        tokens : list of arrays
        """
        with as_deciban_errors():
            return list(super().inverse_transform(X))

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """List the tokens, in the order of the columns.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        tokens : array of str
        """
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
        return tag_texts(super().__sklearn_tags__())


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
