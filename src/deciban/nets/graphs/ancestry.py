"""Ancestors and descendants, in graphs whose arrows form no cycle."""

from __future__ import annotations

from collections.abc import Iterable

from deciban.nets.graphs.base import Graph, Node
from deciban.nets.graphs.bits import reach, topological

__all__ = ["AncestryMixin"]


class AncestryMixin(Graph):
    """A graph whose arrows form no cycle."""

    def ancestors(self, xs: Node | Iterable[Node]) -> frozenset[Node]:
        """The nodes with a directed path to x.

        Parameters
        ----------
        xs : node or iterable of nodes
            A node; of several, the ancestors of any of them.

        Returns
        -------
        frozenset
            The ancestors, without the nodes themselves unless one is an ancestor of another.

        Examples
        --------
        >>> import deciban as db
        >>> sorted(db.DAG([("a", "b"), ("b", "c")]).ancestors("c"))
        ['a', 'b']
        """
        return self._names(reach(self._parent_masks, self._mask(xs)))

    def descendants(self, xs: Node | Iterable[Node]) -> frozenset[Node]:
        """The nodes with a directed path from x.

        Parameters
        ----------
        xs : node or iterable of nodes
            A node; of several, the descendants of any of them.

        Returns
        -------
        frozenset
            The descendants, without the nodes themselves unless one is a descendant of another.
        """
        return self._names(reach(self._child_masks, self._mask(xs)))

    def topological_order(self) -> tuple[Node, ...]:
        """All nodes, parents before children.

        Returns
        -------
        tuple
            The nodes in an order in which every arrow points to a later node.

        Examples
        --------
        >>> import deciban as db
        >>> db.DAG([("rain", "wet"), ("season", "rain")]).topological_order()
        ('season', 'rain', 'wet')
        """
        return tuple(self.nodes[index] for index in topological(self._parent_masks))
