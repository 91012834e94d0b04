"""Bootstrap samples as weights: rows are reweighted, not copied.

A draw of n rows with replacement is a vector of multinomial weights. A row that is drawn twice is not two independent
rows: without a correction, χ² of independent variables would be about twice what it should be, and scores would prefer
graphs with too many edges (Steck and Jaakkola, 2003). So the weights are scaled to the effective sample size (Kish,
1965):

    n_eff = (Σ w)² / Σ w²
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.data.samples import CodedSample, NumberSample
from deciban.types import Floats

__all__ = ["bootstrap_weights"]


def bootstrap_weights(
    sample: CodedSample | NumberSample, n: int, random_state: int | np.random.Generator | None
) -> Iterator[Floats]:
    """The weights of the rows in each of n bootstrap samples."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ParameterError(f"n is a number of draws, at least 1, not {n!r}.")
    return _draws(sample, n, np.random.default_rng(random_state))


def _draws(sample: CodedSample | NumberSample, n: int, rng: np.random.Generator) -> Iterator[Floats]:
    size = len(sample)
    own = 1.0 if sample.sample_weight is None else sample.sample_weight
    for _ in range(n):
        drawn = rng.multinomial(size, np.full(size, 1 / size)).astype(np.float64)
        yield drawn * (drawn.sum() / (drawn**2).sum()) * own
