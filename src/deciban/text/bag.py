"""The bag of tokens, the counts of one column of documents in a tally; and how documents are counted into one.

    n_jt = the occurrences of token t in documents of class j,  d_jt = the number of these documents that contain t

Both tables are sparse, with the same pattern of entries. Bags form a group, as all parts of a tally do: adding takes
the union of the vocabularies, and subtracting removes tokens whose counts become 0.

Documents are counted by class in one pass (`count_bag`), or with TF-IDF weights (`weigh_bag`; Rennie et al. 2003).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
import scipy.sparse as sp

from deciban.errors import ColumnMismatchError, NegativeCountError
from deciban.read.documents import Documents
from deciban.storable import check_ends, check_numbers, require, storable
from deciban.tallies import Part, Sample
from deciban.text import kernels
from deciban.text.analyzer import Analyzer, TokenRules
from deciban.text.kernels import TokenIndex, TokenTable, Vocabulary
from deciban.ties import settled
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "Bag",
    "bag_of_rows",
    "count_bag",
    "count_prepared",
    "memberships",
    "term_matrix",
    "weigh_bag",
    "weighted_documents",
]

_ROUNDING = 1e-9  # relative to the largest count: what sums of weights in another order may leave behind


def _check_bag(bag: Bag) -> None:
    """Token ids and class starts must lie within the tables."""
    require(isinstance(bag.name, str) and isinstance(bag.rules, TokenRules | None), "a bag has no name or rules")
    require(type(bag.size) is int and 0 <= bag.size <= 1 << 31, "a bag's size is impossible")  # n_bits is at most 31
    if bag.vocabulary is None:
        require(bag.size > 1 and bag.size.bit_count() == 1, "a bag has no vocabulary")
    else:
        require(isinstance(bag.vocabulary, Vocabulary) and len(bag.vocabulary) == bag.size, "a vocabulary does not fit")
    indices = bag.indices
    require(
        isinstance(indices, np.ndarray) and indices.dtype == np.uint32 and indices.ndim == 1, "tokens are not integers"
    )
    check_ends(bag.starts, len(indices), "a bag's starts")
    require(not len(indices) or int(indices.max()) < bag.size, "a token is unknown")
    keys = bag.rows * bag.size + indices.astype(np.int64)  # uint32 would overflow
    require(len(np.unique(keys)) == len(keys), "a token occurs twice in a class")
    for counts in (bag.occurrences, bag.documents):
        check_numbers(counts, (len(indices),), "counts of tokens")
    require(isinstance(bag.error, int | float) and bag.error >= 0, "a bag's error is impossible")


@storable(check=_check_bag)
@dataclass(frozen=True, eq=False)
class Bag(Part):
    """Class × token counts of one column of documents, stored by class.

    Class j's tokens are indices[starts[j] : starts[j + 1]]. Where tokens are hashed, there is no vocabulary and a token
    is the number of its bucket, of `size` = 2^n_bits. `error` is an upper bound on how much too small a count is: 0,
    unless a limit on the number of tokens has dropped some (`capped`).
    """

    name: str
    rules: TokenRules | None
    vocabulary: Vocabulary | None
    size: int
    starts: Ints
    indices: AnyArray
    occurrences: AnyArray
    documents: AnyArray
    error: float = 0.0

    # Counts --------------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def classes(self) -> int:
        return len(self.starts) - 1

    @property
    def is_empty(self) -> bool:
        return not (self.occurrences.any() or self.documents.any())

    @cached_property
    def rows(self) -> Ints:
        """The class of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def counts(self, distinct: bool) -> AnyArray:
        """The entries: numbers of documents where `distinct`, else of occurrences."""
        return self.documents if distinct else self.occurrences

    def totals(self, distinct: bool = False) -> AnyArray:
        """Each class's sum."""
        counts = self.counts(distinct)
        # `np.add.reduceat` would take the next entry for a class without tokens.
        return np.array([counts[i:j].sum() for i, j in pairwise(self.starts.tolist())], dtype=counts.dtype)

    def sums(self, distinct: bool = False) -> AnyArray:
        """Each token's sum."""
        return np.bincount(self.indices, self.counts(distinct), self.size).astype(self.counts(distinct).dtype)

    def matrix(self, distinct: bool = False) -> sp.csr_matrix:
        """Classes × tokens."""
        return self._matrix(self.counts(distinct))

    def information(self) -> float:
        """The mutual information I(T; C) of a random occurrence's token and its class, in nats."""
        counts = self.occurrences.astype(np.float64)
        whole = max(float(counts.sum()), 1e-300)  # an empty bag has no information, rather than NaN
        expected = self.totals()[self.rows] / whole * self.sums()[self.indices]
        known = counts > 0
        return float(np.sum(counts[known] * np.log(counts[known] / expected[known])) / whole)

    def token(self, token: int) -> str:
        """The text of a token, or the name of its bucket."""
        return f"bucket {token}" if self.vocabulary is None else self.vocabulary[token]

    def shown(self, most: int) -> Iterator[tuple[str, str, list[float | int]]]:
        """The number of tokens of each class, then the most frequent tokens: column, token, counts."""
        yield self.name, "tokens", self.totals().tolist()
        sums = self.sums()
        table = self.matrix().tocsc()
        for token in self.largest(sums, most).tolist():
            if sums[token]:
                yield "", self.token(token), table[:, [token]].toarray().ravel().tolist()

    def __repr__(self) -> str:
        tokens = "buckets" if self.vocabulary is None else "tokens"
        return f"Bag of {self.occurrences.sum():g} tokens, {self.size} {tokens}, {len(self.starts) - 1} classes"

    # The group -----------------------------------------------------------------------------------------------------

    def __add__(self, other: Bag) -> Bag:
        vocabulary, size, ids = self._joined(other)
        joined = self._entries(other, size, ids, 1)
        return replace(joined, vocabulary=vocabulary, error=self.error + other.error)

    def __sub__(self, other: Bag) -> Bag:
        return self.without(other, np.arange(len(self.starts) - 1))

    def without(self, other: Bag, labels: AnyArray) -> Bag:
        """Subtract `other`; errors name the classes by these labels.

        Where a limit has dropped tokens, counts may be too small, so those that would be negative are 0.
        """
        vocabulary, size, ids = self._joined(other)
        left = replace(self._entries(other, size, ids, -1), vocabulary=vocabulary)
        counts = [left._settled(a, max(b.max(initial=0), 1), labels) for a, b in left._pairs(self)]
        # A token without counts goes: the rest is then equal to a bag that never had it.
        return replace(left, occurrences=counts[0], documents=counts[1])._trimmed()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bag):
            return NotImplemented
        if (self.name, self.rules, self.size, self.error) != (other.name, other.rules, other.size, other.error):
            return False
        # The same tokens may have other ids: entries are compared in the ids of this bag.
        _, size, ids = self._joined(other)
        if size != self.size or not np.array_equal(self.starts, other.starts):
            return False
        return all(
            np.array_equal(a, b)
            for mine, theirs in ((self.occurrences, other.occurrences), (self.documents, other.documents))
            for a, b in zip(_sorted(self._matrix(mine)), _sorted(other._matrix(theirs, ids)), strict=True)
        )

    def scaled(self, factor: float) -> Bag:
        counts = {"occurrences": self.occurrences * float(factor), "documents": self.documents * float(factor)}
        return replace(self, **counts, error=self.error * float(factor))._trimmed()  # type: ignore[arg-type]

    def reclassed(self, indices: Ints, classes: int) -> Bag:
        lengths = np.zeros(classes, dtype=np.int64)
        lengths[indices] = np.diff(self.starts)
        order = np.argsort(indices, kind="stable")
        if not np.array_equal(order, np.arange(len(indices))):  # entries are stored by class, in the order of classes
            entries = np.concatenate([np.arange(self.starts[j], self.starts[j + 1]) for j in order])
            return replace(self._with(entries), starts=np.concatenate([[0], np.cumsum(lengths)]))
        return replace(self, starts=np.concatenate([[0], np.cumsum(lengths)]))

    def of_classes(self, kept: AnyArray) -> Bag:
        entries = np.repeat(kept, np.diff(self.starts))
        return replace(self._with(entries), starts=np.concatenate([[0], np.cumsum(np.diff(self.starts)[kept])]))

    def largest(self, scores: AnyArray, many: int) -> Ints:
        """The `many` tokens with the largest scores; ties are in alphabetical order.

        Ids follow first occurrence, so breaking ties by id would make the choice depend on the order of rows.
        """
        if many <= 0:
            return np.zeros(0, dtype=np.int64)
        scores = scores if scores.dtype.kind in "iu" else settled(scores)  # integers have no rounding errors
        # Only those that may be among the `many` are sorted, and only their tokens spelled.
        first = max(len(scores) - many, 0)
        is_large = scores >= (np.partition(scores, first)[first] if len(scores) else 0)
        ids = np.flatnonzero(is_large)
        rank = np.arange(len(ids))
        if self.vocabulary is not None:
            rank[self.vocabulary.subset(is_large).order()] = np.arange(len(ids))
        return ids[np.lexsort((rank, -scores[ids].astype(np.float64)))[:many]]

    # Fewer tokens --------------------------------------------------------------------------------------------------

    def restricted(self, kept: AnyArray) -> Bag:
        """The counts of the tokens in a mask; hashed tokens keep their buckets."""
        if kept.all():
            return self
        entries = kept[self.indices]
        bag = replace(self._with(entries), starts=_starts(self.rows[entries], len(self.starts) - 1))
        if self.vocabulary is None:
            return bag
        ids = np.cumsum(kept) - 1
        indices = ids[bag.indices].astype(self.indices.dtype)
        return replace(bag, vocabulary=self.vocabulary.subset(kept), size=int(kept.sum()), indices=indices)

    def capped(self, most: int) -> Bag:
        """The `most` most frequent tokens.

        A dropped token that occurs again is counted from 0. So a count is too small by at most `error`: the sum, over
        all calls that dropped tokens, of the largest dropped count (Manku & Motwani 2002).
        """
        if self.size <= most or self.vocabulary is None:
            return self
        sums = self.sums()
        kept = np.zeros(self.size, dtype=bool)
        kept[self.largest(sums, most)] = True
        return replace(self.restricted(kept), error=self.error + float(sums[~kept].max()))

    # Private -------------------------------------------------------------------------------------------------------

    def _matrix(self, counts: AnyArray, ids: Ints | None = None, size: int | None = None) -> sp.csr_matrix:
        columns = self.indices if ids is None else ids[self.indices]
        return sp.csr_matrix((counts, columns.astype(np.int64), self.starts), (len(self.starts) - 1, size or self.size))

    def _with(self, entries: AnyArray) -> Bag:
        """Some of the entries; the caller sets where each class starts."""
        changed = {name: getattr(self, name)[entries] for name in ("indices", "occurrences", "documents")}
        return replace(self, **changed)

    def _joined(self, other: Bag) -> tuple[Vocabulary | None, int, Ints | None]:
        """The union of the vocabularies, its size, and the ids of other's tokens in it."""
        if self.rules != other.rules or self.name != other.name:
            raise ColumnMismatchError(
                f"column {self.name!r}, tokenized by {self.rules}, cannot be added to {other.name!r}, by {other.rules}."
            )
        if self.vocabulary is None or other.vocabulary is None:
            if self.vocabulary is not other.vocabulary or self.size != other.size:
                raise ColumnMismatchError(
                    "hashed tokens can only be added to tokens hashed to the same number of bits."
                )
            return None, self.size, None
        vocabulary, ids = self.vocabulary.union(other.vocabulary)
        return vocabulary, len(vocabulary), ids

    def _entries(self, other: Bag, size: int, ids: Ints | None, sign: Literal[1, -1]) -> Bag:
        """The sum of both, entry by entry; the two tables keep one pattern."""
        is_hashed = ids is None and np.array_equal(self.starts, other.starts)
        if is_hashed and np.array_equal(self.indices, other.indices):  # full hash tables
            occurrences, documents = (a + sign * b for a, b in self._pairs(other))
            return replace(self, size=size, occurrences=occurrences, documents=documents)
        ours, theirs = (TokenTable(b.starts, b.indices, b.occurrences, b.documents) for b in (self, other))
        return replace(self, size=size, **kernels.add_tables(ours, theirs, size, ids, sign)._asdict())

    def _pairs(self, before: Bag) -> tuple[tuple[AnyArray, AnyArray], ...]:
        return (self.occurrences, before.occurrences), (self.documents, before.documents)

    def _settled(self, counts: AnyArray, scale: float, labels: AnyArray) -> AnyArray:
        """The counts, with rounding errors set to 0; negative counts are an error."""
        if counts.dtype.kind == "f":
            counts = np.where(np.abs(counts) <= _ROUNDING * scale, 0.0, counts)
        if self.error > 0:  # a dropped count may have been of these documents
            return np.maximum(counts, 0)
        if counts.min(initial=0) < 0:
            at = int(counts.argmin())
            raise NegativeCountError(
                f"the count of token {self.token(int(self.indices[at]))!r} in class "
                f"{labels.tolist()[self.rows[at]]!r} would be {counts[at]:g}: these documents were never counted."
            )
        return counts

    def _trimmed(self) -> Bag:
        """Without entries that are 0, and without tokens that have no entries."""
        entries = (self.occurrences != 0) | (self.documents != 0)
        bag = self
        if not entries.all():
            bag = replace(self._with(entries), starts=_starts(self.rows[entries], len(self.starts) - 1))
        used = np.zeros(self.size, dtype=bool)
        used[bag.indices] = True
        return bag if self.vocabulary is None else bag.restricted(used)


def count_bag(
    documents: Documents, sample: Sample, analyzer: Analyzer, n_bits: int | None = None, name: str = "text"
) -> Bag:
    """Count the tokens of each class's documents; documents of weight 0 are ignored."""
    documents, sample = weighted_documents(documents, sample)
    return count_prepared(analyzer.prepare(documents.texts), sample, analyzer.rules, n_bits, name)


def count_prepared(
    prepared: Collection[object],
    sample: Sample,
    rules: TokenRules | None,
    n_bits: int | None = None,
    name: str = "text",
) -> Bag:
    """Count documents in the form that `Analyzer.prepare` returns."""
    counts = kernels.count_documents(
        prepared,
        np.ascontiguousarray(sample.codes, dtype=np.int32),
        len(sample.classes),
        rules,
        weights=sample.weights,
        hashed_bits=n_bits,
    )
    table = (counts.starts, counts.indices, counts.occurrences, counts.documents)
    return Bag(name, rules, counts.vocabulary, counts.size, *table)


def term_matrix(
    documents: Documents, analyzer: Analyzer, index: TokenIndex | int | None = None
) -> tuple[sp.csr_matrix, Vocabulary | None]:
    """Documents × tokens, and the vocabulary where none was given."""
    terms = kernels.document_terms(analyzer.prepare(documents.texts), analyzer.rules, index=index)
    return terms.matrix(), terms.vocabulary


def weigh_bag(
    documents: Documents, sample: Sample, analyzer: Analyzer, n_bits: int | None = None, name: str = "text"
) -> Bag:
    """A bag whose occurrences are Rennie's weights: log(1 + count)·idf of each token, divided by the document's norm.

    idf_t = log((1 + D) / (1 + d_t)) + 1, where d_t of the D documents contain token t.
    """
    documents, sample = weighted_documents(documents, sample)
    matrix, vocabulary = term_matrix(documents, analyzer, n_bits)
    present = np.bincount(matrix.indices, minlength=matrix.shape[1])
    idf = np.log((1.0 + len(documents)) / (1.0 + present)) + 1.0
    weight = np.log1p(matrix.data) * idf[matrix.indices]
    rows = np.repeat(np.arange(len(documents)), np.diff(matrix.indptr))
    norm = np.sqrt(np.bincount(rows, weight**2, len(documents)))
    matrix.data = weight / norm[rows]  # no weight is 0, so neither is the norm of a document with tokens
    return bag_of_rows(matrix, vocabulary, memberships(sample), analyzer, name)


def bag_of_rows(
    matrix: sp.csr_matrix, vocabulary: Vocabulary | None, members: sp.csr_matrix, analyzer: Analyzer, name: str = "text"
) -> Bag:
    """The bag of a documents × tokens matrix; `members`, classes × documents, has each document's weight by class."""
    sums = (members @ matrix).tocsr()
    sums.sort_indices()
    present = matrix.copy()
    present.data = np.ones(len(present.data))
    documents = (members @ present).tocsr()
    documents.sort_indices()
    starts = sums.indptr.astype(np.int64)
    table = (starts, sums.indices.astype(np.uint32), sums.data.astype(np.float64), documents.data)
    return Bag(name, analyzer.rules, vocabulary, matrix.shape[1], *table)


def memberships(sample: Sample) -> sp.csr_matrix:
    """Classes × documents: the weight of each document, in the row of its class."""
    weights: Floats = np.ones(len(sample.codes)) if sample.weights is None else sample.weights
    shape = len(sample.classes), len(sample.codes)
    return sp.csr_matrix((weights, (sample.codes, np.arange(len(sample.codes)))), shape)


def weighted_documents(documents: Documents, sample: Sample) -> tuple[Documents, Sample]:
    """The documents whose weight is not 0, and their sample."""
    rows = sample.weighty()
    if rows is None:
        return documents, sample
    return documents.take(np.flatnonzero(rows)), sample.take(rows)


def _starts(rows: Ints, classes: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=classes))]).astype(np.int64)


def _sorted(matrix: sp.csr_matrix) -> tuple[AnyArray, AnyArray]:
    matrix = matrix.copy()  # sorting works in place
    matrix.sort_indices()
    return matrix.indices, matrix.data
