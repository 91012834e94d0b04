"""The adapter of a model, by its kind."""

from __future__ import annotations

from typing import Any

from deciban.errors import ParameterError
from deciban.models.base import BayesClassifier
from deciban.serve.adapters.base import Adapter
from deciban.serve.adapters.rows import RowClassifier

__all__ = ["adapter_of"]


def adapter_of(model: Any) -> Adapter:
    """How the service uses a model; an error where it cannot be served."""
    if isinstance(model, BayesClassifier):
        return RowClassifier(model)
    raise ParameterError(f"a {type(model).__name__} cannot be served.")
