"""Likelihoods in closed form, so that a model can be written down in another language, such as SQL.

A formula gives log P(value | class) of one column, up to a term that is equal in all classes, and the log-probabilities
of a missing value. There are two kinds:

=========  ===========================================================================================================
StateLogs  the value has one of some states (a label, a bin, present or not), and each has its log-probabilities
Curve      the value is a number, and log p(x | j) is a sum of terms that are linear, quadratic or gamma functions of it
=========  ===========================================================================================================

A likelihood without a closed form, such as a kernel density or that of a text, has no formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from deciban.types import Floats

__all__ = ["Bins", "Curve", "Formula", "Labels", "Presence", "StateLogs", "States", "scaled"]


class Labels(NamedTuple):
    """The states are labels; with `is_coded`, whole numbers that are their own codes, none of them negative."""

    labels: Sequence[Any]
    is_coded: bool = False


class Bins(NamedTuple):
    """The states are the ranges between cuts; a number at a cut is below it."""

    cuts: Sequence[float]


class Presence(NamedTuple):
    """The states are absent and present: a boolean, or a number above the threshold."""

    threshold: float


States = Labels | Bins | Presence


@dataclass(frozen=True, eq=False)
class StateLogs:
    """Log-probabilities by state.

    Attributes
    ----------
    states : how a value becomes a state
    logs : states × classes
    unseen : those of a label that is not a state; None where it is an error
    missing : those of a missing value; None where it is an error
    unseen_code, missing_code : the index of a label that is not a state, and of a missing value, where these are the
        codes of tables; n and n + 1 for n states when None
    """

    states: States
    logs: Floats
    unseen: Floats | None
    missing: Floats | None
    unseen_code: int | None = None
    missing_code: int | None = None

    def times(self, weight: float) -> StateLogs:
        """The log-probabilities multiplied by the weight of the column."""
        logs, unseen, missing = (scaled(weight, each) for each in (self.logs, self.unseen, self.missing))
        return replace(self, logs=logs, unseen=unseen, missing=missing)

    def with_missing(self, known: Floats, missing: Floats) -> StateLogs:
        """The same, with the log-probabilities that a value is known, and that it is missing."""
        unseen = None if self.unseen is None else self.unseen + known
        return replace(self, logs=self.logs + known, unseen=unseen, missing=missing)


@dataclass(frozen=True, eq=False)
class Curve:
    """A function of a number x, with t = log x where `of_log`, else t = x; one coefficient for each class.

        constant + slope·t + complement·(1 − t) − half·(t − mean)² + weight·(log Γ(t + size) − log Γ(size))

    0 times infinity is 0; a gamma term with an infinite size is left out, and all terms that are None.

    Attributes
    ----------
    missing : the log-probabilities of a missing value; None where it is an error
    lowest, highest : the numbers that are possible; with `is_open` not the lowest itself, with `is_whole` whole
        numbers alone
    is_strict : True where a number that is not possible is an error; else it has probability 0 in all classes
    """

    constant: Floats
    missing: Floats | None
    slope: Floats | None = None
    complement: Floats | None = None
    mean: Floats | None = None
    half: Floats | None = None
    size: Floats | None = None
    weight: float = 1.0
    of_log: bool = False
    lowest: float = -np.inf
    highest: float = np.inf
    is_open: bool = False
    is_whole: bool = False
    is_strict: bool = False

    def times(self, weight: float) -> Curve:
        """The function multiplied by the weight of the column; by 0, no number is impossible."""
        if weight == 0.0:
            nothing = np.zeros_like(self.constant)
            return Curve(nothing, None if self.missing is None else nothing)
        terms = {name: scaled(weight, getattr(self, name)) for name in ("constant", "missing", "slope", "complement")}
        return replace(self, **terms, half=scaled(weight, self.half), weight=weight * self.weight)

    def with_missing(self, known: Floats, missing: Floats) -> Curve:
        """The same, with the log-probabilities that a value is known, and that it is missing."""
        return replace(self, constant=self.constant + known, missing=missing)


Formula = StateLogs | Curve


def scaled(weight: float, logs: Any) -> Any:
    """weight·logs, where 0·(−∞) is 0; None stays None."""
    if logs is None:
        return None
    return np.zeros_like(logs) if weight == 0.0 else weight * logs
