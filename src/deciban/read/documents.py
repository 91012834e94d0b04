"""Read a column of text as a list, a tuple or an Arrow array of documents; copied only where needed.

A Series of polars or pandas exports its Arrow array itself, so no dataframe library is imported here.

A missing document (None, NaN, pandas.NA, a null) is an error that names its row, in every container: it is not an empty
document, whose absence of tokens is evidence. Columns of a table may have missing texts: `Text` columns of
`NaiveBayes` skip them by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from deciban.errors import InputError, InputTypeError, MissingValueError
from deciban.read.table import is_frame
from deciban.read.variable import is_missing, plain
from deciban.types import AnyArray

__all__ = ["Documents", "read_documents"]

_TEXT = frozenset({str, bytes})


class Documents:
    """Documents that have been read: `texts` is a list, tuple or Arrow array of str or bytes."""

    given_names = None

    def __init__(self, texts: Any) -> None:
        self.texts = texts

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.texts), 1

    def take(self, rows: slice | AnyArray) -> Documents:
        """A slice of the documents, or those with some indices."""
        if not isinstance(rows, slice):
            is_array = hasattr(self.texts, "take")
            return Documents(self.texts.take(rows) if is_array else [self.texts[row] for row in rows.tolist()])
        first, last, _ = rows.indices(len(self))
        return self if last - first == len(self) else Documents(self.texts[first:last])

    def to_list(self) -> list[Any]:
        """The documents as a list; the same object where it is one."""
        if isinstance(self.texts, list):
            return self.texts
        return self.texts.to_pylist() if hasattr(self.texts, "to_pylist") else list(self.texts)


def read_documents(X: Any) -> Documents:
    """Read documents, str or bytes, from a list, tuple, array, Series, Arrow column or any iterable.

    >>> len(read_documents(word for word in ("to be", "or not")))
    2
    """
    if type(X) in (list, tuple):
        return Documents(_complete(X))
    if isinstance(X, str | bytes):
        raise InputTypeError(f"X is one {type(X).__name__}, not a collection of documents. Pass [document].")
    if isinstance(X, np.ndarray):
        return Documents(_complete(_from_array(X)))
    if is_frame(X) or isinstance(X, Mapping) or sp.issparse(X):
        raise InputTypeError(f"X is a {type(X).__name__}, not a column of documents. Pass one of its columns.")
    arrow = _arrow(X)
    if arrow is not None:
        if isinstance(arrow, list):
            return Documents(_complete(arrow))
        if arrow.null_count:
            _refuse_missing(arrow.is_valid().index(False).as_py(), None)
        return Documents(arrow)
    if hasattr(X, "tolist"):
        return Documents(_complete(X.tolist()))
    if not isinstance(X, Iterable):
        raise InputTypeError(f"X is a {type(X).__name__}, not a collection of documents: str or bytes.")
    return Documents(_complete(list(X)))


def _complete(X: Any) -> Any:
    """The documents, without missing values; numpy and Arrow scalars as plain text."""
    if _TEXT.issuperset(map(type, X)):
        return X
    for row, document in enumerate(X):
        if is_missing(document):
            _refuse_missing(row, document)
    return [plain(document) for document in X]


def _refuse_missing(row: int, document: object) -> None:
    raise MissingValueError(
        f"document {row} is missing ({document!r}). Leave out the rows without a document, or pass an empty text for "
        "one that has no words."
    )


def _from_array(X: AnyArray) -> list[Any]:
    if X.ndim == 2 and X.shape[1] == 1:
        X = X[:, 0]
    if X.ndim != 1:
        raise InputError(f"X should be a 1d array of documents, got an array of shape {X.shape} instead.")
    if X.dtype.kind not in "OUST":
        raise InputTypeError(f"X is an array of {X.dtype}, not of documents: str or bytes.")
    return X.tolist()


def _arrow(X: Any) -> Any:
    """The Arrow array of strings of a column, in one chunk, or None where it has none."""
    if hasattr(X, "to_arrow"):  # polars
        X = X.to_arrow()
    elif hasattr(getattr(X, "array", None), "__arrow_array__"):  # pandas, where strings are Arrow's
        X = X.array.__arrow_array__()
    if not (hasattr(X, "type") and hasattr(X, "combine_chunks" if hasattr(X, "chunks") else "buffers")):
        return None
    kind = str(X.type)
    if kind not in ("string", "large_string", "binary", "large_binary"):
        X = X.cast("large_string") if kind == "string_view" or kind.startswith("dictionary") else X.to_pylist()
    if not hasattr(X, "chunks"):
        return X
    if len(X.chunks) == 1:
        return X.chunk(0)
    # The offsets of a joined array may need 64 bits, even where those of each chunk did not.
    return X.cast("large_binary" if "binary" in kind else "large_string").combine_chunks()
