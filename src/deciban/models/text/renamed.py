"""The settings of text models in files of older versions: their names were not scikit-learn's, and "auto" was other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deciban.models.text.temperature import TextForm

__all__ = ["older_smoothing", "renamed_text_settings"]

_NAMES = {"pattern": "analyzer", "ngrams": "ngram_range", "lower": "lowercase", "accents": "strip_accents"}
_ANALYZERS = {
    "words": "word",
    "words+punct": "word_punct",
    "chars": "char",
    "chars_wb": "char_wb",
    "segments": "unicode_word",
}


def renamed_text_settings(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `TokenRules`, `Text` or a text model by today's names; other fields stay.

    >>> renamed_text_settings({"pattern": "chars", "lower": True, "chars": (2, 3), "ngrams": (1, 1)})
    {'analyzer': 'char', 'lowercase': True, 'ngram_range': (2, 3)}
    """
    if "pattern" not in fields:
        return dict(fields)
    settings = {_NAMES.get(name, name): value for name, value in fields.items()}
    settings["analyzer"] = _ANALYZERS[fields["pattern"]]
    if "n_bits" in settings and "priors" not in settings and settings["smoothing"] == "auto":  # a `Text` column
        settings["smoothing"] = "by-classes"
    of_characters = settings.pop("chars", None)  # `TokenRules` had one range for characters and one for tokens
    if of_characters is not None and settings["analyzer"] in ("char", "char_wb"):
        settings["ngram_range"] = of_characters
    return settings


def older_smoothing(parameters: Mapping[str, Any], form: Any) -> dict[str, Any]:
    """The parameters of a `TextNB`, with the smoothing that "auto" was where the form is of an older file."""
    is_older = not isinstance(form, TextForm) and parameters["event"] in ("boolean", "multinomial")
    is_auto = isinstance(parameters["smoothing"], str) and parameters["smoothing"] == "auto"
    return {**parameters, "smoothing": "by-classes"} if is_older and is_auto else dict(parameters)
