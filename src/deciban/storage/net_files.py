"""What a file of a Bayes net holds: the graph, and its counts or, where there are none, its given tables.

Tables and parameters follow from the tally, the smoothing and the policy for unseen configurations, as they did when
the net was fitted; so a loaded net gives the same answers, bit for bit, and can learn more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deciban.nets import DAG, BayesNet, GaussianNet, Network
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.fit import GaussianFit, TableFit
from deciban.nets.learning.linear_gaussian import GaussianTally
from deciban.tallies import Tally

__all__ = ["net_state", "restored_net", "restored_tally", "tally_state"]


def net_state(net: BayesNet | GaussianNet) -> dict[str, object]:
    """The state of a net that has tables or parameters; an ``UnfittedError`` where it has none."""
    values = _discrete_state(net) if isinstance(net, BayesNet) else _gaussian_state(net)
    return {"nodes": net.dag.nodes, "arrows": net.dag.directed_edges, **values}


def restored_net(kind: type, state: Mapping[str, Any]) -> BayesNet | GaussianNet:
    """The net with this state."""
    # The nodes as well as the arrows: isolated nodes have none, and the order of nodes is that of the user.
    dag = DAG(state["arrows"], state["nodes"])
    return _discrete_net(dag, state) if kind is BayesNet else _gaussian_net(dag, state)


def _discrete_state(net: BayesNet) -> dict[str, object]:
    # First, since this property raises the error of a net without tables.
    network, fit = net.network, net._fitted
    if not isinstance(fit, TableFit):
        return {"states": network.states, "parents": network.parents, "tables": network.tables}
    return {
        "states": fit.tally.state_lists,
        "counts": fit.tally.counts,
        "totals": fit.tally.totals,
        "rows": fit.tally.rows,
        "settings": fit.settings,
        "trace": fit.trace,
    }


def _discrete_net(dag: DAG, state: Mapping[str, Any]) -> BayesNet:
    if "tables" in state:
        return BayesNet.of(Network(dag, state["states"], state["tables"], state["parents"]))
    tally = FamilyTally(dag, state["states"], state["counts"], state["totals"], state["rows"])
    return BayesNet(dag)._adopt(TableFit(tally, state["settings"], state["trace"]))


def _gaussian_state(net: GaussianNet) -> dict[str, object]:
    parameters, fit = net.parameters, net._fitted
    if not isinstance(fit, GaussianFit):
        return {"linear": parameters}
    settings = {"missing": fit.missing, "variance": fit.variance}
    return {"moments": fit.tally.moments, "rows": fit.tally.rows, "settings": settings, "trace": fit.trace}


def _gaussian_net(dag: DAG, state: Mapping[str, Any]) -> GaussianNet:
    if "linear" in state:
        return GaussianNet.from_parameters(dag, state["linear"])
    settings, tally = state["settings"], GaussianTally(dag, state["moments"], state["rows"])
    return GaussianNet(dag)._adopt(GaussianFit(tally, settings["variance"], settings["missing"], state["trace"]))


def tally_state(tally: Tally | FamilyTally | GaussianTally) -> dict[str, object]:
    """The state of a tally, by name."""
    return {"tally": tally} if isinstance(tally, Tally) else tally._state()


def restored_tally(kind: type, state: Mapping[str, Any]) -> Tally | FamilyTally | GaussianTally:
    """The tally with this state; a ValueError where the state is inconsistent."""
    if kind is Tally:
        tally: Tally = state["tally"]
        return tally
    return (FamilyTally if kind is FamilyTally else GaussianTally)._of_state(state)
