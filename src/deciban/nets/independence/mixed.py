"""Tests of independence in tables of categories and numbers.

    conditional Gaussian    numbers are normal in each cell of the categories: a likelihood ratio (Andrews, Ramsey and
                            Cooper 2018)
    degenerate Gaussian     indicators of the states, and the numbers, as if all were jointly normal (Andrews, Ramsey
                            and Cooper 2019): fewer parameters, no differences between cells

Both are symmetric in x and y, and where all columns are of one kind they are the tests for that kind, or agree with
them: G² of categories, and a test of the partial correlation of numbers. ``core/independence/test_mixed.cpp`` says how
the ratio is found; ``tests/reference/mixed.py`` is the readable twin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from deciban import _core
from deciban.errors import ParameterError
from deciban.nets.data.samples import MixedSample, unsigned
from deciban.nets.graphs.graph import Node
from deciban.nets.independence.fisher_z import correlations
from deciban.nets.independence.independence_test import (
    DataTest,
    Outcome,
    Values,
    VerdictRules,
    core_values,
    rows_wanted,
)
from deciban.types import Floats, Ints

__all__ = ["ConditionalGaussian", "DegenerateGaussian"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ConditionalGaussian(DataTest):
    """The likelihood-ratio test of independence in a table of categories and numbers.

        LR = 2·(ℓ(given, x, y) − ℓ(given, x) − ℓ(given, y) + ℓ(given))

    where ℓ is the log-likelihood with the numbers normal in each cell of the categories (Andrews, Ramsey and Cooper
    2018), so that a family is a regression in each configuration of its categories. It follows χ² where x and y are
    independent:

    - of two numbers, with a degree of freedom for each cell: their partial correlations in the cells;
    - of a number and a category, with as many as the regressions for each state have more terms and variances than one
      for all states;
    - of two categories given categories it is G².

    Statistics of numbers are scaled to the mean that χ² has, which is known exactly where residuals are normal
    (Bartlett 1937), so that p is right in small samples, too. Cells with few rows pool their covariance. For two
    categories given numbers the ratio does not follow χ²; instead the residuals of logistic regressions of both on the
    numbers, in each cell of the given categories, are multiplied, and their mean compared with 0 (Shah and Peters
    2020). A number need not be normal where it has the same distribution in all groups: the comparison of variances
    allows for the kurtosis of the residuals.

    Parameters
    ----------
    data : table, optional
        A frame, an array, a mapping of columns, or any other table. Numbers of more than 24 different values are
        numbers, all other columns are categories.
    alpha : float
        Pairs with p > alpha are treated as independent.
    sample_weight : array, optional
        How many rows each row stands for.
    missing : {"skip", "error", "drop"}
        "skip" leaves rows with a missing value out of the one test that needs it; "error" refuses them, "drop" leaves
        them out of all tests.
    columns : mapping, optional
        The kinds of columns that are not as wanted, as of ``discover``.
    power : float
        A test with fewer than power·df rows has no verdict, and counts as independent.
    rows_per_df : float
        As of ``GSquared``, for the degrees of freedom of a regression in each cell; and so many fifths of a row for
        each of its coefficients.

    See Also
    --------
    DegenerateGaussian : Faster, with fewer parameters.
    MixedCMI : For dependences of any form in small tables.
    GSquared : For categories.
    FisherZ : For numbers.
    discover : Takes it as ``test``, also as "cg"; the default for a mixed table.

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.nets import ConditionalGaussian
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.choice(["f", "m"], 500)
    >>> height = np.where(sex == "m", 178, 165) + rng.normal(0, 7, 500)
    >>> rows = {
    ...     "sex": sex,
    ...     "height": height,
    ...     "weight": height - 100 + rng.normal(0, 8, 500),
    ... }
    >>> test = ConditionalGaussian(rows)
    >>> test.independent("sex", "weight"), test.independent("sex", "weight", ["height"])
    (False, True)
    """

    name = "LR"
    reads = "mixed"
    power: float = 1.0
    rows_per_df: float = 5.0

    def __post_init__(self) -> None:
        for name in ("power", "rows_per_df"):
            if not getattr(self, name) >= 0:
                raise ParameterError(
                    f"{name} is a number of rows for each degree of freedom, not {getattr(self, name)!r}."
                )

    @property
    def rules(self) -> VerdictRules:
        """Alpha, rows that a degree of freedom needs, and that a test without verdict counts as independent."""
        return VerdictRules(self.alpha, float(self.power), True)

    @cached_property
    def source(self) -> _core.Source:
        """What the compiled core tests."""
        sample: MixedSample = self.sample
        coded = sample.categories
        values = np.ascontiguousarray(sample.numbers.values.T)
        return _core.mixed_source(unsigned(coded.codes), coded.sizes, values, sample.slots, sample.sample_weight)

    def values(self, x: int, y: int, given: Sequence[int]) -> Values:
        return core_values(self.source, x, y, given)

    def has_rows(self, x: Node, y: Node, given: Iterable[Node]) -> bool:
        """Whether the rows are so many, for ``rows_per_df``, that ``discover`` counts the table.

        Parameters
        ----------
        x, y : column name
            The two columns.
        given : iterable of column names
            The columns to condition on.

        Returns
        -------
        bool
        """
        states, others = self.sample.categories.states, list(given)
        terms = sum(z not in states for z in others) + 2
        of_x, of_y = (len(states[name]) - 1 if name in states else None for name in (x, y))
        if of_x is not None and of_y is not None:
            freedom: float = of_x * of_y
        else:
            freedom = (of_x if of_x is not None else of_y if of_y is not None else 1 / terms) * terms
        # A regression in each cell needs as many rows as it has terms, whatever it tests.
        cells = prod(len(states[z]) for z in others if z in states)
        wanted = max(rows_wanted(freedom, len(others)), terms)
        return bool(5 * self.sample.total >= self.rows_per_df * cells * wanted)

    def _verdict(self, given: Sequence[Node], df: float, rows: float, p: float) -> Outcome:
        # Without a degree of freedom, x or y is constant in each cell, and nothing was tested.
        return "none" if df == 0 and given else super()._verdict(given, df, rows, p)


class DegenerateGaussian(DataTest):
    """The test of independence of indicators and numbers, as if all were jointly normal.

        −(n − 1 − k − (p + q + 1)/2)·log Λ,    Λ = det R_xy / (det R_x · det R_y)

    where a category is the indicators of its states but one, a number is itself, and R are the covariances of what
    regressions on the k columns of ``given`` leave of the p columns of x and the q of y (Andrews, Ramsey and Cooper
    2019; Wilks's ratio with Bartlett's factor, 1938). It follows χ² with p·q degrees of freedom where x and y are
    independent.

    It is as fast as Fisher's z, and needs fewer rows than ``ConditionalGaussian``, but sees no dependence that is in
    the variance alone, or differs between the states of a given category.

    Parameters
    ----------
    data, alpha, sample_weight, columns
        Those of ``ConditionalGaussian``.
    missing : {"skip", "error", "drop"}
        "skip" leaves rows with a missing value out of the one test that needs it; "error" refuses them, "drop" leaves
        them out of all tests.

    See Also
    --------
    ConditionalGaussian : Regressions and variances of their own in each cell.
    discover : Takes it as ``test``, also as "dg".

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.nets import DegenerateGaussian
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.choice(["f", "m"], 500)
    >>> height = np.where(sex == "m", 178, 165) + rng.normal(0, 7, 500)
    >>> rows = {
    ...     "sex": sex,
    ...     "height": height,
    ...     "weight": height - 100 + rng.normal(0, 8, 500),
    ... }
    >>> test = DegenerateGaussian(rows)
    >>> test.independent("sex", "weight"), test.independent("sex", "weight", ["height"])
    (False, True)
    """

    name = "LR"
    reads = "mixed"

    @property
    def rules(self) -> VerdictRules:
        """Alpha, rows that a degree of freedom needs, and that a test without verdict counts as independent."""
        return VerdictRules(self.alpha, 1.0, True)

    @cached_property
    def source(self) -> _core.Source | None:
        """What the compiled core tests, or None where values are missing: then each test has its own rows."""
        columns, starts = self._columns
        if np.isnan(columns).any():
            return None
        return _core.block_source(*self._correlations(columns, starts))

    @cached_property
    def _columns(self) -> tuple[Floats, Ints]:
        sample: MixedSample = self.sample
        return sample.embedded()

    def _correlations(self, columns: Floats, starts: Ints) -> tuple[Floats, Ints, float]:
        matrix, rows = correlations(columns, self.sample.sample_weight)
        return matrix, starts, rows

    def _known(self, used: Sequence[int]) -> _core.Source:
        """The correlations of some variables, on the rows that have all of them."""
        columns, starts = self._columns
        which = np.concatenate([np.arange(starts[v], starts[v + 1]) for v in used])
        known = ~np.isnan(columns[:, which]).any(axis=1)
        weights = self.sample.sample_weight
        matrix, rows = correlations(columns[known][:, which], None if weights is None else weights[known])
        return _core.block_source(matrix, np.cumsum([0, *(starts[v + 1] - starts[v] for v in used)]), rows)

    def values(self, x: int, y: int, given: Sequence[int]) -> Values:
        if self.source is not None:
            return core_values(self.source, x, y, given)
        return core_values(self._known([x, y, *given]), 0, 1, range(2, len(given) + 2))

    def _determines(self, given: Sequence[int], column: int) -> bool:
        if self.source is not None:
            return super()._determines(given, column)
        source, others = self._known([column, *given]), np.arange(1, len(given) + 1)
        starts = np.array([0, len(others)])
        return bool(_core.determined_each(source, np.array([0]), starts, others)[0])
