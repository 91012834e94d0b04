"""What nodes tell about one another: what to observe next, and how strong each arrow is.

    I(T; X | e) = Σ P(t, x | e) · log₂ ( P(t, x | e) / P(t | e) P(x | e) )      in bits

is the expected reduction of the entropy of T by observing X (Shannon, 1948; Lindley, 1956), never below 0. It is
also the expected weight of evidence, in decibans, that X = x gives for the true state of T (Good, 1950): a bit is 3.01
decibans. For a decision, what counts is the value of information (Howard, 1966; Raiffa and Schlaifer, 1961):

    gain(X) = Σ_x P(x | e) · max_d Σ_t U(d, t) P(t | x, e)  −  max_d Σ_t U(d, t) P(t | e)

An observation that changes no decision has no value, however many bits it gives.

The strength of an arrow is what a parent tells about its child when the other parents are known,

    I(P; C | others) = H(C | others) − H(C | P, others)        (link strength: Boerlage, 1992; Ebert-Uphoff, 2007)

It is 0 where the table of the child does not change with the parent, so that the arrow could be left out. The share is
that of the child's uncertainty given the other parents, H(C | others), which the parent removes; among normal variables
it is the share of the variance, the squared partial correlation, and I = −½·log(1 − share).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Any, TypeAlias

import numpy as np

from deciban.choices import counted
from deciban.errors import ParameterError
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Edge, Node
from deciban.nets.inference.clique_tree import clique_tree
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.normal import MultivariateNormal
from deciban.nets.inference.queries import engine_for, refuse_impossible, unobserved
from deciban.nets.network import Network
from deciban.read import plain_keys
from deciban.ties import largest_first
from deciban.types import Floats, ResultMapping
from deciban.units import bits_from_nats, decibans_from_nats

__all__ = [
    "ArrowStrength",
    "ArrowStrengths",
    "Information",
    "Observation",
    "Utility",
    "gaussian_strengths",
    "information_about",
    "mutual_information",
    "table_strengths",
]

Utility: TypeAlias = Mapping[Any, Mapping[Any, float]]
"""Decision → {state of the target: its utility}."""


@dataclass(frozen=True)
class Observation:
    """A node that could be observed, and what observing it is worth.

    Attributes
    ----------
    node : node
        The name of the node.
    nats : float
        Its mutual information with the target.
    gain : float or None
        Its value of information, if a utility or loss was passed.

    See Also
    --------
    Information : Ranks the observations.

    Examples
    --------
    >>> from deciban.nets import Observation
    >>> round(Observation("xray", 0.3).bits, 4), round(Observation("xray", 0.3).decibans, 4)
    (0.4328, 1.3029)
    """

    node: Node
    nats: float
    gain: float | None = None

    @property
    def bits(self) -> float:
        """The information in bits."""
        return bits_from_nats(self.nats)

    @property
    def decibans(self) -> float:
        """The information in decibans: the expected weight of evidence for the true state."""
        return decibans_from_nats(self.nats)


class Information(Sequence[Observation]):
    """What to observe next: a sequence of observations, the most useful first; ``info["xray"]`` finds one by its node.

    Parameters
    ----------
    target : node
        The node of interest.
    found : iterable of Observation
        The observations, the most useful first.

    See Also
    --------
    BayesNet.information : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> net.information("rain")
    Information(about rain, 1 node, most from wet: 0.2755 bits)
    >>> round(net.information("rain")["wet"].decibans, 3)
    0.829
    """

    def __init__(self, target: Node, found: Iterable[Observation]) -> None:
        self.target = target
        self._found = tuple(found)

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, int | slice):
            return self._found[which]
        for observation in self._found:
            if observation.node == which:
                return observation
        raise KeyError(which)

    def __iter__(self) -> Iterator[Observation]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        best = f", most from {self[0].node}: {self[0].bits:.4f} bits" if self else ""
        return f"Information(about {self.target}, {counted(len(self), 'node')}{best})"

    def __str__(self) -> str:
        head = f"about {self.target}"
        shown = self._found[:20]
        wide = max([len(head), *(len(str(observation.node)) for observation in shown)])
        lines = [f"{head:{wide}}  {'bits':>8}  {'decibans':>8}"]
        lines += [f"{each.node!s:{wide}}  {each.bits:8.4f}  {each.decibans:8.4f}" for each in shown]
        if any(observation.gain is not None for observation in shown):
            gains = [f"{observation.gain:8.4f}" for observation in shown]
            lines = [f"{line}  {gain}" for line, gain in zip(lines, [f"{'gain':>8}", *gains], strict=True)]
        more = [f"… and {len(self) - 20} more"] if len(self) > 20 else []
        return "\n".join([*lines, *more])


def information_about(
    network: Network,
    target: Node,
    findings: Findings,
    *,
    among: Iterable[Node] | None = None,
    utility: Utility | None = None,
    loss: Utility | None = None,
) -> Information:
    """Rank nodes by what they tell about a target, or by value of information: see ``BayesNet.information``."""
    (index,), _ = unobserved(network, [target], findings)
    candidates = None if among is None else [network.dag.index(node) for node in among]
    return _ranked(network, index, findings, candidates, _read_utility(network, index, utility, loss))


def _ranked(
    network: Network, target: int, findings: Findings, among: Sequence[int] | None, utility: Floats | None
) -> Information:
    """P(x | t, e) of all nodes at once takes one case for each state t of the target."""
    states = network.cards[target]
    rows = np.repeat(findings.row(len(network.nodes)), states, axis=0)
    rows[:, target] = np.arange(states)
    # P(t, e) of each state of the target, from which also the prior P(t | e) follows: no second query is needed.
    logs, beliefs = engine_for(network, [(*findings.codes, target)]).marginals(rows, findings.soft_rows(states))
    if np.isneginf(logs).all():
        refuse_impossible(network, findings)
    prior = np.exp(logs - logs.max())  # relative to the largest: P(t, e) of improbable evidence underflows
    prior /= prior.sum()
    observations = []
    for index in range(len(network.nodes)) if among is None else among:
        if index != target and index not in findings.codes:
            both = prior[:, None] * beliefs[:, network._spans[index]]
            gain = None if utility is None else _gain(both, utility)
            observations.append(Observation(network.nodes[index], mutual_information(both), gain))
    observations = largest_first(observations, lambda observation: observation.nats)
    if utility is not None:
        # Sorted again, and stably: observations of equal gain stay in the order of their information.
        observations = largest_first(observations, lambda observation: observation.gain or 0.0)
    return Information(network.nodes[target], observations)


def mutual_information(both: Floats) -> float:
    """I in nats of a joint table that sums to 1.

    >>> mutual_information(np.array([[0.5, 0.0], [0.0, 0.5]]))
    0.6931471805599453
    """
    # Differences of logarithms: a product of small probabilities may underflow to 0, and the ratio would be infinite.
    known = both > 0
    with np.errstate(divide="ignore"):
        apart = np.log(both.sum(axis=1, keepdims=True)) + np.log(both.sum(axis=0, keepdims=True))
    return max(float((both[known] * (np.log(both[known]) - apart[known])).sum()), 0.0)  # rounding may go below 0


def _read_utility(network: Network, target: int, utility: Utility | None, loss: Utility | None) -> Floats | None:
    """Decisions × states, from {decision: {state of the target: utility}}; a loss is a negative utility."""
    if utility is not None and loss is not None:
        raise ParameterError("pass utility or loss, not both")
    values = utility if loss is None else loss
    if values is None:
        return None
    node = network.nodes[target]
    if not isinstance(values, Mapping) or not values:
        raise ParameterError(f'utility is a mapping such as {{"treat": {{"yes": 10, "no": -2}}}}, not {values!r}')
    table = np.empty((len(values), network.cards[target]))
    for row, (decision, worth) in enumerate(values.items()):
        by_state = plain_keys(worth) if isinstance(worth, Mapping) else {}
        if set(by_state) != set(network.states[node]):
            raise ParameterError(f"decision {decision!r} needs a number for each state of {node!r}, not {worth!r}")
        table[row] = [by_state[state] for state in network.states[node]]
    if not np.isfinite(table).all():
        raise ParameterError("a utility or loss is a finite number")
    return table if loss is None else -table


def _gain(both: Floats, utility: Floats) -> float:
    """From P(t, x) and U(d, t): how much knowing x raises the expected utility of the best decision."""
    informed = (utility @ both).max(axis=0).sum()
    return max(float(informed - (utility @ both.sum(axis=1)).max()), 0.0)


_SHOWN = 20


@dataclass(frozen=True)
class ArrowStrength:
    """The information of a parent about its child, given the other parents.

    Attributes
    ----------
    nats : float
        The information in nats.
    share : float
        The share of the child's uncertainty that the parent removes.

    See Also
    --------
    ArrowStrengths : Of all arrows.

    Examples
    --------
    >>> from deciban.nets import ArrowStrength
    >>> round(ArrowStrength(0.6931471805599453, 0.5).bits, 6)
    1.0
    """

    nats: float
    share: float

    @property
    def bits(self) -> float:
        """The information in bits."""
        return bits_from_nats(self.nats)


class ArrowStrengths(ResultMapping[Edge, ArrowStrength]):
    """The strength of each arrow of a net: a mapping from (parent, child), the strongest first.

    Parameters
    ----------
    found : mapping of ArrowStrength
        (parent, child) → strength, in any order.

    See Also
    --------
    BayesNet.arrow_strengths : Returns it.
    GaussianNet.arrow_strengths : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> strengths = net.arrow_strengths()
    >>> round(strengths["rain", "wet"].bits, 4), round(strengths["rain", "wet"].share, 3)
    (0.2755, 0.346)
    """

    def __init__(self, found: Mapping[Edge, ArrowStrength]) -> None:
        self._values = dict(largest_first(found.items(), lambda item: item[1].nats))

    def __repr__(self) -> str:
        best = next(iter(self._values.items()), None)
        shown = f", strongest {best[0][0]} → {best[0][1]}: {best[1].bits:.4f} bits" if best else ""
        return f"ArrowStrengths({counted(len(self), 'arrow')}{shown})"

    def __str__(self) -> str:
        arrows = [f"{parent} → {child}" for parent, child in list(self)[:_SHOWN]]
        wide = max(map(len, arrows), default=0)
        values = list(self._values.values())[:_SHOWN]
        lines = [
            f"{arrow:{wide}}  {strength.bits:8.4f} bits  {strength.share:6.1%}"
            for arrow, strength in zip(arrows, values, strict=True)
        ]
        return "\n".join([*lines, *([f"… and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else [])])


def table_strengths(network: Network) -> ArrowStrengths:
    """The strengths of the arrows of a net of tables, by one pass over its clique tree."""
    unobserved = np.full((1, len(network.nodes)), -1, dtype=np.int32)
    # The expected counts of one row without evidence are the joint distributions of all families.
    joints, _ = clique_tree(network).expected_counts(unobserved)
    strengths = {}
    for child, joint in zip(network.nodes, joints, strict=True):
        known = _uncertainty(joint)  # H(C | all parents), the same for each of them
        for axis, parent in enumerate(network.parents[child]):
            without = _uncertainty(joint.sum(axis=axis))
            nats = max(without - known, 0.0)  # never negative (Shannon, 1948), but a difference of rounded sums
            strengths[parent, child] = ArrowStrength(nats, min(nats / without, 1.0) if without > 0 else 0.0)
    return ArrowStrengths(strengths)


def gaussian_strengths(dag: DAG, joint: MultivariateNormal) -> ArrowStrengths:
    """The strengths of the arrows of a net of normal variables."""
    strengths = {}
    for child in dag.nodes:
        parents = dag.parents(child)
        known = _variance(joint, child, parents)
        for parent in parents:
            without = _variance(joint, child, parents - {parent})
            # A child that the other parents determine has no variance left to remove: the share is 0, not 0/0.
            share = min(max(1.0 - known / without, 0.0), 1.0) if without > 0 else 0.0
            strengths[parent, child] = ArrowStrength(-log(1.0 - share) / 2 if share < 1 else inf, share)
    return ArrowStrengths(strengths)


def _uncertainty(joint: Floats) -> float:
    """H(last axis | other axes) in nats."""
    known = joint > 0  # 0·log 0 is 0
    rows = np.broadcast_to(joint.sum(axis=-1, keepdims=True), joint.shape)
    return float(-(joint[known] * (np.log(joint[known]) - np.log(rows[known]))).sum())


def _variance(joint: MultivariateNormal, child: object, given: frozenset[object]) -> float:
    _, left = joint.condition([joint.index(node) for node in given])
    return float((left[joint.index(child)] ** 2).sum())
