"""The explanation of a text model's prediction for one document (`deciban.explain.document`).

With λ the factor of temperature and document length, and classes a and b,

    log P(a | d) / P(b | d) = log P(a) / P(b) + λ·Σ_t amount_t·(s_ta − s_tb) + λ·(start_a − start_b),

where s are the tokens' scores (`deciban.models.text.model`). The Bernoulli model's score of a token is log p/(1 − p)
and its start Σ log(1 − p) over all tokens; here the weight of a present token is log p, and Σ log(1 − p) is summed over
the absent ones.

A token is named and weighed once, however often it occurs, and only the beginning of a document (`MOST_LETTERS`) is
searched for the spans of tokens. So a document of megabytes takes little more than its scoring.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from deciban.explain import DocumentExplanation, Evidence, Mark, TokenReason
from deciban.explain.document import MOST_LETTERS, MOST_TOKENS
from deciban.explain.explanation import contestants
from deciban.models.text.model import TextModel, class_index, class_scores, difference
from deciban.read.documents import Documents
from deciban.text import kernels
from deciban.text.analyzer import Analyzer, decode
from deciban.text.counting import term_matrix
from deciban.text.kernels import Spelling
from deciban.text.spans import Spans, spans_of
from deciban.ties import settled
from deciban.types import AnyArray, Floats, Ints
from deciban.units import decibans_from_nats

__all__ = ["DocumentCase", "explain_document"]

_BLOCK = 8_192
"""Terms that are hashed at once, each as a list of its own: few enough to fit in the cache."""


@dataclass(frozen=True, eq=False)
class DocumentCase:
    """A document, and the model's log-priors and log-likelihoods of its classes."""

    document: str | bytes
    classes: AnyArray
    prior: Floats
    likelihood: Floats
    scale: float = 1.0
    prior_name: str = "prior"


def explain_document(model: TextModel, case: DocumentCase, label: object, against: object) -> DocumentExplanation:
    """Explain a class against another: by default the most probable against the second."""
    label, against = _contestants(case, label, against)
    a, b = class_index(label, case.classes), class_index(against, case.classes)
    ids, occurrences = _known(model, case.document)
    counts = np.ones(len(occurrences)) if model.scores.distinct else occurrences
    prior, weights, absent = _weights(model, case, (ids, counts), a, b)
    is_undecided = _is_undecided(case.prior + case.likelihood, a, b) or np.isnan(prior + weights.sum() + absent)
    if is_undecided:
        prior = decibans_from_nats(float(difference(case.prior[a], case.prior[b])))
        weights, absent = np.zeros(len(weights)), 0.0
    names = _names(model, ids, case.document)
    id_of = {term: token for token in ids.tolist() for term in names.get(token, ())}
    spans, is_whole = _spans(model.analyzer, case.document)
    weight_of = dict(zip(ids.tolist(), weights.tolist(), strict=True))
    times = None if is_whole else dict(zip(ids.tolist(), occurrences.tolist(), strict=True))
    unknown, unknown_count = _unknown(model.analyzer, case.document, id_of)
    return DocumentExplanation(
        text=spans.text,
        label=label,
        against=against,
        prior_db=prior,
        reasons=_reasons(model, (ids, counts), weights, names),
        absent_db=absent if model.counts_absence else None,
        unknown=unknown,
        marks=_marks(spans, id_of, weight_of, times),
        prior_name=case.prior_name,
        is_impossible=bool(is_undecided),
        unknown_count=unknown_count,
    )


def _contestants(case: DocumentCase, label: object, against: object) -> tuple[Any, Any]:
    if against is not None:
        class_index(against, case.classes)
    evidence = Evidence(case.classes, ("text",), case.prior, case.likelihood[None, None, :])
    joint = evidence.joint[0]
    return contestants(evidence, joint, label, against, is_impossible=bool(np.isneginf(joint).all()))


def _is_undecided(joint: Floats, a: int, b: int) -> bool:
    """True where both classes are impossible, or both certain: then only the priors differ."""
    return bool(np.isinf(joint[a]) and joint[a] == joint[b])


def _known(model: TextModel, document: Any) -> tuple[Ints, AnyArray]:
    """The ids of the document's known tokens, and how often each occurs."""
    row, _ = term_matrix(Documents([document]), model.analyzer, model.index)
    return row.indices.astype(np.int64), row.data


def _weights(
    model: TextModel, case: DocumentCase, known: tuple[Ints, AnyArray], a: int, b: int
) -> tuple[float, Floats, float]:
    """The weights of the prior, of each known token and of all absent tokens for class a against b, in decibans."""
    ids, amounts = known[0], _amounts(model, known[1])
    mine, theirs = class_scores(model, a)[ids], class_scores(model, b)[ids]
    start = difference(model.scores.prior[a], model.scores.prior[b]) * case.scale
    prior = difference(case.prior[a], case.prior[b])
    absent = np.float64(0.0)
    if model.counts_absence:
        never, never_theirs = np.logaddexp(0.0, mine), np.logaddexp(0.0, theirs)  # −log(1 − p)
        absent = start + case.scale * (never.sum() - never_theirs.sum())
        mine, theirs = mine - never, theirs - never_theirs
    else:
        prior = prior + start
    weights = decibans_from_nats(difference(mine, theirs) * amounts * case.scale)
    return decibans_from_nats(float(prior)), weights, decibans_from_nats(float(absent))


def _amounts(model: TextModel, occurrences: AnyArray) -> Floats:
    """The amount of each token of a document (`TokenScores`)."""
    amounts = 1.0 + np.log(occurrences) if model.scores.tf == "log" else occurrences.astype(np.float64)
    return amounts / np.linalg.norm(amounts) if model.scores.lengths == "l2" and len(amounts) else amounts


def _names(model: TextModel, ids: Ints, document: Any) -> dict[int, list[str]]:
    """The terms of the document with each id: one, or all that are hashed to the same bucket."""
    vocabulary = model.bag.vocabulary
    if vocabulary is not None:
        return {i: [vocabulary[i]] for i in ids.tolist()}
    names: dict[int, list[str]] = defaultdict(list)
    for bucket, term in _buckets(model, kernels.tokens_of(_distinct(model.analyzer, document))):
        names[bucket].append(term)
    return names


def _distinct(analyzer: Analyzer, document: Any) -> Spelling:
    """The distinct terms of a document, in the order of their first occurrence."""
    first = np.zeros(1, dtype=np.int32)
    spelling = kernels.count_documents(analyzer.prepare([document]), first, 1, analyzer.rules).spelling
    return spelling if spelling is not None else kernels.spell([])


def _buckets(model: TextModel, terms: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The bucket of each term. N-grams are hashed token by token, so they are tokenized again with their size."""
    rules, bits = model.analyzer.rules, model.index
    has_sequences = rules is not None and rules.has_sequences
    by_size: dict[int, list[str]] = defaultdict(list)
    for term in terms:
        by_size[term.count(" ") + 1 if has_sequences else 1].append(term)
    for size, held in by_size.items():
        own = replace(rules, ngram_range=(size, size)) if rules is not None and size > 1 else None
        for first in range(0, len(held), _BLOCK):
            block = held[first : first + _BLOCK]
            rows = kernels.document_terms(block if own is not None else [[term] for term in block], own, index=bits)
            alone = np.flatnonzero(np.diff(rows.starts) == 1)
            yield from zip(rows.indices[rows.starts[alone]].tolist(), [block[i] for i in alone.tolist()], strict=True)


def _reasons(
    model: TextModel, known: tuple[Ints, AnyArray], weights: Floats, names: Mapping[int, Sequence[str]]
) -> tuple[TokenReason, ...]:
    """The known tokens, by decreasing absolute weight; a bucket without a known term is named by its number."""
    ids, amounts = known[0].tolist(), known[1].tolist()
    order = np.argsort(-settled(np.abs(weights)), kind="stable").tolist()
    names_by_id = {i: " | ".join(names[i]) if names.get(i) else model.bag.token(i) for i in ids}
    return tuple(TokenReason(names_by_id[ids[k]], int(amounts[k]), float(weights[k])) for k in order)


def _spans(analyzer: Analyzer, document: Any) -> tuple[Spans, bool]:
    """The spans of tokens in the document, of a long one in its beginning; and whether that is all."""
    text = decode(document)
    if len(text) <= MOST_LETTERS:
        return spans_of(document, analyzer), True
    spans = spans_of(text[:MOST_LETTERS], analyzer)
    # A token that ends at the cut may be a part of one.
    units = tuple(span if span is not None and span[1] < MOST_LETTERS else None for span in spans.units)
    return replace(spans, text=text, units=units), False


def _marks(
    spans: Spans, id_of: Mapping[str, int], weight_of: Mapping[int, float], times: Mapping[int, int] | None
) -> tuple[Mark, ...]:
    """The weight of each unit that has a span.

    A term's weight is divided evenly among its occurrences, and among the units of each that have a span. `times` is
    how often each id occurs; None where the spans are those of the whole document, which are counted then.
    """
    located = [(id_of[term], [u for u in units if spans.units[u]]) for term, units in spans.terms if term in id_of]
    if times is None:
        times = Counter(token for token, units in located if units)
    total: dict[int, float] = defaultdict(float)
    for token, units in located:
        for unit in units:
            total[unit] += weight_of[token] / (times[token] * len(units))
    covered = {u for term, units in spans.terms if term in id_of for u in units}
    return tuple(Mark(*span, total[u], u in covered) for u, span in enumerate(spans.units) if span is not None)


def _unknown(analyzer: Analyzer, document: Any, known: Collection[str]) -> tuple[tuple[str, ...], int]:
    """The first distinct tokens, or characters, that no known term of the document has, and the number of all."""
    single = replace(analyzer, settings=replace(analyzer.settings, ngram_range=(1, 1)))
    spelling = _distinct(single, document)
    covered = _covered(analyzer, document, known)
    unknown = (token for token in kernels.each_token(spelling) if token not in covered)
    first = tuple(islice(unknown, MOST_TOKENS))
    return first, len(first) + sum(1 for _ in unknown)


def _covered(analyzer: Analyzer, document: Any, known: Collection[str]) -> set[str]:
    """The tokens, or characters, that known terms of the document consist of."""
    rules, (first, last) = analyzer.settings, analyzer.settings.ngram_range
    if rules.is_of_characters:
        return {" ", *"".join(known)}
    if last == 1:
        return set(known)
    if analyzer.tokenizer is None:
        return {token for term in known for token in term.split(" ")}
    # Tokens of a callable may have spaces, so terms cannot be split at them.
    single = replace(analyzer, settings=replace(rules, ngram_range=(1, 1)))
    tokens = single.prepare([document])[0]
    runs = {run for n in range(first, last + 1) for run in zip(*(tokens[i:] for i in range(n)), strict=False)}
    return {token for run in runs if " ".join(run) in known for token in run}
