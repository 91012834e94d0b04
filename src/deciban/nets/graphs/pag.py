"""Partial ancestral graphs: what independences imply about causes with hidden common causes.

Many graphs with hidden nodes show the same independences among the observed ones. A PAG is what they have in common: an
edge where all have one, a tail or an arrowhead where all agree, a circle where they do not (Richardson 1996; Spirtes,
Glymour and Scheines 2000; Zhang 2008). It is for hidden causes what a CPDAG is without.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from deciban.errors import GraphError, NoExtensionError
from deciban.nets.graphs import orientation
from deciban.nets.graphs.base import Edge, Node
from deciban.nets.graphs.bits import bits, transposed
from deciban.nets.graphs.graph import DAG
from deciban.nets.graphs.mag import MAG
from deciban.nets.graphs.marks import MarkedGraph
from deciban.nets.graphs.zhang_rules import Marks, beyond, close_marks

__all__ = ["PAG"]


class PAG(MarkedGraph):
    r"""A partial ancestral graph: edges with a tail, an arrowhead or a circle at each end.

    It represents all graphs with hidden nodes that have the same independences among the observed nodes: marks that
    all of them share, and circles where they differ.

    =========  ====================================================================================
    edge       meaning
    =========  ====================================================================================
    a → b      a is a cause of b, and b is not a cause of a
    a o→ b     b is not a cause of a; a is a cause of b, or they have a hidden common cause, or both
    a ↔ b      neither is a cause of the other: they have a hidden common cause
    a o—o b    any of these, in either direction
    =========  ====================================================================================

    Parameters
    ----------
    edges : iterable of triples, optional
        Triples such as ``("a", "o→", "b")``. The kinds are →, o→, ↔, o—o, — and —o, also reversed, and also in ASCII:
        ``->``, ``o->``, ``<->``, ``o-o``, ``--``, ``-o``.
    nodes : iterable, optional
        Nodes in the order wanted, also those without an edge.

    Attributes
    ----------
    nodes : tuple
        The nodes, in the order given.

    See Also
    --------
    discover : ``method="fci"`` finds a PAG from a table.
    MAG : One graph of the class.
    CPDAG : A class of graphs without hidden common causes.

    Notes
    -----
    These are the marks of Pearl's IC\* (2000, section 2.6): → is its genuine cause, o→ its potential cause, ↔ its
    spurious association.

    Examples
    --------
    >>> import deciban as db
    >>> g = db.PAG([("smoking", "o→", "tar"), ("tar", "→", "cancer"), ("work", "o->", "tar")])
    >>> g
    PAG(tar → cancer, smoking o→ tar, work o→ tar)
    >>> g.mark("tar", "smoking"), g.directed_edges, g.is_visible("tar", "cancer")
    ('circle', (('tar', 'cancer'),), True)
    >>> db.PAG.of_dag(db.DAG([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")]))
    PAG(wet → slippery, rain o→ wet, sprinkler o→ wet)
    """

    @classmethod
    def of_dag(cls, dag: DAG, latent: Iterable[Node] = ()) -> PAG:
        """The PAG of the nodes of a DAG that are not latent: all that their independences determine.

        Parameters
        ----------
        dag, latent
            As of ``MAG.of_dag``.

        Returns
        -------
        PAG
        """
        return cls.of_mag(MAG.of_dag(dag, latent))

    @classmethod
    def of_mag(cls, mag: MAG) -> PAG:
        """The equivalence class of a MAG: the marks that all MAGs with the same independences share.

        Parameters
        ----------
        mag : MAG
            One graph of the class.

        Returns
        -------
        PAG
        """
        heads, adjacent = mag._head_masks, mag._adjacent_masks
        marks = Marks.none(adjacent)
        for b, into in enumerate(heads):
            for a in bits(into):
                if into & marks.apart(a):
                    marks.put(a, b, True, "R0")
        close_marks(marks, lambda _, a, b, c: bool(heads[b] >> a & heads[b] >> c & 1))
        return cls._marked(mag.nodes, marks.heads, marks.tails, adjacent)

    @cached_property
    def half_directed_edges(self) -> tuple[Edge, ...]:
        """The edges a o→ b, as sorted pairs (a, b): b is not a cause of a."""
        return self._of_kind("o→")

    @cached_property
    def open_edges(self) -> tuple[Edge, ...]:
        """The edges a o—o b, as sorted pairs: no direction is known."""
        return self._of_kind("o—o")

    def is_visible(self, x: Node, y: Node) -> bool:
        """Whether x → y excludes a hidden common cause of both: a visible edge (Zhang 2008).

        That is so where some node that is not adjacent to y has an edge into x, or a path into x through colliders that
        are all parents of y.

        Parameters
        ----------
        x, y : node
            The names of two nodes.

        Returns
        -------
        bool
            False also where x → y is not an edge.
        """
        a, b = self.index(x), self.index(y)
        if not self._parent_masks[b] >> a & 1:
            return False
        apart = ~self._adjacent_masks[b] & ~(1 << b)
        return bool(beyond(self._head_masks, self._parent_masks[b], apart, a, 1 << b))

    def mag(self) -> MAG:
        """A MAG of the class (Zhang 2008): o→ become →, and o—o become arrows without new colliders.

        Returns
        -------
        MAG

        Raises
        ------
        NoExtensionError
            Where no MAG fits.
        """
        if any(kind in ("—", "—o") for _, kind, _ in self.edges):
            raise NoExtensionError("a PAG with — or —o edges implies selection bias, which MAGs here do not have")
        masks = zip(self._adjacent_masks, self._head_masks, self._tail_masks, strict=True)
        circles = [near & ~head & ~tail for near, head, tail in masks]
        lines = [own & far for own, far in zip(circles, transposed(circles), strict=True)]
        parents = orientation.extend([0] * len(circles), lines)
        if parents is None:
            raise NoExtensionError("every direction of its o—o edges makes a cycle or a new collider")
        full = [head | up for head, up in zip(self._head_masks, parents, strict=True)]
        tails = [near & ~head for near, head in zip(self._adjacent_masks, full, strict=True)]
        mag = MAG._marked(self.nodes, full, tails, self._adjacent_masks)
        try:
            mag._check()
        except GraphError as error:
            raise NoExtensionError(f"there is no MAG: {error}") from None
        return mag

    def is_class(self) -> bool:
        """Whether the PAG is complete: exactly the marks that all MAGs of some class share.

        Returns
        -------
        bool
        """
        try:
            return PAG.of_mag(self.mag()) == self
        except NoExtensionError:
            return False
