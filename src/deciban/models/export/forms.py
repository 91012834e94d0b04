"""A fitted classifier as plain numbers: what another language needs to compute its posteriors.

    log P(j, x) = start_j + (1/T)·log P(x | j) + a constant

A naive Bayes model has a formula for each column, and log P(x | j) is their sum. Models that count combinations of
columns code each column first, and have tables of the coded values: `Tree` for TAN, `Average` for AODE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from deciban.estimate.columns.formulas import Formula
from deciban.types import Floats

__all__ = ["Average", "ClosedForm", "NamedFormula", "Parent", "Tree"]


class NamedFormula(NamedTuple):
    """A column: its name, its formula, the values that stand for missing ones, and whether its text is numbers."""

    name: str
    formula: Formula
    markers: frozenset[Any] = frozenset()
    is_numeral: bool = False


class Tree(NamedTuple):
    """log P(v | parent, class) along a tree: columns index the formulas, parents come before children.

    `parents` has −1 for the root. `logs` are the parent's states and an unseen one × states and an unseen one ×
    classes.
    """

    parents: dict[int, int]
    logs: dict[int, Floats]


class Parent(NamedTuple):
    """One of the averaged models: which states of its column are used, its weight, and the tables of all columns.

    `logs` has for each column, by its index among the formulas, the parent's states × states and an unseen one ×
    classes; at the parent itself the states are those of the parent alone.
    """

    column: int
    is_used: Sequence[bool]
    weight: float
    logs: dict[int, Floats]


class Average(NamedTuple):
    """The weighted mean of the models of all parents, and log P(v | class) where no parent is used."""

    parents: list[Parent]
    alone: dict[int, Floats]


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """All that a fitted model computes posteriors from.

    Attributes
    ----------
    start : what is added to the log-likelihood of each class: usually the log priors
    prior : the log priors, the posterior of a row that no class can have
    columns : of all columns that are used
    structure : how log P(row | class) follows from the columns; None for their sum
    temperature : T above
    """

    start: Floats
    prior: Floats
    columns: list[NamedFormula]
    structure: Tree | Average | None = None
    temperature: float = 1.0
