"""A test of ordered categories: what looks like a trend, beside what does not.

The generalized Cochran–Mantel–Haenszel statistic (Landis, Heyman and Koch, "Average partial association in three-way
contingency tables", 1978; Agresti, "Categorical Data Analysis", 2002, section 7.5) spends one degree of freedom on what
an order makes likely, where G² spends one for each pair of states in each stratum. But it does not see that the middle
of a scale differs from both ends, or that a trend rises in one stratum and falls in another. Pearson's χ² does, and is
the sum of the two parts. ``core/independence/contingency/trend.hpp`` has the formulas, ``tests/reference/ordered.py``
the readable twin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from deciban import _core
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

__all__ = ["MantelHaenszel"]


@dataclass(frozen=True, eq=False, kw_only=True)
class MantelHaenszel(DataTest):
    """The generalized Cochran–Mantel–Haenszel test of ordered categories.

        M² = tᵀ V⁻¹ t,    t = Σ_s Σ n·(u − ū_s)(v − v̄_s),    V its variance given the margins of the strata s

    for scores u of x and v of y: the index of the state of an ordered column, the indicators of the states of another
    one. Of two ordered columns M² has one degree of freedom, and is (n − 1)·r² without ``given``; of an ordered column
    and one of c states it has c − 1, and compares mean scores, as the test of Kruskal and Wallis does. It needs many
    rows in all strata together, but not in each of them. Of two columns without an order the test is ``GSquared``.

    M² finds that one column rises or falls with the other, on the whole in the same direction in all strata. It does
    not see that the states in the middle differ from those at both ends, or directions that cancel out. So the rest of
    Pearson's χ² is tested, too:

        p = 1 − (1 − min(p_M, p_rest))²    (Tippett 1931)

    where p_rest is that of χ² − M² with the remaining degrees of freedom, corrected for small counts as by
    ``GSquared``. The two parts are independent where x and y are. Statistic and degrees of freedom of a result are
    those of the part with the smaller p. A dependence that is no trend must be as strong as for ``ChiSquared`` at half
    of alpha; a trend may be much weaker.

    Parameters
    ----------
    data : table, optional
        A frame, an array, a mapping of columns, or any other table; each distinct value is a state.
    alpha : float
        Pairs with p > alpha are treated as independent.
    sample_weight : array, optional
        How many rows each row stands for.
    missing : {"skip", "error", "drop"}
        As of ``GSquared``.
    columns : mapping, optional
        Which columns are ordered, as of ``discover``: "ordered", or a list of the states. Ordered categoricals need no
        entry.
    is_trend_only : bool
        Whether to leave out the rest: then p is that of M², and other dependences of ordered columns are not found.
    power : float
        A test with fewer than power·df rows has no verdict, and counts as independent.
    rows_per_df : float
        As of ``GSquared``, for the degrees of freedom of M².

    See Also
    --------
    GSquared : For categories without an order.
    discover : Takes it as ``test``, also as "cmh"; the default where ordered columns are declared.

    Examples
    --------
    >>> from deciban.nets import GSquared, MantelHaenszel
    >>> doses, pains = ["low", "mid", "high"], [0, 1, 2, 3]
    >>> counts = [[3, 5, 8, 9], [6, 7, 6, 6], [10, 7, 5, 3]]
    >>> cells = [(d, p, counts[i][p]) for i, d in enumerate(doses) for p in pains]
    >>> rows = {
    ...     "dose": [d for d, _, n in cells for _ in range(n)],
    ...     "pain": [p for _, p, n in cells for _ in range(n)],
    ... }
    >>> print(GSquared(rows, 0.05).test("dose", "pain"))
    dose and pain are independent: G² = 8.31, df = 6, p = 0.22
    >>> orders = {"dose": doses, "pain": "ordered"}
    >>> print(MantelHaenszel(rows, 0.05, columns=orders).test("dose", "pain"))
    dose and pain are dependent: M² = 7.73, df = 1, p = 0.011
    """

    name = "M²"
    reads = "categories"
    is_trend_only: bool = False
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
        sample: CodedSample = self.sample
        ordered = np.array([name in sample.ordered for name in sample.names], dtype=np.uint8)
        return _core.coded_source(
            unsigned(sample.codes),
            sample.sizes,
            sample.sample_weight,
            is_chi=False,
            is_full=False,
            is_corrected=True,
            finds_determined=True,
            ordered=ordered,
            is_trend_only=self.is_trend_only,
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
        sample: CodedSample = self.sample
        size = {name: len(states) for name, states in sample.states.items()}
        freedom = prod(1 if name in sample.ordered else size[name] - 1 for name in (x, y))
        others = list(given)
        wanted = rows_wanted(freedom, len(others))
        return bool(5 * sample.total >= self.rows_per_df * prod(size[z] for z in others) * wanted)

    def _verdict(self, given: Sequence[Node], df: float, rows: float, p: float) -> Outcome:
        # Without a degree of freedom, x or y is constant in each stratum, and nothing was tested.
        return "none" if df == 0 and given else super()._verdict(given, df, rows, p)
