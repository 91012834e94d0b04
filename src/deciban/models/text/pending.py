"""Documents learned one at a time: they are collected, and counted together when the tally is needed.

So learning a document takes time proportional to its length, whatever the size of the vocabulary; the first prediction
afterwards counts the collected documents and estimates the model again. `LearnsOne` is the part of a classifier that
does so.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from deciban.models.base import BayesClassifier
from deciban.models.parts.live_counter import check_label
from deciban.models.text.base import read_document
from deciban.models.text.model import TextModel
from deciban.tallies import Sample, Tally
from deciban.text.analyzer import Analyzer
from deciban.text.counting import count_prepared
from deciban.types import AnyArray, Floats

__all__ = ["LearnsOne", "PendingDocuments"]

_OUTDATED = ("tally_", "classes_", "_prior", "_model", "vocabulary_", "calibration_")
"""The attributes that follow from the documents: `learn_one` removes them, and they are estimated when next used."""

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
        return self.code_by_label.get(label) if self.tally.parts[0].rules == self.analyzer.rules else None

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


class LearnsOne(BayesClassifier):
    """A classifier of documents that learns them one at a time; its fitted attributes are estimated when first used."""

    n_bits: int | None

    @abstractmethod
    def _analyzer(self) -> Analyzer:
        """The analyzer of the learned documents."""

    @abstractmethod
    def _check_additive(self, what: str) -> None:
        """Refuse to learn in parts where the model cannot."""

    def learn_one(self, document: Any, label: Any) -> Self:
        """Learn one document, str or bytes; returns the model itself.

        The result is that of `partial_fit` with the same documents; a class may be new. It takes time proportional to
        the length of the document alone. The next prediction estimates the model again.

        Examples
        --------
        >>> from deciban import TextNB
        >>> model = TextNB()
        >>> for document, label in [("free prize", "spam"), ("lunch at noon", "ham"), ("win a prize", "spam")]:
        ...     _ = model.learn_one(document, label)
        >>> str(model.predict_one("a prize")), model.tally_.total
        ('spam', 3)
        """
        self._check_additive("learn_one")
        data = read_document(document, "learn_one")
        check_label(label)
        pending = self.__dict__.get("_pending")
        if pending is None and self._is_fitted():
            pending = PendingDocuments(self.tally_, self._analyzer(), self.n_bits)
        if pending is None or (code := pending.code_of(label)) is None:
            return self.partial_fit(data.texts, [label])
        pending.add(data.texts, code)
        for name in _OUTDATED:
            self.__dict__.pop(name, None)
        self._pending = pending
        return self

    @cached_property
    def tally_(self) -> Tally:  # type: ignore[override]
        """The counts of all documents."""
        return self._with_pending()["tally_"]

    @cached_property
    def classes_(self) -> AnyArray:  # type: ignore[override]
        """The labels, in order."""
        return self._with_pending()["classes_"]

    @cached_property
    def _prior(self) -> Floats:  # type: ignore[override]
        return self._with_pending()["_prior"]

    @cached_property
    def _model(self) -> TextModel:
        return self._with_pending()["_model"]

    def _with_pending(self) -> Mapping[str, Any]:
        """The fitted attributes, with the documents of `learn_one` counted."""
        if "_pending" not in self.__dict__:
            raise AttributeError(f"this {type(self).__name__} has no fitted attributes before fit.")
        self._adopt(self._pending.total(), self._form)
        return self.__dict__

    def _is_fitted(self) -> bool:
        return "tally_" in self.__dict__ or "_pending" in self.__dict__
