"""The explanation of a text model's prediction for one document (`deciban.explain.document`).

With λ the factor of temperature and document length, and classes a and b,

    log P(a | d) / P(b | d) = log P(a) / P(b) + λ·Σ_t amount_t·(s_ta − s_tb) + λ·(start_a − start_b),

where s are the tokens' scores (`deciban.models.text.events`). The Bernoulli model's score of a token is log p/(1 − p)
and its start Σ log(1 − p) over all tokens; here the weight of a present token is log p, and Σ log(1 − p) is summed over
the absent ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from deciban.explain import DocumentExplanation, Evidence, Mark, TokenReason
from deciban.explain.explanation import contestants
from deciban.models.text.model import TextModel
from deciban.models.text.weights import class_index, class_scores, difference
from deciban.read.documents import Documents
from deciban.text import kernels
from deciban.text.counting import term_matrix
from deciban.text.spans import Spans, spans_of
from deciban.ties import settled
from deciban.types import AnyArray, Floats, Ints
from deciban.units import decibans_from_nats

__all__ = ["DocumentCase", "explain_document"]


@dataclass(frozen=True, eq=False)
class DocumentCase:
    """A document, and the model's log-priors and log-likelihoods of its classes."""

    document: str | bytes
    classes: AnyArray
    prior: Floats
    likelihood: Floats
    scale: float = 1.0
    prior_name: str = "prior"


def explain_document(model: TextModel, case: DocumentCase, label: Any, against: Any) -> DocumentExplanation:
    """Explain a class against another: by default the most probable against the second."""
    label, against = _contestants(case, label, against)
    a, b = class_index(label, case.classes), class_index(against, case.classes)
    known = _known(model, case.document)
    prior, weights, absent = _weights(model, case, known, a, b)
    is_undecided = _is_undecided(case.prior + case.likelihood, a, b) or np.isnan(prior + weights.sum() + absent)
    if is_undecided:
        prior = decibans_from_nats(float(difference(case.prior[a], case.prior[b])))
        weights, absent = np.zeros(len(weights)), 0.0
    spans = spans_of(case.document, model.analyzer)
    names = _names(model, known[0], spans)
    marks, unknown = _marks(spans, _by_term(known[0], weights, names))
    return DocumentExplanation(
        text=spans.text,
        label=label,
        against=against,
        prior_db=prior,
        reasons=_reasons(model, known, weights, names),
        absent_db=absent if model.counts_absence else None,
        unknown=unknown,
        marks=marks,
        prior_name=case.prior_name,
        is_impossible=bool(is_undecided),
    )


def _contestants(case: DocumentCase, label: Any, against: Any) -> tuple[Any, Any]:
    if against is not None:
        class_index(against, case.classes)
    evidence = Evidence(case.classes, ("text",), case.prior, case.likelihood[None, None, :])
    joint = evidence.joint[0]
    return contestants(evidence, joint, label, against, is_impossible=bool(np.isneginf(joint).all()))


def _is_undecided(joint: Floats, a: int, b: int) -> bool:
    """True where both classes are impossible, or both certain: then only the priors differ."""
    return bool(np.isinf(joint[a]) and joint[a] == joint[b])


def _known(model: TextModel, document: Any) -> tuple[Ints, AnyArray]:
    """The ids of the document's known tokens, and how often each counts."""
    row, _ = term_matrix(Documents([document]), model.analyzer, model.index)
    return row.indices.astype(np.int64), np.ones(len(row.data)) if model.scores.distinct else row.data


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


def _names(model: TextModel, ids: Ints, spans: Spans) -> dict[int, list[str]]:
    """The terms of the document with each id: one, or all that are hashed to the same bucket."""
    vocabulary = model.bag.vocabulary
    if vocabulary is not None:
        return {i: [vocabulary[i]] for i in ids.tolist()}
    names: dict[int, list[str]] = defaultdict(list)
    sizes = {term: len(units) for term, units in spans.terms}
    for term, bucket in zip(sizes, _buckets(model, sizes), strict=True):
        if bucket is not None:
            names[bucket].append(term)
    return names


def _buckets(model: TextModel, sizes: Mapping[str, int]) -> list[int | None]:
    """The bucket of each term. N-grams are hashed token by token, so they are tokenized again with their size."""
    rules, bits = model.analyzer.rules, model.index
    found = []
    for term, size in sizes.items():
        is_sequence = rules is not None and rules.has_sequences and size > 1
        own = replace(rules, ngram_range=(size, size)) if rules is not None and is_sequence else None
        held = kernels.document_terms([term if own is not None else [term]], own, index=bits).indices
        found.append(int(held[0]) if len(held) == 1 else None)
    return found


def _reasons(
    model: TextModel, known: tuple[Ints, AnyArray], weights: Floats, names: Mapping[int, Sequence[str]]
) -> tuple[TokenReason, ...]:
    """The known tokens, by decreasing absolute weight; a bucket without a known term is named by its number."""
    ids, amounts = known[0].tolist(), known[1].tolist()
    order = np.argsort(-settled(np.abs(weights)), kind="stable").tolist()
    names_by_id = {i: " | ".join(names[i]) if names.get(i) else model.bag.token(i) for i in ids}
    return tuple(TokenReason(names_by_id[ids[k]], int(amounts[k]), float(weights[k])) for k in order)


def _by_term(ids: Ints, weights: Floats, names: Mapping[int, Sequence[str]]) -> dict[str, tuple[int, float]]:
    """The id and weight of each known term of the document."""
    known = zip(ids.tolist(), weights.tolist(), strict=True)
    return {term: (token, weight) for token, weight in known for term in names.get(token, ())}


def _marks(spans: Spans, known: Mapping[str, tuple[int, float]]) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """The weight of each unit of the text, and the unknown units.

    A term's weight is divided evenly among its occurrences, and among the units of each that have a span.
    """
    located = [(known[term], [u for u in units if spans.units[u]]) for term, units in spans.terms if term in known]
    times = Counter(token for (token, _), units in located if units)
    total: dict[int, float] = defaultdict(float)
    for (token, weight), units in located:
        for unit in units:
            total[unit] += weight / (times[token] * len(units))
    covered = {u for term, units in spans.terms if term in known for u in units}
    marks = [Mark(*span, total[u], u in covered) for u, span in enumerate(spans.units) if span is not None]
    unknown = (token for u, token in enumerate(spans.tokens) if u not in covered)
    return tuple(marks), tuple(dict.fromkeys(unknown))
