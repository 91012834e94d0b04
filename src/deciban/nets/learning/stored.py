"""What files hold of nets and their tallies: a tally is written as its graph and the statistics of its families."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deciban.nets.data.node_rows import States
from deciban.nets.graphs.dag import DAG
from deciban.nets.learning.em import EMTrace
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.fit import FitSettings
from deciban.nets.learning.linear_gaussian import CrossMoments, GaussianTally, LinearGaussian
from deciban.nets.scores.discrete import BDeu
from deciban.storable import storable

__all__ = ["net_tally_state", "restored_net_tally"]


def net_tally_state(tally: FamilyTally | GaussianTally) -> dict[str, Any]:
    """The state of a tally, by name."""
    graph = {"nodes": tally.dag.nodes, "arrows": tally.dag.directed_edges, "rows": tally.rows}
    if isinstance(tally, GaussianTally):
        return graph | {"moments": tally.moments}
    return graph | {"states": tally.state_lists, "counts": tally.counts, "totals": tally.totals}


def restored_net_tally(kind: type[Any], state: Mapping[str, Any]) -> FamilyTally | GaussianTally:
    """The tally with this state; a ValueError where the state is inconsistent."""
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


storable(BDeu)
storable(CrossMoments)
storable(EMTrace)
storable(FitSettings)
storable(LinearGaussian)
storable(States)
