"""How strong each arrow of a net is: what a parent tells about its child when the other parents are known.

    I(P; C | others) = H(C | others) − H(C | P, others)        (link strength: Boerlage, 1992; Ebert-Uphoff, 2007)

in nats, never below 0. It is 0 where the table of the child does not change with the parent, so that the arrow could be
left out. The share is that of the child's uncertainty given the other parents, H(C | others), which the parent removes;
among normal variables it is the share of the variance, the squared partial correlation, and I = −½·log(1 − share).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log

import numpy as np

from deciban.choices import counted
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Edge
from deciban.nets.inference.clique_tree import clique_tree
from deciban.nets.inference.normal import MultivariateNormal
from deciban.nets.network import Network
from deciban.ties import largest_first
from deciban.types import Floats, ResultMapping
from deciban.units import bits_from_nats

__all__ = ["ArrowStrength", "ArrowStrengths", "gaussian_strengths", "table_strengths"]

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
