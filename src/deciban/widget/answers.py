"""What a live picture asks a net, and the answers: the probabilities of all nodes before and after the findings.

Findings and answers are plain JSON with the indices of nodes and states. Findings are read as the library's own, so
that the picture shows what `BayesNet.marginals` gives, and after an intervention what `BayesNet.do` gives.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from deciban.charts import thin
from deciban.errors import DecibanError, InputError
from deciban.nets import BayesNet, Distribution
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.mixture import as_mixture, density_curve
from deciban.nets.inference.normal import finite_number
from deciban.units import bits_from_nats

__all__ = ["LiveNet"]

_KEPT = 8
"""So many nets with interventions are kept compiled."""

_POINTS = 60


class LiveNet:
    """A net that answers a live picture.

    Parameters
    ----------
    net : BayesNet
        The net.

    Attributes
    ----------
    net, after : BayesNet
        The net, and the one after the interventions of the last answer.
    now : mapping
        The distributions of the last answer.
    prior : list
        The probabilities of all nodes without findings, as JSON.
    """

    def __init__(self, net: BayesNet) -> None:
        self.net = net
        self.now, self.after = net.marginals(), net
        self.prior = [self._marginal(one) for one in self.now.values()]
        self._after: OrderedDict[frozenset[tuple[Node, Any]], BayesNet] = OrderedDict()
        self._reasons: dict[int, str] = {}

    def named(self, findings: Mapping[str, Any]) -> dict[str, dict[Node, Any]]:
        """The findings with the names of nodes and states: `evidence`, `likelihoods` and `interventions`."""
        observed, weighed, actions = (
            {int(index): value for index, value in (findings.get(kind) or {}).items()}
            for kind in ("observed", "likelihoods", "interventions")
        )
        for index in (*observed, *weighed, *actions):
            if not 0 <= index < len(self.net.nodes):
                raise InputError(f"the net has {len(self.net.nodes)} nodes, and none with the index {index}")
        node = self.net.nodes.__getitem__
        return {
            "evidence": {node(index): self._value(index, value) for index, value in observed.items()},
            "likelihoods": {node(index): list(weights) for index, weights in weighed.items()},
            "interventions": {node(index): self._value(index, value) for index, value in actions.items()},
        }

    def indexed(
        self, evidence: Mapping[Any, Any], likelihoods: Mapping[Any, Any], interventions: Mapping[Any, Any]
    ) -> dict[str, Any]:
        """Findings with names as a live picture has them; an error for a node or a state that there is not."""
        dag = self.net.dag
        return {
            "observed": {str(dag.index(node)): self._code(node, value) for node, value in evidence.items()},
            "likelihoods": {str(dag.index(node)): self._weights(node, each) for node, each in likelihoods.items()},
            "interventions": {str(dag.index(node)): self._code(node, value) for node, value in interventions.items()},
        }

    def answer(self, findings: Mapping[str, Any]) -> dict[str, Any]:
        """The probabilities of each node before and after the findings; or what is wrong with them."""
        turn = {"turn": int(findings.get("turn", 0)), "prior": self.prior}
        try:
            named = self.named(findings)
            net = self._set(named["interventions"])
            evidence, likelihoods = named["evidence"], named["likelihoods"]
            now = net.marginals(evidence, likelihoods=likelihoods)
            self.now, self.after = now, net
            log = net.log_probability(evidence, likelihoods=likelihoods) if evidence or likelihoods else 0.0
        except DecibanError as error:
            return {**turn, "error": str(error)}
        return {**turn, "now": [self._marginal(one) for one in now.values()], "log": log}

    def reason(self, edge: int) -> str:
        """Why an edge is there: what the parent says about the child."""
        if edge not in self._reasons:
            parent, child = self.net.dag.directed_edges[edge]
            self._reasons[edge] = self._reason(parent, child)
        return self._reasons[edge]

    def _reason(self, parent: Node, child: Node) -> str:
        if self._strengths is None:
            return f"The distribution of {child} is given for each value of {parent}."
        strength = self._strengths[parent, child]
        bits = float(bits_from_nats(strength.nats))
        return (
            f"Given the other parents, {parent} tells {bits:.4g} bits about {child}: {strength.share:.1%} of what is "
            "uncertain of it."
        )

    @cached_property
    def _strengths(self) -> Mapping[Any, Any] | None:
        """The strengths of the arrows; None where there are numbers, or the net is too large for them."""
        try:
            return self.net.arrow_strengths()
        except DecibanError:
            return None

    def _set(self, actions: Mapping[Node, Any]) -> BayesNet:
        """The net after interventions; a few are kept, so that a click needs no new clique tree."""
        if not actions:
            return self.net
        key = frozenset(actions.items())
        if key not in self._after:
            self._after[key] = self.net.do(actions)
            while len(self._after) > _KEPT:
                self._after.popitem(last=False)
        self._after.move_to_end(key)
        return self._after[key]

    def _value(self, index: int, value: Any) -> Any:
        """The state with an index, or the value of a number."""
        node = self.net.nodes[index]
        if node not in self.net.states:
            return float(value)
        states = self.net.states[node]
        if not 0 <= int(value) < len(states):
            raise InputError(f"{node!r} has {len(states)} states, and none with the index {value}")
        return states[int(value)]

    def _code(self, node: Node, value: Any) -> int | float:
        return self.net.network.code(node, value) if node in self.net.states else finite_number(node, value)

    def _weights(self, node: Node, weights: Any) -> list[float]:
        if node not in self.net.states:
            raise InputError(f"{node!r} is a number: likelihoods are of the states of categories")
        if not isinstance(weights, Mapping):
            return [float(weight) for weight in weights]
        out = [0.0] * len(self.net.states[node])
        for state, weight in weights.items():
            out[self.net.network.code(node, state)] = float(weight)
        return out

    @staticmethod
    def _marginal(marginal: Any) -> dict[str, Any]:
        """The probabilities of the states; of a number its mean, its standard deviation and its density."""
        if isinstance(marginal, Distribution):
            return {"p": marginal.as_array().tolist()}
        mixture = as_mixture(marginal)
        low, high = float(mixture.quantile(0.002)), float(mixture.quantile(0.998))
        curve = []
        if low < high:
            x, density = density_curve(mixture, low, high)
            # In the picture's proportions, so that points are kept where the curve bends.
            wide, tall = (high - low) / 100, (float(density.max(initial=0.0)) or 1.0) / 40
            curve = [[x * wide, y * tall] for x, y in thin(x / wide, density / tall, _POINTS)]
        return {"mean": float(mixture.mean), "sd": float(mixture.sd), "low": low, "high": high, "curve": curve}
