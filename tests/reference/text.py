"""The text functions of the compiled core in plain Python: dictionaries in, dictionaries out.

Each function takes an analyzer, a callable that splits a document into tokens, and returns what the function of the
same name in ``deciban.text.kernels`` returns; tests compare the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, sqrt
from typing import Any

__all__ = [
    "Analyzer",
    "add_tables",
    "count_documents",
    "document_terms",
    "score_documents",
    "union_vocabularies",
]

Analyzer = Callable[[Any], Sequence[str]]


def count_documents(
    documents: Iterable[Any], codes: Sequence[int], analyzer: Analyzer, weights: Sequence[float] | None = None
) -> tuple[list[str], dict[tuple[int, str], float], dict[tuple[int, str], float]]:
    """The vocabulary by first occurrence; occurrences, and documents that contain the token, by class and token.

    Examples
    --------
    >>> count_documents(["a b a"], [0], str.split)
    (['a', 'b'], {(0, 'a'): 2, (0, 'b'): 1}, {(0, 'a'): 1, (0, 'b'): 1})
    """
    vocabulary: dict[str, None] = {}
    occurrences: dict[tuple[int, str], float] = {}
    present: dict[tuple[int, str], float] = {}
    for row, (document, code) in enumerate(zip(documents, codes, strict=True)):
        weight = 1 if weights is None else weights[row]
        tokens = analyzer(document)
        vocabulary |= dict.fromkeys(tokens)
        for token in tokens:
            occurrences[code, token] = occurrences.get((code, token), 0) + weight
        for token in dict.fromkeys(tokens):
            present[code, token] = present.get((code, token), 0) + weight
    return list(vocabulary), occurrences, present


def score_documents(
    documents: Iterable[Any],
    analyzer: Analyzer,
    prior: Sequence[float],
    class_base: Sequence[float],
    rows: Mapping[str, Mapping[int, float]],
    token_base: Mapping[str, float] | None = None,
    *,
    distinct: bool = False,
    tf: str = "raw",
    lengths: str = "none",
) -> list[list[float]]:
    """prior[c] + Σ_t amount_t · (class_base[c] + token_base[t] + rows[t][c]), over a document's known tokens t.

    Examples
    --------
    >>> score_documents(
    ...     ["a b b x"], str.split, [0.0, 1.0], [1.0, 2.0], {"a": {0: 0.5}, "b": {1: 0.25}}
    ... )
    [[3.5, 7.5]]
    """
    joint = []
    for document in documents:
        counts = Counter(token for token in analyzer(document) if token in rows)
        amounts = {token: _amount(count, distinct, tf) for token, count in counts.items()}
        if lengths == "l2" and amounts:
            length = sqrt(sum(amount * amount for amount in amounts.values()))
            amounts = {token: amount / length for token, amount in amounts.items()}
        scores = list(prior)
        for token, amount in amounts.items():
            base = token_base[token] if token_base else 0.0
            for c in range(len(prior)):
                scores[c] += amount * (class_base[c] + base + rows[token].get(c, 0.0))
        joint.append(scores)
    return joint


def document_terms(
    documents: Iterable[Any], analyzer: Analyzer, vocabulary: Sequence[str] | None = None
) -> tuple[list[str], list[dict[int, int]]]:
    """The vocabulary, sorted by code points if it is not passed, and each document's counts by column.

    Examples
    --------
    >>> document_terms(["b a b", ""], str.split)
    (['a', 'b'], [{0: 1, 1: 2}, {}])
    """
    counted = [Counter(analyzer(document)) for document in documents]
    names = list(vocabulary) if vocabulary is not None else sorted(set().union(*counted))
    columns = {token: column for column, token in enumerate(names)}
    rows = [sorted((columns[token], n) for token, n in counts.items() if token in columns) for counts in counted]
    return names, [dict(row) for row in rows]


def union_vocabularies(a: Sequence[str], b: Sequence[str]) -> tuple[list[str], list[int]]:
    """The tokens of `a`, then the new ones of `b`; and the index of each of b's tokens.

    Examples
    --------
    >>> union_vocabularies(["x", "y"], ["z", "x"])
    (['x', 'y', 'z'], [2, 0])
    """
    both = list(dict.fromkeys([*a, *b]))
    ids = {token: i for i, token in enumerate(both)}
    return both, [ids[token] for token in b]


def add_tables(
    a: Mapping[tuple[int, int], float], b: Mapping[tuple[int, int], float], ids: Sequence[int] | None, sign: int
) -> dict[tuple[int, int], float]:
    """a + sign·b, by class and token: token t of b is ids[t], or t without ids.

    Examples
    --------
    >>> add_tables({(0, 1): 5}, {(0, 0): 2, (1, 1): 3}, [1, 0], -1)
    {(0, 1): 3, (1, 0): -3}
    """
    both = dict(a)
    for (code, token), count in b.items():
        key = code, token if ids is None else ids[token]
        both[key] = both.get(key, 0) + sign * count
    return both


def _amount(count: int, distinct: bool, tf: str) -> float:
    if distinct:
        return 1.0
    return 1.0 + log(count) if tf == "log" else float(count)
