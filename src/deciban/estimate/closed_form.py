"""A fitted classifier as plain numbers: what another language needs to compute its posteriors.

    log P(j, x) = start_j + (1/T)·log P(x | j) + a constant

A naive Bayes model has a formula for each column, and log P(x | j) is their sum. Models that count combinations of
columns code each column first, and have tables of the coded values: `Tree` for TAN, `Average` for AODE, `Sums` for KDB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.likelihood import Curve, Formula, plain_numbers
from deciban.estimate.values import Markers
from deciban.types import Floats

__all__ = ["Average", "ClosedForm", "MatrixInput", "NamedFormula", "Parent", "Sums", "TableOf", "Tree"]


class NamedFormula(NamedTuple):
    """A column: its name, its formula, the values that stand for missing ones, and whether its text is numbers."""

    name: str
    formula: Formula
    markers: Markers = frozenset()
    is_numeral: bool = False

    def to_plain(self) -> dict[str, object]:
        """As numbers and texts, which JSON can hold."""
        return {"name": self.name, **self.formula.to_plain()}

    def plain_value(self, value: Any) -> float | None:
        """A value of the column as its plain form takes it; None where it is missing."""
        is_missing = value is None or value != value or value in self.markers
        return None if is_missing else self.formula.state(value)


class Tree(NamedTuple):
    """log P(v | parent, class) along a tree: columns index the formulas, parents come before children.

    `parents` has −1 for the root. `logs` are the parent's states and an unseen one × states and an unseen one ×
    classes.
    """

    parents: dict[int, int]
    logs: dict[int, Floats]

    def to_plain(self) -> dict[str, object]:
        """As numbers, which JSON can hold."""
        nodes = self.parents.items()
        return {"columns": [{"column": i, "parent": p, "logs": plain_numbers(self.logs[i])} for i, p in nodes]}


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


class TableOf(NamedTuple):
    """A table of the states of some columns, by their indices among the formulas.

    `logs` are the states of each of these columns and one for a value that is not known × … × classes.
    """

    columns: tuple[int, ...]
    logs: Floats


class Sums(NamedTuple):
    """The sum of several tables; a column whose numbers are cut in several ways has a formula for each of them."""

    tables: list[TableOf]


class MatrixInput(NamedTuple):
    """The columns of a matrix, in order; `are_doubles` where whole numbers are doubles, as in scikit-learn."""

    names: Sequence[str]
    are_doubles: bool = False


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
    matrix : the columns where a row is one of a matrix; None where columns have names
    """

    start: Floats
    prior: Floats
    columns: list[NamedFormula]
    structure: Tree | Average | Sums | None = None
    temperature: float = 1.0
    matrix: MatrixInput | None = None

    @property
    def has_certain(self) -> bool:
        """True where a class may have an infinite log-likelihood, as ComplementNB has without smoothing."""
        curves = (column.formula for column in self.columns if isinstance(column.formula, Curve))
        return any(curve.slope is not None and np.isposinf(curve.slope).any() for curve in curves)

    def to_plain(self) -> dict[str, object]:
        """As lists, texts and numbers, which JSON can hold; an error where the model is no sum over columns or a tree.

        ===========  =================================================================================================
        start        what is added to the log-likelihoods
        prior        the log priors
        temperature  T, by which the log-likelihood is divided
        columns      for each column its name, "kind" ("labels", "bins", "presence" or "curve") and its numbers
        tree         None, or for each column its parent (−1 for the root) and its table of logs
        ===========  =================================================================================================
        """
        if self.structure is not None and not isinstance(self.structure, Tree):
            kind = type(self.structure).__name__.lower()
            raise ParameterError(f"the model is no sum over its columns, and no tree: it has no plain form ({kind}).")
        return {
            "start": plain_numbers(self.start),
            "prior": plain_numbers(self.prior),
            "temperature": self.temperature,
            "columns": [column.to_plain() for column in self.columns],
            "tree": None if self.structure is None else self.structure.to_plain(),
        }
