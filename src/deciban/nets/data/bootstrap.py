"""Bootstrap samples: the same search on other draws of the rows, on all cores (Efron, 1979; Friedman et al., 1999)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.data.samples import NetSample
from deciban.thread_pool import in_threads
from deciban.types import Floats

__all__ = ["DrawProgress", "bootstrap_weights", "over_draws"]

T = TypeVar("T")

DrawProgress = bool | Callable[[int], object]
"""True for a bar on the standard error, or a function that is called with the number of draws that are done."""


def over_draws(
    search: Callable[[Floats], T],
    sample: NetSample,
    n: int,
    random_state: int | np.random.Generator | None,
    progress: DrawProgress = False,
) -> Iterator[T]:
    """The results of a search on the weights of n bootstrap samples, in the order of the draws, on all cores.

    The weights are drawn one after the other on the calling thread, so no result depends on the threads.
    """
    draws = bootstrap_weights(sample, n, random_state)
    with _reporting(progress, n) as report:
        for done, result in enumerate(in_threads(search, draws), 1):
            report(done)
            yield result


def bootstrap_weights(sample: NetSample, n: int, random_state: int | np.random.Generator | None) -> Iterator[Floats]:
    """The weights of the rows in each of n bootstrap samples: rows are reweighted, not copied.

    A draw of n rows with replacement is a vector of multinomial weights. A row that is drawn twice is not two
    independent rows: without a correction, χ² of independent variables would be about twice what it should be, and
    scores would prefer graphs with too many edges (Steck and Jaakkola, 2003). So the weights are scaled to the
    effective sample size (Kish, 1965):

        n_eff = (Σ w)² / Σ w²
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ParameterError(f"n is a number of draws, at least 1, not {n!r}.")
    # A function with ``yield`` would report a wrong n only at the first draw.
    return _draws(sample, n, np.random.default_rng(random_state))


def _draws(sample: NetSample, n: int, rng: np.random.Generator) -> Iterator[Floats]:
    size = len(sample)
    weight = 1.0 if sample.sample_weight is None else sample.sample_weight
    for _ in range(n):
        drawn = rng.multinomial(size, np.full(size, 1 / size)).astype(np.float64)
        yield drawn * (drawn.sum() / (drawn**2).sum()) * weight


@contextmanager
def _reporting(progress: DrawProgress, n: int) -> Iterator[Callable[[int], Any]]:
    if callable(progress):
        yield progress
    elif progress:
        # rich takes long to import, and most calls show no bar
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import Progress  # noqa: PLC0415

        with Progress(console=Console(stderr=True)) as bar:
            task = bar.add_task("bootstrap", total=n)
            yield lambda done: bar.update(task, completed=done)
    else:
        yield lambda _: None
