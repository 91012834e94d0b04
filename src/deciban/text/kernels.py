"""The compiled text functions: documents in, counts, scores and matrices out; and the vocabulary that they share.

Documents are a list or tuple of str or bytes (UTF-8), an Arrow array of strings, or, with ``rules=None``, a list of
lists of tokens. Tokens have ids, which index a `Vocabulary`. ``tests/reference/text.py`` has the same functions in
Python, and ``tests/reference/tokens.py`` the tokenizer, by ``re``.

>>> tokenize(["The Cat's hat", "café".encode()], TokenRules(strip_accents="unicode"))
[['the', 'cat', 'hat'], ['cafe']]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from deciban import _core
from deciban.errors import InputTypeError, ParameterError
from deciban.storable import ByFields, check_ends, require, storable
from deciban.text.analyzer import TokenRules
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "DocumentTerms",
    "LinearOptions",
    "TokenCounts",
    "TokenIndex",
    "TokenScores",
    "TokenTable",
    "Vocabulary",
    "add_tables",
    "count_documents",
    "document_terms",
    "fit_one_vs_rest",
    "hashed_terms",
    "score_documents",
    "tokenize",
    "unicode_version",
]


TokenIndex = _core.TokenIndex
"""Maps tokens to ids: immutable, so threads may share it. Made by `Vocabulary.index` or by counting."""

CORE_NAMES: dict[str, str] = {
    "word": "words",
    "word_emoji": "words+emoji",
    "word_punct": "words+punct",
    "char": "chars",
    "char_wb": "chars_wb",
    "unicode_word": "segments",
}
"""The analyzers by the names of the compiled core."""

_MOST_CLASSES = 1 << 16  # the classes of `TokenScores` are of 16 bits
_NO_MAXIMUM = int(np.iinfo(np.int64).max)


def _check_vocabulary(vocabulary: Vocabulary) -> None:
    """Offsets must lie within the bytes, and the bytes must be UTF-8."""
    letters = vocabulary.bytes
    is_array = isinstance(letters, np.ndarray) and letters.dtype == np.uint8 and letters.ndim == 1
    require(is_array, "a vocabulary has no bytes")
    check_ends(vocabulary.offsets, len(letters), "a vocabulary's offsets")
    letters.tobytes().decode("utf-8", "surrogatepass")
    starts = vocabulary.offsets[:-1][np.diff(vocabulary.offsets) > 0]
    # UTF-8 continues a character by bytes 10xxxxxx; one token cut within it could not be decoded alone.
    require(bool(((letters[starts] & 0xC0) != 0x80).all()), "a token begins within a character")


@storable(check=_check_vocabulary)
@dataclass(frozen=True, eq=False)
class Vocabulary(ByFields):
    """Tokens and their ids: the UTF-8 bytes of all tokens in one array, token t at bytes[offsets[t] : offsets[t + 1]].

    Ids follow first occurrence, so a vocabulary grows at its end. The index for lookups is built when it is first
    needed.

    >>> v = Vocabulary.of(["sun", "rain"])
    >>> v.union(Vocabulary.of(["rain", "hail"]))[0]
    Vocabulary of 3: sun, rain, hail
    """

    bytes: NDArray[np.uint8]
    offsets: Ints

    @classmethod
    def of(cls, tokens: Sequence[str]) -> Self:
        # Python's str may hold lone surrogates, which plain UTF-8 refuses.
        encoded = [token.encode("utf-8", "surrogatepass") for token in tokens]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(token) for token in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """All tokens, by id."""
        return tuple(self)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[str]:
        data = self.bytes.tobytes()
        for i, j in pairwise(self.offsets.tolist()):
            yield data[i:j].decode("utf-8", "surrogatepass")

    def __getitem__(self, token: int) -> str:
        first, last = self.offsets[token : token + 2].tolist()
        return self.bytes[first:last].tobytes().decode("utf-8", "surrogatepass")

    def __repr__(self) -> str:
        shown = [self[t] for t in range(min(len(self), 5))]
        return f"Vocabulary of {len(self)}: {', '.join(shown)}{', …' if len(self) > 5 else ''}"

    def index(self, rules: TokenRules | None) -> TokenIndex:
        """The index for the tokens of these rules."""
        has_sequences = rules is not None and rules.has_sequences
        index = self._indices.get(has_sequences)
        if index is None:
            index = self._indices[has_sequences] = _core.TokenIndex(self.bytes, self.offsets, has_sequences)
        return index

    @cached_property
    def _indices(self) -> dict[bool, TokenIndex]:
        """By whether terms may be sequences of tokens, which the core finds token by token."""
        return {}

    def order(self) -> Ints:
        """The ids, sorted by the tokens' bytes, which is the order of their code points."""
        return _core.sort_tokens(self.bytes, self.offsets)

    def union(self, other: Vocabulary) -> tuple[Vocabulary, Ints]:
        """These tokens, then the new ones of `other`; and the ids of other's tokens in the union."""
        if self == other:
            return self, np.arange(len(other))
        letters, offsets, ids = _core.union_vocabularies(self.bytes, self.offsets, other.bytes, other.offsets)
        # Without new tokens this vocabulary stays, so that its index need not be built again.
        return (self if len(offsets) == len(self.offsets) else Vocabulary(letters, offsets)), ids

    def subset(self, kept: AnyArray) -> Vocabulary:
        """The tokens selected by a mask, in the same order."""
        lengths = np.diff(self.offsets)
        offsets = np.zeros(int(kept.sum()) + 1, dtype=np.int64)
        np.cumsum(lengths[kept], out=offsets[1:])
        first, last = int(self.offsets[0]), int(self.offsets[-1])
        return Vocabulary(self.bytes[first:last][np.repeat(kept, lengths)], offsets)


class TokenTable(NamedTuple):
    """Class × token counts without those that are 0, by class: starts, indices, occurrences, documents."""

    starts: Ints
    indices: AnyArray
    occurrences: AnyArray
    documents: AnyArray


@dataclass(frozen=True, eq=False)
class TokenCounts:
    """Class × token counts, stored by class: class j's tokens are indices[starts[j] : starts[j + 1]], ascending.

    Token ids follow first occurrence: by document, within a document by n-gram size, then by position. With weights
    the counts are sums of the documents' weights, as float64; otherwise int64.
    """

    size: int
    """The number of tokens: the size of the vocabulary, or 2 ** hashed_bits."""
    vocabulary: Vocabulary | None
    """None where tokens are hashed."""
    starts: Ints
    indices: NDArray[np.uint32]
    occurrences: AnyArray
    documents: AnyArray
    """The number of documents of the class that contain the token."""
    lengths: NDArray[np.uint32]
    """The number of tokens of each document."""


@dataclass(frozen=True, eq=False)
class TokenScores:
    """The scores of a vocabulary's tokens, stored by token.

    A document's joint log-probability with class c is

        prior[c] + Σ_t amount_t · (class_base[c] + token_base[t] + δ_tc),

    over its known tokens t, where δ_tc is the entry for c of token t's row, or 0: row t is classes[starts[t] :
    starts[t + 1]] (ascending) and the deltas beside it, which may be −∞. The amount is how often t occurs; with
    `distinct` 1; with tf="log" 1 + log(occurrences). With lengths="l2" a document's amounts are divided by the root
    of the sum of their squares.
    """

    prior: Floats
    class_base: Floats
    starts: Ints
    classes: NDArray[np.uint16]
    deltas: Floats
    token_base: Floats | None = None
    distinct: bool = False
    tf: Literal["raw", "log"] = "raw"
    lengths: Literal["none", "l2"] = "none"

    @cached_property
    def checked(self) -> _core.TextScores:
        """The arrays in the form of the compiled core, checked once."""
        if len(self.prior) > _MOST_CLASSES:
            raise ParameterError(f"text models have at most {_MOST_CLASSES} classes, and there are {len(self.prior)}.")
        amount = "distinct" if self.distinct else {"raw": "occurrences", "log": "logarithm"}[self.tf]
        classes = np.ascontiguousarray(self.classes, dtype=np.uint16)
        rows = (self.starts, classes, self.deltas, self.token_base)
        return _core.text_scores(self.prior, self.class_base, *rows, amount, self.lengths == "l2")


@dataclass(frozen=True, eq=False)
class DocumentTerms:
    """Document × token counts as a CSR matrix; without a given index, its columns are sorted by the tokens' bytes."""

    size: int
    vocabulary: Vocabulary | None
    """The new vocabulary, in column order; None where an index was given or tokens are hashed."""
    starts: Ints
    indices: NDArray[np.int32]
    counts: Ints

    def matrix(self) -> sp.csr_matrix:
        """Documents × tokens."""
        return sp.csr_matrix((self.counts, self.indices, self.starts), (len(self.starts) - 1, self.size))


def count_documents(
    documents: object,
    codes: Codes,
    classes: int,
    rules: TokenRules | None,
    *,
    weights: Floats | None = None,
    hashed_bits: int | None = None,
) -> TokenCounts:
    """Count the terms of each class's documents: tokens, or n-grams as the rules say.

    Examples
    --------
    >>> import numpy as np
    >>> counts = count_documents(
    ...     ["to be or", "not to be"], np.array([0, 1], dtype=np.int32), 2, TokenRules()
    ... )
    >>> counts.vocabulary.tokens, counts.indices.tolist(), counts.occurrences.tolist()
    (('to', 'be', 'or', 'not'), [0, 1, 2, 0, 1, 3], [1, 1, 1, 1, 1, 1])
    """
    size, spelling, index, *counts = _core.count_documents(
        as_documents(documents), _packed(rules), hashed_bits, codes, classes, weights
    )
    vocabulary = None if spelling is None else Vocabulary(*spelling)
    if vocabulary is not None and index is not None:  # counting has built the index on the way
        vocabulary._indices[rules is not None and rules.has_sequences] = index
    return TokenCounts(size, vocabulary, *counts)


def score_documents(
    index: TokenIndex | int,
    documents: object,
    rules: TokenRules | None,
    scores: TokenScores,
) -> tuple[Floats, NDArray[np.uint32]]:
    """Joint log-probabilities, documents × classes, and the number of known tokens of each document.

    `index` is that of the vocabulary, or the number of hashed bits: then every token is known.
    """
    return _core.score_documents(as_documents(documents), _packed(rules), index, scores.checked)


def document_terms(
    documents: object,
    rules: TokenRules | None,
    *,
    index: TokenIndex | int | None = None,
) -> DocumentTerms:
    """Count the tokens of each document: of a new vocabulary, of a given index, or hashed to a number of bits."""
    size, spelling, *matrix = _core.document_terms(as_documents(documents), _packed(rules), index)
    return DocumentTerms(size, None if spelling is None else Vocabulary(*spelling), *matrix)


def hashed_terms(
    documents: object,
    rules: TokenRules | None,
    features: int,
    *,
    alternate_sign: bool = True,
) -> DocumentTerms:
    """Documents × `features` by MurmurHash3, as scikit-learn's HashingVectorizer, not normalized."""
    return DocumentTerms(*_core.hashed_terms(as_documents(documents), _packed(rules), features, alternate_sign))


class LinearOptions(NamedTuple):
    """How linear classifiers are fitted: by which loss, how exactly, and in at most how many passes."""

    classifier: Literal["logistic", "svm"]
    tolerance: float
    most_passes: int


def fit_one_vs_rest(
    matrix: sp.csr_matrix, costs: Floats, codes: Codes, classes: Ints, scales: Floats, options: LinearOptions
) -> tuple[Floats, Floats, int]:
    """Weights and intercepts of each of `classes` against the rest, and the number of those that did not converge.

    They minimize ½(‖w‖² + b²) + Σ_d cost_d·loss(±(Σ_t x_dt·scale_t·w_t + b)): the logistic loss, or of an SVM the
    squared hinge loss.

    Examples
    --------
    >>> import numpy as np
    >>> x = sp.csr_matrix(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> weights, intercepts, _ = fit_one_vs_rest(
    ...     x,
    ...     np.ones(2),
    ...     np.array([0, 1]),
    ...     np.array([1]),
    ...     np.ones((1, 2)),
    ...     LinearOptions("svm", 1e-9, 1000),
    ... )
    >>> weights.round(3).tolist(), abs(intercepts.round(3)).tolist()  # 1 / (1 + 1 / (2·cost))
    ([[-0.667, 0.667]], [0.0])
    """
    rows = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)
    of_rows = np.ascontiguousarray(costs, np.float64), np.ascontiguousarray(codes, np.int32)
    classifier, tolerance, most_passes = options
    return _core.fit_one_vs_rest(
        rows, *of_rows, classes.astype(np.int64), scales, classifier == "logistic", tolerance, most_passes
    )


def add_tables(
    a: TokenTable, b: TokenTable, size: int, ids: Ints | None = None, sign: Literal[1, -1] = 1
) -> TokenTable:
    """a + sign·b, for the same classes and `size` tokens: token t of b is ids[t], or t where `ids` is None.

    Examples
    --------
    >>> import numpy as np
    >>> one, many = np.array([1]), np.array([5, 7])
    >>> a = TokenTable(np.array([0, 2]), np.array([0, 3]), many, many)
    >>> b = TokenTable(np.array([0, 1]), np.array([0]), one, one)
    >>> added = add_tables(a, b, 4, np.array([3]))
    >>> added.indices.tolist(), added.occurrences.tolist()
    ([0, 3], [5, 8])
    """
    # Counts of weighted documents are floats, also where only one of the tables is weighted.
    dtype = np.result_type(a.occurrences, a.documents, b.occurrences, b.documents, np.int64)
    ours, theirs = (
        (
            np.ascontiguousarray(table.starts, np.int64),
            np.ascontiguousarray(table.indices, np.uint32),
            np.ascontiguousarray(table.occurrences, dtype),
            np.ascontiguousarray(table.documents, dtype),
        )
        for table in (a, b)
    )
    return TokenTable(*_core.add_token_sums(ours, theirs, size, ids, sign))


def as_documents(documents: object) -> Sequence[object]:
    """The input of the compiled core: a list or tuple, or the buffers of each chunk of an Arrow array of strings."""
    if isinstance(documents, list | tuple):
        return documents
    # Arrow's text is read in its buffers, without a str for each document.
    if hasattr(documents, "chunks") or hasattr(documents, "buffers"):
        return [_arrow_text(chunk) for chunk in getattr(documents, "chunks", [documents])]
    for to_list in ("tolist", "to_list"):  # numpy and pandas, polars
        if hasattr(documents, to_list):
            listed: list[object] = getattr(documents, to_list)()
            return listed
    fix = "[documents]" if isinstance(documents, str | bytes) else "list(documents)"
    kind = type(documents).__name__
    raise InputTypeError(f"documents are a list of str or bytes, or an Arrow array of strings, not {kind}. Pass {fix}.")


def _arrow_text(array: Any) -> _core.ArrowText:
    widths = {"string": np.int32, "binary": np.int32, "large_string": np.int64, "large_binary": np.int64}
    if str(array.type) not in widths:
        if "string" not in str(array.type) and str(array.type) != "null":
            raise InputTypeError(f"documents are strings, and the Arrow array holds {array.type}. Cast it to strings.")
        array = array.cast("large_string")
    width = widths[str(array.type)]
    validity, offsets, data = array.buffers()
    starts = np.frombuffer(offsets, dtype=width) if offsets else np.zeros(1, dtype=width)
    present = np.frombuffer(validity, dtype=np.uint8) if validity else None
    text = np.frombuffer(data, dtype=np.uint8) if data else np.zeros(0, dtype=np.uint8)  # Arrow omits empty buffers
    return _core.ArrowText(text, starts, present, array.offset, len(array))


def _packed(rules: TokenRules | None) -> tuple[str, bool, str, int, int, int, int, int, int] | None:
    """The settings as the compiled core takes them."""
    if rules is None:
        return None
    shortest, longest = rules.lengths
    lengths = (shortest, _NO_MAXIMUM if longest is None else longest)
    characters, tokens = rules.sizes
    text = (CORE_NAMES[rules.analyzer], rules.lowercase, rules.strip_accents or "keep")
    return (*text, *lengths, *characters, *tokens)


def tokenize(documents: Iterable[str | bytes], rules: TokenRules | None = None) -> list[list[str]]:
    """The terms of each document, in scikit-learn's order: by size, then by position.

    Parameters
    ----------
    documents : iterable of str or bytes
        Bytes are UTF-8; each malformed sequence reads as U+FFFD, as with ``bytes.decode("utf-8", "replace")``.
    rules : TokenRules
        What a term is; by default the words of scikit-learn's ``CountVectorizer``.
    """
    if isinstance(documents, str | bytes):
        kind = type(documents).__name__
        raise InputTypeError(f"documents are a list of str or bytes, not one {kind}. Pass [document].")
    listed = list(documents)
    for i, document in enumerate(listed):
        if not isinstance(document, str | bytes):
            raise InputTypeError(f"document {i} is {type(document).__name__}, not str or bytes.")
    rules = TokenRules() if rules is None else rules
    text = (CORE_NAMES[rules.analyzer], rules.lowercase, rules.strip_accents)
    return _core.tokenize(listed, *text, *rules.lengths, *rules.sizes)


def unicode_version() -> str:
    """The version of Unicode of the compiled tokenizer: that of the Python it was built with."""
    return _core.unicode_version()
