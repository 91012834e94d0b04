"""A column that is normal within each class, with variances tied or not (Zhu, item 11).

=========  =============================================================  ===================
tie        variance                                                       shared by
=========  =============================================================  ===================
"none"     σ²_ji = (M_ji + k·W_i) / (n_ji + k),  W_i = Σ_j M_ji / Σ_j n_ji  nothing
"class"    σ²_i = W_i                                                     the classes
"feature"  σ²_j = Σ_i M_ji / Σ_i n_ji                                     the columns
"both"     σ² = Σ M / Σ n                                                 classes and columns
=========  =============================================================  ===================

M are sums of squared deviations from the mean of the class. Untied variances are shrunk to the variance of the column
within classes as if k more rows had been seen there: the posterior of a scaled inverse-χ² prior. The rule has no unit:
the posteriors do not depend on the unit in which a column is measured, and a class in which a column happens to be
constant still has a positive variance.

`estimate_gaussian` is scikit-learn's rule instead, σ²_ji = mean squared deviation + ε, with `var_smoothing` times the
largest variance of a column over all rows as ε. It is taken from the tally, not from the last batch, so that learning
in parts gives what learning at once gives.

Rows that come one by one are scored in the core by running moments in doubles (Welford, 1962). It keeps the values
since they were last counted together; `part` counts these as a table is counted, with sums in double-double (see
`Moments`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.estimate.column import Margins
from deciban.estimate.distributions.binned import Binned
from deciban.estimate.likelihood import Curve, Likelihood, OneValue, times
from deciban.estimate.live import CoreColumn, LiveColumn, NormalColumn, Setting, core_reader, sample_of_codes
from deciban.estimate.numeric import LiveMoments, MomentsDistribution, check_strength
from deciban.estimate.values import Markers, matrix_of, number_reader, numbers_of, plain_numbers
from deciban.read import Column, Matrix
from deciban.storable import storable
from deciban.tallies import Moments, Sample, Spread, gather_moments, moments_without_each, raise_fault
from deciban.tallies.kernels import pack_columns, score_gaussian
from deciban.types import Codes, Floats

__all__ = [
    "Gaussian",
    "GaussianEstimate",
    "GaussianLikelihood",
    "Tie",
    "estimate_gaussian",
    "log_norms",
    "tied_variances",
]


Tie = Literal["none", "class", "feature", "both"]

# The least variance within classes, as a share of that of the column: a share has no unit.
_FLOOR = 1e-9
# Variances are normal floats, so that 1/(2σ²) and log σ² are finite.
_SMALLEST, _LARGEST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)


@storable
@dataclass(frozen=True, kw_only=True)
class Gaussian(MomentsDistribution):
    """A numeric column that is normal within each class.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.
    tie : {"none", "class", "feature", "both"}
        What shares a variance: nothing, the classes, the columns with this distribution, or both.
    strength : float
        How many rows the variance of the column within classes counts for in that of one class, when not tied.

    Notes
    -----
    Untied variances are shrunk to the variance of the column within classes, so a class in which a column happens to be
    constant still has a positive variance.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> table = {"warm": [20.0, 22.0, 9.0, 11.0]}
    >>> model = NaiveBayes({"warm": Gaussian(tie="class")}).fit(
    ...     table, ["play", "play", "stay", "stay"]
    ... )
    >>> model.predict({"warm": [15.0, 16.0]}).tolist()
    ['stay', 'play']
    """

    tie: Tie = "none"
    strength: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("tie", self.tie, get_args(Tie))
        check_strength(self.strength)

    @classmethod
    def of_part(cls, part: object) -> Self | None:
        return cls() if isinstance(part, Moments) else None

    def discretized(self) -> Binned:
        return Binned(how="mdl")

    def count(self, column: Column, sample: Sample, owner: str) -> Moments:
        self.check(column, owner)
        matrix = Matrix(plain_numbers(column)[:, None], (column.name,))
        return gather_moments(matrix, sample, owner, missing_allowed=True)

    def live(self, part: Moments, setting: Setting) -> LiveColumn:
        return LiveGaussian(self, part, setting) if self.tie in ("none", "class") else LiveMoments(self, part, setting)

    def leave_one_out(
        self, parts: Sequence[Moments], columns: Sequence[Column], y: Codes, sample_weight: Floats
    ) -> Floats:
        """Exact; where variances are tied over columns, a row is taken out of all of them at once."""
        return self._left_out(parts, columns, y, sample_weight, are_all=True)

    def _left_out(
        self, parts: Sequence[Moments], columns: Sequence[Column], y: Codes, sample_weight: Floats, *, are_all: bool
    ) -> Floats:
        x = matrix_of(columns)
        out = np.empty((len(y), len(columns), parts[0].classes))
        together = self.tie in ("feature", "both")
        for group in [range(len(columns))] if together else [range(i, i + 1) for i in range(len(columns))]:
            left = [moments_without_each(parts[i], x[:, i], y, sample_weight, are_all=are_all) for i in group]
            out[:, group] = self._densities(x[:, group], left)
        return np.where(np.isnan(x)[:, :, None], 0.0, out)

    def add_margins(
        self,
        likelihood: GaussianLikelihood,
        parts: Sequence[Moments],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """As `leave_one_out`, except that a class has no variance left without a row that has most of it."""
        if self.tie in ("feature", "both"):
            logs = self._left_out(parts, columns, margins.y, margins.own, are_all=False)
            for i, index in enumerate(at):
                margins.add_logs(index, logs[:, i])
            return
        moments = Spread.side_by_side(parts)
        weight, pooled = np.broadcast_to(moments.weight, moments.mean.shape), moments.pooled()
        least = _FLOOR * _ratio(pooled.deviation, pooled.weight)[0]
        strength = self.strength if self.tie == "none" else np.inf
        of_class = np.stack([weight, moments.deviation, likelihood.mean, likelihood.variance])  # four × class × column
        for i, (index, column) in enumerate(zip(at, columns, strict=True)):
            own = np.ascontiguousarray(of_class[:, :, i], dtype=np.float64)
            middle, lowest = float(pooled.mean[0, i]), float(least[i])
            x = numbers_of(column)
            margins.add_normal(index, x, own, strength=strength, middle=middle, least_variance=lowest)

    def _densities(self, x: Floats, left: Sequence[Spread]) -> Floats:
        """The densities of each row's values by its own moments: rows × columns × classes."""
        weight, mean, deviation = np.stack([[part.weight, part.mean, part.deviation] for part in left], axis=2)
        mean, variance = self._parameters(Spread(weight, mean, deviation))  # class × column × row
        density = log_norms(variance) - (x.T - mean) ** 2 / (2.0 * variance)
        return density.transpose(2, 1, 0)

    def estimate(self, parts: Sequence[Moments | Spread]) -> GaussianLikelihood:
        return GaussianLikelihood(*self._parameters(Spread.side_by_side(parts)))

    def n_parameters(self, parts: Sequence[Moments]) -> int:
        """A mean for each class and column, and the variances that are not tied."""
        classes, columns = parts[0].classes, sum(len(part.names) for part in parts)
        variances = {"none": classes * columns, "class": columns, "feature": classes, "both": 1}
        return classes * columns + variances[self.tie]

    def _parameters(self, moments: Moments | Spread) -> tuple[Floats, Floats]:
        """Means and variances, class × column."""
        pooled = moments.pooled()
        mean = np.where(moments.weight > 0, moments.mean, pooled.mean)  # that of the column for a class without rows
        return mean, tied_variances(moments, self.tie, self.strength)


def tied_variances(moments: Moments | Spread, tie: Tie, strength: float = 0.0) -> Floats:
    """Class × column variances, none of them 0 or infinite; 1 for a constant column, which is no evidence.

    A Spread may have a third axis, of several samples.
    """
    weight = np.broadcast_to(moments.weight, moments.mean.shape)
    pooled = moments.pooled()
    # What a column varies less within classes, as a share of its whole variance, is rounding.
    floor = _FLOOR * _ratio(pooled.deviation, pooled.weight)[0]
    within = np.maximum(_ratio(moments.deviation.sum(axis=0), weight.sum(axis=0)), floor)
    if tie == "class":
        variance = np.broadcast_to(within, weight.shape)
    elif tie == "none":
        variance = _ratio(moments.deviation + strength * within, weight + strength, within, floor)
    else:
        axis = 1 if tie == "feature" else (0, 1)
        deviation, whole = (table.sum(axis=axis, keepdims=True) for table in (moments.deviation, weight))
        shared = _ratio(deviation, whole, within.mean(axis=0), floor.max(axis=0, initial=0.0))
        variance = np.broadcast_to(shared, weight.shape)
    return _usable(variance, floor)


def _usable(variance: Floats, floor: Floats) -> Floats:
    # The same in all classes where the column is constant: then its values are no evidence.
    return np.where((floor > 0) & (variance > 0), np.clip(variance, _SMALLEST, _LARGEST), 1.0)


class GaussianLikelihood(Likelihood):
    """Means and variances of several columns, scored by one kernel: norm − half·(x − mean)², with weights in both."""

    def __init__(self, mean: Floats, variance: Floats, weights: Floats | float = 1.0) -> None:
        self.mean, self.variance = mean, variance
        self._unused: list[int] = [] if isinstance(weights, float) else np.flatnonzero(weights == 0.0).tolist()
        self.half, self.norm = weights * (0.5 / variance), weights * log_norms(variance)
        self._packed = pack_columns(mean), pack_columns(self.half), pack_columns(self.norm)

    def weighted(self, weights: Floats) -> GaussianLikelihood:
        """Weigh the parameters themselves, so that scoring is as fast as without weights."""
        return GaussianLikelihood(self.mean, self.variance, weights)

    def rows(self, columns: Sequence[Column]) -> Floats:
        zero = np.zeros(len(self.mean))
        numbers = [plain_numbers(column) for column in columns]
        # Columns of weight 0: squares of huge numbers overflow, and 0·∞ is no number.
        for i in self._unused:
            numbers[i] = np.where(np.isfinite(numbers[i]), 0.0, numbers[i])
        joint, fault = score_gaussian(numbers, zero, self._packed, "joint", missing_allowed=True)
        if fault is not None:
            raise_fault(fault, "the model", [column.name for column in columns])
        return joint

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        of_class = list(zip(self.mean[:, i], self.half[:, i], self.norm[:, i], strict=True))
        parameters = [(float(m), float(h), float(n)) for m, h, n in of_class]
        nothing = [0.0] * len(parameters)
        number = number_reader(names[i], markers)

        def score(value: Any) -> Sequence[float]:
            # x − x is 0 for finite numbers alone: the usual case is told without a call.
            is_plain = not markers and type(value) is float and value - value == 0.0
            x = value if is_plain else number(value)
            return nothing if x is None else [norm - (x - mean) * (x - mean) * half for mean, half, norm in parameters]

        def check(value: object) -> Sequence[float]:
            number(value)
            return nothing

        return check if i in self._unused else score

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Floats:
        return self.mean[y, i] + np.sqrt(self.variance[y, i]) * rng.standard_normal(len(y))

    def formula(self, i: int) -> Curve:
        mean, half, norm = self.mean[:, i], self.half[:, i], self.norm[:, i]
        return Curve(norm, np.zeros_like(norm), mean=mean, half=half)

    def columns(self, columns: Sequence[Column]) -> Floats:
        values = matrix_of(columns)[:, :, None]
        with np.errstate(over="ignore"):
            evidence = self.norm.T - times(self.half.T, (values - self.mean.T) ** 2)
        return np.where(np.isnan(values), 0.0, evidence)


def _ratio(part: Floats, whole: Floats, otherwise: Floats | float = 0.0, least: Floats | float = 0.0) -> Floats:
    """part / whole, `otherwise` where the whole is 0, and nowhere below `least`."""
    safe = np.where(whole > 0, whole, 1.0)
    return np.maximum(np.where(whole > 0, part / safe, otherwise), least)


@dataclass(frozen=True)
class GaussianEstimate:
    """Class × column means and variances, and the floor that the variances contain."""

    mean: Floats
    variance: Floats
    floor: float


def estimate_gaussian(moments: Moments, var_smoothing: float = 1e-9) -> GaussianEstimate:
    """Estimate means and variances; a variance is never 0 and never infinite."""
    floor = var_smoothing * _largest(_variance(moments.pooled()))
    variance = np.clip(_variance(moments) + floor, _SMALLEST, _LARGEST)
    return GaussianEstimate(moments.mean, variance, floor)


def log_norms(variance: Floats) -> Floats:
    """−½ log 2πσ²."""
    return -0.5 * (np.log(2.0 * np.pi) + np.log(variance))


def _variance(moments: Moments | Spread) -> Floats:
    known = np.broadcast_to(moments.weight > 0, moments.deviation.shape)
    out = np.zeros_like(moments.deviation)
    return np.divide(moments.deviation, moments.weight, out=out, where=known)


def _largest(variance: Floats) -> float:
    return min(float(variance.max(initial=0.0)), _LARGEST)


class LiveGaussian(CoreColumn):
    """A normal column whose variances are its own, or tied over the classes."""

    core: NormalColumn

    def __init__(self, kind: Gaussian, part: Moments, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._part = part
        reader, is_tied = core_reader(self.name, self.markers, self.refuse_missing), kind.tie == "class"
        self.core = NormalColumn(_running(part), is_tied, float(kind.strength), reader)

    def part(self) -> Moments:
        values, codes = self.core.pending()
        if len(values):
            matrix = Matrix(values[:, None], self._part.given_names)
            sample = sample_of_codes(codes, self._classes)
            self._part = self._part + gather_moments(matrix, sample, self._owner, missing_allowed=True)
            self.core.reset(_running(self._part))
        return self._part


def _running(part: Moments) -> Floats:
    """Weight, mean and sum of squared deviations × classes."""
    weight = np.broadcast_to(part.weight, part.mean.shape)
    return np.ascontiguousarray([table[:, 0] for table in (weight, part.mean, part.deviation)], dtype=np.float64)
