"""An estimated text model: from the counts of tokens to the scores of documents, and what follows from the scores.

The scores of tokens are as sparse as the counts. A document's log-likelihood in class c is a sum over its known tokens:

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

The parameters of the smoothing are chosen from the counts by leave-one-out.

**Absolute discounting** subtracts D from each count. The leave-one-out likelihood is maximized near (Ney, Essen &
Kneser 1994; Chen & Goodman 1999)

    Y = n₁ / (n₁ + 2·n₂),  D₁ = Y,  D₂ = 2 − 3·Y·n₃/n₂,  D₃ = 3 − 4·Y·n₄/n₃

for tokens that occur once, twice, and three times or more in class c, where nᵢ of its tokens occur i times; here nᵢ + ½
is used, and no discount is less than the previous one, so that 0 < Dᵢ < i always. Either D₁ is used for all counts or
each count has its own. The discounted mass goes to a background distribution: the mean of the classes' frequencies (not
that of the corpus, which a large class would dominate), or, by Kneser & Ney (1995), in proportion to the number of
classes that a token occurs in. Discounts and background are chosen by the leave-one-out likelihood of the classes,

    Σ_tc n_tc·log P(c | t),

where P(t | c), the background included, is estimated without the occurrence; tokens that occur once are then unknown.

**Lidstone's α** maximizes the leave-one-out likelihood

    Σ_tc n_tc·log((n_tc − 1 + α) / (N_c − 1 + α|V|)),

between 10⁻⁶ and 1; with few short documents the maximum may lie above. For the Bernoulli model it is

    Σ_tc d·log(d − 1 + α) + (D_c − d)·log(D_c − d − 1 + α) − D_c·log(D_c − 1 + 2α).

**Leaving documents out**, without a refit. With a_t the amount of token t in a document of weight w and class y, the
counts without the document are

    n'_ty = n_ty − w·a_t,  N'_y = N_y − w·Σ a,  T'_t = T_t − w·a_t,  T' = T − w·Σ a,

n and N of the other classes stay, and tokens that occur in no other document are unknown, which leaves |V'| of them.
The formulas above apply to these counts. Lidstone's α stays, or follows |V'| by its rule. The discounts stay, since no
single document changes them much. The discounted mass is

    M'_y = Σ_t m(n_ty) + Σ_{t in document} (m(n'_ty) − m(n_ty)),

and the background distribution is that of the other documents.

**Drawing**: a text model as a model of how documents arise: a class, then the tokens given the class (Mitchell, table
6.2).

    multinomial   P(d | j) = Π_i P(w_i | j)                        over the positions i with known tokens
    bernoulli     P(d | j) = Π_t P(t | j)^x_t·(1 − P(t | j))^(1 − x_t)    over all tokens t of the vocabulary

The other events are scores, not distributions of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy
import scipy.sparse as sp
from numpy.typing import NDArray

from deciban.choices import did_you_mean
from deciban.errors import InputError, ParameterError
from deciban.estimate import Smoothing, log_probabilities
from deciban.estimate.drawing import cumulative_ends, read_lengths
from deciban.explain import TopTokens
from deciban.limits import check_memory
from deciban.read import plain
from deciban.read.documents import Documents
from deciban.tallies import weight_left
from deciban.text import kernels
from deciban.text.analyzer import Analyzer
from deciban.text.bag import Bag, term_matrix
from deciban.text.kernels import TokenIndex, TokenScores
from deciban.text.pruning import Pruning
from deciban.ties import first_largest, settled
from deciban.types import AnyArray, ArrayLike, Codes, Floats, Ints
from deciban.units import decibans_from_nats

__all__ = [
    "Discounts",
    "TextModel",
    "check_event",
    "choose_discounts",
    "class_index",
    "class_scores",
    "difference",
    "discount_scores",
    "document_weights",
    "draw_documents",
    "estimate_text",
    "leave_documents_out",
    "lidstone_alpha",
    "token_probabilities",
    "top_tokens",
]


_POWERS = {"none": 0.0, "root": 0.5, "mean": 1.0}
_FIXED = {"complement": 1.0, "twcnb": 0.05}


@dataclass(frozen=True, eq=False)
class TextModel:
    """The tokens in use, their scores, the chosen smoothing, and the length that documents are scaled to."""

    bag: Bag
    scores: TokenScores
    analyzer: Analyzer
    smoothing: float | Floats
    mean_length: float
    power: float
    class_scale: Floats | None = None
    counts_absence: bool = False
    discounts: Discounts | None = None
    mean_tokens: float = 1.0
    """The mean number of known tokens of a document."""

    def __getstate__(self) -> dict[str, object]:
        """Without the compiled core's copy of the scores, which is made again when it is needed."""
        return {**self.__dict__, "scores": replace(self.scores)}

    @property
    def index(self) -> TokenIndex | int:
        """The vocabulary's index, or the number of bits that tokens are hashed to."""
        vocabulary = self.bag.vocabulary
        return self.bag.size.bit_length() - 1 if vocabulary is None else vocabulary.index(self.analyzer.rules)

    def score(self, documents: Documents) -> tuple[Floats, AnyArray]:
        """Log-likelihoods, documents × classes, and the number of known tokens of each document."""
        if len(documents) > 1:  # one needs less memory than the model
            check_memory("the scores of documents × classes", len(documents), len(self.scores.prior))
        prepared, rules = self.analyzer.prepare(documents.texts), self.analyzer.rules
        likelihood, known = kernels.score_documents(self.index, prepared, rules, self.scores)
        if self.class_scale is not None:
            likelihood *= self.class_scale
        if self.power:
            likelihood *= self.length_factor(known)[:, None]
        return likelihood, known

    def length_factor(self, known: AnyArray) -> Floats:
        """The factor of a document's log-likelihood, by its number of known tokens."""
        return (self.mean_length / np.maximum(known, 1)) ** self.power


def estimate_text(
    whole: Bag,
    class_counts: AnyArray,
    event: str,
    smoothing: str | float | Smoothing,
    pruning: Pruning,
    analyzer: Analyzer,
    length: str = "none",
) -> TextModel:
    """Select the tokens, choose the smoothing and compute the tokens' scores."""
    if event == "bernoulli" and length != "none":
        raise ParameterError(
            f'event="bernoulli" scores absent tokens as well, so length="{length}" does not apply to it.'
        )
    kept = pruning.kept(whole, class_counts)
    bag = whole.restricted(kept)
    chosen = _choose_smoothing(smoothing, event, bag, class_counts)
    scores = _scores(event, bag, chosen, class_counts)
    if bag.vocabulary is None and not kept.all():
        scores = with_ignored(scores, np.flatnonzero(~kept & (whole.sums() > 0)))
    rows = max(float(class_counts.sum()), 1e-300)  # a tally without rows has a mean of 1, not NaN
    mean, mean_tokens = (float(bag.totals(distinct).sum()) / rows or 1.0 for distinct in (scores.distinct, False))
    discounts = chosen if isinstance(chosen, Discounts) else None
    return TextModel(
        bag,
        scores,
        analyzer,
        smoothing=chosen.taken if isinstance(chosen, Discounts) else chosen,
        mean_length=mean,
        power=_POWERS[length],
        class_scale=_class_scale(scores) if event == "twcnb" else None,
        counts_absence=event == "bernoulli",
        discounts=discounts,
        mean_tokens=mean_tokens,
    )


def _choose_smoothing(
    smoothing: str | float | Smoothing, event: str, bag: Bag, class_counts: AnyArray
) -> float | Discounts:
    """The pseudo-count α, or the discounts of each class."""
    if isinstance(smoothing, Smoothing):
        return smoothing.pseudocount(bag.size, bag.classes)
    if not isinstance(smoothing, str):
        return float(smoothing)
    if event in ("multinomial", "boolean"):
        distinct = event == "boolean"
        if smoothing == "loo":
            return lidstone_alpha(bag, distinct)
        return choose_discounts(bag, distinct, class_counts, smoothing)
    if smoothing in ("by-classes", "discount", "kneser-ney"):
        raise ParameterError(f'smoothing="{smoothing}" is for event="boolean" and "multinomial", not "{event}".')
    if event == "bernoulli":
        return bernoulli_alpha(bag, class_counts)
    return lidstone_alpha(bag, distinct=False) if smoothing == "loo" else _FIXED[event]


def _scores(event: str, bag: Bag, chosen: float | Discounts, class_counts: AnyArray) -> TokenScores:
    if isinstance(chosen, Discounts):
        return discount_scores(bag, chosen, event == "boolean")
    match event:
        case "bernoulli":
            return bernoulli_scores(bag, chosen, class_counts)
        case "complement":
            return complement_scores(bag, chosen, class_counts)
        case "twcnb":
            return replace(complement_scores(bag, chosen, class_counts), distinct=True)
    return lidstone_scores(bag, chosen, event == "boolean")


def _class_scale(scores: TokenScores) -> Floats:
    """The factors that make the L1 norms of all classes' weights equal, which corrects for dependence between tokens.

    (Rennie, 3.2.) The weights of the complement model, −log θ, are not negative, so a norm is the sum of the weights.
    """
    shared = 0.0 if scores.token_base is None else float(scores.token_base.sum())
    own = np.bincount(scores.classes, scores.deltas, len(scores.class_base))
    sizes = (len(scores.starts) - 1) * scores.class_base + shared + own
    is_sized = (sizes > 0) & np.isfinite(sizes)
    return np.where(is_sized, sizes[is_sized].mean() if is_sized.any() else 1.0, 1.0) / np.where(is_sized, sizes, 1.0)


_SMALLEST_ALPHA = 1e-10  # as in scikit-learn: with 0, an absent token would make its classes impossible
_MOST_CLASSES = 1 << 16  # the classes of `TokenScores` are of 16 bits


def lidstone_scores(bag: Bag, alpha: float, distinct: bool) -> TokenScores:
    """The multinomial model with `alpha` pseudo-counts a token; 0 is maximum likelihood, with scores of −∞."""
    if alpha == 0:
        advice = "Pass smoothing above 0, whose scores are stored sparsely."
        check_memory(
            "the log-probabilities of classes × tokens", len(bag.starts) - 1, bag.size, itemsize=24, advice=advice
        )
        logs = log_probabilities(bag.matrix(distinct).toarray(), 0.0)
        classes, none = len(logs), np.zeros(len(logs))
        _check_classes(classes)
        # log 0 is the score of all tokens that a class lacks, so every token has an entry for every class.
        columns = np.tile(np.arange(classes, dtype=np.uint16), bag.size)
        starts = np.arange(bag.size + 1, dtype=np.int64) * classes
        return TokenScores(none, none, starts, columns, np.ascontiguousarray(logs.T).ravel(), distinct=distinct)
    whole = bag.totals(distinct) + alpha * max(bag.size, 1)
    counts = bag.counts(distinct)
    most = counts.max(initial=0)
    if counts.dtype.kind == "f" or most >= len(counts):
        deltas = np.log1p(counts / alpha)
    else:  # integer counts are small and repeat, so each logarithm is computed once
        deltas = np.log1p(np.arange(most + 1) / alpha)[counts]
    return _listed_scores(bag, np.log(alpha) - np.log(whole), deltas, distinct=distinct)


def discount_scores(bag: Bag, discounts: Discounts, distinct: bool) -> TokenScores:
    """The multinomial model with absolute discounting: the discounted mass goes to the background distribution."""
    counts = bag.counts(distinct).astype(np.float64)
    totals = bag.totals(distinct).astype(np.float64)
    taken = discounted(counts, bag.rows, discounts.taken)
    freed = np.bincount(bag.rows, taken, len(totals))
    share = np.divide(freed, totals, out=np.ones(len(totals)), where=totals > 0)
    shared = discounts.background
    delta = np.log1p((counts - taken) / (freed[bag.rows] * shared[bag.indices]))
    return _listed_scores(bag, np.log(share), delta, token_base=np.log(shared), distinct=distinct)


def complement_scores(bag: Bag, alpha: float, class_counts: AnyArray) -> TokenScores:
    """Rennie's complement model: a class is scored by the token probabilities of all other classes."""
    sums, totals = bag.sums().astype(np.float64), bag.totals().astype(np.float64)
    others = sums[bag.indices] - bag.occurrences
    others[others <= 1e-12 * sums[bag.indices]] = 0.0  # rounding of weighted sums
    with np.errstate(divide="ignore"):
        base = np.log(np.maximum(sums.sum() - totals, 0.0) + alpha * bag.size)
        base[np.isinf(base)] = 0.0  # α is 0, and no other class has a token
        token = -np.log(sums + alpha)
        token[np.isinf(token)] = 0.0  # an empty bucket adds nothing
        delta = -np.log((others + alpha) / (sums[bag.indices] + alpha))
    start = np.where((class_counts == 0) & (class_counts.sum() > 0), -np.inf, np.float64(0.0))
    return _listed_scores(bag, base, delta, token_base=token, start=start)


def bernoulli_scores(bag: Bag, alpha: float, class_counts: AnyArray) -> TokenScores:
    """The Bernoulli model: each token is present or absent. An alpha below 1e-10 is taken as that."""
    alpha = max(alpha, _SMALLEST_ALPHA)
    rows, d = class_counts.astype(np.float64), bag.documents.astype(np.float64)
    never = np.log(rows + alpha)
    absent = np.log(np.maximum(rows[bag.rows] - d, 0.0) + alpha)
    lacking: Floats = np.bincount(bag.rows, absent - never[bag.rows], len(rows)).astype(np.float64)
    start = bag.size * (never - np.log(rows + 2 * alpha)) + lacking
    base = np.log(alpha) - never
    return _listed_scores(bag, base, np.log(d + alpha) - absent - base[bag.rows], start=start, distinct=True)


def with_ignored(scores: TokenScores, ignored: Ints) -> TokenScores:
    """The same scores, except that the ignored tokens, which have no entries, add 0 to every class."""
    if not len(ignored):
        return scores
    classes, size = len(scores.class_base), len(scores.starts) - 1
    base = np.zeros(size) if scores.token_base is None else scores.token_base.copy()
    base[ignored] = 0.0
    # An entry for every class takes class_base back, so that the sum for these tokens is 0.
    rows = np.concatenate([np.repeat(np.arange(size), np.diff(scores.starts)), np.repeat(ignored, classes)])
    columns = np.concatenate([scores.classes.astype(np.int64), np.tile(np.arange(classes), len(ignored))])
    deltas = np.concatenate([scores.deltas, np.tile(-scores.class_base, len(ignored))])
    table = sp.csr_matrix((deltas, (rows, columns)), (size, classes))
    starts, codes, values = _rows_of(table)
    return replace(scores, token_base=base, starts=starts, classes=codes, deltas=values)


def _listed_scores(
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


def _check_classes(classes: int) -> None:
    if classes > _MOST_CLASSES:
        raise ParameterError(f"there are {classes} classes; text models have at most {_MOST_CLASSES}.")


Pair = tuple[Floats, Floats]

_RANGE = (np.log(1e-6), 0.0)  # of log α, since α varies over orders of magnitude


class Discounts(NamedTuple):
    """The discounts, classes × (once, twice, more often), and the background distribution over tokens."""

    taken: Floats
    background: Floats
    is_kneser: bool = False


def choose_discounts(bag: Bag, distinct: bool, class_counts: AnyArray, kind: str = "auto") -> Discounts:
    """The background and the discounts, one or three a class, of the largest leave-one-out likelihood of the classes.

    `kind` is "discount" or "kneser-ney"; "auto" to choose between them; or "by-classes", the rule of older versions:
    "kneser-ney" for two classes, else "discount", and a background that no occurrence is left out of. Hashed tokens
    share buckets, so the number of classes of a bucket says little: "auto" takes the same rule for them.
    """
    is_older = kind == "by-classes"
    if is_older or (kind == "auto" and bag.vocabulary is None):
        kind = "kneser-ney" if np.count_nonzero(bag.totals(distinct)) <= 2 else "discount"
    several = _three_discounts(bag, distinct)
    both = (np.repeat(several[:, :1], 3, axis=1), several)
    backgrounds = []
    if kind != "discount":
        backgrounds.append((_kneser_background(bag), True))
    if kind != "kneser-ney":
        backgrounds.append((_mean_background(bag, distinct), False))
    candidates = [[Discounts(taken, *background) for taken in both] for background in backgrounds]
    occurrences = _Occurrences.of(bag, distinct, class_counts, is_older)
    best = [occurrences.best(of_background) for of_background in candidates]
    return best[first_largest([likelihood for likelihood, _ in best])][1]  # ties go to the first: Kneser & Ney, one D


def discounted(counts: Floats, rows: Ints, discounts: Floats) -> Floats:
    """The discount of each count, which is at most the count: weighted counts may be less than D₁."""
    return np.minimum(counts, discounts.ravel()[_discount_index(counts, rows)])


def _discount_index(counts: Floats, rows: Ints) -> Ints:
    """The index of each count's discount among those of all classes, by class."""
    return 3 * rows + np.minimum(np.maximum(np.ceil(counts), 1), 3).astype(np.int64) - 1


def _kneser_background(bag: Bag) -> Floats:
    """Proportional to the number of classes that each token occurs in."""
    classes = np.bincount(bag.indices, minlength=bag.size).astype(np.float64)
    classes[classes == 0] = 0.5  # an empty bucket of hashed tokens
    return np.asarray(classes / max(len(bag.indices), 1))


def _mean_background(bag: Bag, distinct: bool) -> Floats:
    """The mean of the classes' frequencies."""
    totals = bag.totals(distinct).astype(np.float64)
    sums = np.bincount(bag.indices, bag.counts(distinct) / totals[bag.rows], bag.size)
    mean = sums / max(int(np.count_nonzero(totals)), 1)
    mean[mean == 0] = 0.5 / max(totals.sum(), 1.0)  # half an occurrence: log B must be finite
    return np.asarray(mean)


def background_left(
    bag: Bag, distinct: bool, discounts: Discounts, tokens: AnyArray, counts: Pair, totals: Pair, lost: AnyArray
) -> Floats:
    """The background of tokens without some of their occurrences in one class; 0 where they are then unknown.

    `counts` are those of each token in this class, before and after, and `totals` those of the class; `lost` is the
    number of tokens that the class no longer contains. With E = Σ K_t, where K_t of the C classes contain token t,

        B'_t = (E·B_t − [n'_t = 0]) / (E − lost)  (Kneser & Ney),  B'_t = (C·B_t − n_t/N + n'_t/N') / C'  (mean).
    """
    share, whole, rest = discounts.background[tokens], *totals
    if discounts.is_kneser:
        size, removed = len(bag.indices), ((counts[0] > 0) & (counts[1] <= 0)).astype(np.float64)
        size_left = half = np.maximum(size - lost, 1)  # not 0 where the document has all tokens
    else:
        before, after = (
            np.divide(n, total, out=np.zeros(len(total)), where=total > 0)
            for n, total in zip(counts, totals, strict=True)
        )
        size, removed = max(int(np.count_nonzero(np.diff(bag.starts))), 1), before - after
        size_left = np.maximum(size - ((whole > 0) & (rest <= 0)), 1)
        half = np.maximum(bag.totals(distinct).sum() - (whole - rest), 1)
    left = weight_left(size * share, removed) / size_left
    return left if bag.vocabulary is not None else np.where(left > 0, left, 0.5 / half)


class _Occurrences(NamedTuple):
    """The entries of a bag whose tokens are known without one of their occurrences, and what is left of each."""

    bag: Bag
    distinct: bool
    weight: Floats  # a class's documents, divided by its tokens
    tokens: AnyArray
    rows: Ints
    counts: Floats
    others: Floats
    indices_of_discounts: tuple[Ints, Ints]  # of the discounts of both counts
    keeps_background: bool

    @classmethod
    def of(cls, bag: Bag, distinct: bool, class_counts: AnyArray, keeps_background: bool) -> _Occurrences:
        counts, totals = bag.counts(distinct), bag.totals(distinct).astype(np.float64)
        weight = np.divide(class_counts, totals, out=np.zeros(len(totals)), where=totals > 0)
        known = np.ones(len(counts), dtype=bool)
        if bag.vocabulary is not None and not keeps_background:
            known = weight_left(bag.sums(distinct)[bag.indices], np.minimum(counts, 1)) > 0
        tokens, rows, counts = bag.indices[known], bag.rows[known], counts[known].astype(np.float64)
        others = np.maximum(counts - 1, 0)
        indices_of_discounts = _discount_index(counts, rows), _discount_index(others, rows)
        return cls(bag, distinct, weight, tokens, rows, counts, others, indices_of_discounts, keeps_background)

    def best(self, candidates: Sequence[Discounts]) -> tuple[float, Discounts]:
        """The largest Σ n·log P(c | t), where P(t | c) is estimated from the other occurrences; one background."""
        totals = self.bag.totals(self.distinct).astype(np.float64)[self.rows]
        left = self.counts, self.others
        pairs = left, (totals, np.maximum(totals - np.minimum(self.counts, 1), 0))
        if self.keeps_background:
            shares = candidates[0].background[self.tokens]
        else:
            shares = background_left(self.bag, self.distinct, candidates[0], self.tokens, *pairs, self.others <= 0)
        likelihoods = [self._likelihood(one, shares) for one in candidates]
        best = first_largest(likelihoods)
        return likelihoods[best], candidates[best]

    def _likelihood(self, discounts: Discounts, shares: Floats) -> float:
        bag, flat = self.bag, discounts.taken.ravel()
        whole = bag.counts(self.distinct).astype(np.float64)
        freed = np.bincount(bag.rows, discounted(whole, bag.rows, discounts.taken), len(self.weight))
        rest = self.weight * freed  # before it is divided among the tokens
        weight = self.weight[self.rows]
        kept = weight * (self.counts - np.minimum(self.counts, flat[self.indices_of_discounts[0]]))
        left = weight * (self.others - np.minimum(self.others, flat[self.indices_of_discounts[1]]))
        others = np.bincount(self.tokens, kept, bag.size)[self.tokens] - kept + left
        logs = np.log((rest[self.rows] * shares + left) / (rest.sum() * shares + others))
        return float(np.sum(self.counts * logs))


def _three_discounts(bag: Bag, distinct: bool) -> Floats:
    """D₁, D₂ and D₃ of each class; weighted counts are rounded up."""
    counts, classes = bag.counts(distinct), len(bag.starts) - 1
    often = np.clip(np.ceil(counts), 1, 5).astype(np.int64) - 1
    # nᵢ + ½: without it, a class in which nᵢ is 0 would divide by 0.
    many = np.bincount(bag.rows * 5 + often, minlength=5 * classes).reshape(classes, 5)[:, :4] + 0.5
    once = many[:, 0] / (many[:, 0] + 2 * many[:, 1])
    times = np.arange(1, 4)
    discounts = times - (times + 1) * once[:, None] * many[:, 1:] / many[:, :-1]
    return np.asarray(np.maximum.accumulate(discounts, axis=1))


def lidstone_alpha(bag: Bag, distinct: bool) -> float:
    """The pseudo-count that maximizes the leave-one-out likelihood of the occurrences."""
    # The likelihood depends on the distinct counts, which are few.
    counts, many = np.unique(bag.counts(distinct), return_counts=True)
    totals = bag.totals(distinct)
    totals = totals[totals > 0]

    def likelihood(alpha: float) -> float:
        known = many * counts * np.log(np.maximum(counts - 1.0, 0.0) + alpha)
        return float(known.sum() - np.sum(totals * np.log(np.maximum(totals - 1.0, 0.0) + alpha * bag.size)))

    return _maximize(likelihood) if len(totals) else 1.0


def bernoulli_alpha(bag: Bag, class_counts: AnyArray) -> float:
    """The pseudo-count that maximizes the leave-one-out likelihood of the documents."""
    rows = class_counts.astype(np.float64)
    d = bag.documents.astype(np.float64)
    absent = np.maximum(rows[bag.rows] - d, 0.0)
    never = bag.size - np.diff(bag.starts)  # tokens that occur in no document of the class

    def likelihood(alpha: float) -> float:
        known = d * _log(d - 1.0, alpha) + absent * _log(absent - 1.0, alpha)
        unseen = never * rows * _log(rows - 1.0, alpha)
        return float(known.sum() + unseen.sum() - bag.size * np.sum(rows * _log(rows - 1.0, 2 * alpha)))

    return _maximize(likelihood) if bag.size and rows.any() else 1.0


def _log(n: Floats, alpha: float) -> Floats:
    return np.log(np.maximum(n, 0.0) + alpha)


def _maximize(likelihood: Callable[[float], float]) -> float:
    best = scipy.optimize.minimize_scalar(lambda x: -likelihood(float(np.exp(x))), bounds=_RANGE, method="bounded")
    return float(np.exp(best.x))


_REST = "the rest"


def top_tokens(
    model: TextModel, classes: AnyArray, label: object, against: object, n: int, prior: Floats | None = None
) -> TopTokens:
    """The n tokens with the largest weights for a class against another.

    Without another class, it is the other of two classes, or the rest. Without a `prior`, the weights of a class are
    taken as weights against the rest: those of a linear classifier.
    """
    a = class_index(label, classes)
    others = [b for b in range(len(classes)) if b != a]
    if not others:
        raise InputError(f"there is only one class, {label!r}, so no other to compare it with.")
    if against is None and len(others) == 1:
        against = classes[others[0]]
    if against is not None:
        weights = _all_weights(model, a, class_index(against, classes))
    else:
        scores = class_scores(model, a)
        rest = np.zeros_like(scores) if prior is None else _rest_scores(model, others, prior)
        weights = decibans_from_nats(difference(scores, rest))
    tokens = [(model.bag.token(token), float(weights[token])) for token in model.bag.largest(weights, n).tolist()]
    return TopTokens(tokens, label, _REST if against is None else against)


def _rest_scores(model: TextModel, others: list[int], prior: Floats) -> Floats:
    """log Σ_b P(b)·P(t | b) / Σ_b P(b) over the other classes."""
    shares = prior[others] if np.isfinite(prior[others]).any() else np.zeros(len(others))
    total = np.full(len(model.scores.starts) - 1, -np.inf)
    for b, share in zip(others, shares, strict=True):
        total = np.logaddexp(total, class_scores(model, b) + share)
    return total - np.logaddexp.reduce(shares)


def document_weights(model: TextModel, document: str | bytes, a: int, b: int) -> list[tuple[str, int, float]]:
    """The known tokens of a document, how often each counts, and their weights; the largest absolute weight first."""
    vocabulary, analyzer = model.bag.vocabulary, model.analyzer
    if vocabulary is None:
        raise ParameterError("hashed tokens have no names: fit without n_bits to get the weights of tokens.")
    row, _ = term_matrix(Documents([document]), analyzer, vocabulary.index(analyzer.rules))
    amounts = np.ones(len(row.data), dtype=np.int64) if model.scores.distinct else row.data
    weights = _all_weights(model, a, b)[row.indices] * amounts
    order = np.argsort(-settled(np.abs(weights)), kind="stable").tolist()
    return [(vocabulary[int(row.indices[i])], int(amounts[i]), float(weights[i])) for i in order]


def class_index(label: object, classes: AnyArray) -> int:
    """The index of a class."""
    indices = np.flatnonzero(classes == plain(label))
    if not len(indices):
        raise InputError(f"there is no class {label!r}.{did_you_mean(label, classes.tolist())}")
    return int(indices[0])


def class_scores(model: TextModel, j: int) -> Floats:
    """The score that each token adds to class j."""
    scores = model.scores
    added = np.full(len(scores.starts) - 1, scores.class_base[j])
    if scores.token_base is not None:
        added += scores.token_base
    entries = np.flatnonzero(scores.classes == j)
    rows = np.repeat(np.arange(len(added)), np.diff(scores.starts))[entries]
    added[rows] += scores.deltas[entries]
    return added if model.class_scale is None else added * model.class_scale[j]


def _all_weights(model: TextModel, a: int, b: int) -> Floats:
    """The log-ratio of every token, in decibans."""
    return decibans_from_nats(difference(class_scores(model, a), class_scores(model, b)))


def difference(a: ArrayLike, b: ArrayLike) -> Floats:
    """a − b, where −∞ − −∞ is 0: what is impossible under both classes is evidence for neither."""
    with np.errstate(invalid="ignore"):
        return np.where(np.equal(a, b), 0.0, np.subtract(a, b))


_BLOCK = 1 << 22
"""The most tokens of documents × vocabulary that are drawn at once."""


def check_event(event: str) -> None:
    """Refuse an event whose scores are not probabilities of documents."""
    if event not in ("multinomial", "bernoulli"):
        raise ParameterError(
            f'event="{event}" scores documents, but is not a distribution of documents. Use event="multinomial" or '
            '"bernoulli".'
        )


def token_probabilities(model: TextModel) -> Floats:
    """P(token | class): classes × tokens; of the Bernoulli model the probability that a document contains the token."""
    scores = np.array([class_scores(model, j) for j in range(len(model.scores.prior))])
    if not model.counts_absence:
        return np.exp(scores)
    return 1.0 / (1.0 + np.exp(-scores))  # the score of a token is log p − log (1 − p)


def draw_documents(model: TextModel, y: Codes, n_tokens: Any, rng: np.random.Generator) -> list[str]:
    """Documents of these classes: their tokens, joined by spaces; an error where the model would find others in them.

    `n_tokens` is the number of tokens of each; by default the mean of the learned documents, rounded.
    """
    if model.bag.vocabulary is None:
        raise ParameterError("hashed tokens have no names: fit without n_bits to draw documents.")
    if not model.counts_absence:
        ids = _positions(token_probabilities(model), y, read_lengths(n_tokens, len(y), model.mean_tokens), rng)
    elif n_tokens is not None:
        raise ParameterError('n_tokens is for event="multinomial": with "bernoulli", each token is present or not.')
    else:
        ids = list(_present(token_probabilities(model), y, rng))
    names = model.bag.vocabulary.tokens
    documents = [" ".join(names[token] for token in drawn.tolist()) for drawn in ids]
    # Tokens of other analyzers, joined by spaces, may be split in another way: such a model draws no documents.
    if documents and not np.array_equal(model.score(Documents(documents))[1], [len(drawn) for drawn in ids]):
        raise ParameterError(
            "the tokens of this model overlap, or are not words of a text, so no document consists of drawn tokens. "
            "Use words, with ngram_range=(1, 1)."
        )
    return documents


def _positions(probabilities: Floats, y: Codes, lengths: Ints, rng: np.random.Generator) -> list[Ints]:
    """The ids of the tokens of each document, drawn one by one."""
    check_memory("the tokens of the documents", int(lengths.sum()), itemsize=24, advice="Draw fewer at a time.")
    uniform, of_token = rng.random(int(lengths.sum())), np.repeat(y, lengths)
    ids = np.zeros(len(uniform), dtype=np.int64)
    # All tokens of a class together: its cumulative probabilities are computed once.
    for j, ends in enumerate(cumulative_ends(probabilities)):
        rows = np.flatnonzero(of_token == j)
        ids[rows] = np.searchsorted(ends, uniform[rows], side="right")
    return np.split(ids, np.cumsum(lengths)[:-1]) if len(lengths) else []


def _present(probabilities: Floats, y: Codes, rng: np.random.Generator) -> Iterator[Ints]:
    """The ids of the tokens that each document contains; those of some documents at a time."""
    step = max(1, _BLOCK // max(probabilities.shape[1], 1))
    for first in range(0, len(y), step):
        present = probabilities[y[first : first + step]]
        yield from (np.flatnonzero(row) for row in rng.random(present.shape) < present)


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
    with_own: Floats  # the count of the token in the document's class, with the document
    without_own: Floats  # the same without the document
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
        # SciPy would give a sparse matrix for no rows.
        with_own = np.asarray(table[y[rows], columns]).ravel() if len(rows) else np.zeros(0)
        left = weight_left(bag.sums(distinct).astype(np.float64)[matrix.indices], weighted)
        known = np.ones(len(rows), dtype=bool) if bag.vocabulary is None else left > 0
        sizes = bag.size - np.bincount(rows[~known], minlength=many)
        of_document = rows, matrix.indices, matrix.data, amounts
        left_over = weight_left(with_own, weighted)
        return cls(*of_document, table, columns, with_own, left_over, sums, known, sizes)

    def counts(self, j: int) -> Floats:
        """The count of each token in class j, with the document."""
        return self.table[[j]].toarray().ravel()[self.columns]


def _smoothed(terms: _Terms, model: TextModel, y: Codes, rule: Smoothing | None) -> Floats:
    """Lidstone: log (n' + α) − log (N' + α|V'|)."""
    totals, rows = model.bag.totals(model.scores.distinct).astype(np.float64), terms.rows
    sizes, inverse = np.unique(terms.sizes, return_inverse=True)
    alpha, classes = float(model.smoothing), model.bag.classes
    pseudo = np.array([alpha if rule is None else rule.pseudocount(int(size), classes) for size in sizes])[inverse]
    uniform = -np.log(np.maximum(terms.sizes, 1.0))  # of a class that has no other document
    out = np.zeros((len(y), len(totals)))
    for j in range(len(totals)):
        is_own = y == j
        left = np.where(is_own[rows], terms.without_own, terms.counts(j))
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
    before, after = (
        discounted(counts, y[rows].astype(np.int64), taken) for counts in (terms.with_own, terms.without_own)
    )
    moved = np.bincount(rows, after - before, len(y))
    amounts = terms.amounts * terms.known
    length, common = (np.bincount(rows, values, len(y)) for values in (amounts, amounts * np.log(background)))
    out = np.empty((len(y), len(totals)))
    for j in range(len(totals)):
        is_own, counts = y == j, terms.counts(j)
        at = np.flatnonzero(counts)
        # Tokens that the class lacks have only the common part, so its entries alone are visited.
        row, left = rows[at], np.where(is_own[rows[at]], terms.without_own[at], counts[at])
        whole = np.where(is_own, weight_left(totals[j], terms.sums), totals[j])
        mass = np.maximum(freed[j] + np.where(is_own, moved, 0.0), 0.0)  # rounding may leave less than 0
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
    is_lost = (terms.with_own > 0) & (terms.without_own <= 0)
    lost = np.bincount(terms.rows, is_lost, len(y))[terms.rows]
    counts = terms.with_own, terms.without_own
    left = background_left(model.bag, distinct, discounts, terms.tokens, counts, totals, lost)
    return np.where(left > 0, left, 1.0)
