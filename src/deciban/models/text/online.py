"""Documents that are learned one at a time.

`learn_one` lays a document aside with its class and takes the tally, and all that follows from it, away. Both come back
when something asks for them: then the documents laid aside are counted together. So learning a document takes time by
its own length, whatever the size of the vocabulary; the first prediction after it estimates the model again.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from deciban.models.form import Form
from deciban.models.parameters import as_fitted
from deciban.models.parts.live_counter import check_label
from deciban.models.text.explain import read_document
from deciban.models.text.token_weights import TextTelling
from deciban.tallies import Sample, Tally
from deciban.text.analyzer import Analyzer
from deciban.text.counting import count_prepared

__all__ = ["OnlineText"]

_FOLLOWING = ("tally_", "classes_", "_prior", "_model")
_STALE = (*_FOLLOWING, "vocabulary_", "calibration_")
_MOST_TEXT = 1 << 24
"""So many characters are laid aside at most: counting them takes long beside adding them to the tally."""


class OnlineText(TextTelling):
    """`learn_one`, for a model of documents whose tally is a sum over them."""

    n_bits: int | None

    @abstractmethod
    def _analyzer(self) -> Analyzer:
        """What cuts documents into tokens."""

    @abstractmethod
    def _check_additive(self, what: str) -> None:
        """Refuse what cannot be learned in parts."""

    def learn_one(self, document: Any, label: Any) -> Self:
        """Learn one document, str or bytes; gives the model itself.

        The result is that of `partial_fit` with the same documents; classes may be new at any time. It takes time by
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
        waiting = self.__dict__.get("_waiting")
        if waiting is None and self._is_fitted():
            waiting = _Waiting(self.tally_, self._form, self._analyzer())
        code = None if waiting is None else waiting.code_of(label)
        if waiting is None or code is None:
            return self.partial_fit(data.held, [label])
        waiting.add(data.held, code)
        self._set_aside(waiting)
        if waiting.size >= _MOST_TEXT:
            self._set_aside(_Waiting(waiting.settled(self.n_bits), waiting.form, waiting.analyzer))
        return self

    def __getattr__(self, name: str) -> Any:
        if name in _FOLLOWING and "_waiting" in self.__dict__:
            self._take_in()
            return self.__dict__[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    @as_fitted
    def _take_in(self) -> None:
        """Estimate anew from what is laid aside."""
        waiting = self.__dict__["_waiting"]
        self._adopt(waiting.settled(self.n_bits), waiting.form)

    def __getstate__(self) -> dict[str, Any]:
        if self._is_fitted():
            self.tally_  # noqa: B018  what is laid aside is counted
        held: dict[str, Any] = super().__getstate__()
        return held

    def _is_fitted(self) -> bool:
        return "tally_" in self.__dict__ or "_waiting" in self.__dict__

    def _adopt(self, tally: Tally, form: Form) -> Self:
        super()._adopt(tally, form)
        self.__dict__.pop("_waiting", None)
        return self

    def _set_aside(self, waiting: _Waiting) -> None:
        for name in _STALE:
            self.__dict__.pop(name, None)
        self._waiting = waiting


@dataclass(eq=False)
class _Waiting:
    """A tally, and documents that are still to be added to it, each with the code of its class."""

    tally: Tally
    form: Form
    analyzer: Analyzer
    documents: list[Any] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    size: int = 0

    def __post_init__(self) -> None:
        self.codes = {label: j for j, label in enumerate(self.tally.classes.labels.tolist())}

    def code_of(self, label: Any) -> int | None:
        """The code of a class; None for one that is new, or where the tally counts other tokens."""
        return self.codes.get(label) if self.tally.parts[0].rules == self.analyzer.rules else None

    def add(self, documents: list[Any], code: int) -> None:
        """Lay a document aside; a callable pattern cuts it now, so that what it raises is raised now."""
        self.documents += self.analyzer.prepare(documents)
        self.labels.append(code)
        self.size += len(documents[0])

    def settled(self, n_bits: int | None) -> Tally:
        """The tally of all documents."""
        if not self.documents:
            return self.tally
        codes = np.array(self.labels, dtype=np.int32)
        sample = Sample(self.tally.classes, codes, np.bincount(codes, minlength=len(self.codes)))
        bag = count_prepared(self.documents, sample, self.analyzer.rules, n_bits, self.tally.parts[0].name)
        return self.tally + sample.tally(bag)
