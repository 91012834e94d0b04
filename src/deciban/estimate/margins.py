"""Margins: what a column says against a row's own class, as if the row had not been counted.

    m_rji = log P'(x_ri | j) − log P'(x_ri | y_r),   P' estimated without row r

The log-odds of another class j against the row's own class y_r are the prior's margin plus the sum of those of the
columns. They are what the weights of columns are learned from (`deciban.models.leave_one_out`): on the counts
with the row in them, a column that identifies rows would look perfect; without the row, it says nothing.

Margins are stored in single precision. Infinite ones are ±700, and 0 where a value is impossible in both classes.
"""

from __future__ import annotations

import numpy as np

from deciban import _core
from deciban.types import AnyArray, Codes, Floats, Singles

__all__ = ["Margins"]


class Margins:
    """The margins of some counted rows, 0 until they are added: blocks × other classes × columns × rows of a block.

    Parameters
    ----------
    y : the class of each row
    own : the weight of each row that is left out of the counts
    classes, columns : how many there are
    """

    def __init__(self, y: Codes, own: Floats, classes: int, columns: int) -> None:
        self.y, self.own, self.classes = y, own, classes
        blocks = -(-len(y) // _core.MARGIN_ROWS)
        self.table: Singles = np.zeros((blocks, classes - 1, columns, _core.MARGIN_ROWS), dtype=np.float32)

    def __len__(self) -> int:
        return len(self.y)

    def add_logs(self, column: int, logs: Floats) -> None:
        """Add the margins of log P'(x | class), rows × classes."""
        _core.add_log_margins(np.ascontiguousarray(logs), self.y, self.own, column, self.table)

    def add_counts(
        self,
        column: int,
        codes: Codes,
        counts: AnyArray,
        pseudo: Floats,
        *,
        added: float | None = None,
        added_alone: float = np.nan,
    ) -> None:
        """Add the margins of states: (n_jv + a_v) / (n_j + Σ a); a code of −1 is missing, and adds nothing.

        Parameters
        ----------
        codes : the state of each row
        counts : class × state
        pseudo, added : the pseudo-counts of the states, and their sum where some states are not listed
        added_alone : the sum of pseudo-counts where no other row has the state, which is then an unseen one; negative
            where unseen states are no evidence; NaN where the states are given, so that none is unseen
        """
        table = np.ascontiguousarray(counts, dtype=np.float64)
        whole = float(pseudo.sum()) if added is None else added
        _core.add_count_margins(codes, table, pseudo, whole, added_alone, self.y, self.own, column, self.table)

    def add_normal(
        self, column: int, x: Floats, moments: Floats, *, strength: float, middle: float, least_variance: float
    ) -> None:
        """Add the margins of a normal column; a NaN is missing, and adds nothing.

        Parameters
        ----------
        moments : weight, sum of squared deviations, mean and estimated variance, each by class
        strength : how many rows the variance within classes counts for in that of one class; infinite where it is that
            of all classes
        middle : the mean of the column, for a class without other rows
        least_variance : the lower bound of variances; 0 for a constant column
        """
        numbers = np.ascontiguousarray(x, dtype=np.float64)
        rows = self.y, self.own, column, self.table
        _core.add_normal_margins(numbers, moments, strength, middle, least_variance, *rows)

    def loss(
        self, weights: Floats, prior: Margins, importance: Floats, *, with_curvature: bool = False
    ) -> tuple[float, Floats, Floats | None]:
        """−Σ_r importance_r·log P(y_r | x_r) with weighted columns, its gradient, and the diagonal of its Hessian."""
        return _core.weighed_loss(weights, self.table, prior.table, importance, with_curvature)
