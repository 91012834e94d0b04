"""What to observe next: how informative each unobserved node is about a target.

    I(T; X | e) = Σ P(t, x | e) · log₂ ( P(t, x | e) / P(t | e) P(x | e) )      in bits

is the expected reduction of the entropy of T by observing X (Shannon, 1948; Lindley, 1956), never below 0. It is
also the expected weight of evidence, in decibans, that X = x gives for the true state of T (Good, 1950): a bit is 3.01
decibans. For a decision, what counts is the value of information (Howard, 1966; Raiffa and Schlaifer, 1961):

    gain(X) = Σ_x P(x | e) · max_d Σ_t U(d, t) P(t | x, e)  −  max_d Σ_t U(d, t) P(t | e)

An observation that changes no decision has no value, however many bits it gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from deciban.choices import counted
from deciban.errors import ParameterError
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.queries import engine_for, refuse_impossible, unobserved
from deciban.nets.network import Network
from deciban.read import plain_keys
from deciban.ties import largest_first
from deciban.types import Floats
from deciban.units import bits_from_nats, decibans_from_nats

__all__ = ["Information", "Observation", "Utility", "information_about", "mutual_information"]

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
