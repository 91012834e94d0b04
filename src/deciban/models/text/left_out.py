"""Leave-one-out log-likelihoods of the documents that a text model was fitted on, without a refit.

With a_t the amount of token t in a document of weight w and class y, the counts without the document are

    n'_ty = n_ty − w·a_t,  N'_y = N_y − w·Σ a,  T'_t = T_t − w·a_t,  T' = T − w·Σ a,

n and N of the other classes stay, and tokens that occur in no other document are unknown, which leaves |V'| of them.
The formulas of `deciban.models.text.model` apply to these counts. Lidstone's α stays, or follows |V'| by its rule.
The discounts stay, since no single document changes them much. The discounted mass is

    M'_y = Σ_t m(n_ty) + Σ_{t in document} (m(n'_ty) − m(n_ty)),

and the background distribution is that of the other documents (`background_left`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from deciban.estimate import Smoothing
from deciban.limits import check_memory
from deciban.models.text.model import Discounts, TextModel, background_left, discounted
from deciban.read.documents import Documents
from deciban.tallies.leave_one_out import weight_left
from deciban.text.bag import term_matrix
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["leave_documents_out"]


def leave_documents_out(
    model: TextModel, documents: Documents, y: Codes, weights: Floats, rule: Smoothing | None = None
) -> tuple[Floats, Floats]:
    """log P(document | class) without the document itself, documents × classes, and the numbers of known tokens.

    `rule` gives the pseudo-count where it depends on the number of tokens.
    """
    terms = _Terms.of(model, documents, y, weights)
    check_memory("the scores of documents × classes", len(y), model.bag.classes)
    known = np.bincount(terms.rows, terms.occurrences * terms.known, len(y)).astype(np.float64)
    if model.discounts is not None:
        return _discounted(terms, model, model.discounts, y), known
    return _smoothed(terms, model, y, rule), known


@dataclass(frozen=True, eq=False)
class _Terms:
    """The tokens of all documents: the document, token and amount of each, and the counts of the other documents."""

    rows: Ints
    tokens: AnyArray
    occurrences: AnyArray
    amounts: Floats
    table: sp.csr_matrix  # classes × the distinct tokens of these documents
    columns: Ints  # the column of each token
    own: Floats  # the count of the token in the document's class, with the document
    own_left: Floats  # the same without the document
    sums: Floats  # the document's own count of all tokens
    known: AnyArray  # whether the token is known without the document
    sizes: Ints  # the number of known tokens without the document

    @classmethod
    def of(cls, model: TextModel, documents: Documents, y: Codes, weights: Floats) -> _Terms:
        bag, distinct, many = model.bag, model.scores.distinct, len(weights)
        matrix, _ = term_matrix(documents, model.analyzer, model.index)
        rows = np.repeat(np.arange(many), np.diff(matrix.indptr))
        amounts = np.ones(len(rows)) if distinct else matrix.data.astype(np.float64)
        used, columns = np.unique(matrix.indices, return_inverse=True)
        table = bag.matrix(distinct).astype(np.float64)[:, used].tocsr()
        weighted = amounts * weights[rows]
        sums: Floats = np.bincount(rows, weighted, many).astype(np.float64)
        own = np.asarray(table[y[rows], columns]).ravel() if len(rows) else np.zeros(0)
        left = weight_left(bag.sums(distinct).astype(np.float64)[matrix.indices], weighted)
        known = np.ones(len(rows), dtype=bool) if bag.vocabulary is None else left > 0
        sizes = bag.size - np.bincount(rows[~known], minlength=many)
        of_document = rows, matrix.indices, matrix.data, amounts
        return cls(*of_document, table, columns, own, weight_left(own, weighted), sums, known, sizes)

    def counts(self, j: int) -> Floats:
        """The count of each token in class j, with the document."""
        return self.table[[j]].toarray().ravel()[self.columns]


def _smoothed(terms: _Terms, model: TextModel, y: Codes, rule: Smoothing | None) -> Floats:
    """Lidstone: log (n' + α) − log (N' + α|V'|)."""
    totals, rows = model.bag.totals(model.scores.distinct).astype(np.float64), terms.rows
    sizes, inverse = np.unique(terms.sizes, return_inverse=True)
    alpha, classes = float(model.smoothing), model.bag.classes
    pseudo = np.array([alpha if rule is None else rule.pseudocount(int(size), classes) for size in sizes])[inverse]
    uniform = -np.log(np.maximum(terms.sizes, 1.0))
    out = np.zeros((len(y), len(totals)))
    for j in range(len(totals)):
        is_own = y == j
        left = np.where(is_own[rows], terms.own_left, terms.counts(j))
        whole = np.where(is_own, weight_left(totals[j], terms.sums), totals[j]) + pseudo * terms.sizes
        with np.errstate(divide="ignore"):
            logs = np.log(left + pseudo[rows]) - np.log(np.where(whole > 0, whole, 1.0))[rows]
        logs = np.where((whole > 0)[rows], logs, uniform[rows])
        out[:, j] = np.bincount(rows, terms.amounts * np.where(terms.known, logs, 0.0), len(y))
    return out


def _discounted(terms: _Terms, model: TextModel, discounts: Discounts, y: Codes) -> Floats:
    """Absolute discounting: log M'/N' + log B' + log(1 + (n' − m')/(M'·B')); the last is 0 where n' is."""
    bag, distinct, rows, taken = model.bag, model.scores.distinct, terms.rows, discounts.taken
    totals, background = bag.totals(distinct).astype(np.float64), _background(terms, model, discounts, y)
    freed = np.bincount(bag.rows, discounted(bag.counts(distinct).astype(np.float64), bag.rows, taken), len(totals))
    before, after = (discounted(counts, y[rows].astype(np.int64), taken) for counts in (terms.own, terms.own_left))
    moved = np.bincount(rows, after - before, len(y))
    amounts = terms.amounts * terms.known
    length, common = (np.bincount(rows, values, len(y)) for values in (amounts, amounts * np.log(background)))
    out = np.empty((len(y), len(totals)))
    for j in range(len(totals)):
        is_own, counts = y == j, terms.counts(j)
        at = np.flatnonzero(counts)
        row, left = rows[at], np.where(is_own[rows[at]], terms.own_left[at], counts[at])
        whole = np.where(is_own, weight_left(totals[j], terms.sums), totals[j])
        mass = np.maximum(freed[j] + np.where(is_own, moved, 0.0), 0.0)
        has_any = (whole > 0) & (mass > 0)
        share = np.divide(mass, whole, out=np.ones(len(mass)), where=has_any)
        kept = left - discounted(left, np.full(len(left), j), taken)
        more = np.divide(kept, mass[row] * background[at], out=np.zeros(len(at)), where=has_any[row] & (left > 0))
        out[:, j] = common + length * np.log(share) + np.bincount(row, amounts[at] * np.log1p(more), len(y))
    return out


def _background(terms: _Terms, model: TextModel, discounts: Discounts, y: Codes) -> Floats:
    """The background of each token without the document; 1 where the token is then unknown."""
    distinct = model.scores.distinct
    whole = model.bag.totals(distinct).astype(np.float64)[y]
    totals = whole[terms.rows], weight_left(whole, terms.sums)[terms.rows]
    is_lost = (terms.own > 0) & (terms.own_left <= 0)
    lost = np.bincount(terms.rows, is_lost, len(y))[terms.rows]
    counts = terms.own, terms.own_left
    left = background_left(model.bag, distinct, discounts, terms.tokens, counts, totals, lost)
    return np.where(left > 0, left, 1.0)
