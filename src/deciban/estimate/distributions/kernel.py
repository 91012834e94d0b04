"""A column of any shape: a Gaussian kernel density within each class, as klaR's ``usekernel=TRUE``.

p(x | j) = Σ_k w_jk·φ((x − x_k) / h_j) / (h_j·Σ_k w_jk)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.bandwidth import nrd0, sheather_jones
from deciban.estimate.columns.drawing import cumulative_ends
from deciban.estimate.columns.likelihood import ColumnLikelihood
from deciban.estimate.columns.margins import Margins
from deciban.estimate.columns.numeric import SketchDistribution
from deciban.estimate.columns.values import numbers_of
from deciban.estimate.density import KernelDensity
from deciban.read import Column
from deciban.storable import storable
from deciban.tallies import Sketch
from deciban.tallies.leave_one_out import weight_left
from deciban.types import Codes, Floats

__all__ = ["Kernel", "KernelLikelihood"]

_RESOLUTION, _FAINTEST = 1e-3, 1e-300


@storable
@dataclass(frozen=True, kw_only=True)
class Kernel(SketchDistribution):
    """A numeric column of any shape: a Gaussian kernel density within each class.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.
    bandwidth : "nrd0", "SJ" or float
        The standard deviation of the kernels: Silverman's rule, Sheather and Jones's, or a number.

    Notes
    -----
    A class in which all values are equal has the bandwidth of the whole column, a class without values its density. Up
    to 4096 distinct values are kept exactly, more of them in buckets (see `Sketch`); the kernels are then at least as
    wide as the buckets are on average. log p is within 10⁻³ of the direct sum over what is kept.

    Leaving a row out removes its own kernel from the sum and keeps the bandwidths: the usual leave-one-out density
    (Silverman, 1986, 3.4.4). Solving "SJ" again for each row would take too long. With a bandwidth that is a number,
    the result is that of a refit.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> table = {"hour": [1.0, 2.0, 22.0, 23.0, 11.0, 12.0, 13.0]}
    >>> model = NaiveBayes({"hour": Kernel(bandwidth=1.0)}).fit(
    ...     table, ["night"] * 4 + ["day"] * 3
    ... )
    >>> model.predict({"hour": [0.5, 10.0, 23.5]}).tolist()
    ['night', 'day', 'night']
    """

    bandwidth: Literal["nrd0", "SJ"] | float = "nrd0"

    def __post_init__(self) -> None:
        super().__post_init__()
        is_rule = isinstance(self.bandwidth, str) and self.bandwidth in ("nrd0", "SJ")
        if not is_rule and (isinstance(self.bandwidth, str) or not 0 < self.bandwidth < np.inf):
            raise ParameterError(f"bandwidth is 'nrd0', 'SJ' or a number above 0, not {self.bandwidth!r}.")

    @classmethod
    def of_part(cls, part: object) -> Self | None:
        return cls() if isinstance(part, Sketch) else None

    def estimate(self, parts: Sequence[Sketch]) -> KernelLikelihood:
        return KernelLikelihood([self._densities(part) for part in parts], len(parts[0].table))

    def n_parameters(self, parts: Sequence[Sketch]) -> int:
        raise ParameterError(
            f"column {parts[0].names[0]!r} is Kernel(), a density that grows with the rows: it has no fixed number of "
            "parameters. Use Gaussian() or Binned()."
        )

    def without_own(self, part: Sketch, x: Floats, y: Codes, sample_weight: Floats) -> Floats:
        """By the direct sum over what is kept, given the bandwidths (see Notes).

        A class without other rows has the density of the whole column, which is without the row, too.
        """
        if part.is_empty:
            return np.zeros((len(x), part.classes))
        table = part.table.astype(np.float64)
        points = part.bucketed(x)
        column = self._density(part, table.sum(axis=0)), table.sum(axis=0)
        out = np.empty((len(x), len(table)))
        for j, of_class in enumerate(table):
            own = np.where(y == j, sample_weight, 0.0)
            others = weight_left(of_class.sum(), own) > 0
            if others.any():
                density = self._density(part, of_class, column[0])
                out[others, j] = _without(density, of_class, x[others], points[others], own[others])
            out[~others, j] = _without(*column, x[~others], points[~others], sample_weight[~others])
        return out

    def add_margins(
        self,
        likelihood: KernelLikelihood,
        parts: Sequence[Sketch],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """From the density with the row, less its own kernel; at least 1/1000 remains, which is how exact it is."""
        for i, (index, part, column) in enumerate(zip(at, parts, columns, strict=True)):
            values, logs = numbers_of(column), np.zeros((len(margins), part.classes))
            rows = np.flatnonzero(~np.isnan(values))
            if not part.is_empty:
                logs[rows] = likelihood.column(i, values[rows])
                widths = np.array([density.bandwidth for density in likelihood.densities[i]])
                y, own = margins.y[rows], margins.own[rows] / part.table.sum(axis=1)[margins.y[rows]]
                kernels = own / (widths[y] * np.sqrt(2.0 * np.pi))
                density = np.exp(logs[rows, y])
                left = np.maximum(density - kernels, _RESOLUTION * density) / np.maximum(1.0 - own, _RESOLUTION)
                logs[rows, y] = np.where(own < 1.0, np.log(np.maximum(left, _FAINTEST)), logs[rows, y])
            margins.add_logs(index, logs)

    def _densities(self, part: Sketch) -> list[KernelDensity]:
        """The density of each class; none when nothing is known."""
        if part.is_empty:
            return []
        table = part.table.astype(np.float64)
        whole = self._density(part, table.sum(axis=0))
        return [self._density(part, row, whole) if row.any() else whole for row in table]

    def _density(self, part: Sketch, weights: Floats, whole: KernelDensity | None = None) -> KernelDensity:
        used = weights > 0
        points, weights = part.values[used], weights[used]
        if whole is not None and len(points) == 1:
            return KernelDensity(points, weights, whole.bandwidth)
        h = self._bandwidth(points, weights)
        if not part.is_exact and isinstance(self.bandwidth, str):
            bucket = float(np.average(part.widths[used], weights=weights))
            h = max(h, 0.6 * bucket)  # the sum of kernels 1.7 of their widths apart is flat to 0.2 %
        return KernelDensity(points, weights, h)

    def _bandwidth(self, points: Floats, weights: Floats) -> float:
        if isinstance(self.bandwidth, str):
            return nrd0(points, weights) if self.bandwidth == "nrd0" else sheather_jones(points, weights)
        return float(self.bandwidth)


class KernelLikelihood(ColumnLikelihood):
    """For each column the densities of its classes."""

    def __init__(self, densities: list[list[KernelDensity]], classes: int) -> None:
        self.densities = densities
        self._classes = classes

    @property
    def classes(self) -> int:
        return self._classes

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Floats:
        """A point by its weight, and a step from it that is normal with the bandwidth as standard deviation."""
        if not self.densities[i]:
            return np.full(len(y), np.nan)
        uniform, steps, out = rng.random(len(y)), rng.standard_normal(len(y)), np.empty(len(y))
        for j, density in enumerate(self.densities[i]):
            rows = np.flatnonzero(y == j)
            points = density.points[np.searchsorted(cumulative_ends(density.shares), uniform[rows], side="right")]
            out[rows] = points + density.bandwidth * steps[rows]
        return out

    def column(self, i: int, values: Floats) -> Floats:
        if not self.densities[i]:
            return np.zeros((len(values), self._classes))
        return np.stack([density.log_density(values) for density in self.densities[i]], axis=1)


def _without(density: KernelDensity, weights: Floats, x: Floats, points: Floats, own: Floats) -> Floats:
    """log p of each x without the weight `own` of its point; 0 where no weight remains."""
    weights = weights[weights > 0]
    whole = weights.sum()
    left = weight_left(whole, own)
    out = np.zeros(len(x))
    others = own == 0
    out[others] = density.exact_log_density(x[others])
    taken = ~others & (left > 0)
    indices = np.minimum(np.searchsorted(density.points, points[taken]), len(weights) - 1)
    share = weight_left(weights[indices], own[taken]) / whole
    out[taken] = density.log_density_without(x[taken], indices, share) - np.log(left[taken] / whole)
    return out
