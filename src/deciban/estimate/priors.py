"""Class priors: given, uniform, or estimated from the class counts by any smoothing (Zhu, item 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.smoothing import MLE, Smoothing
from deciban.read import plain_keys
from deciban.suggest import did_you_mean
from deciban.types import AnyArray, Floats

__all__ = ["check_priors", "empirical_priors", "is_estimated", "log_priors", "settle_priors"]


def check_priors(priors: Any, classes: int) -> Floats:
    """Read given priors: one a class, none negative, and together 1."""
    given = np.asarray(priors, dtype=np.float64)
    if given.shape != (classes,):
        raise ParameterError("Number of priors must match number of classes.")
    if (given < 0).any() or not np.isfinite(given).all():
        raise ParameterError("Priors must be non-negative.")
    if not np.isclose(given.sum(), 1.0):
        raise ParameterError(f"The sum of the priors should be 1. It is {given.sum():g}.")
    return given


def empirical_priors(counts: AnyArray, smoothing: Smoothing | None = None) -> Floats:
    """Log priors from class counts; relative frequencies unless smoothed."""
    return (smoothing or MLE()).log_probabilities(counts)


def is_estimated(priors: Any) -> bool:
    """True where the priors follow from the class counts: None, "empirical" or a Smoothing.

    >>> is_estimated("empirical"), is_estimated("uniform"), is_estimated([0.5, 0.5])
    (True, False, False)
    """
    return priors is None or isinstance(priors, Smoothing) or (isinstance(priors, str) and priors == "empirical")


def log_priors(counts: AnyArray, given: Any = None, *, uniform: bool = False) -> Floats:
    """Log priors: the given ones, uniform ones, or those of the counts."""
    if given is not None:
        with np.errstate(divide="ignore"):
            return np.log(check_priors(given, len(counts)))
    if uniform:
        return np.full(len(counts), -np.log(len(counts)))
    return empirical_priors(counts)


def settle_priors(priors: Any, counts: AnyArray, labels: Sequence[Any]) -> Floats:
    """Log priors from "empirical", "uniform", a Smoothing, or probabilities by label or in class order."""
    if isinstance(priors, str):
        if priors not in ("empirical", "uniform"):
            raise ParameterError(
                f"priors is 'empirical', 'uniform', a Smoothing or probabilities, not {priors!r}."
                f"{did_you_mean(priors, ['empirical', 'uniform'])}"
            )
        return log_priors(counts, uniform=priors == "uniform")
    if isinstance(priors, Smoothing):
        return empirical_priors(counts, priors)
    if isinstance(priors, Mapping):
        priors = plain_keys(priors)
        if set(priors) != set(labels):
            unknown = [label for label in priors if label not in labels]
            close = did_you_mean(unknown[0], labels) if unknown else ""
            raise ParameterError(
                f"priors names the classes {sorted(map(str, priors))}, but they are {list(labels)}.{close}"
            )
        priors = [priors[label] for label in labels]
    return log_priors(counts, check_priors(priors, len(counts)))
