"""Findings: observed states of nodes (hard evidence), and likelihoods of the states of others (soft evidence).

Hard evidence says that a node *is* in a state. Soft evidence, also called virtual or likelihood evidence, gives the
probability of an observation in each state, L(s) = P(observation | s), up to a factor (Pearl, 1988, section 2.2.2):

    P(x, observations) ∝ P(x) · Π L(xᵢ)

A witness who is right nine times out of ten and says "yes" is ``{"yes": 0.9, "no": 0.1}``.

Of a number the evidence is a value, or an interval, ``Between(3, None)``, in which it lies.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.nets.graphs.bits import mask_of
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.elimination import Factor
from deciban.nets.inference.normal import finite_number
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import Evidence, Network
from deciban.read import plain_keys
from deciban.types import Codes, Floats, Ints

__all__ = [
    "Between",
    "Findings",
    "Likelihoods",
    "MixedFindings",
    "Targets",
    "as_mixed_findings",
    "node_indices",
    "read_findings",
    "read_mixed_findings",
]

Likelihoods: TypeAlias = Mapping[Any, Mapping[Any, float] | Sequence[float]]
"""Node → {state: P(observation | state)}, or a number for each state in order."""

Targets: TypeAlias = Node | Iterable[Node]
"""A node, or several."""


@dataclass(frozen=True)
class Findings:
    """Codes of observed nodes and likelihoods of others, by the indices of the nodes."""

    codes: Mapping[int, int] = field(default_factory=dict)
    likelihoods: Mapping[int, Floats] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.codes) or bool(self.likelihoods)

    @property
    def observed(self) -> int:
        """The observed nodes, as a mask."""
        return mask_of(self.codes)

    @property
    def touched(self) -> int:
        """The nodes with hard or soft evidence, as a mask."""
        return mask_of(self.codes) | mask_of(self.likelihoods)

    def slices(self) -> dict[int, Ints]:
        """The observed codes as arrays of one case."""
        return {index: np.array([code]) for index, code in self.codes.items()}

    def soft_factors(self) -> list[Factor]:
        """A factor for each node with likelihoods; a number if the node is observed as well."""
        # The number too: it changes P(e), by P(observation | state), though not the posterior.
        return [
            Factor((), weights[[self.codes[index]]]) if index in self.codes else Factor((index,), weights[None])
            for index, weights in self.likelihoods.items()
        ]

    def row(self, count: int) -> Codes:
        """One row of codes, −1 for nodes that are not observed."""
        row = np.full((1, count), -1, dtype=np.int32)
        for index, code in self.codes.items():
            row[0, index] = code
        return row

    def soft_rows(self, rows: int = 1) -> dict[int, Floats] | None:
        """The likelihoods, the same for each row."""
        return {index: np.tile(weights, (rows, 1)) for index, weights in self.likelihoods.items()} or None

    def without(self, indices: Iterable[int]) -> Findings:
        """The findings without those of some nodes."""
        removed = set(indices)
        return Findings(
            {index: code for index, code in self.codes.items() if index not in removed},
            {index: weights for index, weights in self.likelihoods.items() if index not in removed},
        )

    def in_words(self, network: Network | MixedNetwork) -> str:
        """Such as ``wet=yes, rain (likelihoods)``."""
        nodes = network.nodes
        hard = [f"{nodes[index]}={network.states[nodes[index]][code]}" for index, code in self.codes.items()]
        return ", ".join(hard + [f"{nodes[index]} (likelihoods)" for index in self.likelihoods])


@dataclass(frozen=True)
class Between:
    """Evidence that a number lies in an interval: low < x ≤ high.

    Parameters
    ----------
    low, high : float, optional
        The ends; None where the interval has no end.

    See Also
    --------
    BayesNet.query : Takes it as evidence.

    Examples
    --------
    >>> from deciban.nets import Between
    >>> Between(3, None), Between(None, 0.5)
    (Between(3, None), Between(None, 0.5))
    """

    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        low, high = self.ends
        if not low < high:
            raise ParameterError(f"the interval {self!r} is empty: its lower end has to be below the upper one")

    @property
    def ends(self) -> tuple[float, float]:
        """The ends, infinite where there is none."""
        low = -np.inf if self.low is None else float(self.low)
        return low, np.inf if self.high is None else float(self.high)

    def __repr__(self) -> str:
        return f"Between({self.low!r}, {self.high!r})"


@dataclass(frozen=True)
class MixedFindings(Findings):
    """Findings of a net of categories and numbers: also the values of numbers, and intervals low < x ≤ high."""

    values: Mapping[int, float] = field(default_factory=dict)
    bounds: Mapping[int, tuple[float, float]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any((self.codes, self.likelihoods, self.values, self.bounds))

    def without(self, indices: Iterable[int]) -> MixedFindings:
        """The findings without those of some nodes."""
        removed = set(indices)
        fewer = super().without(removed)
        values = {index: value for index, value in self.values.items() if index not in removed}
        bounds = {index: ends for index, ends in self.bounds.items() if index not in removed}
        return MixedFindings(fewer.codes, fewer.likelihoods, values, bounds)

    def in_words(self, network: Network | MixedNetwork) -> str:
        """Such as ``wet=yes, height=180, 3 < weight <= 5``."""
        nodes = network.nodes
        numbers = [f"{nodes[index]}={value:g}" for index, value in self.values.items()]
        intervals = [f"{low:g} < {nodes[index]} <= {high:g}" for index, (low, high) in self.bounds.items()]
        return ", ".join([word for word in [super().in_words(network), *numbers, *intervals] if word])


def as_mixed_findings(findings: Findings) -> MixedFindings:
    """Findings of categories as those of a net of categories and numbers."""
    if isinstance(findings, MixedFindings):
        return findings
    return MixedFindings(findings.codes, findings.likelihoods)


def read_mixed_findings(
    network: MixedNetwork, evidence: Evidence | None, likelihoods: Likelihoods | None = None
) -> MixedFindings:
    """Read evidence of categories and numbers, and likelihoods of categories."""
    if evidence is not None and not isinstance(evidence, Mapping):
        raise InputError(f'evidence is a mapping such as {{"rain": "yes", "height": 180}}, not {evidence!r}')
    codes: dict[int, int] = {}
    values: dict[int, float] = {}
    bounds: dict[int, tuple[float, float]] = {}
    for node, value in (evidence or {}).items():
        index = network.dag.index(node)
        if not network.is_number(node):
            codes[index] = network.code(node, value)
        elif isinstance(value, Between):
            bounds[index] = value.ends
        elif isinstance(value, tuple) and len(value) == 2:
            bounds[index] = Between(*value).ends
        else:
            values[index] = finite_number(node, value)
    for node in likelihoods or {}:
        if network.is_number(node):
            raise ParameterError(f"{node!r} is a number: likelihoods are of the states of categories")
    return MixedFindings(codes, _read_likelihoods(network, likelihoods), values, bounds)


def read_findings(network: Network, evidence: Evidence | None, likelihoods: Likelihoods | None) -> Findings:
    """Read evidence and likelihoods."""
    soft = _read_likelihoods(network, likelihoods)
    return Findings(network.evidence_codes(evidence), soft)


def node_indices(network: Network | MixedNetwork, targets: Targets) -> tuple[tuple[int, ...], bool]:
    """The indices of one node or several, and whether it is one; a tuple that is a node is one node."""
    try:
        if isinstance(targets, Hashable) and targets in network.parents:
            return (network.dag.index(targets),), True
    except TypeError:  # a tuple with a list in it has a hash function that fails
        pass
    if isinstance(targets, str) or not isinstance(targets, Iterable):
        return (network.dag.index(targets),), True
    indices = tuple(network.dag.index(node) for node in targets)
    if not indices or len(set(indices)) < len(indices):
        raise ParameterError(f"targets are one or more different nodes, not {targets!r}")
    return indices, False


def _read_likelihoods(network: Network | MixedNetwork, likelihoods: Likelihoods | None) -> dict[int, Floats]:
    if likelihoods is not None and not isinstance(likelihoods, Mapping):
        raise InputError(
            f'likelihoods are a mapping such as {{"rain": {{"yes": 0.9, "no": 0.1}}}}, not {likelihoods!r}'
        )
    return {network.dag.index(node): _read_weights(network, node, each) for node, each in (likelihoods or {}).items()}


def _read_weights(
    network: Network | MixedNetwork, node: Node, likelihoods: Mapping[Any, float] | Sequence[float]
) -> Floats:
    states = network.states[node]
    if isinstance(likelihoods, Mapping):
        by_state = {states[network.code(node, state)]: weight for state, weight in plain_keys(likelihoods).items()}
        if len(by_state) < len(states):
            absent = next(state for state in states if state not in by_state)
            raise ParameterError(
                f"the likelihoods of {node!r} leave out {absent!r}; give a number for each of its states"
            )
        likelihoods = [by_state[state] for state in states]
    try:
        weights = np.array(likelihoods, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    # Not all 0: then every state is impossible, and the posterior would be 0/0.
    if weights.shape != (len(states),) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ParameterError(
            f"the likelihoods of {node!r} are {likelihoods!r}; give a finite number that is not negative for each of "
            f"its {len(states)} states, at least one of them above 0"
        )
    return weights
