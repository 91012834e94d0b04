"""Tests of conditional independence: whether x is irrelevant to y once `given` is known.

    G² = 2 Σ n log(n·n₊ / (n_x·n_y))      χ² = Σ (n − e)² / e,  e = n_x·n_y / n₊

summed over the strata of `given`; both follow χ² with df degrees of freedom where x and y are independent ("Bayes
Nets", basic definitions; Neapolitan 2004, chapter 10). df is either *full*, (states of x − 1)(states of y − 1)·Π states
of given, or *active*, which counts in each stratum only the states that occur in it. In strata with an expected count
below 5 (Cochran 1954) G² is not distributed so, and where they prevail p is worthless: two independent columns of 2 and
200 states would be "dependent" in 78 of 100 samples of 300 rows at alpha = 0.01. So in a table with fewer than 15 rows
for each degree of freedom, or with very many such strata, χ² takes the place of G² in these strata, with its mean and
variance given the margins, which are known exactly (Haldane 1940; Dawson 1954); p comes from the scaled χ² distribution
with the mean and the variance of the sum. Fisher's z tests correlations:

    z = artanh(r)·√(n − |given| − 3)

Rows with a missing value in x, y or given are left out of that one test. A test that cannot say anything has no
verdict: because `given` determines x or y (df = 0), or because there are fewer than ``power``·df rows.

>>> coins = {"a": [0, 0, 1, 1] * 25, "b": [0, 1, 0, 1] * 25, "c": [0, 1, 1, 0] * 25}
>>> test = GSquared(coins)
>>> test.independent("a", "b"), test.independent("a", "b", ["c"])
(True, False)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np

from deciban import _core
from deciban.choices import check_choice
from deciban.errors import ColumnMismatchError, ParameterError, UnfittedError
from deciban.nets.data.sample import CodedSample, NumberSample, read_codes, read_numbers
from deciban.nets.graphs.base import Node
from deciban.nets.tests.partial_correlation import correlations, fisher_z
from deciban.nets.tests.results import TestResult, Verdict
from deciban.suggest import did_you_mean
from deciban.types import Floats

__all__ = ["TESTS", "ChiSquared", "FisherZ", "GSquared", "Independence", "read_test"]

Freedom = Literal["full", "active"]
Unsure = Literal["dependent", "independent"]

_LIKE: Mapping[str, tuple[Freedom, float]] = {
    "bnlearn": ("full", 0.0),
    "bnlearn-adf": ("active", 0.0),
    "pcalg": ("full", 10.0),
    "causal-learn": ("active", 0.0),
}


class Independence(Protocol):
    """Whatever can say of named variables whether they are independent."""

    @property
    def nodes(self) -> tuple[Node, ...]: ...
    def independent(self, x: Any, y: Any, given: Iterable[Any] = ()) -> bool: ...


@dataclass(frozen=True, eq=False)
class _DataTest(ABC):
    """What the tests on data share. Without data it is only a choice: ``on`` gives it data."""

    data: Any = None
    alpha: float = 0.01
    weights: Any = None
    name: ClassVar[str] = ""

    def on(self, data: Any, weights: Any = None, alpha: float | None = None) -> Self:
        """The same test on other data."""
        return replace(self, data=data, weights=weights, alpha=self.alpha if alpha is None else alpha)

    def reweighted(self, weights: Floats) -> Self:
        """The same test on the same rows with other weights."""
        other = replace(self, weights=weights)
        vars(other)["sample"] = replace(self.sample, weights=weights)
        return other

    @cached_property
    def sample(self) -> CodedSample | NumberSample:
        """The table that was read."""
        if self.data is None:
            raise UnfittedError(f"this {type(self).__name__} has no data. Pass a table, or use test.on(table).")
        return self._read()

    @abstractmethod
    def _read(self) -> CodedSample | NumberSample:
        """Read the table."""

    @property
    @abstractmethod
    def source(self) -> Any:
        """What the core tests, or None where it cannot."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The columns, as they came."""
        return self.sample.columns

    @property
    def rules(self) -> tuple[float, float, bool]:
        """Alpha, rows that a degree of freedom needs, and whether a test without verdict counts as independent."""
        return self.alpha, 0.0, False

    def independent(self, x: Node, y: Node, given: Iterable[Node] = ()) -> bool:
        """Whether the data let x be independent of y given the others."""
        found = self.test(x, y, given)
        return found.verdict == "independent" or (found.verdict == "none" and self.rules[2])

    def test(self, x: Node, y: Node, given: Iterable[Node] = ()) -> TestResult:
        """The statistic, its degrees of freedom, p and the verdict."""
        places = {name: place for place, name in enumerate(self.sample.names)}
        asked = [given] if isinstance(given, str) else list(given)
        for name in (x, y, *asked):
            if name not in places:
                raise ColumnMismatchError(f"there is no column {name!r}.{did_you_mean(name, places)}")
        if x == y or x in asked or y in asked:
            raise ParameterError(f"x, y and given must be different columns, not {x!r}, {y!r} and {asked!r}.")
        inside = sorted({places[str(name)] for name in asked})
        values = self._values(places[str(x)], places[str(y)], inside)
        return TestResult(
            x, y, tuple(self.sample.names[i] for i in inside), *values, self._verdict(*values[1:]), self.name
        )

    def _values(self, x: int, y: int, given: list[int]) -> tuple[float, float, float, float]:
        starts = np.array([0, len(given)])
        sets = np.array(given, dtype=np.int64)
        statistic, df, rows, p = _core.test_each(self.source, np.array([x]), np.array([y]), starts, sets)[0].tolist()
        return statistic, df, rows, p

    def _verdict(self, df: float, rows: float, p: float) -> Verdict:
        alpha, power, _ = self.rules
        if rows < power * df:
            return "none"
        return "independent" if p > alpha else "dependent"


@dataclass(frozen=True, eq=False)
class _CountTest(_DataTest):
    """A test on a table of counts.

    Parameters
    ----------
    data
        A frame, an array or a mapping of columns; each distinct value is a state.
    alpha
        Independent is what has p > alpha.
    weights
        A weight a row.
    df
        "full" or "active"; see above.
    like
        The rules of a peer: "bnlearn" (full), "bnlearn-adf" (active), "pcalg" (full, and independent when there are
        fewer than 10·df rows) or "causal-learn" (active). In all of them df = 0 is independent, p is not corrected for
        small counts, and sets are tested however few rows there are.
    power
        A test with fewer than power·df rows has no verdict.
    unsure
        What a test without verdict counts for.
    corrected
        Whether p is corrected for small expected counts; see above. With df="full" it is not.
    rows_per_df
        ``discover`` does not test sets whose full table would have fewer rows for each degree of freedom, unless it is
        told how large sets may be (``max_given``).
    """

    df: Freedom = "active"
    like: str | None = None
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
            vars(self).update(df=df, power=power, unsure="independent", corrected=False, rows_per_df=0.0)
        for name in ("power", "rows_per_df"):
            if not getattr(self, name) >= 0:
                raise ParameterError(
                    f"{name} is a number of rows for each degree of freedom, not {getattr(self, name)!r}."
                )

    @property
    def rules(self) -> tuple[float, float, bool]:
        return self.alpha, float(self.power), self.unsure == "independent"

    def _read(self) -> CodedSample:
        return read_codes(self.data, self.weights)

    @cached_property
    def source(self) -> Any:
        sample = self.sample
        assert isinstance(sample, CodedSample)  # noqa: S101  # for the type checker
        is_full = self.df == "full"
        is_corrected = self.corrected and not is_full
        return _core.coded_source(sample.codes, sample.sizes, sample.weights, self.is_chi, is_full, is_corrected)

    def has_rows(self, x: Node, y: Node, given: Iterable[Node]) -> bool:
        """Whether the full table has ``rows_per_df`` rows for each degree of freedom."""
        sample = self.sample
        assert isinstance(sample, CodedSample)  # noqa: S101  # for the type checker
        size = dict(zip(sample.names, sample.sizes.tolist(), strict=True))
        freedom = (size[str(x)] - 1) * (size[str(y)] - 1) * prod(size[str(z)] for z in given)
        return bool(sample.total >= self.rows_per_df * freedom)

    def test(self, x: Node, y: Node, given: Iterable[Node] = ()) -> TestResult:
        found = super().test(x, y, given)
        # Without a degree of freedom what is given determines x or y, and nothing was tested.
        return replace(found, verdict="none") if found.df == 0 and found.given else found


class GSquared(_CountTest):
    """The likelihood-ratio test."""

    name = "G²"

    def mutual_information(self, x: Node, y: Node, given: Iterable[Node] = ()) -> float:
        """I(x; y | given) = G² / 2n, in nats."""
        found = self.test(x, y, given)
        return found.statistic / (2 * found.rows) if found.rows else 0.0


class ChiSquared(_CountTest):
    """Pearson's test."""

    name = "χ²"
    is_chi = True


class FisherZ(_DataTest):
    """The test of partial correlation, for numbers that are jointly normal."""

    name = "z²"

    def _read(self) -> NumberSample:
        return read_numbers(self.data, self.weights)

    @cached_property
    def correlation(self) -> tuple[Floats, float]:
        """The correlations and the weight of the rows."""
        sample = self.sample
        assert isinstance(sample, NumberSample)  # noqa: S101
        return correlations(sample.values, sample.weights)

    @cached_property
    def source(self) -> Any:
        sample = self.sample
        if isinstance(sample, NumberSample) and not sample.is_whole:
            return None  # which rows count differs from test to test
        return _core.gaussian_source(*self.correlation)

    def _values(self, x: int, y: int, given: list[int]) -> tuple[float, float, float, float]:
        if self.source is not None:
            return super()._values(x, y, given)
        sample = self.sample
        assert isinstance(sample, NumberSample)  # noqa: S101  # for the type checker
        return fisher_z(sample.values, sample.weights, x, y, given)


TESTS = {"g2": GSquared, "x2": ChiSquared, "fisher_z": FisherZ}
"""The tests by name."""


def read_test(test: Any) -> GSquared | ChiSquared | FisherZ:
    """A test by its name, or as it is."""
    if isinstance(test, GSquared | ChiSquared | FisherZ):
        return test
    check_choice("test", test, tuple(TESTS), other=", or a test such as GSquared()")
    return TESTS[test]()
