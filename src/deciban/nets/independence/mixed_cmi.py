"""Conditional mutual information by nearest neighbours, with p from local permutations, for small mixed tables.

It assumes no form of the dependence, so it finds what correlations and regressions miss. The estimate is that of Mesner
and Shalizi ("Conditional mutual information estimation for mixed discrete-continuous data", 2020), the permutations
are those of Runge ("Conditional independence testing based on a nearest-neighbor estimator of conditional mutual
information", 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np
import scipy

from deciban.errors import InputError, ParameterError
from deciban.nets.data.samples import MixedSample
from deciban.nets.graphs.graph import Node
from deciban.nets.independence.independence_test import DataTest, Outcome, Values, VerdictRules
from deciban.nets.independence.mixed import ConditionalGaussian
from deciban.types import Floats, Ints

__all__ = ["MixedCMI"]

# Each test takes a few hundred searches for neighbours; with more rows one test takes minutes.
_MOST_ROWS = 5_000

# Runge (2018) finds 5 to 10 good. But where x and y are curves of z, x is then exchanged between rows whose z differ
# too much, and p is too small. Of 120 rows, 3 gave p nearer to uniform (55 % below 0.5), and found about as much.
_EXCHANGED = 3


@dataclass(frozen=True, eq=False, kw_only=True)
class MixedCMI(DataTest):
    """A test of conditional mutual information, for dependences of any form in small mixed tables.

        I = mean of ψ(k_i) − ψ(n_i(x, given)) − ψ(n_i(y, given)) + ψ(n_i(given)), or 0 if that is negative

    where ψ is the digamma function, and k_i, n_i(x, given), n_i(y, given) and n_i(given) are the numbers of other rows
    that are no farther from row i than its nearest ``neighbors`` in x, y and given: in all of these, and in some only.
    Rows at the same distance are counted (Mesner and Shalizi 2020). The distance is the largest of those of the
    columns: of numbers, the difference of their ranks, as a part of the largest; of categories, 0 or 1.

        p = (1 + number of permutations with an estimate as large) / (1 + permutations)

    A permutation exchanges the values of one column among rows that have the same categories in ``given``, or, where it
    has numbers, among the 3 nearest rows in it, of which it is one, and those at the same distance (Runge 2018).
    Without ``given``, among all rows. The column is the one whose name comes first. Rows are sorted by value before
    numbers are drawn, so that p does not depend on the order of rows or columns.

    The test needs more rows than the others to find linear dependences, and takes much longer: about a second with 300
    rows, several with 1,000, a minute or more with 5,000, which is the limit. p is at least 1 / (1 + permutations), so
    alpha must be larger.

    Parameters
    ----------
    data : table, optional
        A frame, an array, a mapping of columns, or any other table. Numbers of more than 24 different values are
        numbers, all other columns are categories.
    alpha : float
        Pairs with p > alpha are treated as independent.
    sample_weight : None
        Rows have no weights in this test: others than None are refused.
    missing : {"skip", "error", "drop"}
        "skip" leaves rows with a missing value out of the one test that needs it; "error" refuses them, "drop" leaves
        them out of all tests.
    columns : mapping, optional
        The kinds of columns that are not as wanted, as of ``discover``.
    permutations : int
        How many permutations p is computed from.
    neighbors : int
        How many nearest rows the estimate looks at. More make the test better at weak dependences, and worse at those
        of a fine pattern. A test of no more rows than ``neighbors`` + 1 has no verdict, and counts as independent.
    random_state : int
        The seed of the permutations.

    See Also
    --------
    ConditionalGaussian : Much faster, for numbers that are normal in each cell of the categories.
    discover : Takes it as ``test``, also as "mixed_cmi".

    Examples
    --------
    >>> import numpy as np
    >>> from deciban.nets import FisherZ, MixedCMI
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.normal(size=200)
    >>> rows = {"dose": dose, "response": dose**2 + rng.normal(0, 0.5, 200)}
    >>> (
    ...     FisherZ(rows).independent("dose", "response"),
    ...     MixedCMI(rows).independent("dose", "response"),
    ... )
    (True, False)
    """

    name = "CMI"
    reads = "mixed"
    permutations: int = 200
    neighbors: int = 10
    random_state: int = 0

    def __post_init__(self) -> None:
        for name, least in (("permutations", 1), ("neighbors", 1), ("random_state", 0)):
            value = getattr(self, name)
            if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
                raise ParameterError(f"{name} is a whole number of {least} or more, not {value!r}.")
        if self.alpha * (1 + self.permutations) < 1:
            raise ParameterError(
                f"p from {self.permutations} permutations is at least {1 / (1 + self.permutations):.2g}, so nothing is "
                f"dependent with alpha={self.alpha!r}. Pass a larger alpha, or a test with more permutations, such as "
                f"MixedCMI(permutations={int(np.ceil(2 / self.alpha))})."
            )

    @property  # the base class caches the table, so a cached check would be skipped after it has failed once
    def sample(self) -> MixedSample:
        """The table that was read."""
        sample: MixedSample = super().sample
        if sample.sample_weight is not None:
            raise ParameterError(
                'nearest neighbours have no sample weights. Leave out sample_weight, or pass test="cg", which takes it.'
            )
        if len(sample) > _MOST_ROWS:
            raise InputError(
                f'the table has {len(sample):,} rows, and MixedCMI takes up to {_MOST_ROWS:,}. Pass test="cg", or a '
                "sample of the rows."
            )
        return sample

    @property
    def rules(self) -> VerdictRules:
        """Alpha, no rows for each degree of freedom, and that a test without verdict counts as independent."""
        return VerdictRules(self.alpha, 0.0, True)

    def values(self, x: int, y: int, given: Sequence[int]) -> Values:
        x, y = sorted((x, y))  # the names are sorted, so x and y can change places
        rows, is_category = self._rows([x, y, *given])
        n = len(rows)
        if n <= self.neighbors + 1:
            return 0.0, 0.0, float(n), 1.0
        blocks = [_coordinates(rows[:, i], is_category[i]) for i in range(rows.shape[1])]
        z = np.hstack(blocks[2:]) if given else np.empty((n, 0))
        estimate = _Estimate(blocks[1], z, self.neighbors)
        observed = estimate(blocks[0])
        draw = _Permutations(z, all(is_category[2:]), np.random.default_rng(int(self.random_state)))
        # Equal estimates may differ by rounding.
        as_large = sum(estimate(blocks[0][draw()]) >= observed - 1e-9 for _ in range(self.permutations))
        return max(observed, 0.0), 1.0, float(n), (1 + as_large) / (1 + self.permutations)

    def _rows(self, used: Sequence[int]) -> tuple[Floats, list[bool]]:
        """The columns, on the rows that have all the values, sorted by value; and which are categories."""
        sample, columns, is_category = self.sample, [], []
        for name in (sample.names[i] for i in used):
            is_category.append(not sample.is_number(name))
            if sample.is_number(name):
                columns.append(sample.numbers.values[:, sample.numbers.names.index(name)])
            else:
                codes = sample.categories.codes[sample.categories.names.index(name)].astype(float)
                columns.append(np.where(codes < 0, np.nan, codes))
        rows = np.column_stack(columns)
        rows = rows[~np.isnan(rows).any(axis=1)]
        return rows[np.lexsort(rows.T[::-1])], is_category

    def _determines(self, given: Sequence[int], column: int) -> bool:
        return self._functions._determines(given, column)

    @cached_property
    def _functions(self) -> ConditionalGaussian:
        return ConditionalGaussian(self.sample)

    def _verdict(self, given: Sequence[Node], df: float, rows: float, p: float) -> Outcome:
        return "none" if df == 0 else super()._verdict(given, df, rows, p)


def _coordinates(values: Floats, is_category: bool) -> Floats:
    """A column as coordinates whose largest difference is its distance, in units of 1 / (2·(n − 1)).

    All are whole numbers, so that distances are exact and rows at the same distance are found as such.
    """
    if is_category:
        return (2.0 * (len(values) - 1)) * (values[:, None] == np.unique(values))
    return 2.0 * scipy.stats.rankdata(values)[:, None]


class _Estimate:
    """The estimate for y and z, as a function of x."""

    def __init__(self, y: Floats, z: Floats, neighbors: int) -> None:
        self.z, self.yz, self.neighbors = z, np.hstack([y, z]), neighbors
        self.psi = scipy.special.digamma(np.arange(len(y), dtype=float))
        self.z_tree = scipy.spatial.cKDTree(z) if z.shape[1] else None
        self.yz_tree = scipy.spatial.cKDTree(self.yz)

    def __call__(self, x: Floats) -> float:
        points, xz = np.hstack([x, self.yz]), np.hstack([x, self.z])
        tree = scipy.spatial.cKDTree(points)
        # A row is the nearest to itself.
        radius = np.asarray(tree.query(points, k=[self.neighbors + 1], p=np.inf)[0])[:, 0]
        near = self.psi[_within(tree, points, radius)]
        of_x = self.psi[_within(scipy.spatial.cKDTree(xz), xz, radius)]
        of_y = self.psi[_within(self.yz_tree, self.yz, radius)]
        of_z = self.psi[-1] if self.z_tree is None else self.psi[_within(self.z_tree, self.z, radius)]
        return float(np.mean(near - of_x - of_y + of_z))


def _within(tree: scipy.spatial.cKDTree, points: Floats, radius: Floats) -> Ints:
    """How many other rows are within a distance of each row."""
    # Distances are whole numbers, so half a unit more includes those that are equal, and no others.
    counts: Ints = tree.query_ball_point(points, radius + 0.5, p=np.inf, return_length=True)
    return counts - 1


class _Permutations:
    """Draws which row each row takes its x from, among rows that are near in z."""

    def __init__(self, z: Floats, is_exact: bool, rng: np.random.Generator) -> None:
        self.rng, self.n, self.strata = rng, len(z), None
        if is_exact:
            self.strata = np.unique(z, axis=0, return_inverse=True)[1].ravel() if z.shape[1] else np.zeros(self.n)
            self.order = np.argsort(self.strata, kind="stable")
            return
        tree = scipy.spatial.cKDTree(z)
        radius = np.asarray(tree.query(z, k=[min(_EXCHANGED, self.n)], p=np.inf)[0])[:, 0]
        near = tree.query_ball_point(z, radius + 0.5, p=np.inf, return_sorted=True)
        self.sizes = np.array([len(rows) for rows in near])
        self.starts, self.near = np.cumsum(self.sizes) - self.sizes, np.concatenate(near).astype(np.int64)

    def __call__(self) -> Ints:
        if self.strata is not None:
            taken = np.empty(self.n, dtype=np.int64)
            taken[self.order] = np.lexsort((self.rng.random(self.n), self.strata))
            return taken
        # Runge (2018), algorithm 1: in random order, each row takes the first near row that is not taken yet, or else
        # the last of them.
        keys = self.rng.random(len(self.near))
        shuffled = self.near[np.lexsort((keys, np.repeat(np.arange(self.n), self.sizes)))].tolist()
        starts, ends = self.starts.tolist(), (self.starts + self.sizes).tolist()
        taken, used = np.empty(self.n, dtype=np.int64), set()
        for row in self.rng.permutation(self.n).tolist():
            candidates = shuffled[starts[row] : ends[row]]
            chosen = next((other for other in candidates if other not in used), candidates[-1])
            used.add(chosen)
            taken[row] = chosen
        return taken
