"""The compiled text functions: documents in, counts, scores and matrices out.

Twins: ``tests/reference/text.py``. Documents are a list or tuple of str or bytes (UTF-8), an Arrow
array of strings, or, with ``rules=None``, a list of lists of tokens. Tokens have ids; a vocabulary is stored as the
concatenated UTF-8 bytes of all tokens and the offset of each (`Spelling`).

Documents → terms, by the compiled tokenizer; ``tests/reference/tokens.py`` does the same with ``re``.

>>> tokenize(["The Cat's hat", "café".encode()], TokenRules(strip_accents="unicode"))
[['the', 'cat', 'hat'], ['cafe']]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deciban import _core
from deciban.errors import InputTypeError, ParameterError
from deciban.text.analyzer import TokenRules
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "DocumentTerms",
    "Spelling",
    "TokenCounts",
    "TokenIndex",
    "TokenScores",
    "TokenTable",
    "add_tables",
    "count_documents",
    "document_terms",
    "each_token",
    "hashed_terms",
    "score_documents",
    "sort_tokens",
    "spell",
    "token_index",
    "tokenize",
    "tokens_of",
    "unicode_version",
    "union_vocabularies",
]


TokenIndex = _core.TokenIndex
"""Maps tokens to ids: immutable, so threads may share it. Made by `token_index` or by counting."""


CORE_NAMES: dict[str, str] = {
    "word": "words",
    "word_emoji": "words+emoji",
    "word_punct": "words+punct",
    "char": "chars",
    "char_wb": "chars_wb",
    "unicode_word": "segments",
}
"""The analyzers by the names of the compiled core."""

_MOST_CLASSES = 1 << 16
_NO_MAXIMUM = int(np.iinfo(np.int64).max)


class Spelling(NamedTuple):
    """A vocabulary: token t is bytes[offsets[t] : offsets[t + 1]]."""

    bytes: NDArray[np.uint8]
    offsets: Ints

    @property
    def size(self) -> int:
        return len(self.offsets) - 1


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
    spelling: Spelling | None
    """None where tokens are hashed."""
    index: TokenIndex | None
    """The index of these tokens, where counting has built one; otherwise use `token_index`."""
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
    spelling: Spelling | None
    """The new vocabulary, in column order; None where an index was given or tokens are hashed."""
    starts: Ints
    indices: NDArray[np.int32]
    counts: Ints


def count_documents(
    documents: Any,
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
    >>> tokens_of(counts.spelling), counts.indices.tolist(), counts.occurrences.tolist()
    (['to', 'be', 'or', 'not'], [0, 1, 2, 0, 1, 3], [1, 1, 1, 1, 1, 1])
    """
    size, spelling, index, *counts = _core.count_documents(
        as_documents(documents), _packed(rules), hashed_bits, codes, classes, weights
    )
    return TokenCounts(size, spelling and Spelling(*spelling), index, *counts)


def token_index(spelling: Spelling, rules: TokenRules | None) -> TokenIndex:
    """An index of a vocabulary that was counted by these rules."""
    return _core.TokenIndex(*spelling, rules is not None and rules.has_sequences)


def score_documents(
    index: TokenIndex | int,
    documents: Any,
    rules: TokenRules | None,
    scores: TokenScores,
) -> tuple[Floats, NDArray[np.uint32]]:
    """Joint log-probabilities, documents × classes, and the number of known tokens of each document.

    `index` is that of the vocabulary, or the number of hashed bits: then every token is known.
    """
    return _core.score_documents(as_documents(documents), _packed(rules), index, scores.checked)


def document_terms(
    documents: Any,
    rules: TokenRules | None,
    *,
    index: TokenIndex | int | None = None,
) -> DocumentTerms:
    """Count the tokens of each document: of a new vocabulary, of a given index, or hashed to a number of bits."""
    size, spelling, *matrix = _core.document_terms(as_documents(documents), _packed(rules), index)
    return DocumentTerms(size, spelling and Spelling(*spelling), *matrix)


def hashed_terms(
    documents: Any,
    rules: TokenRules | None,
    features: int,
    *,
    alternate_sign: bool = True,
) -> DocumentTerms:
    """Documents × `features` by MurmurHash3, as scikit-learn's HashingVectorizer, not normalized."""
    return DocumentTerms(*_core.hashed_terms(as_documents(documents), _packed(rules), features, alternate_sign))


def union_vocabularies(a: Spelling, b: Spelling) -> tuple[Spelling, Ints]:
    """The tokens of `a`, then the new ones of `b`, in the order of b; and the id of each of b's tokens in the union."""
    data, offsets, ids = _core.union_vocabularies(*a, *b)
    return Spelling(data, offsets), ids


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
    dtype = np.result_type(a.occurrences, a.documents, b.occurrences, b.documents, np.int64)
    tables = [
        (np.ascontiguousarray(t.starts, np.int64), np.ascontiguousarray(t.indices, np.uint32), *_counts(t, dtype))
        for t in (a, b)
    ]
    return TokenTable(*_core.add_token_sums(tables[0], tables[1], size, ids, sign))


def _counts(table: TokenTable, dtype: Any) -> tuple[AnyArray, AnyArray]:
    return np.ascontiguousarray(table.occurrences, dtype), np.ascontiguousarray(table.documents, dtype)


def sort_tokens(spelling: Spelling) -> Ints:
    """Token ids sorted by the tokens' bytes, which is the order of their code points."""
    return _core.sort_tokens(*spelling)


def spell(tokens: Sequence[str]) -> Spelling:
    """Encode a list of tokens."""
    encoded = [token.encode("utf-8", "surrogatepass") for token in tokens]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(token) for token in encoded], out=offsets[1:])
    return Spelling(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)


def tokens_of(spelling: Spelling) -> list[str]:
    """Decode all tokens of a vocabulary."""
    return list(each_token(spelling))


def each_token(spelling: Spelling) -> Iterator[str]:
    """Decode the tokens of a vocabulary one after another."""
    data = spelling.bytes.tobytes()
    for i, j in pairwise(spelling.offsets.tolist()):
        yield data[i:j].decode("utf-8", "surrogatepass")


def as_documents(documents: Any) -> Any:
    """The input of the compiled core: a list or tuple, or the buffers of each chunk of an Arrow array of strings."""
    if isinstance(documents, list | tuple):
        return documents
    if hasattr(documents, "chunks") or hasattr(documents, "buffers"):
        return [_arrow_text(chunk) for chunk in getattr(documents, "chunks", [documents])]
    for to_list in ("tolist", "to_list"):  # numpy and pandas, polars
        if hasattr(documents, to_list):
            return getattr(documents, to_list)()
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
    text = np.frombuffer(data, dtype=np.uint8) if data else np.zeros(0, dtype=np.uint8)
    return _core.ArrowText(text, starts, present, array.offset, len(array))


def _packed(rules: TokenRules | None) -> tuple[Any, ...] | None:
    """The settings as the compiled core takes them."""
    if rules is None:
        return None
    shortest, longest = rules.lengths
    lengths = (shortest, _NO_MAXIMUM if longest is None else longest)
    characters, tokens = sizes(rules)
    text = (CORE_NAMES[rules.analyzer], rules.lowercase, rules.strip_accents or "keep")
    return (*text, *lengths, *characters, *tokens)


def sizes(rules: TokenRules) -> tuple[tuple[int, int], tuple[int, int]]:
    """The sizes of n-grams of characters and of n-grams of tokens; (1, 1) where there are none."""
    return (rules.ngram_range, (1, 1)) if rules.is_of_characters else ((1, 1), rules.ngram_range)


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
