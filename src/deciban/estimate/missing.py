"""Missing values as evidence, beside the distribution of the known ones.

`Categorical` counts missing values as one more label. Any other distribution is combined with the probability that a
value is missing:

    P(x | j) = P(missing | j)                    where x is missing,
    P(x | j) = (1 − P(missing | j))·p(x | j)     where it is known,

with P(missing | j) = (m_j + a) / (n_j + 2a), the smoothed share of the rows of the class whose value is missing. The
functions here do for a column what the methods of its distribution do, with missing values counted where they matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.association import Measure, measure_of, mutual_information
from deciban.estimate.column import ColumnDistribution, Margins
from deciban.estimate.drawing import Drawn, DrawnLabels
from deciban.estimate.likelihood import Contest, Formula, Likelihood, OneValue, Token, times
from deciban.estimate.live import CollectedColumn, CoreColumn, LiveColumn, LiveRows, Setting
from deciban.estimate.smoothing import Smoothing, log_probabilities, logs_without_own
from deciban.estimate.values import Example, Markers, is_missing
from deciban.read import MISSING_LABEL, Column, plain
from deciban.storable import registered
from deciban.tallies import Part, Sample, WithMissing, count_gaps, own_weights
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "MissingLikelihood",
    "add_margins",
    "as_counted",
    "association",
    "contingency",
    "count_column",
    "count_parameters",
    "distribution_of_part",
    "estimate_columns",
    "examples",
    "is_of_column",
    "leave_one_out",
    "left_out_column",
    "live_column",
    "rule_of",
]


def count_column(kind: ColumnDistribution, column: Column, sample: Sample, owner: str) -> Part:
    """The part of the tally for a column, with its missing values where they are evidence."""
    part = kind.count(column, sample, owner)
    return WithMissing(part, count_gaps(column.is_missing, sample)) if kind.counts_missing else part


def estimate_columns(kind: ColumnDistribution, parts: Sequence[Part], smoothing: Smoothing) -> Likelihood:
    """The likelihood of all columns that have this distribution.

    `smoothing` is for the counts of missing values, unless the distribution has a smoothing of its own.
    """
    if not kind.counts_missing:
        return kind.estimate(parts)
    known, presences = _split(parts)
    pseudo = rule_of(kind, smoothing).pseudocounts(2, parts[0].classes)
    logs = np.array([log_probabilities(presence, pseudo).T for presence in presences])
    return MissingLikelihood(kind.estimate(known), logs)


def count_parameters(kind: ColumnDistribution, parts: Sequence[Part]) -> int:
    """The number of free parameters of all columns that have this distribution, with the shares of missing values."""
    shares = sum(part.classes for part in parts) if kind.counts_missing else 0
    return shares + kind.n_parameters([_known(part) for part in parts])


def leave_one_out(
    kind: ColumnDistribution,
    parts: Sequence[Part],
    columns: Sequence[Column],
    rows: tuple[Codes, Floats],
    smoothing: Smoothing,
) -> Floats:
    """log P(value | class) of counted rows, each as if it had not been; `rows` are their classes and weights."""
    if not kind.counts_missing:
        return kind.leave_one_out(parts, columns, *rows)
    known, presences = _split(parts)
    out = kind.leave_one_out(known, columns, *rows)
    pseudo = rule_of(kind, smoothing).pseudocounts(2, parts[0].classes)
    own = own_weights(*rows, parts[0].classes)
    for i, (presence, column) in enumerate(zip(presences, columns, strict=True)):
        out[:, i] += logs_without_own(presence, column.is_missing.astype(np.int64), own, pseudo)
    return out


def add_margins(
    kind: ColumnDistribution,
    likelihood: Likelihood,
    parts: Sequence[Part],
    columns: Sequence[Column],
    margins: Margins,
    at: Sequence[int],
    smoothing: Smoothing,
) -> None:
    """Add the leave-one-out evidence of some of the counted rows to `margins`, in its columns `at`."""
    if not kind.counts_missing:
        kind.add_margins(likelihood, parts, columns, margins, at)
        return
    known, presences = _split(parts)
    kind.add_margins(
        likelihood.of_known if isinstance(likelihood, MissingLikelihood) else likelihood, known, columns, margins, at
    )
    pseudo = rule_of(kind, smoothing).pseudocounts(2, parts[0].classes)
    # The margins of both are sums of logarithms, so they are added to the same columns.
    for index, presence, column in zip(at, presences, columns, strict=True):
        margins.add_counts(index, column.is_missing.astype(np.int32), presence, pseudo)


def left_out_column(kind: ColumnDistribution, column: Column, sample: Sample, smoothing: Smoothing) -> Floats:
    """log P(value | class) of the rows of a sample, each from other rows (`ColumnDistribution.left_out`)."""
    out = kind.left_out(column, sample)
    if not kind.counts_missing:
        return out
    weights = np.ones(len(column)) if sample.weights is None else sample.weights
    presence, pseudo = count_gaps(column.is_missing, sample), rule_of(kind, smoothing).pseudocounts(2, out.shape[1])
    own = own_weights(sample.codes, weights, out.shape[1])
    return out + logs_without_own(presence, column.is_missing.astype(np.int64), own, pseudo)


def live_column(kind: ColumnDistribution, part: Part, setting: Setting, smoothing: Smoothing) -> LiveColumn:
    """A counter that continues from `part`, one value at a time; `smoothing` is as for `estimate_columns`."""
    if not isinstance(part, WithMissing):
        return kind.live(part, setting)
    known = kind.live(part.part, setting)
    if isinstance(known, CoreColumn):
        return _CoreWithMissing(known, part, rule_of(kind, smoothing).pseudocounts(2, setting.classes))
    # A counter that does neither cannot be told of missing values; any distribution can be counted by `LiveRows`.
    collected = known if isinstance(known, CollectedColumn) else LiveRows(kind, part.part, setting)
    return _LiveWithMissing(collected, part)


def contingency(kind: ColumnDistribution, part: Part) -> AnyArray | None:
    """Class × state counts of the values that are not missing; None for a density."""
    return kind.contingency(_known(part))


def association(kind: ColumnDistribution, part: Part, measure: Measure = "mi") -> float:
    """The association of a column with the class.

    Where missing values M are evidence, they are one more state; or, beside a density,
    I(M, X; C) = I(M; C) + P(known)·I(X; C | known).
    """
    presence = part.presence if isinstance(part, WithMissing) else None
    known, of_table = _known(part), measure_of(measure)
    table = kind.contingency(known)
    if table is not None:
        return of_table(table if presence is None else np.column_stack([table, presence[:, 1]]))
    if measure != "mi":
        raise ParameterError(f"{measure!r} is for counts; column {part.names[0]!r} has no labels. Use measure='mi'.")
    if presence is None:
        return float(kind.information(known))
    share = presence[:, 0].sum() / max(presence.sum(), 1e-300)  # 0 of a tally without rows
    return float(share) * kind.information(known) + mutual_information(presence)


def examples(kind: ColumnDistribution, part: Part) -> list[Example]:
    """Values for the axis of a nomogram, the missing value among them where it is evidence and occurred."""
    values = kind.examples(_known(part))
    rows = float(part.presence[:, 1].sum()) if isinstance(part, WithMissing) else 0.0
    return [*values, Example(str(MISSING_LABEL), None, rows)] if rows else values


def is_of_column(part: Part) -> bool:
    """True for a part of a tally that some distribution of one column counts."""
    kinds = (kind for kind in _registered() if not kind.is_ignored)
    return len(part.names) == 1 and any(isinstance(_known(part), kind.part_type) for kind in kinds)


def distribution_of_part(part: Part) -> ColumnDistribution:
    """The usual distribution of a column of which only the tally is known."""
    # In the order in which they were registered: the first that such a part is usual for.
    for registered_kind in _registered():
        kind = registered_kind.of_part(_known(part))
        if kind is not None:
            return kind
    raise ParameterError(f"column {part.names[0]!r}: name its distribution, columns={{{part.names[0]!r}: …}}.")


def as_counted(kind: ColumnDistribution, part: Part) -> ColumnDistribution:
    """The distribution with missing values as evidence where the tally counted them, and only there."""
    known = _known(part)
    if kind.is_ignored:
        return kind
    kind.check_part(known)
    kind = kind.counted(known)
    if known is not part:
        return replace(kind, missing="state")
    return replace(kind, missing="skip") if kind.counts_missing else kind


class _CoreWithMissing(CoreColumn):
    """A counter in the core, of known values and of how many are missing."""

    def __init__(self, known: CoreColumn, part: WithMissing, pseudo: Floats) -> None:
        super().__init__(known.kind, known.setting)
        self.core, self._known, self._dtype = known.core, known, part.presence.dtype
        self.core.count_missing(np.ascontiguousarray(part.presence, dtype=np.float64), pseudo)

    def part(self) -> WithMissing:
        return WithMissing(self._known.part(), self.core.presence().astype(self._dtype))


class _LiveWithMissing(CollectedColumn[tuple[object, ...]]):
    """A counter of known values, and of how many are missing."""

    def __init__(self, known: CollectedColumn[object], part: WithMissing) -> None:
        super().__init__(known.kind, known.setting)
        self._known = known
        self._presence: list[list[float]] = part.presence.tolist()

    def read(self, value: object) -> tuple[object, ...]:
        # Empty for a missing value: None would mean that there is nothing to add.
        return () if self.setting.is_missing(value) else (self._known.read(value),)

    def add(self, read: tuple[object, ...], j: int) -> None:
        self._presence[j][0 if read else 1] += 1
        if read and read[0] is not None:
            self._known.add(read[0], j)

    def part(self) -> WithMissing:
        return WithMissing(self._known.part(), np.array(self._presence))


class MissingLikelihood(Likelihood):
    """The likelihood of the known values, plus columns × (known, missing) × classes log-probabilities."""

    def __init__(self, of_known: Likelihood, logs: Floats) -> None:
        self.of_known, self.logs = of_known, logs

    def columns(self, columns: Sequence[Column]) -> Floats:
        out = self.of_known.columns(columns)
        for i, column in enumerate(columns):
            out[:, i] += self.logs[i, column.is_missing.astype(np.int64)]
        return out

    def rows(self, columns: Sequence[Column]) -> Floats:
        out = self.of_known.rows(columns)
        for i, column in enumerate(columns):
            out += self.logs[i, column.is_missing.astype(np.int64)]
        return out

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        of_known = self.of_known.one(i, names)
        known, missing = self.logs[i].tolist()

        def score(value: object) -> Sequence[float]:
            scalar = plain(value)
            if is_missing(scalar) or scalar in markers:
                return missing
            return [a + b for a, b in zip(known, of_known(scalar), strict=True)]

        return score

    def formula(self, i: int) -> Formula | None:
        of_known = self.of_known.formula(i)
        return None if of_known is None else of_known.with_missing(*self.logs[i])

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Drawn:
        is_missing = rng.random(len(y)) < np.exp(self.logs[i, 1, y])
        known = self.of_known.draw(i, y, rng)
        if isinstance(known, DrawnLabels):
            return known._replace(codes=np.where(is_missing, -1, known.codes))
        if known.dtype.kind == "f":
            return np.where(is_missing, np.nan, known)
        # Integers and booleans have no missing value: as labels they keep their type.
        labels, codes = np.unique(known, return_inverse=True)
        return DrawnLabels(labels, np.where(is_missing, -1, codes).astype(np.int32))

    def tokens(self, i: int, j: int, k: int) -> list[Token]:
        return self.of_known.tokens(i, j, k)

    def explained(self, i: int, value: object, contest: Contest, weight: float = 1.0) -> object | None:
        return self.of_known.explained(i, value, contest._replace(known=self.logs[i, 0]), weight)

    def weighted(self, weights: Floats) -> MissingLikelihood:
        return MissingLikelihood(self.of_known.weighted(weights), times(weights[:, None, None], self.logs))


def _registered() -> list[type[ColumnDistribution]]:
    return registered(ColumnDistribution)  # type: ignore[type-abstract]


def _known(part: Part) -> Part:
    """The part of the known values alone."""
    known: Part = part.part if isinstance(part, WithMissing) else part
    return known


def _split(parts: Sequence[Part]) -> tuple[list[Part], list[AnyArray]]:
    """The parts of the known values, and the tables of class × (known, missing)."""
    counted = [part for part in parts if isinstance(part, WithMissing)]
    return [part.part for part in counted], [part.presence for part in counted]


def rule_of(kind: ColumnDistribution, smoothing: Smoothing) -> Smoothing:
    """The smoothing of a distribution, which may have no field for it; that of the model where it has none."""
    own = getattr(kind, "smoothing", None)
    return own if isinstance(own, Smoothing) else smoothing
