"""Effects among numbers: the slope of a regression.

Where every variable is a linear function of its parents and noise, the effect of one unit more of x on the mean of y is
the coefficient of x in the regression of y on x and the parents of x (Pearl, 1998),

  β = [Σ_zz⁻¹ Σ_zy] at x,   z = (x, parents of x),

and 0 where y itself is among these parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError, InputError
from deciban.nets.data.sample import read_numbers
from deciban.nets.graphs.base import Node
from deciban.types import Floats

__all__ = ["Covariances", "slope"]

_SINGULAR = 1e-11


@dataclass(frozen=True, eq=False)
class Covariances:
    """Covariances of named variables, and the rows behind them."""

    names: tuple[str, ...]
    matrix: Floats
    rows: float

    @classmethod
    def read(cls, data: Any, nodes: Sequence[Node], weights: Any = None) -> Covariances:
        """The covariances of the columns named like some nodes, from the rows that have all of them."""
        sample = read_numbers(data, weights)
        names = tuple(map(str, nodes))
        for name in names:
            if name not in sample.names:
                raise ColumnMismatchError(f"the table has no column {name!r}; it has {', '.join(sample.columns)}")
        values = sample.values[:, [sample.names.index(name) for name in names]]
        whole = ~np.isnan(values).any(axis=1)
        own = np.ones(int(whole.sum())) if sample.weights is None else sample.weights[whole]
        if not own.sum() > len(names) + 1:
            raise InputError(f"{own.sum():.12g} rows have all of {', '.join(names)}: too few for a regression")
        centred = values[whole] - np.average(values[whole], axis=0, weights=own)
        return cls(names, (centred * own[:, None]).T @ centred / own.sum(), float(own.sum()))


def slope(held: Covariances, x: Node, y: Node, parents: Sequence[Node]) -> tuple[float, float]:
    """The coefficient of x in the regression of y on x and its parents, and its standard error."""
    if y in parents:
        return 0.0, 0.0
    places = [held.names.index(str(node)) for node in (x, *parents)]
    goal = held.names.index(str(y))
    spread = np.sqrt(np.diag(held.matrix))
    for place in (*places, goal):
        if not spread[place] > 0:
            raise InputError(f"column {held.names[place]!r} is constant: it has no slope. Leave it out.")
    around = held.matrix / np.outer(spread, spread)
    inner = around[np.ix_(places, places)]
    if np.linalg.eigvalsh(inner)[0] < _SINGULAR:
        shown = ", ".join(held.names[place] for place in places)
        raise InputError(f"{shown} determine one another, so none of them has a slope of its own. Leave one out.")
    inverse = np.linalg.inv(inner)
    beta = inverse @ around[places, goal]
    left = max(1 - float(beta @ around[places, goal]), 0.0)
    scale = float(spread[goal] / spread[places[0]])
    error = np.sqrt(left * inverse[0, 0] / max(held.rows - len(places) - 1, 1.0))
    return float(beta[0]) * scale, float(error) * scale
