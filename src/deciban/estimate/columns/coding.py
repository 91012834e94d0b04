"""A column as states, for models that count combinations of values: `TAN`, `AODE`, `BayesNetClassifier`.

A distribution that has no states refuses to be coded, and names what the column can be instead.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.columns.formulas import StateLogs
from deciban.read import Column, Variable
from deciban.read.drawn import Drawn
from deciban.types import Codes

__all__ = ["ColumnCoding"]


class ColumnCoding:
    """The states of a column; by default it has none."""

    def variable(self, column: Column) -> Variable:
        """List the states of a column, of a distribution that `with_fixed_states` returned.

        Parameters
        ----------
        column : Column
            The values.

        Returns
        -------
        Variable
        """
        self._refuse_codes(column.name)

    def codes(self, column: Column, variable: Variable, owner: str) -> Codes:  # noqa: ARG002
        """Find the state of each row.

        Parameters
        ----------
        column : Column
            The values.
        variable : Variable
            The states.
        owner : str
            The name of the model, for errors.

        Returns
        -------
        codes : array of int
            −1 where the value is missing, the number of states where it is not in `variable`.
        """
        self._refuse_codes(column.name)

    def draw_values(self, codes: Codes, variable: Variable, rng: np.random.Generator) -> Drawn:  # noqa: ARG002
        """Draw values that have the given states, of a column whose states were drawn.

        Parameters
        ----------
        codes : array of int
            The states; −1 is missing.
        variable : Variable
            The states of the column.
        rng : Generator
            What the values are drawn with.

        Returns
        -------
        Drawn
        """
        self._refuse_codes(variable.name)

    def states(self, variable: Variable, classes: int) -> StateLogs | None:  # noqa: ARG002
        """Describe how values become states, with log-probabilities of 0; None where the column is left out.

        Parameters
        ----------
        variable : Variable
            The states.
        classes : int
            The number of classes.

        Returns
        -------
        StateLogs or None
        """
        return None

    @property
    def coding(self) -> str:
        """How values become states, in words: models can be merged where this is equal."""
        return f"{type(self).__name__}()"

    def _refuse_codes(self, name: str) -> NoReturn:
        raise ParameterError(
            f"column {name!r} is {type(self).__name__}(), but this model counts combinations of values: a column is "
            "Categorical(), Binned(), Cut() or Ignore()."
        )
