"""PC as causal-learn and pgmpy run it, and graphs as marks at the ends of edges, so that they can be compared.

Marks are causal-learn's: ``marks[i, j]`` is what the edge between i and j has at i: 1 an arrow's head, −1 its tail or a
line's end, 0 no edge.
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = [
    "Marks",
    "causal_learn",
    "differences",
    "distance",
    "is_installed",
    "marks_of",
    "pgmpy",
    "pgmpy_before",
    "skeleton_f1",
]

Marks = NDArray[np.int64]

_PGMPY: dict[str, Any] = {"variant": "stable", "max_cond_vars": 8, "n_jobs": 1, "show_progress": False}
_MODULES = {"causal-learn": "causallearn", "pgmpy": "pgmpy"}


def is_installed(peer: str) -> bool:
    """Whether the peer can be asked."""
    return find_spec(_MODULES[peer]) is not None


def causal_learn(codes: NDArray[np.int64], alpha: float, max_given: int | None = None) -> Marks:
    """PC-stable by G², df of active rows and columns."""
    from causallearn.search.ConstraintBased.PC import pc  # noqa: PLC0415

    found = pc(codes, alpha, "gsq", show_progress=False, **({} if max_given is None else {"max_k": max_given}))
    return np.asarray(found.G.graph, dtype=np.int64)


def pgmpy(table: pd.DataFrame, alpha: float) -> Any:
    """PC-stable by G², as pgmpy does it now; sets of up to eight, which is deeper than it comes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.causal_discovery import PC  # noqa: PLC0415

        return PC(ci_test="g_sq", significance_level=alpha, **_PGMPY).fit(table)


def pgmpy_before(table: pd.DataFrame, alpha: float) -> Any:
    """The same through the class that pgmpy 1.1 still has and calls deprecated: a table a stratum."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.estimators import PC  # noqa: PLC0415

        return PC(table).estimate(ci_test="g_sq", significance_level=alpha, **_PGMPY)


def marks_of(graph: Any) -> Marks:
    """Of one of deciban's graphs, nodes in its own order."""
    leaves = graph.adjacency()  # [i, j]: i → j, or a line
    return np.where(leaves, -1, np.where(leaves.T, 1, 0))


def distance(found: Marks, true: Marks) -> int:
    """The structural Hamming distance: pairs with other marks."""
    differs = found != true
    return int(np.triu(differs | differs.T, 1).sum())


def differences(found: Marks, other: Marks) -> int:
    """The edges of one skeleton that the other lacks, both ways."""
    return int(np.triu((found != 0) != (other != 0), 1).sum())


def skeleton_f1(found: Marks, true: Marks) -> float:
    """2·right / (found + true)."""
    right = int(np.triu((found != 0) & (true != 0), 1).sum())
    both = int(np.triu(found != 0, 1).sum()) + int(np.triu(true != 0, 1).sum())
    return 2 * right / both if both else 1.0
