"""The words that options take, as `Literal` types for editors and as constraints for scikit-learn."""

from __future__ import annotations

from typing import Any, Literal, get_args

from sklearn.utils._param_validation import StrOptions

__all__ = ["Measure", "Missing", "MissingOrAuto", "Rule", "SkipOrError", "Unseen", "words"]

Missing = Literal["skip", "state", "error"]
"""What a missing value is: no evidence, a state of its own, or an error."""

MissingOrAuto = Literal["auto", "skip", "state", "error"]
"""The same, or "auto": no evidence or a state, as the rows decide."""

SkipOrError = Literal["skip", "error"]
"""What a missing value is in a model without states of missing values."""

Unseen = Literal["smooth", "ignore", "error"]
"""What a label is that did not occur in fit: a state counted 0 times, no evidence, or an error."""

Rule = Literal["map", "ml"]
"""How to decide: by the posterior, or by the likelihood alone."""

Measure = Literal["mi", "chi2", "su"]
"""A measure of association: mutual information, χ², or symmetrical uncertainty."""


def words(options: Any) -> StrOptions:
    """The constraint that a parameter is one of the words of a `Literal`."""
    return StrOptions(set(get_args(options)))
