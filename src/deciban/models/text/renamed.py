"""The smoothing of text models in files of older versions, where "auto" was another rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deciban.models.text.temperature import TextForm

__all__ = ["older_smoothing"]


def older_smoothing(parameters: Mapping[str, Any], form: Any) -> dict[str, Any]:
    """The parameters of a `TextNB`, with the smoothing that "auto" was where the form is of an older file."""
    is_older = not isinstance(form, TextForm) and parameters["event"] in ("boolean", "multinomial")
    is_auto = isinstance(parameters["smoothing"], str) and parameters["smoothing"] == "auto"
    return {**parameters, "smoothing": "by-classes"} if is_older and is_auto else dict(parameters)
