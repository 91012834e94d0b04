"""Learning and forgetting documents: methods of `TextNB`.

The counts of documents are added and subtracted as those of rows are (`deciban.models.parts.learning`); in addition, a
temperature is learned from the first documents, because tokens are not independent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from deciban.errors import DecibanWarning, InputError
from deciban.models.parts import learning
from deciban.models.parts.learning import check_weight
from deciban.models.text.base import BATCH
from deciban.models.text.calibration import learned_temperature
from deciban.models.text.temperature import TextForm
from deciban.notices import warn_user
from deciban.read.documents import Documents, read_documents
from deciban.tallies import Sample, Tally
from deciban.turns import turn

__all__ = ["check_tokens", "fit", "forget", "learn_counted", "learn_temperature", "merge", "partial_fit"]

Model = TypeVar("Model")

_NO_TOKENS = "empty vocabulary: no document has a token. Pass another analyzer, or a smaller `shortest`."
_NO_TOKENS_LEFT = "after pruning, no token remains. Try lower drop_top, min_count and min_df, or a higher max_df."


def fit(self: Model, X: Any, y: Any = None, sample_weight: Any = None) -> Model:
    """Count the documents and estimate the model. What was learned before is forgotten.

    Parameters
    ----------
    X : collection of str or bytes
        The documents: a list, a Series, an array or an Arrow column.
    y : array of shape (n_samples,)
        Their labels.
    sample_weight : array of shape (n_samples,), optional
        How many documents each stands for; none is negative. 1 each when None.

    Returns
    -------
    self : the fitted model
    """
    with turn(self):
        model: Any = self
        model._check_parameters()
        data = read_documents(X)
        sample = model._sample(y, sample_weight, len(data))
        tally = model._counted(data, sample, model._analyzer_of(data))
        check_weight(tally)
        return model._learn_counted(tally, data.texts, sample)


def learn_counted(self: Any, tally: Tally, data: Any, sample: Sample) -> Any:
    """Estimate from the counts of all documents, and learn the temperature from these or some of them."""
    before = self.__dict__.copy()
    try:
        self._adopt(tally, TextForm(1))._check_tokens()
        return self._learn_temperature(data, sample)
    except BaseException:
        self.__dict__ = before
        raise


def check_tokens(self: Any) -> None:
    """Refuse a model without tokens."""
    if self._model.bag.is_empty:
        raise InputError(_NO_TOKENS if self.tally_.parts[0].is_empty else _NO_TOKENS_LEFT)


def partial_fit(self: Model, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Model:
    """Count more documents. They may have new tokens and new classes.

    Parameters
    ----------
    X : collection of str or bytes
        The documents.
    y : array of shape (n_samples,)
        Their labels.
    classes : array, optional
        All classes of the first call; it may be left out.
    sample_weight : array of shape (n_samples,), optional
        How many documents each stands for; none is negative. 1 each when None.

    Returns
    -------
    self : the model

    Examples
    --------
    >>> from deciban import TextNB
    >>> model = TextNB().partial_fit(["free prize", "lunch at noon"], ["spam", "ham"])
    >>> model.partial_fit(["a new bike"], ["advert"]).classes_.tolist()
    ['advert', 'ham', 'spam']
    """
    with turn(self):
        model: Any = self
        model._check_additive("partial_fit")
        data = read_documents(X).texts
        if classes is None and not model._is_fitted():
            learning.fit(model, data, y, sample_weight)  # the first batch may be without tokens: others follow
        else:
            learning.partial_fit(model, data, y, classes, sample_weight)
        if len(data) >= BATCH and model.tally_.parts[0].is_empty:
            warn_user(f"{_NO_TOKENS} Until then, all posteriors are the prior.", DecibanWarning)
        return model._learn_temperature(data, model._sample(y, sample_weight, len(data)))


def learn_temperature(self: Any, data: Any, sample: Sample) -> Any:
    """Learn the temperature from documents that have just been counted, unless it has been learned."""
    if self.temperature == "auto" and self._form.temperature is None:
        self._form = replace(self._form, temperature=learned_temperature(self, Documents(data), sample))
    return self


def merge(self: Model, other: Any) -> Model:
    """Add what another `TextNB` with the same tokenizer has learned.

    Parameters
    ----------
    other : TextNB
        A fitted model; it is not changed.

    Returns
    -------
    self : the model
    """
    with turn(self):
        model: Any = self
        model._check_additive("merge")
        other._check_fitted()
        rows = (float(model.tally_.total), float(other.tally_.total)) if model._is_fitted() else (0.0, 0.0)
        learning.merge(model, other)
        model._form = model._form.averaged(TextForm.of_form(other._form), *rows)
        return model


def forget(self: Model, X: Any, y: Any = None, *, sample_weight: Any = None) -> Model:
    """Remove documents, as if they had never been learned.

    Parameters
    ----------
    X : collection of str or bytes
        Documents that the model has learned.
    y : array of shape (n_samples,)
        Their labels.
    sample_weight : array of shape (n_samples,), optional
        The weights that they were learned with. 1 each when None.

    Returns
    -------
    self : the model

    Raises
    ------
    InputError
        A document was not learned; the message names a token. The model stays as it was.
    """
    with turn(self):
        model: Any = self
        model._check_additive("forget")
        return learning.forget(model, X, y, sample_weight=sample_weight)
