"""What ``discover`` needs of a test of independence; any object that has it can be passed.

    Independence        answers for named variables: a test on data, an oracle, a joint table
    IndependenceTest    ``test=``: knows what kind of columns it reads, and ``on`` a sample gives an ``Independence``

Beside ``nodes`` and ``independent`` an ``Independence`` may have more, which makes the result richer:

    test(x, y, given)       a ``TestResult`` with statistic, degrees of freedom, rows and p: for ``removed``,
                            ``explain``, and the collider rules that compare p-values
    rules                   (alpha, rows needed for each degree of freedom, whether a test without verdict counts as
                            independent)
    has_rows(x, y, given)   whether there are enough rows for a conditioning set to be tested
    name                    the name of the statistic
    reweighted(weights)     the same test with other sample weights: for ``bootstrap``
    source                  what the compiled core tests, which is much faster than one call for each test
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from deciban.nets.data.kinds import Reads
from deciban.nets.graphs.base import Node

__all__ = ["Independence", "IndependenceTest"]


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
    >>> import deciban as db
    >>> from deciban.nets import IndependenceTest
    >>> isinstance(db.GSquared(), IndependenceTest)
    True
    """

    @property
    def reads(self) -> Reads:
        """The kind of columns: "categories" gives a ``CodedSample``, "numbers" a ``NumberSample``."""
        ...

    def on(self, data: Any, *, alpha: float) -> Independence:
        """The test on a sample.

        Parameters
        ----------
        data : CodedSample or NumberSample
            The rows.
        alpha : float
            The level of significance.

        Returns
        -------
        test
            An object with ``nodes`` and ``independent(x, y, given)``.
        """
        ...
