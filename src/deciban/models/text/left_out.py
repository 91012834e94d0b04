"""Leave-one-out log-likelihoods of the documents that a text model was fitted on, without a refit.

With a_t the amount of token t in a document of weight w and class y, the counts without the document are

    n'_ty = n_ty − w·a_t,  N'_y = N_y − w·Σ a,  T'_t = T_t − w·a_t,  T' = T − w·Σ a,

n and N of the other classes stay, and tokens that occur in no other document are unknown, which leaves |V'| of them.
The formulas of `deciban.models.text.model` apply to these counts. Lidstone's α stays, or follows |V'| by its rule.
The discounts stay, since no single document changes them much. The discounted mass is

    M'_y = Σ_t m(n_ty) + Σ_{t in document} (m(n'_ty) − m(n_ty)),

and the background distribution is that of the other documents (`background_left`).

Held-out predictions of the documents that a text model was fitted on, to calibrate it and to learn its temperature.

Where single documents can be taken out of the counts (`leave_one_out.py`), each is predicted without itself. Otherwise
a tenth of the documents at a time is subtracted from the tally and predicted by the model of the others.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from deciban.decide import finish
from deciban.decide.temperature import document_temperature
from deciban.errors import ParameterError
from deciban.estimate import Smoothing, settle_priors
from deciban.limits import check_memory
from deciban.models.leave_one_out import prior_without_own
from deciban.models.text.model import Discounts, TextModel, background_left, discounted
from deciban.models.text.temperature import document_temperatures, documents_to_leave_out
from deciban.read import read_target, read_weights
from deciban.read.documents import Documents
from deciban.tallies import Sample
from deciban.tallies.leave_one_out import weight_left
from deciban.text.counting import term_matrix
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["held_out_posterior", "learned_temperature", "leave_documents_out"]


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


_FOLDS = 10
_ENOUGH = 100


def held_out_posterior(model: Any, documents: list[Any], y: Any, sample_weight: Any) -> Floats:
    """The posteriors of all documents that a `TextNB` has learned, each by a model without it."""
    if model.event == "twcnb":
        raise ParameterError(
            'event="twcnb" weights tokens by all documents at once, so none can be left out: calibrate it on other '
            "documents."
        )
    target, weights = read_target(y, len(documents)), read_weights(sample_weight, len(documents))
    sample = Sample.of(target, weights)
    data = Documents(documents)
    if _is_exact(model):
        codes = model.tally_.classes.encode(target.classes.labels)[target.codes]
        joint, known, prior = _without_each(model, model.priors, data, codes, _weights_of(sample))
    else:
        joint, known, prior = _without_folds(model, model.priors, data, sample, np.arange(len(data)), _FOLDS)
    heat = document_temperatures(model.temperature_, known, model._model.mean_tokens)[:, None]
    impossible = np.asarray(np.isneginf(joint).all(axis=1))
    joint[impossible] = prior[impossible]
    return finish(joint / np.where(impossible[:, None], 1.0, heat), model._prior, "posterior")


def learned_temperature(model: Any, data: Documents, sample: Sample) -> float | None:
    """The temperature of least log loss on left-out documents of a sample that a `TextNB` has just learned.

    The documents have the priors of their own classes, whatever priors new documents have: see `prior_of_rows`.
    """
    has_priors = isinstance(model.priors, Smoothing) or model.event == "complement"  # which ignores them
    priors = model.priors if has_priors else "empirical"
    if model.event == "twcnb" or len(model.classes_) < 2:
        return None
    weights = _weights_of(sample)
    codes = model.tally_.classes.encode(sample.classes.labels)[sample.codes]
    cells = len(model.classes_) * model._model.mean_length
    own = np.minimum(weights, 1.0)  # a document of weight 3 stands for three, of which one is left out
    rows = documents_to_leave_out(codes, own, model.tally_.class_counts, weights, cells)
    if rows is None:
        return None
    if _is_exact(model):
        joint, known, _ = _without_each(model, priors, data.take(rows), codes[rows], own[rows])
    else:
        rows = np.arange(0, len(data), _FOLDS) if len(data) >= _FOLDS * _ENOUGH else np.arange(len(data))
        joint, known, _ = _without_folds(model, priors, data, sample, rows, 1 if len(rows) < len(data) else _FOLDS)
        is_possible = np.isfinite(joint[np.arange(len(rows)), codes[rows]]) & (weights[rows] > 0)
        joint, known, rows = joint[is_possible], known[is_possible], rows[is_possible]
    relative = np.sqrt(known / model._model.mean_tokens)
    return document_temperature(joint, codes[rows], relative, weights[rows])


def _is_exact(model: Any) -> bool:
    """True where single documents can be left out of the counts."""
    return model.event in ("boolean", "multinomial") and model.length == "none" and model.n_bits is None


def _weights_of(sample: Sample) -> Floats:
    return np.ones(len(sample.codes)) if sample.weights is None else sample.weights


def _without_each(
    model: Any, priors: Any, data: Documents, codes: Codes, weights: Floats
) -> tuple[Floats, AnyArray, Floats]:
    """Leave-one-out: joint log-probabilities, the numbers of known tokens, and log-priors."""
    rule = model.smoothing if isinstance(model.smoothing, Smoothing) else None
    likelihood, known = leave_documents_out(model._model, data, codes, weights, rule)
    prior = prior_without_own(priors, model._prior, model.tally_.class_counts, codes, weights)
    return prior + likelihood, known, prior


def _without_folds(
    model: Any, priors: Any, data: Documents, sample: Sample, rows: AnyArray, folds: int
) -> tuple[Floats, AnyArray, Floats]:
    """Cross-validation of some documents, by subtracting each fold of them from the tally."""
    shape = len(rows), len(model.classes_)
    joint, known, prior = np.empty(shape), np.empty(len(rows)), np.empty(shape)
    for first in range(min(folds, len(rows))):
        at = np.arange(first, len(rows), folds)
        fold, own = data.take(rows[at]), sample.take(rows[at])
        rest = copy(model)
        left = model.tally_ - model._count(fold, own, model._form)
        rest._adopt(left.with_classes(model.tally_.classes), model._form)
        likelihood, known[at] = rest._scored(fold)
        prior[at] = settle_priors(priors, rest.tally_.class_counts, rest.classes_.tolist())
        joint[at] = prior[at] + likelihood
    return joint, known, prior
