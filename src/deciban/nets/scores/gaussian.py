"""BIC of linear Gaussian families, from a covariance matrix alone.

    local(v, P) = −n/2·(log(2π·s²) + 1) − ½·log n·(|P| + 2),        s² = det Σ_{P∪v} / det Σ_P

where s² is the residual variance of a regression of v on P (Geiger and Heckerman, 1994, for the large-sample form).
Where one variable is a linear function of others, s² is bounded below by 10⁻¹² of its variance; a set of parents that
determine one another scores −∞, since fewer of them explain as much.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from deciban import _core
from deciban.errors import InputError
from deciban.nets.data.centred import CentredProducts
from deciban.nets.data.node_rows import Reads
from deciban.nets.data.samples import read_numbers
from deciban.nets.graphs.graph import Node
from deciban.nets.scores.protocol import ADVICE, CoreScores, check_penalty, check_total
from deciban.types import Floats, Ints

__all__ = ["GaussianBIC", "GaussianScores"]

# Below it lies the rounding error of a correlation of 1: without a bound, a copy of a column would gain without limit.
_LEAST = float(np.log(1e-12))
_SINGULAR = 1e-11
"""The least eigenvalue of correlations that a rounding error could not have made."""

# Matrices at a time: 16,384 of 10 × 10 doubles are 13 MB.
_BATCH = 1 << 14


@dataclass(frozen=True)
class GaussianBIC:
    """BIC of linear regressions: the log-likelihood, less ½·log n for each free parameter.

        −n/2·(log(2π·s²) + 1) − ½·log n·(number of parents + 2)

    where s² is the residual variance of a regression of the variable on its parents (Geiger and Heckerman, 1994).

    Parameters
    ----------
    penalty : float
        What the penalty is multiplied by: above 1 for fewer edges, as among many columns in few rows; 0 for the
        log-likelihood alone.

    See Also
    --------
    BIC : The same for categories.
    GaussianNet : A net of numbers.
    search : Takes it as ``score``, also as "gaussian_bic".

    Examples
    --------
    >>> import numpy as np
    >>> import deciban as db
    >>> from deciban.nets import GaussianBIC
    >>> rng = np.random.default_rng(0)
    >>> height = rng.normal(170, 10, 200)
    >>> db.search(
    ...     {"height": height, "weight": height - 100 + rng.normal(0, 5, 200)}, GaussianBIC()
    ... ).graph
    CPDAG(height — weight)
    """

    penalty: float = 1.0
    reads: ClassVar[Reads] = "numbers"

    def __post_init__(self) -> None:
        check_penalty(self.penalty)

    def on(self, data: Any, *, sample_weight: Any = None) -> GaussianScores:
        """The score on a table.

        Parameters
        ----------
        data : table or NumberSample
            Numbers without missing values.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        GaussianScores
            The local scores.
        """
        sample = read_numbers(data, sample_weight=sample_weight, labels=ADVICE.labels)
        check_total(sample)
        return GaussianScores(
            sample.names, CentredProducts.of(sample.values, sample.sample_weight), penalty=self.penalty
        )


class GaussianScores(CoreScores):
    """Local scores of numbers, from their correlations."""

    def __init__(self, names: tuple[Node, ...], products: CentredProducts, penalty: float = 1.0) -> None:
        for name, deviation in zip(names, products.spread, strict=True):
            # The deviation in units of the largest value: of a constant only rounding is left.
            if deviation <= 1e-13:
                raise InputError(f"column {name!r} is constant: it has no Gaussian. Leave it out.")
        self._correlation = products.correlations()
        self._log_spread = np.log(products.spread) + np.log(products.scale)
        self._cost = 0.5 * penalty * np.log(products.weight)
        super().__init__(names, products.weight, self._in_core(products.weight))

    def _in_core(self, rows: float) -> _core.LocalScores:
        return _core.gaussian_scores(self._correlation, self._log_spread, rows, self._cost)

    def reordered(self, order: Ints) -> Self:
        """The same scores with the variables in another order, as in ``CoreScores``."""
        other = copy(self)
        other.names = tuple(self.names[v] for v in order)
        # The matrix in the new order: then sums do not depend on the order of the columns.
        other._correlation = np.ascontiguousarray(self._correlation[np.ix_(order, order)])
        other._log_spread = self._log_spread[order]
        other.in_core = other._in_core(self.rows)
        return other

    def _score(self, left: Floats, child: int | Ints, size: int | Ints) -> Floats:
        """Scores from log s², in units of the child's own variance; −∞ where the parents are dependent."""
        variance = np.clip(left, _LEAST, 0.0) + 2 * self._log_spread[child]
        score = -0.5 * self.rows * (np.log(2 * np.pi) + variance + 1) - self._cost * (size + 2)
        return np.where(np.isposinf(left), -np.inf, score)

    def _log_det(self, sets: Ints) -> Floats:
        """Log-determinants of the correlations in each set, −∞ where they are singular."""
        out = np.empty(len(sets))
        for begin in range(0, len(sets), _BATCH):
            part = sets[begin : begin + _BATCH]
            values = np.linalg.eigvalsh(self._correlation[part[:, :, None], part[:, None, :]])
            is_singular = values.min(axis=1, initial=1.0) < _SINGULAR
            log_det = np.log(np.maximum(values, _SINGULAR)).sum(axis=1)
            out[begin : begin + _BATCH] = np.where(is_singular, -np.inf, log_det)
        return out

    def over_sets(self, most: int) -> tuple[list[Floats], int]:
        """Local scores for all sets of parents, from one log-determinant a set of variables."""
        count = len(self.names)
        most = min(most, count - 1)
        sizes = np.bitwise_count(np.arange(1 << count, dtype=np.int64))
        log_det = np.full(1 << count, -np.inf)
        for size in range(most + 2):
            masks = np.flatnonzero(sizes == size)
            members = np.nonzero(masks[:, None] >> np.arange(count) & 1)[1].reshape(len(masks), size)
            log_det[masks] = self._log_det(members)
        scores = []
        for child in range(count):
            halves = log_det.reshape(-1, 2, 1 << child)
            parents = sizes.reshape(-1, 2, 1 << child)[:, 0].reshape(-1)
            given, both = halves[:, 0].reshape(-1), halves[:, 1].reshape(-1)
            local = self._score(_difference(both, given), child, parents)
            local[parents > most] = -np.inf
            scores.append(local)
        return scores, most


def _difference(both: Floats, given: Floats) -> Floats:
    """log det of a family less that of its parents; +∞ says that the parents are dependent."""
    return np.where(np.isneginf(given), np.inf, both - np.where(np.isneginf(given), 0.0, given))
