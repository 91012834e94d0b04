"""scikit-learn's HashingVectorizer with the compiled core's speed: the parameters and the matrix are the same."""

from __future__ import annotations

from typing import Any, Self

import scipy.sparse as sp
import sklearn.feature_extraction.text as sk
from sklearn.preprocessing import normalize

from deciban.errors import InputError, InputTypeError
from deciban.text import kernels
from deciban.text.vectorizer_input import DocumentVectorizer, as_deciban_errors, tag_texts

__all__ = ["HashingVectorizer"]


class HashingVectorizer(DocumentVectorizer, sk.HashingVectorizer):  # type: ignore[misc]
    """Documents × hashed tokens, the same as those of ``sklearn.feature_extraction.text.HashingVectorizer``.

    `CountVectorizer` says which documents the core tokenizes.

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
    n_features : int
        The number of columns.
    binary : bool
        Whether a token that is present counts as 1.
    norm : {"l1", "l2"}, optional
        How rows are normalized; they are not when None.
    alternate_sign : bool
        Whether half of the tokens count negatively, so that collisions cancel on average.
    dtype : type
        The type of the values.

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
        """Check the parameters; there is nothing to learn for hashing.

        Parameters
        ----------
        X : ignored
        y : ignored

        Returns
        -------
        self : the vectorizer
        """
        if isinstance(X, str):
            raise InputError("Iterable over raw text documents expected, string object received. Pass [document].")
        self._check_settings()
        return self

    def partial_fit(self, X: Any = None, y: Any = None) -> Self:
        """Do the same as `fit`.

        Parameters
        ----------
        X : ignored
        y : ignored

        Returns
        -------
        self : the vectorizer
        """
        return self.fit(X, y)

    def fit_transform(self, X: Any, y: Any = None) -> sp.csr_matrix:
        """Check the parameters, and count the tokens of each document by their hashes.

        Parameters
        ----------
        X : iterable
            The documents.
        y : ignored

        Returns
        -------
        values : sparse matrix of shape (n_documents, n_features)
        """
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> sp.csr_matrix:
        """Count the tokens of each document by their hashes.

        Parameters
        ----------
        X : iterable
            The documents.

        Returns
        -------
        values : sparse matrix of shape (n_documents, n_features)
        """
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
        tags = tag_texts(super().__sklearn_tags__())
        tags.requires_fit = False
        return tags
