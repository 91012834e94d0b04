"""What is known of a case: nodes that were observed, and nodes of which something was heard.

Hard evidence says that a node *is* in a state. Soft evidence, also called virtual or likelihood evidence, says how
probable what was heard is in each state, L(s) = P(heard | s), up to a factor (Pearl, 1988, section 2.2.2):

    P(x, heard) ∝ P(x) · Π L(xᵢ)

A witness who is right nine times in ten and says "yes" is ``{"yes": 0.9, "no": 0.1}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.bits import mask_of
from deciban.nets.inference.trees.factor import Factor
from deciban.nets.network import Evidence, Network
from deciban.read import plain_keys
from deciban.types import Codes, Floats, Ints

__all__ = ["Findings", "Likelihoods", "node_places", "read_findings"]

Likelihoods = Mapping[Any, Mapping[Any, float] | Sequence[float]]


@dataclass(frozen=True)
class Findings:
    """Codes of observed nodes and likelihoods of others, by the places of the nodes."""

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
        """The nodes that anything is known of, as a mask."""
        return mask_of(self.codes) | mask_of(self.likelihoods)

    def slices(self) -> dict[int, Ints]:
        """The observed codes as arrays of one case."""
        return {place: np.array([code]) for place, code in self.codes.items()}

    def soft_factors(self) -> list[Factor]:
        """A factor for each node of which something was heard; a number where the node was observed as well."""
        return [
            Factor((), weights[[self.codes[place]]]) if place in self.codes else Factor((place,), weights[None])
            for place, weights in self.likelihoods.items()
        ]

    def row(self, count: int) -> Codes:
        """One row of codes, −1 where a node was not observed."""
        row = np.full((1, count), -1, dtype=np.int32)
        for place, code in self.codes.items():
            row[0, place] = code
        return row

    def soft_rows(self, rows: int = 1) -> dict[int, Floats] | None:
        """The likelihoods, the same for each row."""
        return {place: np.tile(weights, (rows, 1)) for place, weights in self.likelihoods.items()} or None

    def without(self, places: Iterable[int]) -> Findings:
        """What is known but for some nodes."""
        gone = set(places)
        return Findings(
            {place: code for place, code in self.codes.items() if place not in gone},
            {place: weights for place, weights in self.likelihoods.items() if place not in gone},
        )

    def in_words(self, network: Network) -> str:
        """Such as ``wet=yes, rain (likelihoods)``."""
        hard = [
            f"{network.nodes[place]}={network.states[network.nodes[place]][code]}" for place, code in self.codes.items()
        ]
        return ", ".join(hard + [f"{network.nodes[place]} (likelihoods)" for place in self.likelihoods])


def read_findings(network: Network, evidence: Evidence | None, likelihoods: Likelihoods | None) -> Findings:
    """Read what a user knows."""
    if likelihoods is not None and not isinstance(likelihoods, Mapping):
        raise InputError(
            f'likelihoods are a mapping such as {{"rain": {{"yes": 0.9, "no": 0.1}}}}, not {likelihoods!r}'
        )
    soft = {network.dag.index(node): _read_weights(network, node, held) for node, held in (likelihoods or {}).items()}
    return Findings(network.evidence_codes(evidence), soft)


def node_places(network: Network, targets: Any) -> tuple[tuple[int, ...], bool]:
    """The places of one node or of several, and whether it was one. What is a node itself is one node."""
    try:
        if targets in network.states:
            return (network.dag.index(targets),), True
    except TypeError:
        pass
    if isinstance(targets, str) or not isinstance(targets, Iterable):
        return (network.dag.index(targets),), True
    places = tuple(network.dag.index(node) for node in targets)
    if not places or len(set(places)) < len(places):
        raise ParameterError(f"name each target once, and one at least; found {targets!r}")
    return places, False


def _read_weights(network: Network, node: Node, held: Any) -> Floats:
    states = network.states[node]
    if isinstance(held, Mapping):
        held = plain_keys(held)
        for state in held:
            network.code(node, state)
        if len(held) < len(states):
            left = next(state for state in states if state not in held)
            raise ParameterError(
                f"the likelihoods of {node!r} leave out {left!r}; give a number for each of its states"
            )
        held = [held[state] for state in states]
    try:
        weights = np.array(held, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (len(states),) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ParameterError(
            f"the likelihoods of {node!r} are {held!r}; give a finite number from 0 on for each of its {len(states)} "
            "states, one of them above 0"
        )
    return weights
