"""The adapter of a model, by its kind."""

from __future__ import annotations

from typing import Any

from deciban.errors import ParameterError
from deciban.models.base import BayesClassifier
from deciban.models.text.document_classifier import DocumentClassifier
from deciban.models.text.text_nb import TextNB
from deciban.nets import BayesNet, GaussianNet
from deciban.serve.adapters.adapter import Adapter
from deciban.serve.adapters.classifiers import RowClassifier, TextClassifier
from deciban.serve.adapters.nets import Net

__all__ = ["adapter_of"]


def adapter_of(model: Any) -> Adapter:
    """How the service uses a model; an error where it cannot be served."""
    if isinstance(model, TextNB | DocumentClassifier):
        return TextClassifier(model)
    if isinstance(model, BayesClassifier):
        return RowClassifier(model)
    if isinstance(model, BayesNet | GaussianNet):
        return Net(model)
    raise ParameterError(
        f"a {type(model).__name__} cannot be served: it is no classifier and no net. Make a model of a tally with "
        "from_tally, and save that."
    )
