"""The result of a test of independence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deciban.nets.graphs.base import Node

__all__ = ["TestResult", "Values", "Verdict", "in_words", "listed"]

Values = tuple[float, float, float, float]
"""Statistic, degrees of freedom, sum of the sample weights, p."""

Verdict = Literal["independent", "dependent", "none"]


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
    >>> import deciban as db
    >>> found = db.GSquared({"a": [0, 0, 1, 1] * 25, "b": [0, 0, 1, 1] * 25}).test("a", "b")
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
    verdict: Verdict
    measure: str = "G²"
    determined: tuple[Node, ...] = ()

    def __str__(self) -> str:
        return in_words(self)

    def __repr__(self) -> str:
        return f"TestResult({self})"


def in_words(found: TestResult) -> str:
    """One sentence.

    >>> in_words(TestResult("Sprinkler", "Rain", ("Season",), 0.8, 2, 500, 0.67, "independent"))
    'Sprinkler and Rain are independent given Season: G² = 0.8, df = 2, p = 0.67'
    """
    given = f" given {listed(found.given)}" if found.given else ""
    pair = f"{found.x} and {found.y}"
    if found.measure == "d-separation":
        return f"{pair} are {'' if found.verdict == 'independent' else 'not '}d-separated{given}"
    if found.determined:
        verb = "determines" if len(found.given) == 1 else "determine"
        return f"the test of {pair}{given} has no verdict: {listed(found.given)} {verb} {listed(found.determined)}"
    numbers = f"{found.measure} = {found.statistic:.3g}, df = {found.df:.12g}, p = {_p(found.p)}"
    if found.verdict == "none":
        return f"the test of {pair}{given} has no verdict: {numbers}, {found.rows:.12g} rows"
    return f"{pair} are {found.verdict}{given}: {numbers}"


def listed(names: tuple[Node, ...]) -> str:
    """Names with commas, and an "and"."""
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-4 else f"{p:.0e}" if p > 0 else "0"
