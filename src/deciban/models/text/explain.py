"""The explanation of a text model's prediction for one document (`deciban.explain.document`).

With λ the factor of temperature and document length, and classes a and b,

    log P(a | d) / P(b | d) = log P(a) / P(b) + λ·Σ_t amount_t·(s_ta − s_tb) + λ·(start_a − start_b),

where s are the tokens' scores (`deciban.models.text.model`). The Bernoulli model's score of a token is log p/(1 − p)
and its start Σ log(1 − p) over all tokens; here the weight of a present token is log p, and Σ log(1 − p) is summed over
the absent ones.

A token is named and weighed once, however often it occurs, and only the beginning of a document (`MOST_LETTERS`) is
searched for the spans of tokens. So a document of megabytes takes little more than its scoring.

The span of a token is its position in the original text, before lower-casing and the removal of accents:

    text → lower case → accents removed → tokens → n-grams

Each step except the last keeps, for every character, the index of the original character that it came from. The tokens
are those of the compiled tokenizer, and the regular expressions of its Python twin find their spans. Where the two
disagree, or there is no twin ("unicode_word", callables), each token is searched for after the end of the previous
one. A *unit* is a token, or a character where n-grams are of characters; a term covers one or more units.

>>> spans_of(
...     "Café au lait!", Analyzer.of(strip_accents="unicode", ngram_range=(2, 2))
... ).terms
(('cafe au', (0, 1)), ('au lait', (1, 2)))
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from unicodedata import combining

import numpy as np

from deciban.explain import DocumentExplanation, Evidence, Mark, TokenReason
from deciban.explain.document import MOST_LETTERS, MOST_TOKENS
from deciban.explain.explanation import contestants
from deciban.models.text.model import TextModel, class_index, class_scores, difference
from deciban.read.documents import Documents
from deciban.text import kernels
from deciban.text.analyzer import Analyzer, TokenRules, decode, strip_accents
from deciban.text.bag import term_matrix
from deciban.text.kernels import Vocabulary, tokenize
from deciban.ties import settled
from deciban.types import AnyArray, Floats, Ints
from deciban.units import decibans_from_nats

__all__ = ["DocumentCase", "Spans", "compared", "explain_document", "find_words", "spans_of"]

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
    label, against = compared(case, label, against)
    a, b = class_index(label, case.classes), class_index(against, case.classes)
    row, _ = term_matrix(Documents([case.document]), model.analyzer, model.index)
    ids, occurrences = row.indices.astype(np.int64), row.data
    counts = np.ones(len(occurrences)) if model.scores.distinct else occurrences
    prior, weights, absent = _weights(model, case, (ids, counts), a, b)
    joint = case.prior + case.likelihood
    # Both classes may be impossible, or both certain; then only the priors differ, and ∞ − ∞ is no weight.
    is_undecided = bool(np.isinf(joint[a]) and joint[a] == joint[b]) or np.isnan(prior + weights.sum() + absent)
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


def compared(case: DocumentCase, label: object, against: object) -> tuple[object, object]:
    """The class to explain and the one to compare it with: by default the most probable and the second."""
    if against is not None:
        class_index(against, case.classes)  # refuses a class that does not exist
    evidence = Evidence(case.classes, ("text",), case.prior, case.likelihood[None, None, :])
    joint = evidence.joint[0]
    return contestants(evidence, joint, label, against, is_impossible=bool(np.isneginf(joint).all()))


def _weights(
    model: TextModel, case: DocumentCase, known: tuple[Ints, AnyArray], a: int, b: int
) -> tuple[float, Floats, float]:
    """The weights of the prior, of each known token and of all absent tokens for class a against b, in decibans."""
    ids, occurrences = known
    amounts = 1.0 + np.log(occurrences) if model.scores.tf == "log" else occurrences.astype(np.float64)
    if model.scores.lengths == "l2" and len(amounts):
        amounts = amounts / np.linalg.norm(amounts)
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


def _names(model: TextModel, ids: Ints, document: str | bytes) -> dict[int, list[str]]:
    """The terms of the document with each id: one, or all that are hashed to the same bucket."""
    vocabulary = model.bag.vocabulary
    if vocabulary is not None:
        return {i: [vocabulary[i]] for i in ids.tolist()}
    names: dict[int, list[str]] = defaultdict(list)
    for bucket, term in _buckets(model, _distinct(model.analyzer, document).tokens):
        names[bucket].append(term)
    return names


def _distinct(analyzer: Analyzer, document: str | bytes) -> Vocabulary:
    """The distinct terms of a document, in the order of their first occurrence."""
    first = np.zeros(1, dtype=np.int32)
    vocabulary = kernels.count_documents(analyzer.prepare([document]), first, 1, analyzer.rules).vocabulary
    return Vocabulary.of([]) if vocabulary is None else vocabulary


def _buckets(model: TextModel, terms: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The bucket of each term. N-grams are hashed token by token, so they are tokenized again with their size."""
    rules, bits = model.analyzer.rules, model.index
    has_sequences = rules is not None and rules.has_sequences
    by_size: dict[int, list[str]] = defaultdict(list)
    for term in terms:
        by_size[term.count(" ") + 1 if has_sequences else 1].append(term)
    for size, same_size in by_size.items():
        rules_of_size = replace(rules, ngram_range=(size, size)) if rules is not None and size > 1 else None
        for first in range(0, len(same_size), _BLOCK):
            block = same_size[first : first + _BLOCK]
            documents = [[term] for term in block] if rules_of_size is None else block
            rows = kernels.document_terms(documents, rules_of_size, index=bits)
            # A term that the tokenizer splits otherwise when it is alone is not named.
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


def _spans(analyzer: Analyzer, document: str | bytes) -> tuple[Spans, bool]:
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


def _unknown(analyzer: Analyzer, document: str | bytes, known: Collection[str]) -> tuple[tuple[str, ...], int]:
    """The first distinct tokens, or characters, that no known term of the document has, and the number of all."""
    single = _without_ngrams(analyzer)
    covered = _covered(analyzer, document, known)
    unknown = (token for token in _distinct(single, document) if token not in covered)
    first = tuple(islice(unknown, MOST_TOKENS))
    return first, len(first) + sum(1 for _ in unknown)


def _covered(analyzer: Analyzer, document: str | bytes, known: Collection[str]) -> set[str]:
    """The tokens, or characters, that known terms of the document consist of."""
    rules, (first, last) = analyzer.settings, analyzer.settings.ngram_range
    if rules.is_of_characters:
        return {" ", *"".join(known)}
    if last == 1:
        return set(known)
    if analyzer.tokenizer is None:
        return {token for term in known for token in term.split(" ")}
    # Tokens of a callable may have spaces, so terms cannot be split at them.
    tokens = _without_ngrams(analyzer).tokens(document)
    runs = {run for n in range(first, last + 1) for run in zip(*(tokens[i:] for i in range(n)), strict=False)}
    return {token for run in runs if " ".join(run) in known for token in run}


Span = tuple[int, int]

# Extended_Pictographic of Unicode 15.1 (emoji-data.txt), without letters. Symbols that may become emoji are among them.
_EMOJI = (
    "[\xa9\xae\u203c\u2049\u2122\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u2388\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2"
    "\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705\u2708-\u2712\u2714\u2716"
    "\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2767\u2795-\u2797\u27a1\u27b0\u27bf"
    "\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001f0ff\U0001f10d-\U0001f10f\U0001f12f\U0001f16c-\U0001f171\U0001f17e\U0001f17f\U0001f18e"
    "\U0001f191-\U0001f19a\U0001f1ad-\U0001f1e5\U0001f201-\U0001f20f\U0001f21a\U0001f22f\U0001f232-\U0001f23a"
    "\U0001f23c-\U0001f23f\U0001f249-\U0001f3fa\U0001f400-\U0001f53d\U0001f546-\U0001f64f\U0001f680-\U0001f6ff"
    "\U0001f774-\U0001f77f\U0001f7d5-\U0001f7ff\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f"
    "\U0001f888-\U0001f88f\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001faff"
    "\U0001fc00-\U0001fffd]"
)
_ONE = f"{_EMOJI}[\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"  # with skin tones and the tags of flags
_EMOJI_TOKEN = f"{_ONE}(?:\u200d{_ONE})*|[\U0001f1e6-\U0001f1ff]{{2}}"
_WORD_OR_EMOJI = re.compile(rf"(?P<word>\w+)|{_EMOJI_TOKEN}")
_WORD_PATTERNS = {
    "word": re.compile(r"\b(?P<word>\w+)\b"),
    "word_emoji": _WORD_OR_EMOJI,
    "word_punct": re.compile(r"(?P<word>\w+|[^\w\s])"),
}


def find_words(text: str, rules: TokenRules) -> list[re.Match[str]] | None:
    """The tokens of an analyzer that a regular expression describes; None for another. Lengths are those of words."""
    pattern = _WORD_PATTERNS.get(rules.analyzer)
    if pattern is None:
        return None
    shortest, longest = rules.lengths
    matches = pattern.finditer(text)
    return [m for m in matches if m["word"] is None or shortest <= len(m[0]) <= (longest or len(m[0]))]


_CHARACTERS = re.compile(r"\s\s+|.", re.DOTALL)  # a run of white space is one character
_PAD = -1


@dataclass(frozen=True)
class Spans:
    """A document's units, each with its span or None if it is not in the text, and its terms, each with its units.

    Terms are in the order of the tokenizer. The spaces that pad a word for n-grams of characters are not units.
    """

    text: str
    tokens: tuple[str, ...]
    units: tuple[Span | None, ...]
    terms: tuple[tuple[str, tuple[int, ...]], ...]


def spans_of(document: str | bytes, analyzer: Analyzer) -> Spans:
    """Find the units and terms of a document."""
    text = decode(document)
    rules = analyzer.settings
    normalized, origins = _traced(text, rules)
    if rules.is_of_characters:
        find = _characters if rules.analyzer == "char" else _word_characters
        pieces, terms = find(normalized, rules.ngram_range)
        tokens = [normalized[slice(*piece)] if piece else "" for piece in pieces]
    else:
        tokens = _tokens(document, analyzer)
        pieces = _token_spans(tokens, normalized, analyzer.rules)
        runs = _runs(len(tokens), rules.ngram_range)
        terms = [(" ".join(tokens[i:j]), tuple(range(i, j))) for i, j in runs]
    return Spans(text, tuple(tokens), tuple(_original(piece, origins, text) for piece in pieces), tuple(terms))


def _traced(text: str, rules: TokenRules) -> tuple[str, Sequence[int]]:
    """The normalized text, and for each of its characters the index of the original one.

    Lower-casing depends on neighbouring characters only for the choice between two sigmas, and decomposition reorders
    only combining marks, which are dropped: so the lengths of single characters are those within the whole text.
    """
    if text.isascii():
        return (text.lower() if rules.lowercase else text), range(len(text))
    origins: list[int] = list(range(len(text)))
    if rules.lowercase:
        origins = [i for i, c in enumerate(text) for _ in c.lower()]
        text = text.lower()
    if rules.strip_accents:
        stripped = [strip_accents(c, rules.strip_accents) for c in text]
        origins = [i for i, kept in zip(origins, stripped, strict=True) for _ in kept]
        text = "".join(stripped)
    return text, origins


def _tokens(document: str | bytes, analyzer: Analyzer) -> list[str]:
    """The single tokens, before n-grams are made of them."""
    single = _without_ngrams(analyzer)
    return tokenize([document], single.rules)[0] if single.tokenizer is None else single.tokens(document)


def _without_ngrams(analyzer: Analyzer) -> Analyzer:
    return replace(analyzer, settings=replace(analyzer.settings, ngram_range=(1, 1)))


def _token_spans(tokens: list[str], normalized: str, rules: TokenRules | None) -> list[Span | None]:
    words = None if rules is None else find_words(normalized, rules)
    if words is not None and [m[0] for m in words] == tokens:
        return [m.span() for m in words]
    # Search for each token after the previous one; a token that is not in the text, such as a stem, has no span.
    spans: list[Span | None] = []
    end = 0
    for token in tokens:
        start = normalized.find(token, end) if token else -1
        end = start + len(token) if start >= 0 else end
        spans.append((start, end) if start >= 0 else None)
    return spans


def _characters(normalized: str, sizes: Span) -> tuple[list[Span | None], list[tuple[str, tuple[int, ...]]]]:
    matches = list(_CHARACTERS.finditer(normalized))
    text = "".join(m[0] if len(m[0]) == 1 else " " for m in matches)
    terms = [(text[i:j], tuple(range(i, j))) for i, j in _runs(len(text), sizes)]
    return [m.span() for m in matches], terms


def _word_characters(normalized: str, sizes: Span) -> tuple[list[Span | None], list[tuple[str, tuple[int, ...]]]]:
    pieces: list[Span | None] = []
    terms: list[tuple[str, tuple[int, ...]]] = []
    for word in re.finditer(r"\S+", normalized):
        padded = f" {word[0]} "
        units = [_PAD, *range(len(pieces), len(pieces) + len(word[0])), _PAD]
        pieces += [(i, i + 1) for i in range(*word.span())]
        # As in scikit-learn, a word that is not longer than n counts once, and larger sizes are skipped.
        runs = [(0, len(padded))] if len(padded) <= sizes[0] else _runs(len(padded), sizes)
        terms += [(padded[i:j], tuple(u for u in units[i:j] if u != _PAD)) for i, j in runs]
    return pieces, terms


def _runs(length: int, sizes: Span) -> list[Span]:
    """The runs of n = first … last units, by size, then by position."""
    first, last = sizes
    return [(i, i + n) for n in range(first, min(last, length) + 1) for i in range(length - n + 1)]


def _original(piece: Span | None, origins: Sequence[int], text: str) -> Span | None:
    """The span in the original text, including the combining marks of its last character."""
    if piece is None:
        return None
    end = origins[piece[1] - 1] + 1
    while end < len(text) and combining(text[end]):
        end += 1
    return origins[piece[0]], end
