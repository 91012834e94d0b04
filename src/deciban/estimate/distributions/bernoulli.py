"""A column that is present or not (Culotta, CS429): two states, whatever occurs.

P(x = 1 | j) = (n_j1 + a) / (n_j + 2a)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import ClassVar

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.column import ColumnDistribution, Margins
from deciban.estimate.distributions.categorical import Categorical, CategoricalLikelihood, live_pseudocounts
from deciban.estimate.likelihood import OneValue, Presence, States
from deciban.estimate.live import CoreColumn, LiveColumn, PresenceColumn, Setting
from deciban.estimate.smoothing import Laplace, Smoothing, logs_without_own
from deciban.estimate.values import Example, Markers, is_missing, numbers_of, read_number, states_of
from deciban.read import Column, Variable, boolean_of, object_array, plain
from deciban.storable import storable
from deciban.tallies import Counts, Sample, count_column, own_weights
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Bernoulli", "PresenceLikelihood"]

# Both always, so that forgetting the last row that has a column leaves a probability for it.
_STATES = np.array([False, True], dtype=object)


@storable
@dataclass(frozen=True, kw_only=True)
class Bernoulli(ColumnDistribution):
    """A column of booleans, or of numbers that are above a threshold or not.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.
    threshold : float
        Numbers above it count as present.
    smoothing : Smoothing, optional
        How counts become probabilities; the model's smoothing when None.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes({"links": Bernoulli()}).fit(
    ...     {"links": [0, 0, 3, 1]}, ["ham", "ham", "spam", "spam"]
    ... )
    >>> model.predict({"links": [5]}).tolist()
    ['spam']
    """

    threshold: float = 0.0
    smoothing: Smoothing | None = None

    part_type: ClassVar[type] = Counts

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.threshold, Real):
            raise ParameterError(f"threshold is a number, not {self.threshold!r}.")

    def as_learned(self, column: Column, variable: Variable | None) -> Column:
        """Numbers, or booleans where all values are booleans or spell them."""
        if column.is_numeric or _is_presence(column):
            return column
        spelled = [boolean_of(state) if isinstance(state, str) else state for state in column.states.tolist()]
        read = replace(column, states=object_array(spelled))
        return read if _is_presence(read) else column.as_numbers()

    def count(self, column: Column, sample: Sample, owner: str) -> Counts:
        self.check(column, owner)
        return _of_both(count_column(self._presence(column), sample))

    def estimate(self, parts: Sequence[Counts]) -> CategoricalLikelihood:
        return PresenceLikelihood(self, parts)

    def n_parameters(self, parts: Sequence[Counts]) -> int:
        return sum(part.classes for part in parts)

    def leave_one_out(
        self, parts: Sequence[Counts], columns: Sequence[Column], y: Codes, sample_weight: Floats
    ) -> Floats:
        """Exact: there are two states, whatever remains."""
        classes = parts[0].classes
        out = np.zeros((len(y), len(columns), classes))
        pseudo = (self.smoothing or Laplace()).pseudocounts(2, classes)
        own = own_weights(y, sample_weight, classes)
        for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
            both = _of_both(part)
            codes = self._presence(column).codes(both.variable)
            out[:, i] = np.where((codes >= 0)[:, None], logs_without_own(both.table, codes, own, pseudo), 0.0)
        return out

    def add_margins(
        self,
        likelihood: object,
        parts: Sequence[Counts],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """Exact."""
        pseudo = (self.smoothing or Laplace()).pseudocounts(2, parts[0].classes)
        for index, both, column in zip(at, map(_of_both, parts), columns, strict=True):
            margins.add_counts(index, self._presence(column).codes(both.variable), both.table, pseudo)

    def live(self, part: Counts, setting: Setting) -> LiveColumn:
        both = part.variable.union(Variable(setting.name, _STATES, 2))
        return LivePresence(self, part.restated(both), setting)

    def contingency(self, part: Counts) -> AnyArray:
        return part.table

    def examples(self, part: Counts) -> list[Example]:
        return states_of(_of_both(part))

    def is_present(self, value: object, name: str) -> bool:
        """True when one value, which is not missing, counts as present."""
        scalar = plain(value)
        spelled = boolean_of(scalar) if isinstance(scalar, str) else None
        if spelled is not None:
            return spelled
        return scalar if isinstance(scalar, bool) else read_number(scalar, name) > self.threshold

    def _presence(self, column: Column) -> Column:
        if _is_presence(column):
            return column
        values = numbers_of(column)
        codes = np.where(np.isnan(values), -1, values > self.threshold).astype(np.int32)
        return Column.of_states(column.name, _STATES, codes)


class PresenceLikelihood(CategoricalLikelihood):
    """The tables of columns whose numbers above a threshold are present."""

    def __init__(self, kind: Bernoulli, parts: Sequence[Counts]) -> None:
        self.threshold = float(kind.threshold)
        self._presence = kind._presence
        self._is_present = kind.is_present
        super().__init__(Categorical(smoothing=kind.smoothing), tuple(map(_of_both, parts)))

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        score, name = super().one(i, names), names[i]

        def score_presence(value: object) -> Sequence[float]:
            scalar = plain(value)
            return score(None if is_missing(scalar) or scalar in markers else self._is_present(scalar, name))

        return score_presence

    def _as_states(self, column: Column) -> Column:
        return self._presence(column)

    def _formula_states(self, labels: Sequence[object], *, has_missing: bool) -> States:
        return Presence(self.threshold)


class LivePresence(CoreColumn):
    """A column that is present or not."""

    core: PresenceColumn

    def __init__(self, kind: Bernoulli, part: Counts, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._base = part
        labels: list[object] = part.variable.labels.tolist()
        codes, reader = (labels.index(False), labels.index(True)), _PresenceReader(kind, setting)
        self.core = PresenceColumn(
            np.ascontiguousarray(part.table.T, dtype=np.float64), codes, float(kind.threshold), bool(setting.markers),
            live_pseudocounts(labels, kind.smoothing, setting), reader.read, reader.look_up,
        )  # fmt: skip

    def part(self) -> Counts:
        table = self.core.counts().T.astype(self._base.table.dtype)
        return Counts(self._base.variable, np.ascontiguousarray(table))


class _PresenceReader:
    """Says of values other than floats and booleans whether they are present; None for a missing one."""

    def __init__(self, kind: Bernoulli, setting: Setting) -> None:
        self._kind, self._setting = kind, setting

    def read(self, value: object) -> bool | None:
        if self._kind.missing == "error" and self._setting.is_missing(value):
            self._setting.refuse_missing()
        return self.look_up(value)

    def look_up(self, value: object) -> bool | None:
        return None if self._setting.is_missing(value) else self._kind.is_present(value, self._setting.name)


def _is_presence(column: Column) -> bool:
    return not column.is_numeric and set(column.states.tolist()) <= {False, True, None}


def _of_both(part: Counts) -> Counts:
    """The same counts over both states, also when one of them never occurred or was forgotten."""
    return part.restated(Variable(part.variable.name, _STATES, 2))
