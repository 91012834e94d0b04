"""Background knowledge: required arrows, forbidden arrows, and tiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import KnowledgeError
from deciban.nets.graphs.graph import Edge, Node, cycle_in_words, edge_lists
from deciban.types import AnyArray

__all__ = ["Knowledge", "Limits"]


@dataclass(frozen=True, eq=False)
class Limits:
    """Knowledge about numbered nodes: the matrices [from, to] of allowed and of required arrows."""

    allowed: AnyArray
    required: AnyArray

    @classmethod
    def none(cls, count: int) -> Limits:
        """Every arrow is allowed, none is required."""
        return cls(~np.eye(count, dtype=bool), np.zeros((count, count), dtype=bool))

    @property
    def edges(self) -> AnyArray:
        """Which nodes may be adjacent."""
        return self.allowed | self.allowed.T

    @property
    def is_free(self) -> bool:
        """Whether every arrow is allowed."""
        return bool((self.allowed == ~np.eye(len(self.allowed), dtype=bool)).all())

    def forced(self, adjacent: AnyArray) -> list[int]:
        """For each node, as a mask, the parents that it must have given these adjacencies."""
        # An edge that knowledge allows one way only has that direction, if the tests leave it.
        one_way = adjacent & self.allowed & ~self.allowed.T
        return [sum(1 << int(up) for up in np.flatnonzero(one_way[:, node])) for node in range(len(one_way))]


class Knowledge:
    """Required and forbidden arrows, and tiers: no arrow leads from a later tier to an earlier one.

    Parameters
    ----------
    required : iterable of pairs, optional
        Pairs (cause, effect) that must be arrows.
    forbidden : iterable of pairs, optional
        Pairs (cause, effect) that must not be arrows; with both directions forbidden there is no edge, or with hidden
        causes (FCI) only ↔.
    tiers : iterable of lists, optional
        Lists of nodes, the earliest first. A node in no tier is free.

    Raises
    ------
    KnowledgeError
        If it contradicts itself; the message names the contradiction.

    See Also
    --------
    discover : Takes it as ``knowledge``.
    search : Takes it as ``knowledge``.

    Examples
    --------
    >>> import deciban as db
    >>> known = db.Knowledge(
    ...     required=[("smoking", "cancer")], tiers=[["gene"], ["smoking", "cancer"]]
    ... )
    >>> known
    Knowledge(required: smoking → cancer; tiers: gene | smoking, cancer)
    >>> gene = db.Oracle(db.DAG([("gene", "smoking"), ("smoking", "cancer")]))
    >>> db.discover(gene).graph, db.discover(gene, knowledge=known).graph
    (CPDAG(cancer — smoking, gene — smoking), PDAG(gene → smoking, smoking → cancer))
    """

    def __init__(
        self, required: Iterable[Edge] = (), forbidden: Iterable[Edge] = (), tiers: Iterable[Iterable[Node]] = ()
    ) -> None:
        self.required = tuple(_pair(edge, "required") for edge in required)
        self.forbidden = tuple(_pair(edge, "forbidden") for edge in forbidden)
        self.tiers = tuple(_tier(tier) for tier in tiers)
        self._tier_of: dict[Node, int] = {}
        for number, tier in enumerate(self.tiers):
            for node in tier:
                if node in self._tier_of:
                    raise KnowledgeError(f"{node!r} is in two tiers, {self._tier_of[node]} and {number}. Keep one.")
                self._tier_of[node] = number
        self._check()

    def _check(self) -> None:
        no = set(self.forbidden)
        for a, b in self.required:
            if (a, b) in no:
                raise KnowledgeError(f"{a} → {b} is both required and forbidden.")
            if self._is_late(a, b):
                raise KnowledgeError(f"{a} → {b} is required, but {b} is in an earlier tier than {a}.")
        nodes, parents, _ = edge_lists((), self.required, ())
        if cycle := cycle_in_words(nodes, parents):
            raise KnowledgeError(f"the required arrows form a cycle: {cycle}. Remove one of them.")

    def _is_late(self, a: Node, b: Node) -> bool:
        """Whether a is in a later tier than b."""
        return a in self._tier_of and b in self._tier_of and self._tier_of[a] > self._tier_of[b]

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, Knowledge) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        return frozenset(self.required), frozenset(self.forbidden), tuple(map(frozenset, self.tiers))

    def __repr__(self) -> str:
        parts = []
        for name in ("required", "forbidden"):
            edges = getattr(self, name)
            if edges:
                parts.append(f"{name}: " + ", ".join(f"{a} → {b}" for a, b in edges))
        if self.tiers:
            parts.append("tiers: " + " | ".join(", ".join(map(str, tier)) for tier in self.tiers))
        return f"Knowledge({'; '.join(parts)})"

    def limits(self, nodes: Sequence[Node]) -> Limits:
        """The knowledge as matrices of allowed and required arrows.

        Parameters
        ----------
        nodes : sequence of nodes
            The order of the rows and columns.

        Returns
        -------
        Limits
            ``allowed`` and ``required``, each a matrix [cause, effect].

        Raises
        ------
        KnowledgeError
            If it names an unknown node.
        """
        index = {node: number for number, node in enumerate(nodes)}
        named = [node for edge in (*self.required, *self.forbidden) for node in edge]
        for node in (*named, *self._tier_of):
            if node not in index:
                raise KnowledgeError(
                    f"the knowledge names {node!r}, which is not a variable.{did_you_mean(node, nodes)}"
                )
        limits = Limits.none(len(nodes))
        for a, b in self.forbidden:
            limits.allowed[index[a], index[b]] = False
        tier = np.array([self._tier_of.get(node, -1) for node in nodes])
        limits.allowed[(tier[:, None] > tier) & (tier >= 0)] = False
        for a, b in self.required:
            limits.required[index[a], index[b]] = True
            limits.allowed[index[b], index[a]] = False
        return limits


def _pair(edge: object, what: str) -> Edge:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2 or edge[0] == edge[1]:
        raise KnowledgeError(f"{what} contains {edge!r}; each element is a pair of different names (cause, effect).")
    return edge[0], edge[1]


def _tier(tier: Iterable[Node]) -> tuple[Node, ...]:
    if isinstance(tier, str):
        raise KnowledgeError(f"a tier is a list of names, not the text {tier!r}. Write [{tier!r}].")
    return tuple(tier)
