"""What a file of a Bayes net holds: the graph, and its counts or, where there are none, its given tables.

Tables and parameters follow from the tally, the smoothing and the policy for unseen configurations, as they did when
the net was fitted; so a loaded net gives the same answers, bit for bit, and can learn more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deciban.nets import DAG, BayesNet, GaussianNet, MixedNetwork, Network
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.fit import GaussianFit, MixedFit, TableFit
from deciban.nets.learning.linear_gaussian import GaussianTally
from deciban.nets.learning.mixed import MixedTally
from deciban.tallies import Tally

__all__ = ["net_state", "restored_net", "restored_tally", "tally_state"]

AnyTally = Tally | FamilyTally | GaussianTally | MixedTally


def net_state(net: BayesNet) -> dict[str, object]:
    """The state of a net that has tables or parameters; an ``UnfittedError`` where it has none."""
    return {"nodes": net.dag.nodes, "arrows": net.dag.directed_edges, **_values(net)}


def _values(net: BayesNet) -> dict[str, object]:
    # First, since this property raises the error of a net without tables.
    network, fit = net.network, net._fitted
    if isinstance(fit, TableFit):
        return {**fit.tally._state(), "settings": fit.settings, "trace": fit.trace}
    if isinstance(fit, GaussianFit):
        settings = {"missing": fit.missing, "variance": fit.variance}
        return {"moments": fit.tally.moments, "rows": fit.tally.rows, "settings": settings, "trace": fit.trace}
    if isinstance(fit, MixedFit):
        return {**fit.tally._state(), "settings": fit.settings, "reasons": dict(fit.reasons), "trace": fit.trace}
    if isinstance(net, GaussianNet):
        return {"linear": net.parameters}
    if isinstance(network, MixedNetwork):
        cuts = {node: dict(of_node) for node, of_node in network.cuts.items()}
        given = {"states": network.states, "tables": network.tables, "cuts": cuts}
        return {**given, "regressions": dict(network.regressions)}
    return {"states": network.states, "parents": network.parents, "tables": network.tables}


def restored_net(kind: type, state: Mapping[str, Any]) -> BayesNet:
    """The net with this state."""
    # The nodes as well as the arrows: isolated nodes have none, and the order of nodes is that of the user.
    dag = DAG(state["arrows"], state["nodes"])
    cls: type[BayesNet] = GaussianNet if kind is GaussianNet else BayesNet
    if "linear" in state:
        return GaussianNet.from_parameters(dag, state["linear"])
    if "regressions" in state:
        return cls.of(MixedNetwork(dag, state["states"], state["tables"], state["regressions"], state["cuts"]))
    if "tables" in state:
        return cls.of(Network(dag, state["states"], state["tables"], state["parents"]))
    if "cuts" in state:
        return cls(dag)._adopt(
            MixedFit(MixedTally._of_state(state), state["settings"], state["reasons"], state["trace"])
        )
    if "moments" in state:
        settings, tally = state["settings"], GaussianTally(dag, state["moments"], state["rows"])
        return cls(dag)._adopt(GaussianFit(tally, settings["variance"], settings["missing"], state["trace"]))
    return cls(dag)._adopt(TableFit(FamilyTally._of_state(state), state["settings"], state["trace"]))


def tally_state(tally: AnyTally) -> dict[str, object]:
    """The state of a tally, by name."""
    return {"tally": tally} if isinstance(tally, Tally) else tally._state()


def restored_tally(kind: type, state: Mapping[str, Any]) -> AnyTally:
    """The tally with this state; a ValueError where the state is inconsistent."""
    if kind is Tally:
        tally: Tally = state["tally"]
        return tally
    kinds: tuple[type[FamilyTally | GaussianTally | MixedTally], ...] = (FamilyTally, GaussianTally, MixedTally)
    return next(each for each in kinds if each is kind)._of_state(state)
