"""The settings of tokenizers in files of older versions, whose names were not scikit-learn's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["renamed_text_settings"]

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

    >>> renamed_text_settings(
    ...     {"pattern": "chars", "lower": True, "chars": (2, 3), "ngrams": (1, 1)}
    ... )
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
