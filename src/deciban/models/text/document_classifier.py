"""The part that the estimators of documents share: single documents, and scikit-learn's tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from deciban.errors import DecibanWarning, InputTypeError, MissingValueError, warn_user
from deciban.read import is_missing, plain
from deciban.read.documents import Documents, read_documents
from deciban.types import AnyArray, Floats

__all__ = [
    "BATCH",
    "DOCUMENT_FREQUENCY",
    "FEWEST",
    "TEMPERATURE",
    "DocumentClassifier",
    "learned_tokens",
    "read_document",
    "warn_of_unknown",
]


BATCH = 10
"""A batch of at least this many documents without a known token is worth a warning."""


TEMPERATURE = [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither"), None]
"""Which values `temperature` takes."""

FEWEST = 20
"""The number of documents below which no temperature is learned."""

DOCUMENT_FREQUENCY = [Interval(RealNotInt, 0, 1, closed="both"), Interval(Integral, 1, None, closed="left")]
"""`min_df` and `max_df`, as in scikit-learn: a share of the documents, or their number."""


class _Predictor(Protocol):
    """An estimator that predicts many documents."""

    @property
    def classes_(self) -> AnyArray: ...
    def predict(self, X: Any) -> AnyArray: ...
    def predict_proba(self, X: Any) -> Floats: ...


class DocumentClassifier:
    """Methods for one document, by those for many; X is one column of text."""

    def predict_one(self: _Predictor, document: Any) -> Any:
        """Predict the class of one document, as `predict` does for many.

        Parameters
        ----------
        document : str or bytes
            One document.

        Returns
        -------
        label : the class, or None
            None where the decision is rejected.
        """
        return plain(self.predict(read_document(document, "predict_one").texts)[0])

    def predict_proba_one(self: _Predictor, document: Any) -> dict[Any, float]:
        """Compute P(class | document) of one document.

        Parameters
        ----------
        document : str or bytes
            One document.

        Returns
        -------
        posteriors : dict
            The posterior of each class, by its label.
        """
        posterior = self.predict_proba(read_document(document, "predict_proba_one").texts)[0]
        return dict(zip(self.classes_.tolist(), posterior.tolist(), strict=True))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = False
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        return tags


def learned_tokens(tokens: int, analyzer: str | None, temperature: float | None) -> dict[str, str]:
    """What a model of documents has learned, by name and in words."""
    learned = {"tokens": f"{tokens:,} ({analyzer})"}
    return learned if temperature is None else {**learned, "temperature": f"{temperature:.3g}"}


def warn_of_unknown(known: Sequence[AnyArray], what: str = "documents") -> None:
    """Warn where most documents of a batch of 10 or more have no known token; `known` are numbers of known tokens."""
    many, unknown = sum(map(len, known)), sum(int(np.count_nonzero(numbers == 0)) for numbers in known)
    if many >= BATCH and 2 * unknown > many:
        warn_user(
            f"most {what} have no known token, so nothing but the prior is known of their classes. Pass an analyzer "
            "that fits their language, or fit on similar ones.",
            DecibanWarning,
        )


def read_document(document: Any, method: str) -> Documents:
    """One document: a str or bytes, or a collection of length 1, such as ``documents[:1]``."""
    if isinstance(document, str | bytes):
        return Documents([document])
    size = len(document) if hasattr(document, "__len__") else None
    if size is None and is_missing(document):
        raise MissingValueError(f"{method} takes one document, str or bytes, and this one is missing: {document!r}.")
    if size != 1 or isinstance(document, Mapping):
        kind = type(document).__name__
        raise InputTypeError(f"{method} takes one document, str or bytes, not a {kind}. Pass documents one by one.")
    return read_document(read_documents(document).to_list()[0], method)
