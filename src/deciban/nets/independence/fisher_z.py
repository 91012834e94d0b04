"""Fisher's z: a test of partial correlation, for numbers that are jointly normal.

    z = artanh(r)·√(n − |given| − 3)

(Fisher 1921; Kalisch and Bühlmann 2007). Without missing values one matrix of correlations serves all tests, in the
compiled core; with them each test has its own rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from deciban import _core
from deciban.nets.data.centred import CentredProducts
from deciban.nets.independence.independence_test import DataTest, Values, core_values
from deciban.types import AnyArray, Floats

__all__ = ["FisherZ", "correlations", "fisher_z", "is_constant"]


# With less of its variance left, a column is a linear function of the others, as in ``core/independence``.
_LEAST = 1e-10


class FisherZ(DataTest):
    """The test of partial correlation, for numbers that are jointly normal.

        z = artanh(r)·√(n − size of given − 3)

    where r is the partial correlation of x and y given the others (Fisher 1921). The statistic is z², with one degree
    of freedom.

    Parameters
    ----------
    data : table, optional
        A frame, an array, a mapping of columns, or any other table of numbers.
    alpha : float
        Pairs with p > alpha are treated as independent.
    sample_weight : array, optional
        How many rows each row stands for.
    missing : {"skip", "error", "drop"}
        "skip" leaves rows with a missing value out of the one test that needs it; "error" refuses them, "drop" leaves
        them out of all tests.
    columns : mapping, optional
        The kinds of columns, as of ``discover``; this test reads numbers only.

    See Also
    --------
    GSquared : For categories.
    discover : Takes it as ``test``, also as "fisher_z".

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.nets import FisherZ
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(40, 10, 500)
    >>> rows = {
    ...     "age": age,
    ...     "height": age + rng.normal(0, 5, 500),
    ...     "weight": age + rng.normal(0, 5, 500),
    ... }
    >>> test = FisherZ(rows)
    >>> test.independent("height", "weight"), test.independent("height", "weight", ["age"])
    (False, True)
    """

    name = "z²"
    reads = "numbers"

    @cached_property
    def source(self) -> _core.Source | None:
        """What the compiled core tests, or None where values are missing: then each test has its own rows."""
        if not self.sample.is_complete:
            return None  # which rows count differs from test to test
        return _core.gaussian_source(*correlations(self.sample.values, self.sample.sample_weight))

    def values(self, x: int, y: int, given: Sequence[int]) -> Values:
        if self.source is None:
            return fisher_z(self.sample.values, self.sample.sample_weight, x, y, given)
        return core_values(self.source, x, y, given)

    def _determines(self, given: Sequence[int], column: int) -> bool:
        if self.source is not None:
            return super()._determines(given, column)
        left, has_constant, _ = _left_over(self.sample.values, self.sample.sample_weight, [column], given)
        return bool(left[0, 0] < _LEAST) and not has_constant


def correlations(values: Floats, weights: Floats | None = None) -> tuple[Floats, float]:
    """The matrix of correlations, 0 where a column is constant, and the weight of the rows."""
    products = CentredProducts.of(values, weights)
    constant = is_constant(products.spread)
    matrix = products.correlations()
    matrix[constant] = matrix[:, constant] = 0.0
    np.fill_diagonal(matrix, np.where(constant, 0.0, 1.0))
    return matrix, products.weight


def is_constant(spread: Floats) -> AnyArray:
    """Of each column, whether it has one value only, as far as doubles can say."""
    # The spread is in units of the largest value, so the unit of a column does not matter.
    return spread <= 1e-12


def fisher_z(values: Floats, weights: Floats | None, x: int, y: int, given: Sequence[int]) -> Values:
    """Fisher's z, squared, on the rows that have all the values."""
    left, has_constant, whole = _left_over(values, weights, [x, y], given)
    freedom = whole - len(given) - 3
    if freedom <= 0:
        return 0.0, 0.0, whole, 1.0
    # Each variance by itself: the product of two small ones is no smaller than that of 1 and a rounding error.
    if min(left[0, 0], left[1, 1]) < _LEAST:
        return 0.0, 1.0 if has_constant else 0.0, whole, 1.0
    # Rounding may leave slightly more than 1, where artanh is not defined.
    r = min(max(left[0, 1] / math.sqrt(left[0, 0] * left[1, 1]), -1.0), 1.0)
    z = math.inf if abs(r) == 1.0 else math.atanh(r) * math.sqrt(freedom)
    return z * z, 1.0, whole, math.erfc(abs(z) / math.sqrt(2))


def _left_over(
    values: Floats, weights: Floats | None, columns: Sequence[int], given: Sequence[int]
) -> tuple[Floats, bool, float]:
    """What regressions on `given` leave of the correlations of some columns, on the rows that have all the values.

    Also whether one of these columns is constant, and the weight of the rows.
    """
    count, used = len(columns), [*columns, *given]
    known = ~np.isnan(values[:, used]).any(axis=1)
    matrix, whole = correlations(values[known][:, used], None if weights is None else weights[known])
    # A pseudo-inverse, as `given` may hold copies of one column, which condition on no more than one of them.
    inner = np.linalg.pinv(matrix[count:, count:], hermitian=True) if given else np.zeros((0, 0))
    left = matrix[:count, :count] - matrix[:count, count:] @ inner @ matrix[count:, :count]
    return left, bool((np.diag(matrix)[:count] == 0.0).any()), whole
