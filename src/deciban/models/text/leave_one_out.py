"""Leave-one-out log-likelihoods of the documents that a text model was fitted on, without a refit.

With a_t the amount of token t in a document of weight w and class y, the counts without the document are

    n'_ty = n_ty − w·a_t,  N'_y = N_y − w·Σ a,  T'_t = T_t − w·a_t,  T' = T − w·Σ a,

n and N of the other classes stay, and tokens that occur in no other document are unknown, which leaves |V'| of them.
The formulas of `deciban.models.text.events` apply to these counts. Lidstone's α stays, or follows |V'| by its rule.
The discounts and the background distribution stay, since no single document changes them much. The discounted mass is

    M'_y = Σ_t m(n_ty) + Σ_{t in document} (m(n'_ty) − m(n_ty)).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from deciban.estimate import Smoothing
from deciban.limits import check_memory
from deciban.models.text.model import TextModel
from deciban.models.text.smoothing import discounted
from deciban.read.documents import Documents
from deciban.tallies.leave_one_out import weight_left
from deciban.text.counting import term_matrix
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["leave_documents_out"]


def leave_documents_out(
    model: TextModel, documents: Documents, y: Codes, weights: Floats, rule: Smoothing | None = None
) -> Floats:
    """log P(document | class) without the document itself: documents × classes.

    `rule` gives the pseudo-count where it depends on the number of tokens.
    """
    bag, distinct = model.bag, model.scores.distinct
    terms = _Terms.of(model, documents, weights)
    table, totals = bag.matrix(distinct), bag.totals(distinct).astype(np.float64)
    alpha = model.smoothing
    score = _discounted(terms, model) if isinstance(alpha, np.ndarray) else _smoothed(terms, alpha, rule, bag.classes)
    check_memory("the scores of documents × classes", len(y), len(totals))
    out = np.zeros((len(y), len(totals)))
    for j in range(len(totals)):
        is_own = y == j
        counts = table[[j]].toarray().ravel()[terms.tokens].astype(np.float64)
        left = np.where(is_own[terms.rows], weight_left(counts, terms.own), counts)
        whole = np.where(is_own, weight_left(totals[j], terms.sums), totals[j])
        entries = bag.counts(distinct)[bag.starts[j] : bag.starts[j + 1]]
        logs = np.where(terms.known, score(_Class(j, entries, counts, left, whole)), 0.0)
        out[:, j] = np.bincount(terms.rows, terms.amounts * logs, len(y))
    return out


@dataclass(frozen=True, eq=False)
class _Terms:
    """The tokens of all documents: the document, token and amount of each, and the document's own count of it."""

    rows: Ints
    tokens: AnyArray
    amounts: Floats
    own: Floats
    sums: Floats  # the document's own count of all tokens
    left: Floats  # the other documents' count of the token
    whole: Floats  # the other documents' count of all tokens
    known: AnyArray  # whether the token is known without the document
    sizes: Ints  # the number of known tokens without the document

    @classmethod
    def of(cls, model: TextModel, documents: Documents, weights: Floats) -> _Terms:
        matrix, _ = term_matrix(documents, model.analyzer, model.index)
        many = len(weights)
        rows = np.repeat(np.arange(many), np.diff(matrix.indptr))
        amounts = np.ones(len(rows)) if model.scores.distinct else matrix.data.astype(np.float64)
        own = amounts * weights[rows]
        sums: Floats = np.bincount(rows, own, many).astype(np.float64)
        of_token = model.bag.sums(model.scores.distinct).astype(np.float64)
        left, whole = weight_left(of_token[matrix.indices], own), weight_left(of_token.sum(), sums)
        known = np.ones(len(rows), dtype=bool) if model.bag.vocabulary is None else left > 0
        sizes = model.bag.size - np.bincount(rows[~known], minlength=many)
        return cls(rows, matrix.indices, amounts, own, sums, left, whole, known, sizes)


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


def _discounted(terms: _Terms, model: TextModel) -> Callable[[_Class], Floats]:
    """Absolute discounting: log M'/N' + log B_t + log(1 + (n' − m')/(M'·B_t))."""
    rows, discounts = terms.rows, np.asarray(model.smoothing)
    background = np.exp(np.asarray(model.scores.token_base))[terms.tokens]

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
