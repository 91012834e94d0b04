"""Interventional equivalence classes: what observations and interventions together say of a graph.

DAGs of one Markov equivalence class are told apart by interventions. Where a set I of nodes is set from outside, the
arrows into I are cut, so a change of a in I shows whether a → b or b → a for every adjacent b outside I. Two DAGs are
equivalent under interventions I₁, I₂, … if and only if they have the same adjacencies, the same v-structures and the
same direction of every edge of which some I has exactly one end (Hauser and Bühlmann, 2012). The arrows that all of
them share follow from these by Meek's rules (1995).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

from deciban.errors import InvalidCPDAGError
from deciban.nets.graphs import drawing
from deciban.nets.graphs.bits import transposed
from deciban.nets.graphs.dag import CPDAG, DAG, difference_of_classes, why_no_extension
from deciban.nets.graphs.graph import Edge, Node
from deciban.nets.graphs.orientation import Masks, close, collider_parents

__all__ = ["InterventionalCPDAG", "distinct_interventions", "interventional_class_of"]


class InterventionalCPDAG(CPDAG):
    """An interventional equivalence class of DAGs: their common arrows, the other edges undirected.

    It is the I-essential graph of Hauser and Bühlmann (2012). Arrows that the interventions direct, which observations
    leave open, are drawn in colour.

    Parameters
    ----------
    directed, undirected, nodes
        As of a ``PDAG``.
    interventions : iterable of sets of nodes
        The nodes that are set together, for each intervention.

    Attributes
    ----------
    interventions : tuple of frozenset
        The nodes that are set together, for each intervention; observation alone, where nothing is set, is left out.

    Raises
    ------
    InvalidCPDAGError
        If the edges are not those of a class.

    See Also
    --------
    CPDAG : The same from observations alone.
    search : Finds one where ``interventions`` says what was set in which rows.

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import InterventionalCPDAG
    >>> chain = db.DAG([("a", "b"), ("b", "c")])
    >>> chain.cpdag()
    CPDAG(a — b, b — c)
    >>> found = InterventionalCPDAG.of(chain, [{"c"}])
    >>> found, found.count_dags()
    (InterventionalCPDAG(b → c, a — b), 2)
    >>> found.directed_by_interventions, found.observational
    ((('b', 'c'),), CPDAG(a — b, b — c))
    """

    interventions: tuple[frozenset[Node], ...] = ()

    def __init__(
        self,
        directed: Iterable[Edge] = (),
        undirected: Iterable[Edge] = (),
        nodes: Iterable[Node] = (),
        *,
        interventions: Iterable[Iterable[Node]] = (),
    ) -> None:
        vars(self).update(interventions=tuple(map(frozenset, interventions)))
        super().__init__(directed, undirected, nodes)

    @classmethod
    def of(cls, dag: DAG, interventions: Iterable[Iterable[Node]]) -> Self:
        """The class of a DAG.

        Parameters
        ----------
        dag : DAG
            The graph.
        interventions : iterable of sets of nodes
            The nodes that are set together, for each intervention.

        Returns
        -------
        InterventionalCPDAG
        """
        kept = distinct_interventions(interventions)
        masks = [dag._mask(nodes) for nodes in kept]
        return cls._of_masks(dag.nodes, *interventional_class_of(dag._parent_masks, masks), kept)

    @classmethod
    def _of_masks(
        cls,
        nodes: Sequence[Node],
        parents: Sequence[int],
        neighbours: Sequence[int],
        interventions: tuple[frozenset[Node], ...],
    ) -> Self:
        graph = cls._made(nodes, parents, neighbours)
        vars(graph).update(interventions=interventions)
        return graph

    def _check(self) -> None:
        if self._extension is None:
            raise InvalidCPDAGError(f"not the class of any DAG: {why_no_extension(self)}")
        vars(self).update(interventions=distinct_interventions(self.interventions))
        right = type(self).of(self._extension, self.interventions)
        if self._neighbour_masks != right._neighbour_masks:
            raise InvalidCPDAGError(difference_of_classes(self, right))

    def _reordered(self, nodes: Sequence[Node]) -> Self:
        graph = super()._reordered(nodes)
        vars(graph).update(interventions=self.interventions)
        return graph

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[object, ...]]:
        edges = (self.nodes, self._parent_masks, self._neighbour_masks)
        return type(self)._of_masks, (*edges, self.interventions)

    def __eq__(self, other: object) -> bool:
        is_equal = super().__eq__(other)
        if is_equal is True and isinstance(other, InterventionalCPDAG):
            return set(self.interventions) == set(other.interventions)
        return is_equal

    __hash__ = CPDAG.__hash__

    @cached_property
    def observational(self) -> CPDAG:
        """The class that observations alone would leave."""
        return self.extension().cpdag()

    @cached_property
    def directed_by_interventions(self) -> tuple[Edge, ...]:
        """The arrows that observations leave undirected, as sorted pairs (parent, child)."""
        left = self.observational._neighbour_masks
        index = self._index
        return tuple((a, b) for a, b in self.directed_edges if left[index[b]] >> index[a] & 1)

    @cached_property
    def _picture(self) -> drawing.Picture:
        picture, index = super()._picture, self._index
        coloured = {(index[a], index[b]) for a, b in self.directed_by_interventions}
        colours = tuple("now" if edge[:2] in coloured else "line" for edge in picture.edges)
        legend = (drawing.Key("directed by the interventions", "now"),) if coloured else ()
        return replace(picture, colours=colours, legend=legend)


def interventional_class_of(parents: Sequence[int], interventions: Sequence[int]) -> Masks:
    """The arrows and undirected edges of the interventional class of a DAG, all of them as masks."""
    children = transposed(parents)
    adjacent = [up | down for up, down in zip(parents, children, strict=True)]
    fixed = collider_parents(parents, adjacent)
    for node, up in enumerate(parents):
        for together in interventions:
            # The parents on the other side of the intervention.
            fixed[node] |= up & (~together if together >> node & 1 else together)
    fixed_children = transposed(fixed)
    free = [around & ~fixed[node] & ~fixed_children[node] for node, around in enumerate(adjacent)]
    return close(fixed, free)


def distinct_interventions(interventions: Iterable[Iterable[Node]]) -> tuple[frozenset[Node], ...]:
    """Each intervention once, in a fixed order, without the empty one."""
    kept = {frozenset([one]) if isinstance(one, str) else frozenset(one) for one in interventions} - {frozenset()}
    return tuple(sorted(kept, key=lambda nodes: (len(nodes), sorted(map(str, nodes)))))
