"""Effects in linear models: the slope of a regression.

If every variable is a linear function of its parents plus noise, the effect of one unit more of x on the mean of y is
the coefficient of x in the regression of y on x and the parents of x (Pearl, 1998),

  β = [Σ_zz⁻¹ Σ_zy] at x,   z = (x, parents of x),

and 0 if y is one of these parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import InputError
from deciban.nets.data.rows import read_rows
from deciban.nets.data.samples import number_rows
from deciban.nets.graphs.base import Node
from deciban.types import Floats

__all__ = ["Covariances", "slope"]

_SINGULAR = 1e-11


@dataclass(frozen=True, eq=False)
class Covariances:
    """Covariances of named variables, and the number of rows."""

    names: tuple[str, ...]
    matrix: Floats
    rows: float

    @classmethod
    def read(cls, data: Any, nodes: Sequence[Node], sample_weight: Any = None) -> Covariances:
        """The covariances of the columns of some nodes, from the rows without missing values."""
        rows = read_rows(data, nodes, sample_weight=sample_weight, missing="drop", choices=("drop",))
        sample = number_rows(rows, nodes, labels='Leave out model="gaussian" for labels.')
        names = tuple(map(str, nodes))
        if not sample.total > len(names) + 1:
            raise InputError(
                f"{sample.total:.12g} rows without missing values in {', '.join(names)}: too few for a regression"
            )
        weights = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
        centred = sample.values - np.average(sample.values, axis=0, weights=weights)
        return cls(names, (centred * weights[:, None]).T @ centred / weights.sum(), float(weights.sum()))


def slope(covariances: Covariances, x: Node, y: Node, parents: Sequence[Node]) -> tuple[float, float]:
    """The coefficient of x in the regression of y on x and its parents, and its standard error."""
    if y in parents:
        return 0.0, 0.0
    indices = [covariances.names.index(str(node)) for node in (x, *parents)]
    goal = covariances.names.index(str(y))
    spread = np.sqrt(np.diag(covariances.matrix))
    for index in (*indices, goal):
        if not spread[index] > 0:
            raise InputError(f"column {covariances.names[index]!r} is constant: it has no slope. Remove it.")
    around = covariances.matrix / np.outer(spread, spread)
    inner = around[np.ix_(indices, indices)]
    if np.linalg.eigvalsh(inner)[0] < _SINGULAR:
        shown = ", ".join(covariances.names[index] for index in indices)
        raise InputError(f"{shown} are collinear, so their slopes are not identified. Remove one of them.")
    inverse = np.linalg.inv(inner)
    beta = inverse @ around[indices, goal]
    left = max(1 - float(beta @ around[indices, goal]), 0.0)
    scale = float(spread[goal] / spread[indices[0]])
    error = np.sqrt(left * inverse[0, 0] / max(covariances.rows - len(indices) - 1, 1.0))
    return float(beta[0]) * scale, float(error) * scale
