"""A column that is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from deciban.estimate.column import ColumnDistribution, Margins, Missing
from deciban.estimate.likelihood import Curve, Likelihood, OneValue
from deciban.estimate.live import LiveColumn, OtherColumn, RowColumn, Setting
from deciban.estimate.values import Markers
from deciban.read import MISSING, Column, Variable
from deciban.storable import storable
from deciban.tallies import Counts, Part, Sample
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Ignore", "NoEvidence", "no_counts"]


@storable
@dataclass(frozen=True, kw_only=True)
class Ignore(ColumnDistribution):
    """A column that is left out: no evidence for any class.

    Parameters
    ----------
    missing : {"skip", "error"}, optional
        It makes no difference: the values are not read.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes({"id": Ignore()}).fit(
    ...     {"id": [1, 2], "sky": ["sun", "rain"]}, ["play", "stay"]
    ... )
    >>> model.predict({"id": [3], "sky": ["sun"]}).tolist()
    ['play']
    """

    part_type: ClassVar[type] = object
    is_ignored: ClassVar[bool] = True

    @classmethod
    def missing_options(cls) -> tuple[Missing, ...]:
        return "skip", "error"

    def count(self, column: Column, sample: Sample, owner: str) -> Counts:
        return no_counts(column.name, len(sample.classes))

    def check(self, column: Column, owner: str) -> None:
        """Accept whatever the column holds."""

    def live(self, part: Part, setting: Setting) -> LiveColumn:
        return _Unchanged(self, part, setting)

    def estimate(self, parts: Sequence[Part]) -> Likelihood:
        return NoEvidence(parts[0].classes)

    def n_parameters(self, parts: Sequence[Part]) -> int:
        return 0

    def leave_one_out(
        self, parts: Sequence[Part], columns: Sequence[Column], y: Codes, sample_weight: Floats
    ) -> Floats:
        return np.zeros((len(y), len(columns), parts[0].classes))

    def add_margins(
        self, likelihood: object, parts: Sequence[Part], columns: Sequence[Column], margins: Margins, at: Sequence[int]
    ) -> None:
        """Add nothing."""

    def contingency(self, part: Part) -> AnyArray:
        return np.zeros((part.classes, 0))

    def with_fixed_states(self, column: Column, sample: Sample) -> tuple[Self, str]:
        return self, ""

    def variable(self, column: Column) -> Variable:
        return _no_states(column.name)

    def codes(self, column: Column, variable: Variable, owner: str) -> Codes:
        return np.full(len(column), MISSING, dtype=np.int32)

    def draw_values(self, codes: Codes, variable: Variable, rng: np.random.Generator) -> Floats:
        return np.full(len(codes), np.nan)


def no_counts(name: str, classes: int) -> Counts:
    """The counts of a column that is left out."""
    return Counts(_no_states(name), np.zeros((classes, 0), dtype=np.int64))


def _no_states(name: str) -> Variable:
    return Variable(name, np.empty(0, dtype=object), 0)


class NoEvidence(Likelihood):
    """The likelihood of columns that are left out: 1 for every value."""

    def __init__(self, classes: int) -> None:
        self._classes = classes

    def columns(self, columns: Sequence[Column]) -> Floats:
        return np.zeros((len(columns[0]), len(columns), self._classes))

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        nothing = [0.0] * self._classes
        return lambda _: nothing

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Floats:
        """Missing values: the model says nothing of the column."""
        return np.full(len(y), np.nan)

    def formula(self, i: int) -> Curve:
        nothing = np.zeros(self._classes)
        return Curve(nothing, nothing)


class _Unchanged(LiveColumn):
    def __init__(self, kind: Ignore, part: Part, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._part = part

    def row_column(self, score: OneValue) -> RowColumn:
        return OtherColumn(None, None, None)

    def part(self) -> Part:
        return self._part
