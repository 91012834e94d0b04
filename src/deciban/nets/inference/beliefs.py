"""The marginals of all nodes before and after evidence: as a mapping, as text and as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from deciban.choices import counted
from deciban.mappings import ResultMapping
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.drawing.part import central_nodes
from deciban.nets.graphs.drawing.scene import plot_scene, scene_svg
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.belief_drawing import BeliefPicture, draw, shown_states
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.queries import distributions, plan_of
from deciban.nets.network import Network
from deciban.ties import largest_first

__all__ = ["Beliefs", "graph_svg", "is_quick", "plot_graph"]

_NODES, _LINES, _STATES = 40, 40, 4
"""The most nodes in a picture, nodes in the text and states in a line."""

_QUICK = 2_000_000
"""The most table entries for which a notebook shows the marginals of a net."""


class Beliefs(ResultMapping[Node, Distribution]):
    """The marginals of a net after evidence: a mapping from nodes to distributions.

    Notebooks draw it; ``to_svg()`` and ``plot()`` give the picture elsewhere. Filled bars are P(node | evidence),
    hollow bars behind them P(node); observed nodes are highlighted. Of a large net, the nodes that changed most are
    drawn.

    Parameters
    ----------
    network : Network
        The net.
    findings : Findings
        What was observed.

    Attributes
    ----------
    prior : mapping of Distribution
        P(node) of each node, before the evidence.
    dag : DAG
        The graph.
    evidence : dict
        Node → observed state.
    uncertain : frozenset
        The nodes with likelihoods.

    See Also
    --------
    BayesNet.beliefs : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> beliefs = net.beliefs({"wet": "yes"})
    >>> beliefs["rain"], beliefs.prior["rain"], round(beliefs.change("rain"), 3)
    (Distribution(rain: no 0.3333, yes 0.6667), Distribution(rain: no 0.8000, yes 0.2000), 0.467)
    """

    def __init__(self, network: Network, findings: Findings) -> None:
        self.dag = network.dag
        self.prior = distributions(network, Findings())
        self._values = distributions(network, findings) if findings else self.prior
        nodes = network.nodes
        self.evidence = {nodes[index]: network.states[nodes[index]][code] for index, code in findings.codes.items()}
        self.uncertain = frozenset(nodes[index] for index in findings.likelihoods) - set(self.evidence)

    def change(self, node: Node) -> float:
        r"""How much the distribution of a node changed.

        Parameters
        ----------
        node : node
            The name of a node.

        Returns
        -------
        float
            The total variation distance ½ Σ \|P(state | evidence) − P(state)\|, from 0 to 1.
        """
        return float(np.abs(self[node].as_array() - self.prior[node].as_array()).sum() / 2)

    def to_svg(self) -> str:
        """The picture as SVG.

        Returns
        -------
        str
        """
        return scene_svg(draw(self._picture()))

    def plot(self, ax: Any = None) -> Any:
        """Draw the picture with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        matplotlib axes
        """
        return plot_scene(draw(self._picture()), ax)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def _picture(self) -> BeliefPicture:
        nodes, note = self._most_changed()
        before = self.prior if self._has_findings else {}
        return BeliefPicture(self.dag, nodes, self, before, frozenset(self.evidence), self.uncertain, note)

    def _most_changed(self) -> tuple[tuple[Node, ...], str]:
        """The nodes that are drawn, and a note if others are left out."""
        if len(self) <= _NODES:
            return tuple(self), ""
        if not self._has_findings:
            return _central(self.dag)
        order = sorted(largest_first(self, self.change), key=lambda node: node not in self.evidence)
        chosen = set(order[:_NODES])
        note = f"{_NODES} of {len(self)} nodes: the observed ones, and those whose probabilities changed most"
        return tuple(node for node in self if node in chosen), note

    @property
    def _has_findings(self) -> bool:
        return bool(self.evidence or self.uncertain)

    def __repr__(self) -> str:
        evidence = "".join(f", {node}={state}" for node, state in list(self.evidence.items())[:_STATES])
        more = ", …" if len(self.evidence) > _STATES else ""
        return f"Beliefs({counted(len(self), 'node')}{evidence}{more})"

    def __str__(self) -> str:
        nodes = list(self)
        wide = max((len(str(node)) for node in nodes[:_LINES]), default=0)
        lines = [f"{node!s:{wide}}  {self._line(node)}" for node in nodes[:_LINES]]
        more = [f"… and {counted(len(self) - _LINES, 'more node')}"] if len(self) > _LINES else []
        return "\n".join([*lines, *more])

    def _line(self, node: Node) -> str:
        if node in self.evidence:
            return f"= {self.evidence[node]}"
        now, before = self[node], self.prior[node]
        parts = []
        for index in shown_states(now, _STATES):
            state = now.states[index]
            change = f"{before[state]:.3f} → " if self._has_findings else ""
            parts.append(f"{state} {change}{now[state]:.3f}")
        return "   ".join(parts) + ("   …" if len(now) > _STATES else "")


def plot_graph(dag: DAG, ax: Any = None) -> Any:
    """Draw the graph of a net with matplotlib; returns the axes."""
    return plot_scene(draw(_graph_alone(dag)), ax)


def graph_svg(dag: DAG) -> str:
    """The graph of a net as SVG."""
    return scene_svg(draw(_graph_alone(dag)))


def is_quick(network: Network) -> bool:
    """Whether all marginals take so little time that a notebook computes them to show the net."""
    return plan_of(network, (), Findings()).cells <= _QUICK


def _central(dag: DAG) -> tuple[tuple[Node, ...], str]:
    """The node with the most neighbours and those nearest to it."""
    chosen = central_nodes(dag._adjacent_masks, _NODES)
    note = f"{_NODES} of {len(dag.nodes)} nodes: {dag.nodes[chosen[0]]} and the nearest"
    return tuple(dag.nodes[index] for index in sorted(chosen)), note


def _graph_alone(dag: DAG) -> BeliefPicture:
    """A picture without tables."""
    nodes, note = (dag.nodes, "") if len(dag.nodes) <= _NODES else _central(dag)
    return BeliefPicture(dag, nodes, note=note)
