"""The event models: from counts to the score of each token in each class, as sparse as the counts.

A document's log-likelihood in class c is a sum over its known tokens t,

    start_c + Σ_t amount_t · (class_base_c + token_base_t + δ_tc),

where δ_tc is stored only for tokens that occur in class c. With n the counts of token t in class c, N_c their sum over
the |V| tokens, T_t their sum over classes, T the sum of all, and α the pseudo-count:

==============  ====================================================================================================
Lidstone        P = (n + α)/(N_c + α|V|):  class_base = log α − log(N_c + α|V|),  δ = log((n + α)/α)
discount        P = (n − m)/N_c + M_c/N_c·B_t,  m the discount of n,  M_c = Σ m,  B_t the mean of n/N_c over classes;
kneser-ney      the same, but B_t = K_t/Σ K, where t occurs in K_t classes (Kneser & Ney 1995):
                class_base = log(M_c/N_c),  token_base = log B_t,  δ = log(1 + (n − m)/(M_c·B_t))
complement      θ = (T_t − n + α)/(T − N_c + α|V|), scored by −log θ:
                class_base = log(T − N_c + α|V|),  token_base = −log(T_t + α),  δ = −log((T_t − n + α)/(T_t + α))
bernoulli       p = (d + α)/(D_c + 2α), where d of the class's D_c documents contain t; absence counts, too:
                start = Σ_t log(1 − p),  class_base = log α − log(D_c + α),  δ = log((d + α)/(D_c − d + α)) − class_base
==============  ====================================================================================================

Sources: Mitchell, table 6.2; McCallum & Nigam (1998); Rennie et al. (2003); Chen & Goodman (1999) for discounting.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from deciban.errors import ParameterError
from deciban.estimate import log_probabilities
from deciban.limits import check_memory
from deciban.models.text.smoothing import Discounts, discounted
from deciban.text.bag import Bag
from deciban.text.kernels import TokenScores
from deciban.types import AnyArray, Floats, Ints

__all__ = ["bernoulli_scores", "class_sizes", "complement_scores", "discount_scores", "lidstone_scores", "with_ignored"]

_SMALLEST_ALPHA = 1e-10
_MOST_CLASSES = 1 << 16


def lidstone_scores(bag: Bag, alpha: float, distinct: bool) -> TokenScores:
    """The multinomial model with `alpha` pseudo-counts a token; 0 is maximum likelihood, with scores of −∞."""
    if alpha == 0:
        advice = "Pass smoothing above 0, whose scores are stored sparsely."
        check_memory(
            "the log-probabilities of classes × tokens", len(bag.starts) - 1, bag.size, itemsize=24, advice=advice
        )
        return _listed(log_probabilities(bag.matrix(distinct).toarray(), 0.0), distinct)
    whole = bag.totals(distinct) + alpha * max(bag.size, 1)
    base = np.log(alpha) - np.log(whole)
    return _scores(bag, base, _log1p(bag.counts(distinct), alpha), distinct=distinct)


def discount_scores(bag: Bag, discounts: Discounts, distinct: bool) -> TokenScores:
    """The multinomial model with absolute discounting: the discounted mass goes to the background distribution."""
    counts = bag.counts(distinct).astype(np.float64)
    totals = bag.totals(distinct).astype(np.float64)
    taken = discounted(counts, bag.rows, discounts.taken)
    freed = np.bincount(bag.rows, taken, len(totals))
    share = np.divide(freed, totals, out=np.ones(len(totals)), where=totals > 0)
    shared = discounts.background
    delta = np.log1p((counts - taken) / (freed[bag.rows] * shared[bag.indices]))
    return _scores(bag, np.log(share), delta, token_base=np.log(shared), distinct=distinct)


def complement_scores(bag: Bag, alpha: float, class_counts: AnyArray) -> TokenScores:
    """Rennie's complement model: a class is scored by the token probabilities of all other classes."""
    sums, totals = bag.sums().astype(np.float64), bag.totals().astype(np.float64)
    others = sums[bag.indices] - bag.occurrences
    others[others <= 1e-12 * sums[bag.indices]] = 0.0  # rounding of weighted sums
    with np.errstate(divide="ignore"):
        base = np.log(np.maximum(sums.sum() - totals, 0.0) + alpha * bag.size)
        base[np.isinf(base)] = 0.0
        token = -np.log(sums + alpha)
        token[np.isinf(token)] = 0.0  # an empty bucket adds nothing
        delta = -np.log((others + alpha) / (sums[bag.indices] + alpha))
    start = np.where((class_counts == 0) & (class_counts.sum() > 0), -np.inf, np.float64(0.0))
    return _scores(bag, base, delta, token_base=token, start=start)


def class_sizes(scores: TokenScores) -> Floats:
    """The L1 norm of each class's weights; dividing by it corrects for dependence between tokens (Rennie, 3.2).

    The weights of the complement model, −log θ, are not negative, so the norm is their sum.
    """
    size = len(scores.starts) - 1
    shared = 0.0 if scores.token_base is None else float(scores.token_base.sum())
    return size * scores.class_base + shared + np.bincount(scores.classes, scores.deltas, len(scores.class_base))


def bernoulli_scores(bag: Bag, alpha: float, class_counts: AnyArray) -> TokenScores:
    """The Bernoulli model: each token is present or absent. An alpha below 1e-10 is taken as that."""
    alpha = max(alpha, _SMALLEST_ALPHA)
    rows, d = class_counts.astype(np.float64), bag.documents.astype(np.float64)
    never = np.log(rows + alpha)
    absent = np.log(np.maximum(rows[bag.rows] - d, 0.0) + alpha)
    lacking: Floats = np.bincount(bag.rows, absent - never[bag.rows], len(rows)).astype(np.float64)
    start = bag.size * (never - np.log(rows + 2 * alpha)) + lacking
    base = np.log(alpha) - never
    return _scores(bag, base, np.log(d + alpha) - absent - base[bag.rows], start=start, distinct=True)


def with_ignored(scores: TokenScores, ignored: Ints) -> TokenScores:
    """The same scores, except that the ignored tokens, which have no entries, add 0 to every class."""
    if not len(ignored):
        return scores
    classes, size = len(scores.class_base), len(scores.starts) - 1
    base = np.zeros(size) if scores.token_base is None else scores.token_base.copy()
    base[ignored] = 0.0
    rows = np.concatenate([np.repeat(np.arange(size), np.diff(scores.starts)), np.repeat(ignored, classes)])
    columns = np.concatenate([scores.classes.astype(np.int64), np.tile(np.arange(classes), len(ignored))])
    deltas = np.concatenate([scores.deltas, np.tile(-scores.class_base, len(ignored))])
    table = sp.csr_matrix((deltas, (rows, columns)), (size, classes))
    starts, codes, values = _rows_of(table)
    return replace(scores, token_base=base, starts=starts, classes=codes, deltas=values)


def _scores(
    bag: Bag,
    class_base: Floats,
    deltas: Floats,
    *,
    start: Floats | None = None,
    token_base: Floats | None = None,
    distinct: bool = False,
) -> TokenScores:
    """Entries by class → rows by token."""
    _check_classes(len(class_base))
    shape = len(class_base), bag.size
    by_token = sp.csr_matrix((deltas, bag.indices.astype(np.int32), bag.starts), shape).tocsc()
    prior = np.zeros(len(class_base)) if start is None else start
    return TokenScores(prior, class_base, *_rows_of(by_token), token_base=token_base, distinct=distinct)


def _rows_of(by_token: sp.csc_matrix | sp.csr_matrix) -> tuple[Ints, NDArray[np.uint16], Floats]:
    """The start of each token's row, its classes, and its entries."""
    return by_token.indptr.astype(np.int64), by_token.indices.astype(np.uint16), by_token.data


def _listed(logs: Floats, distinct: bool) -> TokenScores:
    """Scores with an entry for every token and class, from log-probabilities, classes × tokens."""
    classes, size = logs.shape
    _check_classes(classes)
    columns = np.tile(np.arange(classes, dtype=np.uint16), size)
    starts = np.arange(size + 1, dtype=np.int64) * classes
    none = np.zeros(classes)
    return TokenScores(none, none, starts, columns, np.ascontiguousarray(logs.T).ravel(), distinct=distinct)


def _log1p(counts: AnyArray, alpha: float) -> Floats:
    """log(1 + counts/α); integer counts are small and repeat, so each logarithm is computed once."""
    most = counts.max(initial=0)
    if counts.dtype.kind == "f" or most >= len(counts):
        return np.log1p(counts / alpha)
    return np.log1p(np.arange(most + 1) / alpha)[counts]


def _check_classes(classes: int) -> None:
    if classes > _MOST_CLASSES:
        raise ParameterError(f"there are {classes} classes; text models have at most {_MOST_CLASSES}.")
