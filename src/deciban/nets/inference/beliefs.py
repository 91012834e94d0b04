"""The marginals of all nodes before and after evidence: as a mapping, as text and as a picture.

The picture is the graph with a box for each node and a bar for each of its states, parents above children. Given
evidence, a filled bar is P(state | evidence) and the hollow bar behind it P(state). A number has its density in the
place of bars.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from deciban.charts import thin
from deciban.choices import counted
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.drawing import central_nodes
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.layout import MARGIN, boxes
from deciban.nets.graphs.scene import Arrow, Box, Outline, Scene, Shape, Words, cut, plot_scene, scene_svg, text_width
from deciban.nets.inference.distribution import Distribution
from deciban.nets.inference.evidence import Findings, MixedFindings, as_mixed_findings
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.inference.mixture import Mixture, as_mixture, density_curve
from deciban.nets.inference.normal import Normal
from deciban.nets.inference.queries import distributions, plan_of
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Network, State
from deciban.ties import largest_first, settled
from deciban.types import ResultMapping

__all__ = ["Beliefs", "graph_svg", "is_quick", "plot_graph", "shown_states"]


_NODES, _LINES, _STATES = 40, 40, 4
"""The most nodes in a picture, nodes in the text and states in a line."""

_QUICK = 2_000_000
"""The most table entries for which a notebook shows the marginals of a net."""


Marginal: TypeAlias = Distribution | Normal | Mixture
"""What is known of a node: of a number a normal distribution, or a mixture of them."""


class Beliefs(ResultMapping[Node, Marginal]):
    """The marginals of a net after evidence: a mapping from nodes to distributions.

    Notebooks draw it; ``to_svg()`` and ``plot()`` give the picture elsewhere. Filled bars are P(node | evidence),
    hollow bars behind them P(node); observed nodes are highlighted. Of a large net, the nodes that changed most are
    drawn.

    Parameters
    ----------
    network : Network or MixedNetwork
        The net.
    findings : Findings
        What was observed.

    Attributes
    ----------
    prior : mapping of Distribution
        P(node) of each node, before the evidence; of a number a ``Normal`` or a ``Mixture``.
    dag : DAG
        The graph.
    evidence : dict
        Node → observed state or number.
    uncertain : frozenset
        The nodes with likelihoods, and the numbers that are known to lie in an interval.

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

    def __init__(self, network: Network | MixedNetwork, findings: Findings) -> None:
        self.dag = network.dag
        nodes = network.nodes
        self.prior: Mapping[Node, Marginal]
        self.evidence: dict[Node, State] = {
            nodes[index]: network.states[nodes[index]][code] for index, code in findings.codes.items()
        }
        uncertain = set(findings.likelihoods)
        if isinstance(network, MixedNetwork):
            queries, mixed = MixedQueries(network), as_mixed_findings(findings)
            self.prior = queries.distributions(MixedFindings())
            self._values = queries.distributions(mixed) if mixed else self.prior
            self.evidence |= {nodes[index]: value for index, value in mixed.values.items()}
            uncertain |= set(mixed.bounds)
        else:
            self.prior = distributions(network, Findings())
            self._values = distributions(network, findings) if findings else self.prior
        self.uncertain = frozenset(nodes[index] for index in uncertain) - set(self.evidence)

    def change(self, node: Node) -> float:
        r"""How much the distribution of a node changed.

        Parameters
        ----------
        node : node
            The name of a node.

        Returns
        -------
        float
            The total variation distance ½ Σ \|P(state | evidence) − P(state)\|, from 0 to 1; of a number an integral.
        """
        now, before = self[node], self.prior[node]
        if isinstance(now, Distribution) and isinstance(before, Distribution):
            return float(np.abs(now.as_array() - before.as_array()).sum() / 2)
        if isinstance(now, Distribution) or isinstance(before, Distribution) or now == before:
            return 0.0
        return _distance(as_mixture(now), as_mixture(before))

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
        # Stable: the observed nodes first, then the others by their change.
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
        if not isinstance(now, Distribution) or not isinstance(before, Distribution):
            return "   ".join(
                f"{name} {f'{getattr(before, name):.4g} → ' if self._has_findings else ''}{getattr(now, name):.4g}"
                for name in ("mean", "sd")
            )
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


def is_quick(network: Network | MixedNetwork) -> bool:
    """Whether all marginals take so little time that a notebook computes them to show the net."""
    if isinstance(network, MixedNetwork):
        return MixedQueries(network).cost_of(None, MixedFindings()).cells <= _QUICK
    return plan_of(network, (), Findings()).cells <= _QUICK  # only planned: nothing is computed or compiled for it


def _central(dag: DAG) -> tuple[tuple[Node, ...], str]:
    """The node with the most neighbours and those nearest to it."""
    chosen = central_nodes(dag._adjacent_masks, _NODES)
    note = f"{_NODES} of {len(dag.nodes)} nodes: {dag.nodes[chosen[0]]} and the nearest"
    return tuple(dag.nodes[index] for index in sorted(chosen)), note


def _graph_alone(dag: DAG) -> BeliefPicture:
    """A picture without tables."""
    nodes, note = (dag.nodes, "") if len(dag.nodes) <= _NODES else _central(dag)
    return BeliefPicture(dag, nodes, note=note)


_BAR, _NUMBER, _ROW, _TITLE, _PAD = 72, 38, 15, 20, 8
_STATES_IN_A_BOX = 6
_PLAIN, _HIGHLIGHT, _UNCERTAIN = ("paper", "frame"), ("highlight", "observed"), ("uncertain", "observed")

_CURVE = 40
"""The height of the density of a number."""


@dataclass(frozen=True)
class BeliefPicture:
    """Some nodes of a graph, their probabilities now and before; observed nodes, and those with uncertain evidence."""

    dag: DAG
    nodes: tuple[Node, ...]
    now: Mapping[Node, Marginal] = field(default_factory=dict)
    before: Mapping[Node, Marginal] = field(default_factory=dict)
    observed: frozenset[Node] = frozenset()
    uncertain: frozenset[Node] = frozenset()
    note: str = ""


def draw(picture: BeliefPicture) -> Scene:
    """The boxes in layers, arrows between them, and a note below."""
    index = {node: number for number, node in enumerate(picture.nodes)}
    edges = [(index[a], index[b]) for a, b in picture.dag.directed_edges if a in index and b in index]
    width, heights = _width(picture), [_height(picture, node) for node in picture.nodes]
    laid = boxes(edges, width, heights)
    shapes: list[Shape] = [Arrow(points) for points in laid.edges]
    for node, height, (x, y) in zip(picture.nodes, heights, laid.corners, strict=True):
        shapes += _box(picture, node, x, y, width, height)
    if picture.note:
        shapes.append(Words(MARGIN, laid.height + _ROW, picture.note))
    wide = max(laid.width, text_width(picture.note))
    return Scene(wide, laid.height + (_ROW + MARGIN if picture.note else 0), tuple(shapes), _title(picture))


def _title(picture: BeliefPicture) -> str:
    nodes = counted(len(picture.nodes), "node")
    if not picture.now:
        return f"Graph of a Bayes net with {nodes}"
    given = ", ".join(f"{node}={_value(picture.now[node])}" for node in picture.nodes if node in picture.observed)
    return f"Probabilities of {nodes} of a Bayes net{f' given {given}' if given else ''}"


def _value(now: Marginal) -> str:
    """The value of an observed node."""
    return str(now.most_likely()) if isinstance(now, Distribution) else f"{now.mean:g}"


def _moments(now: Normal | Mixture) -> str:
    return f"{now.mean:.4g} ± {now.sd:.3g}" if now.variance else f"{now.mean:.6g}"


def shown_states(beliefs: Distribution, most: int) -> list[int]:
    """The indices of the states that are shown: all, or the most probable, in their order.

    >>> shown_states(Distribution("n", "abcd", [0.1, 0.5, 0.1, 0.3]), 2)
    [1, 3]
    """
    # Settled and stable: of states that are equally probable up to rounding, the first are shown in every run.
    return sorted(np.argsort(-settled(beliefs.as_array()), kind="stable")[:most].tolist())


def _width(picture: BeliefPicture) -> float:
    titles = [text_width(cut(node), 12.5) for node in picture.nodes]
    rows = []
    for now in (picture.now[node] for node in picture.nodes if node in picture.now):
        if isinstance(now, Distribution):
            shown = shown_states(now, _STATES_IN_A_BOX)
            rows += [text_width(cut(now.states[index])) + _BAR + _NUMBER + _PAD for index in shown]
        else:
            rows.append(max(text_width(_moments(now)), _BAR + _NUMBER))
    return max([60.0, *titles, *rows]) + 2 * _PAD


def _height(picture: BeliefPicture, node: Node) -> float:
    if node not in picture.now:
        return float(_TITLE + 4)
    now = picture.now[node]
    if not isinstance(now, Distribution):
        return float(_TITLE + _ROW + 6 + (0 if node in picture.observed else _CURVE))
    states = len(now)
    return float(_TITLE + _ROW * (min(states, _STATES_IN_A_BOX) + (states > _STATES_IN_A_BOX)) + 6)


def _box(picture: BeliefPicture, node: Node, x: float, y: float, width: float, height: float) -> list[Shape]:
    is_observed = node in picture.observed
    fill, stroke = _HIGHLIGHT if is_observed else _UNCERTAIN if node in picture.uncertain else _PLAIN
    shapes: list[Shape] = [
        Box(x, y, width, height, fill, stroke, 4),
        Words(x + width / 2, y + 14, cut(node), "middle", 12, is_bold=is_observed),
    ]
    now = picture.now.get(node)
    if now is None:
        return shapes
    if not isinstance(now, Distribution):
        if not is_observed:
            shapes += _curves(now, picture.before.get(node), x + _PAD, y + _TITLE, width - 2 * _PAD)
        return [*shapes, Words(x + width / 2, y + height - 8, _moments(now), "middle")]
    shown = shown_states(now, _STATES_IN_A_BOX)
    left = x + width - _PAD - _NUMBER - _BAR
    for row, index in enumerate(shown):
        top, p = y + _TITLE + row * _ROW, float(now.as_array()[index])
        shapes.append(Words(x + _PAD, top + 10.5, cut(now.states[index])))
        prior = picture.before.get(node)
        if isinstance(prior, Distribution):
            before = float(prior.as_array()[index])
            shapes.append(Box(left, top + 1.5, _BAR * before, 11, stroke="before"))
        shapes.append(Box(left, top + 3.5, _BAR * p, 7, "observed" if is_observed else "now"))
        shapes.append(Words(x + width - _PAD, top + 10.5, f"{p:.3f}", "end"))
    if len(shown) < len(now):
        shapes.append(Words(x + _PAD, y + _TITLE + len(shown) * _ROW + 10.5, f"… {len(now) - len(shown)} more"))
    return shapes


def _curves(now: Normal | Mixture, before: Marginal | None, x: float, y: float, width: float) -> list[Shape]:
    """The density of a number as a filled curve, and that before the evidence as a hollow one behind it."""
    both = [as_mixture(now), *([as_mixture(before)] if isinstance(before, Normal | Mixture) else [])]
    low, high = (pick(mixture.quantile(p) for mixture in both) for pick, p in ((min, 0.002), (max, 0.998)))
    if not low < high:  # a value that is certain
        low, high = low - 1.0, high + 1.0
    curves = [density_curve(mixture, low, high) for mixture in both]
    peak = max((float(density.max(initial=0.0)) for _, density in curves), default=0.0) or 1.0
    shapes: list[Shape] = []
    for (values, density), (fill, stroke) in zip(curves, (("now", "none"), ("none", "before")), strict=False):
        across = x + (values - low) / (high - low) * width
        points = thin(across, y + _CURVE - density / peak * (_CURVE - 4), 80)
        if points:
            shapes.insert(0, Outline(((x, y + _CURVE), *points, (x + width, y + _CURVE)), fill, stroke))
    for value in both[0].means[both[0].variances == 0].tolist():
        at = x + (value - low) / (high - low) * width
        shapes.append(Outline(((at, y + 4), (at, y + _CURVE)), "none", "now"))
    return shapes


def _distance(one: Mixture, other: Mixture) -> float:
    """½ ∫ |p − q|; between a density and a value that is certain it is 1."""
    if (one.variances == 0).all() or (other.variances == 0).all():
        return 1.0
    low, high = (pick(mixture.quantile(p) for mixture in (one, other)) for pick, p in ((min, 1e-4), (max, 1 - 1e-4)))
    ends = np.unique(np.concatenate([density_curve(each, low, high)[0] for each in (one, other)]))
    # Probabilities between neighbouring points: where the densities cross between two of them, little is lost.
    return float(np.clip(np.abs(np.diff(one.cdf(ends)) - np.diff(other.cdf(ends))).sum() / 2, 0.0, 1.0))
