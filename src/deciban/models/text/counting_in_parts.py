"""Learning documents that are not in memory: a column of text in files, counted in pieces.

The tally is that of `fit` with all documents. What `fit` learns from documents and not from their counts (the analyzer
of "auto", and the temperature) is learned from 20,000 documents that are spread over the whole source; where it has no
more, the model is that of `fit`.

With `max_terms` = m, the tally is cut to the m most frequent tokens whenever it has more than 2·m, so that the memory
has a bound (Manku & Motwani 2002). A token that is dropped and occurs again is counted from 0. So the counts of a token
are too small by at most `error` of its bag, the sum of the largest count dropped at each cut, and those of a token that
was never among the rarest are exact. Dropped tokens are unknown to the model: they are in no sum of a class. Pieces are
added in the order of the rows, so the result does not depend on the number of threads.

Documents that are learned one at a time are collected, and counted together when the tally is needed. So learning a
document takes time proportional to its length, whatever the size of the vocabulary; the first prediction
afterwards counts the collected documents and estimates the model again (`TextNB.learn_one`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from deciban.choices import did_you_mean
from deciban.engines.source import Source, SourceCounting, rows_in_memory
from deciban.errors import ColumnMismatchError, InputTypeError
from deciban.models.base import check_weight
from deciban.read import column_of, read_target, read_weights
from deciban.read.documents import read_documents
from deciban.tallies import Sample, Tally
from deciban.text.analyzer import Analyzer
from deciban.text.bag import count_bag, count_prepared

__all__ = [
    "SAMPLE",
    "DocumentCounting",
    "PendingDocuments",
    "TextTotal",
    "capped_tally",
    "documents_in_memory",
    "sample_of",
]


SAMPLE = 20_000
"""The number of documents from which the analyzer of "auto" and the temperature are learned."""


@dataclass(frozen=True, eq=False)
class TextTotal:
    """The tally of some documents, cut to `max_terms` tokens where it has more than twice as many."""

    tally: Tally
    max_terms: int | None = None

    def __add__(self, other: TextTotal) -> TextTotal:
        both = self.tally + other.tally
        # At twice the limit, so that cutting, which looks at all tokens, happens once for many batches.
        if self.max_terms is not None and both.parts[0].size > 2 * self.max_terms:
            both = capped_tally(both, self.max_terms)
        return TextTotal(both, self.max_terms)


def capped_tally(tally: Tally, max_terms: int) -> Tally:
    """The tally with the most frequent tokens only; ties are broken alphabetically."""
    return replace(tally, parts=tuple(bag.capped(max_terms) for bag in tally.parts))


@dataclass(frozen=True)
class DocumentCounting(SourceCounting[TextTotal]):
    """Counts the tokens of a column of documents."""

    analyzer: Analyzer
    text: str
    target: str
    sample_weight: str | None = None
    n_bits: int | None = None
    max_terms: int | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        names = (self.text, self.target, self.sample_weight)
        return tuple(name for name in names if name is not None)

    @property
    def required(self) -> tuple[str, ...]:
        return self.columns

    @property
    def described(self) -> str:
        tokenizer = self.analyzer.tokenizer
        name = None if tokenizer is None else getattr(tokenizer, "__qualname__", type(tokenizer).__name__)
        settings = f"n_bits={self.n_bits}, max_terms={self.max_terms}, {self.analyzer.settings}, tokenizer {name}"
        return (
            f"tokens of {self.text!r} in the classes of {self.target!r}, weighted by {self.sample_weight}, {settings}"
        )

    def __call__(self, batch: Any) -> TextTotal:
        documents = read_documents(batch[self.text])
        sample = sample_of(batch, self.target, self.sample_weight)
        return TextTotal(sample.tally(count_bag(documents, sample, self.analyzer, self.n_bits)), self.max_terms)

    def finish(self, total: TextTotal) -> TextTotal:
        check_weight(total.tally)
        return total

    def state(self, total: TextTotal) -> Mapping[str, Any]:
        return {"tally": total.tally}

    def restored(self, state: Mapping[str, Any]) -> TextTotal:
        return TextTotal(state["tally"], self.max_terms)


def sample_of(batch: Any, target: str, sample_weight: str | None) -> Sample:
    """The classes and weights of the rows of an Arrow table."""
    weights = None if sample_weight is None else column_of(sample_weight, batch[sample_weight]).numbers
    return Sample.of(read_target(batch[target], len(batch), target), read_weights(weights, len(batch)))


def documents_in_memory(source: Source, text: str, names: tuple[str, ...]) -> tuple[Any, bool]:
    """All complete rows of a source, and True, where they are few; else some, spread over it, and False."""
    for name in names:
        if name not in source.names:
            raise ColumnMismatchError(f"there is no column {name!r}.{did_you_mean(name, source.names)}")
    table, is_whole = rows_in_memory(source, SAMPLE, names)
    kind = str(table[text].type)
    if not any(part in kind for part in ("string", "binary")):
        raise InputTypeError(f"column {text!r} holds {kind}, not text. Name the column of documents: text=….")
    return table, is_whole


_MOST_TEXT = 1 << 24
"""The maximum number of characters to collect: beyond it, counting takes much longer than adding to the tally."""


@dataclass(eq=False)
class PendingDocuments:
    """A tally, and documents that are not yet counted in it, each with the code of its class."""

    tally: Tally
    analyzer: Analyzer
    n_bits: int | None
    documents: list[object] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    size: int = 0

    def __post_init__(self) -> None:
        self.code_by_label = {label: j for j, label in enumerate(self.tally.classes.labels.tolist())}

    def code_of(self, label: object) -> int | None:
        """The code of a class; None for a new class."""
        code = self.code_by_label.get(label)
        if code is None:  # another type of the same label, as a string that spells a number
            code = self.code_by_label.get(self.tally.classes.known_labels.find(label))
        return code

    def add(self, document: str | bytes, code: int) -> None:
        """Collect a document; a callable tokenizer runs now, so that its errors are raised now."""
        self.documents += self.analyzer.prepare([document])
        self.codes.append(code)
        self.size += len(document)
        if self.size >= _MOST_TEXT:
            self.tally = self.total()
            self.documents, self.codes, self.size = [], [], 0

    def total(self) -> Tally:
        """The tally of all documents."""
        if not self.documents:
            return self.tally
        codes = np.array(self.codes, dtype=np.int32)
        sample = Sample(self.tally.classes, codes, np.bincount(codes, minlength=len(self.code_by_label)))
        bag = count_prepared(self.documents, sample, self.analyzer.rules, self.n_bits, self.tally.parts[0].name)
        return self.tally + sample.tally(bag)
