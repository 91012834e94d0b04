"""What a file of a tally holds: the tally itself, or the graph and the statistics of its families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deciban.nets import DAG
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.moments import GaussianTally
from deciban.tallies import Tally

__all__ = ["TALLIES", "restored_tally", "tally_state"]

TALLIES: tuple[type[Any], ...] = (Tally, FamilyTally, GaussianTally)


def tally_state(tally: Tally | FamilyTally | GaussianTally) -> dict[str, Any]:
    """The state of a tally, by name."""
    if isinstance(tally, Tally):
        return {"tally": tally}
    graph = {"nodes": tally.dag.nodes, "arrows": tally.dag.directed_edges, "rows": tally.rows}
    if isinstance(tally, GaussianTally):
        return graph | {"moments": tally.moments}
    return graph | {"states": tally.state_lists, "counts": tally.counts, "totals": tally.totals}


def restored_tally(kind: type[Any], state: Mapping[str, Any]) -> Tally | FamilyTally | GaussianTally:
    """The tally with this state; a ValueError where the state is inconsistent."""
    if kind is Tally:
        return state["tally"]
    dag = DAG(state["arrows"], state["nodes"])
    if kind is GaussianTally:
        return _checked_moments(GaussianTally(dag, state["moments"], state["rows"]))
    return _checked_counts(FamilyTally(dag, state["states"], state["counts"], state["totals"], state["rows"]))


def _checked_moments(tally: GaussianTally) -> GaussianTally:
    for node, moments in tally.moments.items():
        size = len(tally.dag.parents(node)) + 1
        shapes = moments.mean.shape, moments.cross.shape
        if shapes != ((size,), (size, size)) or not moments.weight >= 0 or not tally.rows >= 0:
            raise ValueError(f"the moments of {node!r} do not fit its parents")
    return tally


def _checked_counts(tally: FamilyTally) -> FamilyTally:
    sizes = {node: len(states) for node, states in tally.states.items()}
    for node, parents in tally.parents.items():
        shape = tuple(sizes[axis] for axis in (*parents, node))
        counts, totals = tally.counts[node], tally.totals[node]
        if counts.shape != shape or totals.shape != shape[-1:]:
            raise ValueError(f"the counts of {node!r} do not fit its states and parents")
        if not (np.all(counts >= 0) and np.all(totals >= 0) and tally.rows >= 0):
            raise ValueError(f"a count of {node!r} is negative")
    return tally
