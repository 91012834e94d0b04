"""A numeric column in bins with given ends, which stay as they are whatever is learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.columns.drawing import draw_in_bins
from deciban.estimate.columns.examples import Example, bins_of
from deciban.estimate.columns.formulas import Bins, StateLogs
from deciban.estimate.columns.margins import Margins
from deciban.estimate.columns.numeric import SketchDistribution
from deciban.estimate.columns.values import numbers_of
from deciban.estimate.distributions.bins import (
    BinnedLikelihood,
    add_bin_margins,
    count_bins,
    estimate_bins,
    logs_given_cuts,
)
from deciban.estimate.live.base import LiveColumn, Setting
from deciban.estimate.live.bins import LiveBins
from deciban.estimate.smoothing import Smoothing
from deciban.read import MISSING, Column, Variable
from deciban.storable import storable
from deciban.tallies import Sample, Sketch
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Cut"]


@storable
@dataclass(frozen=True, kw_only=True)
class Cut(SketchDistribution):
    """A numeric column in bins with given ends; a number at a cut is in the bin below it.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or evidence of its own. The model's setting when None.
    at : sequence of numbers
        The numbers between the bins, in ascending order.
    smoothing : Smoothing, optional
        How counts become probabilities; the model's smoothing when None.

    See Also
    --------
    Binned : Cuts that are found from the data.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes({"age": Cut(at=[18, 65])}).fit(
    ...     {"age": [5, 30, 40, 80]}, ["free", "full", "full", "free"]
    ... )
    >>> model.predict({"age": [50]}).tolist()
    ['full']
    """

    at: Sequence[float] = ()
    smoothing: Smoothing | None = None

    has_fixed_bins: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            ends = tuple(float(end) for end in self.at)
        except (TypeError, ValueError):
            raise ParameterError(f"at is a sequence of numbers, not {self.at!r}.") from None
        if not all(np.isfinite(ends)) or any(a >= b for a, b in pairwise(ends)):
            raise ParameterError(f"at is a sequence of numbers that rise, not {self.at!r}.")
        object.__setattr__(self, "at", ends)

    @property
    def _cuts(self) -> Floats:
        return np.array(self.at, dtype=np.float64)

    def estimate(self, parts: Sequence[Sketch]) -> BinnedLikelihood:
        return estimate_bins(parts, [self._cuts] * len(parts), self.smoothing)

    def n_parameters(self, parts: Sequence[Sketch]) -> int:
        return sum(part.classes * len(self.at) for part in parts)

    def live(self, part: Sketch, setting: Setting) -> LiveColumn:
        return LiveBins(self, part, setting, "given", cuts=self.at)

    def without_own(self, part: Sketch, x: Floats, y: Codes, sample_weight: Floats) -> Floats:
        """Exact: the bins stay."""
        return logs_given_cuts(part, self._cuts, self.smoothing, (x, y, sample_weight))

    def add_margins(
        self,
        likelihood: Any,
        parts: Sequence[Sketch],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        add_bin_margins(likelihood, parts, columns, margins, at, self.smoothing)

    def contingency(self, part: Sketch) -> AnyArray:
        return count_bins(part, self._cuts)

    def examples(self, part: Sketch) -> list[Example]:
        return bins_of(self._cuts, count_bins(part, self._cuts))

    def with_fixed_states(self, column: Column, sample: Sample) -> tuple[Self, str]:  # noqa: ARG002
        return self, ""

    def variable(self, column: Column) -> Variable:
        return Variable.of_codes(column.name, len(self.at) + 1 + (self.missing == "state"))

    def codes(self, column: Column, variable: Variable, owner: str) -> Codes:  # noqa: ARG002
        numbers = numbers_of(column)
        codes = np.searchsorted(self._cuts, numbers).astype(np.int32)
        is_missing = np.isnan(numbers)
        if is_missing.any():
            codes[is_missing] = len(self.at) + 1 if self.missing == "state" else MISSING
        return codes

    def draw_values(self, codes: Codes, variable: Variable, rng: np.random.Generator) -> Floats:  # noqa: ARG002
        is_missing = (codes < 0) | (codes > len(self.at))
        return np.where(is_missing, np.nan, draw_in_bins(self._cuts, np.where(is_missing, 0, codes), rng))

    def states(self, variable: Variable, classes: int) -> StateLogs:
        nothing = np.zeros(classes)
        missing = None if self.missing == "error" else nothing
        missing_code = len(self.at) + 1 if self.missing == "state" else len(variable) + 1
        logs = np.zeros((len(variable), classes))
        return StateLogs(Bins(self.at), logs, nothing, missing, len(variable), missing_code)

    @property
    def coding(self) -> str:
        return f"cut at {list(self.at)} (missing={self.missing!r})"
