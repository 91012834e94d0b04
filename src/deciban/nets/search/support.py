"""How well the rows support the edges of a given net: how often a search finds them in bootstrap samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from deciban.nets.data.kinds import Reads
from deciban.nets.data.rows import read_rows
from deciban.nets.data.samples import code_rows, number_rows
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.confidence import Confidence
from deciban.nets.scores.protocol import ADVICE
from deciban.nets.search.search import search

__all__ = ["edge_support"]


def edge_support(
    data: Any,
    nodes: Sequence[Node],
    *,
    reads: Reads,
    n: int = 100,
    random_state: int | np.random.Generator | None = 0,
) -> Confidence:
    """Greedy equivalence search on n bootstrap samples of the columns of some nodes.

    Rows with a missing value are left out. The shares say how stable the edges of a net are that was drawn by hand,
    or learned from other rows; they say nothing of its tables.

    Parameters
    ----------
    data
        A table with a column for each node; others are ignored.
    nodes
        The nodes.
    reads
        "categories" scores by BIC, "numbers" by the Gaussian BIC.
    n, random_state
        The number of samples, and their seed.
    """
    rows = read_rows(data, tuple(nodes), missing="drop", choices=("drop",))
    if reads == "numbers":
        return search(number_rows(rows, labels=ADVICE.labels), "gaussian_bic").bootstrap(n, random_state=random_state)
    return search(code_rows(rows, numbers=ADVICE.numbers), "bic").bootstrap(n, random_state=random_state)
