"""Bayes nets as pictures: what is believed of every node, before and after something was observed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from deciban.errors import TooLargeError, UnfittedError
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.drawing.scene import plot_scene, scene_svg
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.belief_drawing import Drawn, draw, shown_states
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.evidence import Findings, Likelihoods, read_findings
from deciban.nets.inference.queries import distributions, plan_of
from deciban.nets.network import Evidence, HoldsNetwork, Network

__all__ = ["Beliefs", "Shown"]

_NODES, _LINES, _STATES = 40, 40, 4
_QUICK = 2_000_000
"""Table entries up to which a notebook gets bars without having asked for them."""


class Beliefs(Mapping[Node, Distribution]):
    """What is believed of each node given what is known; ``prior`` is what was believed before.

    A notebook draws it; ``to_svg()`` and ``plot()`` give the picture to others. Filled bars are the beliefs now, hollow
    ones behind them those before; observed nodes are highlighted. Of large nets the nodes are drawn that changed most.
    """

    def __init__(self, network: Network, findings: Findings) -> None:
        self.dag = network.dag
        self.prior = distributions(network, Findings())
        self._now = distributions(network, findings) if findings else self.prior
        nodes = network.nodes
        self.evidence = {nodes[place]: network.states[nodes[place]][code] for place, code in findings.codes.items()}
        self.heard = frozenset(nodes[place] for place in findings.likelihoods) - set(self.evidence)

    def __getitem__(self, node: Node) -> Distribution:
        return self._now[node]

    def __iter__(self) -> Iterator[Node]:
        return iter(self._now)

    def __len__(self) -> int:
        return len(self._now)

    def change(self, node: Node) -> float:
        """How far the beliefs moved: ½ Σ |now − before|, from 0 to 1."""
        return float(np.abs(self[node].as_array() - self.prior[node].as_array()).sum() / 2)

    def to_svg(self) -> str:
        """The picture as SVG."""
        return scene_svg(draw(self._drawn()))

    def plot(self, ax: Any = None) -> Any:
        """Draw the picture with matplotlib; give the axes."""
        return plot_scene(draw(self._drawn()), ax)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def _drawn(self) -> Drawn:
        nodes, note = self._most_changed()
        known = bool(self.evidence or self.heard)
        before = self.prior if known else {}
        return Drawn(self.dag, nodes, self, before, frozenset(self.evidence), self.heard, note)

    def _most_changed(self) -> tuple[tuple[Node, ...], str]:
        """The nodes that are drawn, and what is said of the others."""
        if len(self) <= _NODES:
            return tuple(self), ""
        if not self.evidence and not self.heard:
            return _around(self.dag)
        order = sorted(self, key=lambda node: (node not in self.evidence, -self.change(node)))
        chosen = set(order[:_NODES])
        note = f"{_NODES} of {len(self)} nodes: those observed and those whose beliefs changed most"
        return tuple(node for node in self if node in chosen), note

    def __repr__(self) -> str:
        nodes = list(self)
        wide = max((len(str(node)) for node in nodes[:_LINES]), default=0)
        lines = [f"{node!s:{wide}}  {self._line(node)}" for node in nodes[:_LINES]]
        more = [f"… and {len(self) - _LINES} more nodes"] if len(self) > _LINES else []
        return "\n".join([*lines, *more])

    def _line(self, node: Node) -> str:
        if node in self.evidence:
            return f"= {self.evidence[node]}"
        now, before = self[node], self.prior[node]
        parts = []
        for place in shown_states(now, _STATES):
            state = now.states[place]
            change = f"{before[state]:.3f} → " if self.evidence or self.heard else ""
            parts.append(f"{state} {change}{now[state]:.3f}")
        return "   ".join(parts) + ("   …" if len(now) > _STATES else "")


class Shown(HoldsNetwork):
    """A net that shows its beliefs."""

    @property
    @abstractmethod
    def dag(self) -> DAG:
        """The graph."""

    def beliefs(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Beliefs:
        """What is believed of every node, before and after the evidence: a value that prints, draws and plots itself.

        Examples
        --------
        >>> from deciban import BayesNet
        >>> net = BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.beliefs({"wet": "yes"})
        rain  no 0.800 → 0.333   yes 0.200 → 0.667
        wet   = yes
        """
        return Beliefs(self.network, read_findings(self.network, evidence, likelihoods))

    def plot(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None, ax: Any = None) -> Any:
        """Draw beliefs with matplotlib, or the graph alone where the net has no tables yet; give the axes."""
        try:
            return self.beliefs(evidence, likelihoods=likelihoods).plot(ax)
        except UnfittedError:
            return plot_scene(draw(_bare(self.dag)), ax)

    def _repr_html_(self) -> str:
        try:
            network = self.network
            if plan_of(network, (), Findings()).cells <= _QUICK:
                return self.beliefs().to_svg()
        except (TooLargeError, UnfittedError):
            pass
        return scene_svg(draw(_bare(self.dag)))


def _around(dag: DAG) -> tuple[tuple[Node, ...], str]:
    """The node with the most neighbours and those nearest to it."""
    centre = max(range(len(dag.nodes)), key=lambda place: dag.adjacent_masks[place].bit_count())
    order = [centre]
    for place in order:
        order += [near for near in bits(dag.adjacent_masks[place]) if near not in order]
        if len(order) >= _NODES:
            break
    rest = [place for place in range(len(dag.nodes)) if place not in order]
    chosen = sorted((order + rest)[:_NODES])
    note = f"{_NODES} of {len(dag.nodes)} nodes: {dag.nodes[centre]} and those around it"
    return tuple(dag.nodes[place] for place in chosen), note


def _bare(dag: DAG) -> Drawn:
    """The graph alone."""
    nodes, note = (dag.nodes, "") if len(dag.nodes) <= _NODES else _around(dag)
    return Drawn(dag, nodes, note=note)
