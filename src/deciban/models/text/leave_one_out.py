"""Leave-one-out log-likelihoods of the documents that a text model was fitted on, without a refit.

With a_t the amount of token t in a document of weight w and class y, the counts without the document are

    n'_ty = n_ty − w·a_t,  N'_y = N_y − w·Σ a,  T'_t = T_t − w·a_t,  T' = T − w·Σ a,

n and N of the other classes stay, and tokens that occur in no other document are unknown, which leaves |V'| of them.
The formulas of `deciban.models.text.events` apply to these counts. Lidstone's α stays, or follows |V'| by its rule.
The discounts stay, since no single document changes them much. The discounted mass is

    M'_y = Σ_t m(n_ty) + Σ_{t in document} (m(n'_ty) − m(n_ty)),

and the background distribution is that of the other documents (`background_left`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from deciban.estimate import Smoothing
from deciban.limits import check_memory
from deciban.models.text.model import TextModel
from deciban.models.text.smoothing import Discounts, background_left, discounted
from deciban.read.documents import Documents
from deciban.tallies.leave_one_out import weight_left
from deciban.text.counting import term_matrix
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["leave_documents_out"]


def leave_documents_out(
    model: TextModel, documents: Documents, y: Codes, weights: Floats, rule: Smoothing | None = None
) -> tuple[Floats, Floats]:
    """log P(document | class) without the document itself, documents × classes, and the numbers of known tokens.

    `rule` gives the pseudo-count where it depends on the number of tokens.
    """
    bag, distinct = model.bag, model.scores.distinct
    terms = _Terms.of(model, documents, y, weights)
    totals = bag.totals(distinct).astype(np.float64)
    check_memory("the scores of documents × classes", len(y), len(totals))
    if model.discounts is None:
        score = _smoothed(terms, float(model.smoothing), rule, bag.classes)
    else:
        score = _discounted(terms, model.discounts.taken, _background(terms, model, model.discounts, y))
    out = np.zeros((len(y), len(totals)))
    for j in range(len(totals)):
        is_own = y == j
        counts = terms.table[[j]].toarray().ravel()[terms.columns]
        left = np.where(is_own[terms.rows], terms.own_left, counts)
        whole = np.where(is_own, weight_left(totals[j], terms.sums), totals[j])
        entries = bag.counts(distinct)[bag.starts[j] : bag.starts[j + 1]]
        logs = np.where(terms.known, score(_Class(j, entries, counts, left, whole)), 0.0)
        out[:, j] = np.bincount(terms.rows, terms.amounts * logs, len(y))
    known: Floats = np.bincount(terms.rows, terms.occurrences * terms.known, len(y))
    return out, known


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


@dataclass(frozen=True, eq=False)
class _Class:
    """One class: its entries, the counts of the documents' tokens with and without the document, and its total."""

    index: int
    entries: AnyArray
    counts: Floats
    left: Floats
    whole: Floats


def _smoothed(terms: _Terms, alpha: float, rule: Smoothing | None, classes: int) -> Callable[[_Class], Floats]:
    """Lidstone: log (n' + α) − log (N' + α|V'|)."""
    sizes, inverse = np.unique(terms.sizes, return_inverse=True)
    pseudo = np.array([alpha if rule is None else rule.pseudocount(int(size), classes) for size in sizes])[inverse]

    def score(of: _Class) -> Floats:
        whole = of.whole + pseudo * terms.sizes
        with np.errstate(divide="ignore"):
            logs = np.log(of.left + pseudo[terms.rows]) - np.log(np.where(whole > 0, whole, 1.0))[terms.rows]
        uniform = -np.log(np.maximum(terms.sizes, 1.0))
        return np.where((whole > 0)[terms.rows], logs, uniform[terms.rows])

    return score


def _discounted(terms: _Terms, discounts: Floats, background: Floats) -> Callable[[_Class], Floats]:
    """Absolute discounting: log M'/N' + log B' + log(1 + (n' − m')/(M'·B'))."""
    rows = terms.rows

    def score(of: _Class) -> Floats:
        def taken(counts: AnyArray) -> Floats:
            return discounted(counts.astype(np.float64), np.full(len(counts), of.index), discounts)

        moved = np.bincount(rows, taken(of.left) - taken(of.counts), len(of.whole))
        freed = np.maximum(taken(of.entries).sum() + moved, 0.0)
        has_any = (of.whole > 0) & (freed > 0)
        share = np.divide(freed, of.whole, out=np.ones(len(freed)), where=has_any)
        more = np.zeros(len(rows))
        np.divide(of.left - taken(of.left), freed[rows] * background, out=more, where=has_any[rows] & (of.left > 0))
        return np.log(share)[rows] + np.log(background) + np.log1p(more)

    return score


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
