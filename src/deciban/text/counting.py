"""From documents to a bag: counted by class in one pass, or with TF-IDF weights (Rennie et al. 2003)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from deciban.read.documents import Documents
from deciban.tallies import Sample
from deciban.text import kernels
from deciban.text.analyzer import Analyzer, TokenRules
from deciban.text.bag import Bag
from deciban.text.vocabulary import Vocabulary
from deciban.types import Floats

__all__ = [
    "bag_of_rows",
    "count_bag",
    "count_prepared",
    "object_matrix",
    "term_matrix",
    "weigh_bag",
    "weighted_documents",
]


def count_bag(
    documents: Documents, sample: Sample, analyzer: Analyzer, n_bits: int | None = None, name: str = "text"
) -> Bag:
    """Count the tokens of each class's documents; documents of weight 0 are ignored."""
    kept, sample = weighted_documents(documents.texts, sample)
    return count_prepared(analyzer.prepare(kept), sample, analyzer.rules, n_bits, name)


def count_prepared(
    prepared: Any, sample: Sample, rules: TokenRules | None, n_bits: int | None = None, name: str = "text"
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
    vocabulary = counts.spelling and Vocabulary.spelled(counts.spelling, counts.index, rules)
    table = (counts.starts, counts.indices, counts.occurrences, counts.documents)
    return Bag(name, rules, vocabulary, counts.size, *table)


def term_matrix(documents: Documents, analyzer: Analyzer, index: Any = None) -> tuple[sp.csr_matrix, Vocabulary | None]:
    """Documents × tokens, and the vocabulary where none was given."""
    terms = kernels.document_terms(analyzer.prepare(documents.texts), analyzer.rules, index=index)
    matrix = sp.csr_matrix((terms.counts, terms.indices, terms.starts), (len(documents), terms.size))
    return matrix, terms.spelling and Vocabulary.spelled(terms.spelling)


def object_matrix(
    documents: Sequence[Sequence[Any]], columns: Mapping[Any, int] | None = None
) -> tuple[sp.csr_matrix, Mapping[Any, int]]:
    """Documents × tokens counts for tokens of any type, and the column of each token; sorted by token unless given.

    >>> matrix, columns = object_matrix([[7, 3, 7], [3]])
    >>> matrix.toarray().tolist(), columns
    ([[1, 2], [1, 0]], {3: 0, 7: 1})
    """
    if columns is None:
        tokens = {token for document in documents for token in document}
        columns = {token: column for column, token in enumerate(sorted(tokens))}
    counts = [Counter(columns[token] for token in document if token in columns) for document in documents]
    starts = np.concatenate([[0], np.cumsum([len(count) for count in counts])]).astype(np.int64)
    indices = np.fromiter((column for count in counts for column in count), dtype=np.int32, count=starts[-1])
    times = np.fromiter((n for count in counts for n in count.values()), dtype=np.int64, count=starts[-1])
    matrix = sp.csr_matrix((times, indices, starts), (len(documents), len(columns)))
    matrix.sort_indices()
    return matrix, columns


def weigh_bag(
    documents: Documents, sample: Sample, analyzer: Analyzer, n_bits: int | None = None, name: str = "text"
) -> Bag:
    """A bag whose occurrences are Rennie's weights: log(1 + count)·idf of each token, divided by the document's norm.

    idf_t = log((1 + D) / (1 + d_t)) + 1, where d_t of the D documents contain token t.
    """
    kept, sample = weighted_documents(documents.texts, sample)
    matrix, vocabulary = term_matrix(Documents(kept), analyzer, n_bits)
    present = np.bincount(matrix.indices, minlength=matrix.shape[1])
    idf = np.log((1.0 + len(kept)) / (1.0 + present)) + 1.0
    weight = np.log1p(matrix.data) * idf[matrix.indices]
    rows = np.repeat(np.arange(len(kept)), np.diff(matrix.indptr))
    norm = np.sqrt(np.bincount(rows, weight**2, len(kept)))
    matrix.data = weight / np.where(norm > 0, norm, 1.0)[rows]
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


def weighted_documents(documents: Any, sample: Sample) -> tuple[Any, Sample]:
    """The documents whose weight is not 0, and their sample."""
    rows = sample.weighty()
    if rows is None:
        return documents, sample
    return Documents(documents).take(np.flatnonzero(rows)).texts, sample.take(rows)
