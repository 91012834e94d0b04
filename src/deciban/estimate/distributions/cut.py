"""A numeric column cut at given places: bins that stay, whatever is learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.distributions.binned import Binned
from deciban.tallies import Sketch
from deciban.types import AnyArray, Codes, Floats

__all__ = ["Cut"]


@dataclass(frozen=True, kw_only=True)
class Cut(Binned):
    """A numeric column in bins with the given ends; a number at a cut is below it.

    Parameters
    ----------
    at : the numbers between the bins, in order; `bins` and `how` have no say
    smoothing : how counts become probabilities; add-one when None

    Examples
    --------
    >>> Cut(at=[18, 65]).at
    (18.0, 65.0)
    """

    at: Sequence[float] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            places = tuple(float(place) for place in self.at)
        except (TypeError, ValueError):
            raise ParameterError(f"at is a sequence of numbers, not {self.at!r}.") from None
        if not all(np.isfinite(places)) or any(a >= b for a, b in pairwise(places)):
            raise ParameterError(f"at is a sequence of numbers that rise, not {self.at!r}.")
        object.__setattr__(self, "at", places)

    def cuts(self, part: Sketch) -> Floats:  # noqa: ARG002  they are given
        return np.array(self.at, dtype=np.float64)

    def _recut(self, part: Sketch, x: Floats, y: Codes, weights: Floats) -> AnyArray:  # noqa: ARG002
        return np.empty(0, dtype=np.int64)
