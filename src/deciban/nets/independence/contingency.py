"""Tests of conditional independence on counts: G² and χ².

    G² = 2 Σ n log(n·n₊ / (n_x·n_y))      χ² = Σ (n − e)² / e,  e = n_x·n_y / n₊

summed over the strata of `given`; both follow χ² with df degrees of freedom where x and y are independent ("Bayes
Nets", basic definitions; Neapolitan 2004, chapter 10). df is either *full*, (states of x − 1)(states of y − 1)·Π states
of given, or *active*, which counts in each stratum only the states that occur in it. In strata with an expected count
below 5 (Cochran 1954) G² is not distributed so, and where they prevail p is worthless: two independent columns of 2 and
200 states would be "dependent" in 78 of 100 samples of 300 rows at alpha = 0.01. So in a table with fewer than 15 rows
for each degree of freedom, or with very many such strata, χ² replaces G² in these strata, with its mean and
variance given the margins, which are known exactly (Haldane 1940; Dawson 1954); p comes from the scaled χ² distribution
with the mean and the variance of the sum.

A test that has nothing to test has no verdict: because in no stratum both x and y vary (df = 0), or because there are
fewer than ``power``·df rows. Where x and y do not vary because `given` determines one of them, as a function does in
rows enough, the test says nothing of the two, and never counts as independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import ClassVar, Literal

from deciban import _core
from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.nets.data.samples import CodedSample, unsigned
from deciban.nets.graphs.graph import Node
from deciban.nets.independence.independence_test import (
    DataTest,
    Outcome,
    Values,
    VerdictRules,
    core_values,
    rows_wanted,
)

__all__ = ["ChiSquared", "GSquared"]


Freedom = Literal["full", "active"]
Like = Literal["bnlearn", "bnlearn-adf", "pcalg", "causal-learn"]
Unsure = Literal["dependent", "independent"]

# How each package counts degrees of freedom, and how many rows for each it requires: bnlearn's mi and x2, and their
# -adf forms; pcalg's gSquareDis, independent below 10·df rows; causal-learn's gsq and chisq.
_LIKE: Mapping[str, tuple[Freedom, float]] = {
    "bnlearn": ("full", 0.0),
    "bnlearn-adf": ("active", 0.0),
    "pcalg": ("full", 10.0),
    "causal-learn": ("active", 0.0),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class _CountTest(DataTest):
    """A test on a contingency table."""

    df: Freedom = "active"
    like: Like | None = None
    power: float = 1.0
    unsure: Unsure = "independent"
    corrected: bool = True
    rows_per_df: float = 5.0
    is_chi: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_choice("df", self.df, ("full", "active"))
        check_choice("unsure", self.unsure, ("dependent", "independent"))
        if self.like is not None:
            check_choice("like", self.like, tuple(_LIKE))
            df, power = _LIKE[self.like]
            # Fields, not values computed beside them: the repr and `replace` then show the rules that apply.
            vars(self).update(df=df, power=power, unsure="independent", corrected=False, rows_per_df=0.0)
        for name in ("power", "rows_per_df"):
            if not getattr(self, name) >= 0:
                raise ParameterError(
                    f"{name} is a number of rows for each degree of freedom, not {getattr(self, name)!r}."
                )

    @property
    def rules(self) -> VerdictRules:
        """Alpha, rows that a degree of freedom needs, and whether a test without verdict counts as independent."""
        return VerdictRules(self.alpha, float(self.power), self.unsure == "independent")

    @cached_property
    def source(self) -> _core.Source:
        """What the compiled core tests."""
        sample: CodedSample = self.sample
        is_full = self.df == "full"
        is_corrected = self.corrected and not is_full
        codes = unsigned(sample.codes)  # missing values, −1, become the largest code
        finds_determined = self.like is None  # in other packages what is determined is independent
        return _core.coded_source(
            codes, sample.sizes, sample.sample_weight, self.is_chi, is_full, is_corrected, finds_determined
        )

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
        size = {name: len(states) for name, states in self.sample.states.items()}
        # The full table's, whatever `df`: it is known before any row is counted, so that whole levels can be left out.
        others = list(given)
        wanted = rows_wanted((size[x] - 1) * (size[y] - 1), len(others))
        return bool(5 * self.sample.total >= self.rows_per_df * prod(size[z] for z in others) * wanted)

    def _verdict(self, given: Sequence[Node], df: float, rows: float, p: float) -> Outcome:
        # Without a degree of freedom, x or y is constant in each stratum, and nothing was tested.
        return "none" if df == 0 and given else super()._verdict(given, df, rows, p)


class GSquared(_CountTest):
    """The likelihood-ratio test of independence on counts.

        G² = 2 Σ n log(n·n₊ / (n_x·n_y))

    summed over the strata of ``given``. It follows χ² with df degrees of freedom where x and y are independent. A test
    that has nothing to test has no verdict: because x or y is constant in each stratum (df = 0), or because there are
    fewer than ``power``·df rows. Where that is so because ``given`` determines x or y (``determines``), the test says
    nothing of the two and does not count as independent, whatever ``unsure`` says.

    Parameters
    ----------
    data : table, optional
        A frame, an array, a mapping of columns, or any other table; each distinct value is a state.
    alpha : float
        Pairs with p > alpha are treated as independent.
    sample_weight : array, optional
        How many rows each row stands for.
    missing : {"skip", "error", "drop", "state"}
        "skip" leaves rows with a missing value out of the one test that needs it; "error" refuses them, "drop" leaves
        them out of all tests, "state" makes a missing value a state of its own.
    columns : mapping, optional
        The kinds of columns that are not as wanted, as of ``discover``.
    df : {"active", "full"}
        "full": (states of x − 1)(states of y − 1)·Π states of given; "active" counts in each stratum only the states
        that occur in it.
    like : {"bnlearn", "bnlearn-adf", "pcalg", "causal-learn"}, optional
        The rules of another package: "bnlearn" (full), "bnlearn-adf" (active), "pcalg" (full, and independent when
        there are fewer than 10·df rows) or "causal-learn" (active). In all of them df = 0 is independent, p is not
        corrected for small counts, and sets are tested however few rows there are.
    power : float
        A test with fewer than power·df rows has no verdict.
    unsure : {"independent", "dependent"}
        How a test without verdict is treated.
    corrected : bool
        Whether p is corrected for small expected counts: in a table with fewer than 15 rows for each degree of freedom,
        p comes from the exact mean and variance of χ² in the strata with expected counts below 5. With df="full" it is
        not.
    rows_per_df : float
        How many rows for each degree of freedom a conditioning set of two columns or more should have in its full
        table. ``discover`` does not test sets that have fewer, unless ``max_given`` says how large sets may be. A fifth
        is enough where each combination of the set's states has 20·rows_per_df rows on average, and given one column,
        for the degrees of freedom of the states that occur. So the default, 5, asks for 5 rows; for 1 row given one
        column, and where there are 100 for each combination.

    See Also
    --------
    ChiSquared : Pearson's test.
    FisherZ : For numbers.
    discover : Takes it as ``test``, also as "g2".

    Examples
    --------
    >>> from deciban.nets import GSquared
    >>> coins = {"a": [0, 0, 1, 1] * 25, "b": [0, 1, 0, 1] * 25, "same": [1, 0, 0, 1] * 25}
    >>> test = GSquared(coins)
    >>> test.independent("a", "b"), test.independent("a", "b", ["same"])
    (True, False)
    >>> print(test.test("a", "b", ["same"]))
    a and b are dependent given same: G² = 139, df = 2, p = 8e-31
    """

    name = "G²"

    def mutual_information(self, x: Node, y: Node, given: Iterable[Node] = ()) -> float:
        """The conditional mutual information, I(x; y | given) = G² / 2n.

        Parameters
        ----------
        x, y : column name
            The two columns.
        given : iterable of column names, optional
            The columns to condition on.

        Returns
        -------
        float
            In nats.
        """
        result = self.test(x, y, given)
        return result.statistic / (2 * result.rows) if result.rows else 0.0


class ChiSquared(_CountTest):
    """Pearson's test of independence on counts.

        χ² = Σ (n − e)² / e,    e = n_x·n_y / n₊

    summed over the strata of ``given``.

    Parameters
    ----------
    data, alpha, sample_weight, missing, columns, df, like, power, unsure, corrected, rows_per_df
        Those of ``GSquared``.

    See Also
    --------
    GSquared : The likelihood-ratio test.
    discover : Takes it as ``test``, also as "x2".

    Examples
    --------
    >>> from deciban.nets import ChiSquared
    >>> coins = {"a": [0, 0, 1, 1] * 25, "b": [0, 1, 0, 1] * 25, "same": [1, 0, 0, 1] * 25}
    >>> print(ChiSquared(coins).test("a", "b", ["same"]))
    a and b are dependent given same: χ² = 100, df = 2, p = 2e-22
    """

    name = "χ²"
    is_chi = True
