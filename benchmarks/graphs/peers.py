"""PC of causal-learn and pgmpy, and graphs as marks at the ends of edges, so that they can be compared.

Marks are causal-learn's: ``marks[i, j]`` is the end at i of the edge between i and j: 1 an arrowhead, −1 a tail or the
end of an undirected edge, 0 no edge.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = [
    "Marks",
    "arrow_f1",
    "causal_learn",
    "differences",
    "distance",
    "marks_of",
    "pgmpy",
    "pgmpy_before",
    "skeleton_f1",
]

Marks = NDArray[np.int64]

_PGMPY: dict[str, Any] = {"variant": "stable", "max_cond_vars": 8, "n_jobs": 1, "show_progress": False}


def causal_learn(
    table: NDArray[np.int64] | NDArray[np.float64], alpha: float, max_given: int | None = None, *, test: str = "gsq"
) -> Marks:
    """PC-stable by G², with degrees of freedom from the rows and columns that occur, or by another of its tests."""
    from causallearn.search.ConstraintBased.PC import pc  # noqa: PLC0415

    found = pc(table, alpha, test, show_progress=False, **({} if max_given is None else {"max_k": max_given}))
    return np.asarray(found.G.graph, dtype=np.int64)


def pgmpy(table: pd.DataFrame, alpha: float) -> Any:
    """PC-stable by G² in pgmpy's current form; conditioning sets up to eight, more than it reaches."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.causal_discovery import PC  # noqa: PLC0415

        return PC(ci_test="g_sq", significance_level=alpha, **_PGMPY).fit(table)


def pgmpy_before(table: pd.DataFrame, alpha: float) -> Any:
    """The same through the deprecated class of pgmpy 1.1, which builds one table for each stratum."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.estimators import PC  # noqa: PLC0415

        return PC(table).estimate(ci_test="g_sq", significance_level=alpha, **_PGMPY)


def marks_of(graph: Any) -> Marks:
    """The marks of one of deciban's graphs, nodes in its own order."""
    has_tail = graph.adjacency()  # [i, j]: i → j or i — j
    return np.where(has_tail, -1, np.where(has_tail.T, 1, 0))


def distance(found: Marks, true: Marks) -> int:
    """The structural Hamming distance: pairs of nodes whose marks differ."""
    differs = found != true
    return int(np.triu(differs | differs.T, 1).sum())


def differences(found: Marks, other: Marks) -> int:
    """The number of edges that only one of two skeletons has."""
    return int(np.triu((found != 0) != (other != 0), 1).sum())


def skeleton_f1(found: Marks, true: Marks) -> float:
    """2·correct / (found + true)."""
    correct = int(np.triu((found != 0) & (true != 0), 1).sum())
    both = int(np.triu(found != 0, 1).sum()) + int(np.triu(true != 0, 1).sum())
    return 2 * correct / both if both else 1.0


def arrow_f1(found: Marks, true: Marks) -> float:
    """The same of the arrows."""
    ours, theirs = (found == -1) & (found.T == 1), (true == -1) & (true.T == 1)
    both = int(ours.sum()) + int(theirs.sum())
    return 2 * int((ours & theirs).sum()) / both if both else 1.0
