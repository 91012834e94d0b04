"""scikit-learn's CountVectorizer and HashingVectorizer with the compiled core's speed.

They are subclasses of scikit-learn's with another `fit`, `transform` and `fit_transform`: the parameters and the other
methods are inherited, and the matrix and the vocabulary are the same.

The core reads UTF-8 text and finds words (those of scikit-learn's default `token_pattern`) and n-grams of characters.
Files, other patterns and the user's own functions are left to scikit-learn's analyzer, whose tokens the core then
counts. Both ways give the same vocabulary and the same matrix.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
import sklearn.feature_extraction.text as sk
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import normalize
from sklearn.utils import Tags
from sklearn.utils._param_validation import InvalidParameterError

from deciban.errors import DecibanError, InputError, InputTypeError, ParameterError, UnfittedError
from deciban.read import is_frame
from deciban.read.documents import Documents, read_documents
from deciban.text import kernels
from deciban.text.analyzer import StripAccents, TokenRules, check_present, check_text
from deciban.text.kernels import Vocabulary, tokenize
from deciban.text.pruning import document_bound
from deciban.types import AnyArray, Ints

__all__ = [
    "CountVectorizer",
    "DocumentVectorizer",
    "HashingVectorizer",
    "PreparedDocuments",
    "as_deciban_errors",
]


_SHORTEST = {r"(?u)\b\w\w+\b": 2, r"(?u)\b\w+\b": 1, r"\b\w\w+\b": 2, r"\b\w+\b": 1}
"""The token patterns of the core, and the length of their shortest tokens."""

Token = Hashable
"""A str, unless the user's analyzer returns something else."""

Columns = dict[Token, int]
"""The column of each token."""

_UTF8 = frozenset({"utf-8", "utf8", "UTF-8", "UTF8"})
_OTHERS = "Pass analyzer= or preprocessor= for other documents."
_HOOKS = ("build_analyzer", "build_preprocessor", "build_tokenizer", "decode")


@dataclass(frozen=True, eq=False)
class PreparedDocuments:
    """Documents for the core: text and the rules to tokenize it, or, without rules, lists of tokens."""

    documents: Collection[Any]
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
    strip_accents: StripAccents | Callable[[str], str] | None
    lowercase: bool
    preprocessor: Callable[..., str] | None
    tokenizer: Callable[[str], Iterable[Token]] | None
    stop_words: str | Collection[str] | None
    token_pattern: str | None
    ngram_range: tuple[int, int]
    analyzer: Literal["word", "char", "char_wb"] | Callable[..., Iterable[Token]]
    dtype: type[np.generic]
    build_analyzer: Callable[[], Callable[..., Iterable[Token]]]
    build_preprocessor: Callable[[], Callable[..., str]]
    build_tokenizer: Callable[[], Callable[[str], Iterable[Token]]]
    get_stop_words: Callable[[], Collection[str] | None]
    decode: Callable[[object], str]
    _validate_params: Callable[[], None]
    _validate_ngram_range: Callable[[], None]
    _warn_for_unused_params: Callable[[], None]
    _check_stop_words_consistency: Callable[..., object]

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
            return PreparedDocuments(self._readable(read_documents(raw_documents)), rules)
        documents = enumerate(_listed(raw_documents))
        return PreparedDocuments([self._tokens_of(analyze, row, document) for row, document in documents], None)

    def _core_rules(self, *, has_stop_words: bool) -> TokenRules | None:
        """The core's rules for these settings; None where it does not support them."""
        if callable(self.analyzer) or callable(self.strip_accents) or self.preprocessor is not None:
            return None
        if self.input != "content" or not self._has_usual_steps():
            return None
        shortest = None
        if self.analyzer == "word":
            if self.tokenizer is not None or self.token_pattern not in _SHORTEST:
                return None
            if has_stop_words and not self._core_drops_stop_words():
                return None
            shortest = _SHORTEST[self.token_pattern]
        return TokenRules(
            self.analyzer, bool(self.lowercase), self.strip_accents, shortest, ngram_range=self.ngram_range
        )

    def _core_drops_stop_words(self) -> bool:
        """True where stop words can be removed after the core has counted."""
        return False  # hashed tokens have no names any more

    def _has_usual_steps(self) -> bool:
        """False where a subclass overrides a step."""
        return all(getattr(type(self), name) is getattr(sk.HashingVectorizer, name) for name in _HOOKS)

    def _readable(self, documents: Documents) -> Collection[object]:
        """The documents; bytes are decoded here unless the core decodes them in the same way."""
        texts: Collection[object] = documents.texts
        if isinstance(texts, list | tuple):
            kinds = set(map(type, texts))
            if not all(issubclass(kind, str | bytes) for kind in kinds):
                row = next(row for row, document in enumerate(texts) if not isinstance(document, str | bytes))
                check_text(row, texts[row], _OTHERS)
            has_bytes = any(issubclass(kind, bytes) for kind in kinds)
        else:
            has_bytes = "binary" in str(getattr(texts, "type", ""))
        if not has_bytes or (self.decode_error == "replace" and self.encoding in _UTF8):
            return texts
        return [self._text(row, document) for row, document in enumerate(documents.to_list())]

    def _text(self, row: int, document: object) -> object:
        """Bytes as text, by the `encoding` parameter."""
        if not isinstance(document, bytes):
            return document
        try:
            return document.decode(self.encoding, self.decode_error)
        except (UnicodeDecodeError, LookupError) as error:
            advice = 'Pass encoding=… or decode_error="replace"'
            raise InputError(f"document {row} cannot be decoded: {error}. {advice}.") from None

    def _tokens_of(self, analyze: Callable[..., Iterable[Token]], row: int, document: object) -> list[Token]:
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
    except DecibanError:  # some are ValueErrors, too
        raise
    except InvalidParameterError as error:
        raise ParameterError(str(error)) from None
    except NotFittedError as error:
        raise UnfittedError(f"{error}: call fit first, or pass vocabulary=.") from None
    except (ValueError, re.error) as error:
        raise ParameterError(str(error)) from None


def _listed(raw_documents: Any) -> list[object]:
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


def _tag_texts(tags: Tags) -> Tags:
    """scikit-learn's tags of an estimator whose X is one column of text."""
    tags.input_tags.two_d_array = False
    tags.input_tags.one_d_array = True
    tags.input_tags.string = True
    return tags


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
    vocabulary: Mapping[Token, int] | Iterable[Token] | None
    binary: bool
    _tokens: Vocabulary | None  # None where the vocabulary has tokens that are not str
    _columns: Columns | None  # None until it is first used: making a dict of a large vocabulary takes long

    def fit(self, raw_documents: Any, y: object = None) -> Self:
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

    def fit_transform(self, raw_documents: Any, y: object = None) -> sp.csr_matrix:
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
        terms = kernels.document_terms(prepared.documents, prepared.rules)  # its columns are sorted by token
        matrix, vocabulary = terms.matrix(), terms.vocabulary
        if vocabulary is None:
            raise InputError("there is no vocabulary.")
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

    def get_feature_names_out(self, input_features: object = None) -> AnyArray:
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
    def vocabulary_(self) -> Columns:
        """Each token's column."""
        if "_tokens" not in self.__dict__:  # scikit-learn asks `hasattr` whether it is fitted
            raise AttributeError("this CountVectorizer has no vocabulary before fit.")
        if self._columns is None:
            self._columns = {token: column for column, token in enumerate(self._tokens or ())}
        return self._columns

    @vocabulary_.setter
    def vocabulary_(self, columns: Mapping[Token, int]) -> None:
        tokens = sorted(columns, key=columns.__getitem__)
        texts = [token for i, token in enumerate(tokens) if isinstance(token, str) and columns[token] == i]
        self._columns = dict(columns)
        self._tokens = Vocabulary.of(texts) if len(texts) == len(tokens) else None

    def _check_vocabulary(self) -> None:
        if "_tokens" not in self.__dict__:
            with as_deciban_errors():
                super()._check_vocabulary()

    def _adopt(self, tokens: Vocabulary | list[Token]) -> None:
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
        matrix = kernels.document_terms(prepared.documents, prepared.rules, index=index).matrix()
        stopped = self._stopped(prepared, self._tokens)
        if stopped is not None:  # a given vocabulary may have stop words: their columns stay, without counts
            matrix.data[stopped[matrix.indices]] = 0
            matrix.eliminate_zeros()
        return self._finished(matrix)

    def _learned(self, matrix: sp.csr_matrix, tokens: Vocabulary | list[Token]) -> sp.csr_matrix:
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
        stopped = np.fromiter((token in stop_words for token in tokens.tokens), dtype=bool, count=len(tokens))
        return stopped if stopped.any() else None

    def _core_drops_stop_words(self) -> bool:
        return tuple(self.ngram_range) == (1, 1)  # in n-grams, the words around a stop word become neighbours

    def _kept(self, matrix: sp.csr_matrix) -> AnyArray:
        rows, columns = matrix.shape
        highest, lowest = document_bound(self.max_df, rows), document_bound(self.min_df, rows)
        if highest < lowest:
            raise ParameterError(
                f"max_df corresponds to < documents than min_df: max_df={self.max_df}, min_df={self.min_df}."
            )
        documents = np.bincount(matrix.indices, minlength=columns)
        kept = (documents <= highest) & (documents >= lowest)
        if self.max_features is not None and kept.sum() > self.max_features:
            counts = documents if self.binary else np.bincount(matrix.indices, matrix.data, columns)
            columns_kept = np.flatnonzero(kept)
            # Not a stable sort: ties must fall as in scikit-learn, which sorts in the same way.
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

    def __sklearn_tags__(self) -> Tags:
        return _tag_texts(super().__sklearn_tags__())


def _object_matrix(prepared: PreparedDocuments, columns: Columns | None = None) -> tuple[sp.csr_matrix, Columns]:
    """Documents × tokens of any type, and the column of each token; sorted by token unless given."""
    documents = prepared.documents
    if prepared.rules is not None:
        documents = tokenize(Documents(documents).to_list(), prepared.rules)
    try:
        if columns is None:
            tokens: set[Any] = {token for document in documents for token in document}
            columns = {token: column for column, token in enumerate(sorted(tokens))}
        counts = [Counter(columns[token] for token in document if token in columns) for document in documents]
    except TypeError as error:  # tokens that have no hash, or no order
        raise InputTypeError(f"the analyzer's tokens cannot be put into a vocabulary: {error}.") from None
    starts = np.concatenate([[0], np.cumsum([len(count) for count in counts])]).astype(np.int64)
    indices = np.fromiter((column for count in counts for column in count), dtype=np.int32, count=starts[-1])
    times = np.fromiter((n for count in counts for n in count.values()), dtype=np.int64, count=starts[-1])
    matrix = sp.csr_matrix((times, indices, starts), (len(documents), len(columns)))
    matrix.sort_indices()
    return matrix, columns


def _restricted(
    matrix: sp.csr_matrix, tokens: Vocabulary | list[Token], kept: AnyArray
) -> tuple[sp.csr_matrix, Vocabulary | list[Token]]:
    columns: Ints = np.flatnonzero(kept)
    left = tokens.subset(kept) if isinstance(tokens, Vocabulary) else [tokens[i] for i in columns.tolist()]
    return matrix[:, columns], left


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

    def fit(self, X: object = None, y: object = None) -> Self:
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

    def partial_fit(self, X: object = None, y: object = None) -> Self:
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

    def fit_transform(self, X: Any, y: object = None) -> sp.csr_matrix:
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
        matrix = terms.matrix()
        matrix.data = matrix.data.astype(self.dtype)  # a cast of the matrix would copy its indices
        if self.binary:
            matrix.data[:] = 1
        if self.norm is None or not len(prepared):  # scikit-learn refuses to normalize a matrix without rows
            return matrix
        return normalize(matrix, norm=self.norm, copy=False)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Tags:
        tags = _tag_texts(super().__sklearn_tags__())
        tags.requires_fit = False
        return tags
