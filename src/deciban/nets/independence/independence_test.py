"""What ``discover`` needs of a test of independence; any object that has it can be passed.

    Independence        answers for named variables: a test on data, an oracle, a joint table
    IndependenceTest    ``test=``: knows what kind of columns it reads, and ``on`` a sample gives an ``Independence``

Beside ``nodes`` and ``independent`` an ``Independence`` may have more, which makes the result richer:

    test(x, y, given)       a ``TestResult`` with statistic, degrees of freedom, rows and p: for ``removed``,
                            ``explain``, and the collider rules that compare p-values
    rules                   ``VerdictRules``, or a tuple of its three values
    has_rows(x, y, given)   whether there are enough rows for a conditioning set to be tested
    name                    the name of the statistic
    reweighted(weights)     the same test with other sample weights: for ``bootstrap``
    source                  what the compiled core tests, which is much faster than one call for each test

What tests on data share: columns by name, the level of significance, and the verdict.

A test of one's own is a subclass that computes four numbers for columns by index:

    class Mine(DataTest):
        name, reads = "M", "categories"

        def values(self, x, y, given):
            ...
            return statistic, df, rows, p
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from deciban import _core, errors
from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.nets.data.node_rows import ColumnRole, Reads
from deciban.nets.data.samples import (
    Advice,
    CodedSample,
    MixedSample,
    NetSample,
    NumberSample,
    RowOptions,
    read_variables,
)
from deciban.nets.graphs.graph import Node
from deciban.types import Floats

__all__ = [
    "ADVICE",
    "DataTest",
    "Independence",
    "IndependenceTest",
    "Outcome",
    "SourceFacts",
    "TestResult",
    "Values",
    "VerdictRules",
    "core_values",
    "in_words",
    "listed",
    "rows_wanted",
]


@runtime_checkable
class Independence(Protocol):
    """Says of named variables whether they are independent."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The variables."""
        ...

    def independent(self, x: Any, y: Any, given: Iterable[Any] = ()) -> bool:
        """Whether x is independent of y given the others."""
        ...


@runtime_checkable
class IndependenceTest(Protocol):
    """What ``discover`` needs of a test: any object that has it can be passed as ``test``.

    ``on`` a sample gives an object with ``nodes`` and ``independent(x, y, given)``. It may have more, which makes the
    result richer: ``test(x, y, given)`` returns a ``TestResult``, ``rules`` has the level of significance, ``has_rows``
    says whether there are enough rows for a set, ``reweighted`` is used for ``bootstrap``.

    See Also
    --------
    DataTest : A base class that has all of it.
    TESTS : The tests by name.

    Examples
    --------
    >>> from deciban.nets import GSquared, IndependenceTest
    >>> isinstance(GSquared(), IndependenceTest)
    True
    """

    @property
    def reads(self) -> Reads:
        """The kind of columns: "categories" for a ``CodedSample``, "numbers", "mixed" for a ``MixedSample``."""
        ...

    def on(self, data: Any, *, alpha: float) -> Independence:
        """The test on a sample.

        Parameters
        ----------
        data : CodedSample, NumberSample or MixedSample
            The rows.
        alpha : float
            The level of significance.

        Returns
        -------
        test
            An object with ``nodes`` and ``independent(x, y, given)``.
        """
        ...


Values = tuple[float, float, float, float]
"""Statistic, degrees of freedom, sum of the sample weights, p."""

Outcome = Literal["independent", "dependent", "none"]


class VerdictRules(NamedTuple):
    """How the numbers of a test become a verdict."""

    alpha: float
    """Pairs with p > alpha are treated as independent."""
    rows_per_degree: float
    """A test with fewer rows for each degree of freedom has no verdict."""
    unsure_is_independent: bool
    """Whether a test without a verdict counts as independent."""


_EXACT = VerdictRules(0.5, 0.0, False)
"""For answers without p: p is 1 where x and y are independent, else 0, and any alpha between them does."""


@dataclass(frozen=True, repr=False)
class TestResult:
    """The result of a test of independence.

    Attributes
    ----------
    x, y : node
        The two variables.
    given : tuple of nodes
        The conditioning set.
    statistic, df : float
        The statistic and its degrees of freedom.
    rows : float
        The number of rows, or the sum of their weights.
    p : float
        The probability of a statistic at least as large if x and y are independent.
    verdict : {"independent", "dependent", "none"}
        "none" where there was nothing to test, or too few rows.
    measure : str
        The name of the statistic.
    determined : tuple of nodes
        Which of x and y the conditioning set determines, as a function does. Such a test says nothing of x and y, and
        is not treated as independent.

    See Also
    --------
    DataTest.test : Returns it.
    Discovery.removal : The test that removed an edge.

    Examples
    --------
    >>> from deciban.nets import GSquared
    >>> found = GSquared({"a": [0, 0, 1, 1] * 25, "b": [0, 0, 1, 1] * 25}).test("a", "b")
    >>> found
    TestResult(a and b are dependent: G² = 139, df = 1, p = 5e-32)
    >>> found.df, found.verdict
    (1.0, 'dependent')
    """

    __test__ = False  # pytest collects classes whose names begin with Test

    x: Node
    y: Node
    given: tuple[Node, ...]
    statistic: float
    df: float
    rows: float
    p: float
    verdict: Outcome
    measure: str = "G²"
    determined: tuple[Node, ...] = ()

    def __str__(self) -> str:
        return in_words(self)

    def __repr__(self) -> str:
        return f"TestResult({self})"


def in_words(result: TestResult) -> str:
    """One sentence.

    >>> in_words(TestResult("Sprinkler", "Rain", ("Season",), 0.8, 2, 500, 0.67, "independent"))
    'Sprinkler and Rain are independent given Season: G² = 0.8, df = 2, p = 0.67'
    """
    given = f" given {listed(result.given)}" if result.given else ""
    pair = f"{result.x} and {result.y}"
    if result.measure == "d-separation":
        return f"{pair} are {'' if result.verdict == 'independent' else 'not '}d-separated{given}"
    if result.determined:
        verb = "determines" if len(result.given) == 1 else "determine"
        return f"the test of {pair}{given} has no verdict: {listed(result.given)} {verb} {listed(result.determined)}"
    numbers = f"{result.measure} = {result.statistic:.3g}, df = {result.df:.12g}, p = {_p(result.p)}"
    if result.verdict == "none":
        return f"the test of {pair}{given} has no verdict: {numbers}, {result.rows:.12g} rows"
    return f"{pair} are {result.verdict}{given}: {numbers}"


def listed(names: tuple[Node, ...]) -> str:
    """Names with commas, and an "and"."""
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-4 else f"{p:.0e}" if p > 0 else "0"


ADVICE = Advice(
    categories='pass test="g2"',
    numbers='pass test="fisher_z"',
    labels='Pass test="cg", which reads both, leave it out, or bin the columns of numbers and pass test="g2".',
)
"""What a user can do with columns that a test does not read."""

# What a set determines has a statistic of 0 up to rounding, so p is 1 up to rounding; below this there is no need to
# look at the rows again, which takes as long as the test.
_NEARLY_ONE = 1 - 1e-6

_CHOICES = ("error", "skip", "drop", "state")


@dataclass(frozen=True, eq=False)
class DataTest(ABC):
    """A test of independence on a table. Without data it is only a choice: ``on`` gives it data.

    A test of one's own is a subclass with ``name``, ``reads`` ("categories", "numbers" or "mixed") and ``values``.

    Parameters
    ----------
    data, alpha, sample_weight, missing, columns
        As of ``GSquared``.

    See Also
    --------
    IndependenceTest : What ``discover`` needs of a test.
    TESTS : The tests by name.
    GSquared : A test of categories.

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import DataTest
    >>> class SameShare(DataTest):
    ...     name, reads = "matches", "categories"
    ...
    ...     def values(self, x, y, given):
    ...         same = (self.sample.codes[x] == self.sample.codes[y]).mean()
    ...         return same, 1.0, len(self.sample), 1.0 if same == 0.5 else 0.0
    >>> print(SameShare({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}).test("a", "b"))
    a and b are independent: matches = 0.5, df = 1, p = 1
    """

    data: Any = None
    alpha: float = 0.01
    sample_weight: Any = field(default=None, kw_only=True)
    missing: str = field(default="skip", kw_only=True)
    columns: Mapping[Any, ColumnRole] | None = field(default=None, kw_only=True)
    name: ClassVar[str] = ""
    reads: ClassVar[Reads] = "categories"

    def __getstate__(self) -> dict[str, object]:
        # What the core tests is made again from the rows.
        return {name: value for name, value in vars(self).items() if name != "source"}

    @abstractmethod
    def values(self, x: int, y: int, given: Sequence[int]) -> Values:
        """The test of two columns, by their index in ``sample``.

        Parameters
        ----------
        x, y : int
            The two columns.
        given : sequence of int
            The columns to condition on.

        Returns
        -------
        tuple of four floats
            The statistic, its degrees of freedom, the number of rows, and p.
        """

    def on(self, data: Any, *, alpha: float | None = None, sample_weight: Any = None) -> Self:
        """The same test on other data.

        Parameters
        ----------
        data : table or sample
            The rows.
        alpha : float, optional
            Another level of significance.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        test
            A test of the same class.
        """
        return replace(self, data=data, sample_weight=sample_weight, alpha=self.alpha if alpha is None else alpha)

    def reweighted(self, sample_weight: Floats) -> Self:
        """The same test on the same rows with other weights.

        Parameters
        ----------
        sample_weight : array
            How many rows each row stands for.

        Returns
        -------
        test
            A test of the same class.
        """
        return self.on(self.sample.reweighted(sample_weight))

    @cached_property
    def sample(self) -> Any:
        """The table that was read: a ``CodedSample``, ``NumberSample`` or ``MixedSample``, by what the test reads."""
        if self.data is None:
            raise errors.UnfittedError(f"this {type(self).__name__} has no data. Pass a table, or use test.on(table).")
        options = RowOptions(sample_weight=self.sample_weight, missing=self.missing, choices=_CHOICES)
        return read_variables(self.data, self.reads, ADVICE, columns=self.columns, **options)

    @property
    def source(self) -> _core.Source | None:
        """What the compiled core tests, or None where each test is a call of ``values``."""
        return None

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The columns, in the order of the table."""
        return self.sample.columns

    @property
    def rules(self) -> VerdictRules:
        """Alpha, rows that a degree of freedom needs, and whether a test without verdict counts as independent."""
        return VerdictRules(self.alpha, 0.0, False)

    def independent(self, x: Node, y: Node, given: Iterable[Node] = ()) -> bool:
        """Whether x and y can be treated as independent given the others.

        Parameters
        ----------
        x, y : column name
            The two columns.
        given : iterable of column names, optional
            The columns to condition on.

        Returns
        -------
        bool
        """
        result = self.test(x, y, given)
        if result.verdict == "none":
            # A test of one's own may have its rules as a plain tuple.
            return not result.determined and VerdictRules(*self.rules).unsure_is_independent
        return result.verdict == "independent"

    def test(self, x: Node, y: Node, given: Iterable[Node] = ()) -> TestResult:
        """The test of x and y given the others.

        Parameters
        ----------
        x, y : column name
            The two columns.
        given : iterable of column names, optional
            The columns to condition on.

        Returns
        -------
        TestResult
            The statistic, its degrees of freedom, p and the verdict.
        """
        others = self._names_of(given)
        self._check_names(x, y, *others)
        if x == y or x in others or y in others:
            raise ParameterError(f"x, y and given must be different columns, not {x!r}, {y!r} and {others!r}.")
        inside = sorted({self._index[name] for name in others})
        values = self.values(self._index[x], self._index[y], inside)
        names = tuple(self.sample.names[i] for i in inside)
        # Where the set determines x or y, p is 1: only then must the rows be looked at again.
        is_open = values[3] < _NEARLY_ONE or not names
        determined = () if is_open else tuple(name for name in (x, y) if self.determines(names, name))
        verdict = "none" if determined else self._verdict(names, *values[1:])
        return TestResult(x, y, names, *values, verdict, self.name, determined)

    def determines(self, given: Iterable[Node], column: Node) -> bool:
        """Whether columns determine another one in the sample, as a function does.

        Categories: each configuration of up to three of the columns has one value of the other, and has five rows or
        more on average; so have the configurations of at least two of the values. Numbers: a regression on the columns
        leaves less than 1e-10 of the variance. A test given these columns says nothing of the one that they determine.

        Parameters
        ----------
        given : iterable of column names
            The columns that may determine it.
        column : column name
            The column that may be determined.

        Returns
        -------
        bool
            False for a test of one's own, unless it has a method of its own for it.
        """
        others = self._names_of(given)
        self._check_names(column, *others)
        return bool(others) and self._determines(sorted({self._index[name] for name in others}), self._index[column])

    def _determines(self, given: Sequence[int], column: int) -> bool:
        if self.source is None:
            return False
        starts = np.array([0, len(given)])
        answers = _core.determined_each(self.source, np.array([column]), starts, np.array(given, dtype=np.int64))
        return bool(answers[0])

    def _names_of(self, given: Iterable[Node]) -> list[Node]:
        # A tuple may be the name of one column, as of a frame with two rows of names.
        if isinstance(given, str) or (isinstance(given, tuple) and given in self._index):
            return [given]
        return list(given)

    def _check_names(self, *names: Node) -> None:
        for name in names:
            if name not in self._index:
                raise ColumnMismatchError(f"there is no column {name!r}.{did_you_mean(name, self._index)}")

    @cached_property
    def _index(self) -> dict[Node, int]:
        return {name: index for index, name in enumerate(self.sample.names)}

    def _verdict(self, given: Sequence[Node], df: float, rows: float, p: float) -> Outcome:
        del given
        alpha, power, _ = self.rules
        if rows < power * df:
            return "none"
        return "independent" if p > alpha else "dependent"


def core_values(source: _core.Source, x: int, y: int, given: Sequence[int]) -> Values:
    """One test in the compiled core."""
    starts, sets = np.array([0, len(given)]), np.array(given, dtype=np.int64)
    statistic, df, rows, p = _core.test_each(source, np.array([x]), np.array([y]), starts, sets)[0].tolist()
    return statistic, df, rows, p


def rows_wanted(df: float, columns: int) -> float:
    """The rows in each configuration of some columns for which their table is counted, where ``rows_per_df`` is 5.

    ``df`` is that of one configuration of the full table. Given one column, one row for each degree of freedom of the
    states that occur is enough: otherwise pairs with many states would keep every false edge. Of larger sets there are
    many, and some separate by chance: they should have five, unless there are 100 rows in each configuration.
    """
    # As in the core: whole numbers are compared, five times the rows, so that rounding decides nothing.
    return 1 if columns == 1 else min(5 * df, max(df, 100))


@dataclass(frozen=True)
class SourceFacts:
    """What a source of independences offers, read once; a source need have no more than ``nodes`` and ``independent``.

    ``core`` is what the compiled core tests, with ``latent`` nodes after those that are observed. ``finds_determined``
    says whether the core's source looks for functions, which the rules of other packages do not.
    """

    nodes: tuple[Node, ...]
    independent: Callable[..., bool]
    test: Callable[..., TestResult] | None
    has_rows: Callable[..., bool] | None
    determines: Callable[..., bool] | None
    rules: VerdictRules
    measure: str
    is_exact: bool
    core: _core.Source | None
    rows_per_df: float
    latent: int
    sample: NetSample | None
    finds_determined: bool

    @classmethod
    def of(cls, source: Independence) -> SourceFacts:
        """The facts of a test on data, an oracle, or an object of the user's own."""
        sample = getattr(source, "sample", None)
        return cls(
            nodes=tuple(source.nodes),
            independent=source.independent,
            test=getattr(source, "test", None),
            has_rows=getattr(source, "has_rows", None),
            determines=getattr(source, "determines", None),
            rules=VerdictRules(*getattr(source, "rules", _EXACT)),
            measure=getattr(source, "name", "independence"),
            is_exact=getattr(source, "is_exact", False),
            core=getattr(source, "source", None),
            rows_per_df=float(getattr(source, "rows_per_df", 0.0)),
            latent=len(getattr(source, "latent", ())),
            sample=sample if isinstance(sample, CodedSample | NumberSample | MixedSample) else None,
            finds_determined=not getattr(source, "like", None),
        )
