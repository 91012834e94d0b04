"""Documents learned one at a time: they are collected, and counted together when the tally is needed.

So learning a document takes time proportional to its length, whatever the size of the vocabulary; the first prediction
afterwards counts the collected documents and estimates the model again (`TextClassifier.learn_one`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deciban.tallies import Sample, Tally
from deciban.text.analyzer import Analyzer
from deciban.text.counting import count_prepared

__all__ = ["PendingDocuments"]

_MOST_TEXT = 1 << 24
"""The maximum number of characters to collect: beyond it, counting takes much longer than adding to the tally."""


@dataclass(eq=False)
class PendingDocuments:
    """A tally, and documents that are not yet counted in it, each with the code of its class."""

    tally: Tally
    analyzer: Analyzer
    n_bits: int | None
    documents: list[Any] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    size: int = 0

    def __post_init__(self) -> None:
        self.code_by_label = {label: j for j, label in enumerate(self.tally.classes.labels.tolist())}

    def code_of(self, label: Any) -> int | None:
        """The code of a class; None for a new class, or where the tally was counted by other rules."""
        if self.tally.parts[0].rules != self.analyzer.rules:
            return None
        found = self.code_by_label.get(label)
        return self.code_by_label.get(self.tally.classes.known_labels.find(label)) if found is None else found

    def add(self, documents: list[Any], code: int) -> None:
        """Collect a document; a callable tokenizer runs now, so that its errors are raised now."""
        self.documents += self.analyzer.prepare(documents)
        self.codes.append(code)
        self.size += len(documents[0])
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
