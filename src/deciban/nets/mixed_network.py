"""A Bayes net of categories and numbers as a value: a DAG, tables for the categories, regressions for the numbers.

    P(x₁, …, xₙ) = Π P(xᵢ | parents of xᵢ)

A category given categories has a table. A number given categories j and numbers z is *conditional linear Gaussian*
(Lauritzen and Wermuth, 1989): in each configuration j of its categorical parents a linear regression on the others,

    x = a_j + Σ_i b_ji·z_i + ε,    ε ~ N(0, s_j²),    s_j² ≥ 0

A category with numeric parents has a table too: each numeric parent is *cut* into bins for this family, and the table
has an axis of bins in its place. Bin i holds c_i < z ≤ c_(i+1), as the bins of classifiers do, so the category depends
on the bin of the number only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from deciban.choices import counted
from deciban.errors import NetworkError
from deciban.estimate.values import short_number
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.network import (
    Axes,
    Network,
    State,
    checked_states,
    checked_table,
    code_of_state,
    codes_of_states,
    dag_size,
)
from deciban.storable import ByFields, storable
from deciban.types import AnyArray, Floats

__all__ = ["MixedNetwork", "Regressions", "bin_names"]


@storable
@dataclass(frozen=True, eq=False, repr=False)
class Regressions(ByFields):
    """P(number | parents): a linear regression for each configuration of the categorical parents.

        x = intercept_j + Σ_i slope_ji·z_i + ε,    ε ~ N(0, variance_j)

    Parameters
    ----------
    categories : tuple of nodes
        The categorical parents, in the order of the axes.
    numbers : tuple of nodes
        The numeric parents, in the order of the last axis of ``slopes``.
    intercepts : array
        An axis for each of ``categories``.
    slopes : array
        The same axes, and a last one for ``numbers``.
    variances : array
        The axes of ``intercepts``; 0 where the parents determine the number.

    Raises
    ------
    NetworkError
        If the shapes do not fit each other, or a number is not finite, or a variance is negative.

    See Also
    --------
    LinearGaussian : The regression of a node with numeric parents only.

    Examples
    --------
    >>> from deciban.nets import Regressions
    >>> weight = Regressions(("sex",), ("height",), [-90.0, -85.0], [[0.9], [0.95]], [1.0, 1.0])
    >>> weight
    Regressions(2 configurations of sex, on height)
    """

    categories: tuple[Node, ...]
    numbers: tuple[Node, ...]
    intercepts: Floats
    slopes: Floats
    variances: Floats

    def __post_init__(self) -> None:
        for name in ("intercepts", "slopes", "variances"):
            object.__setattr__(self, name, _frozen(getattr(self, name), name))
        shape = self.intercepts.shape
        if len(shape) != len(self.categories) or self.variances.shape != shape:
            raise NetworkError(
                f"regressions on {len(self.categories)} categorical parents have intercepts of shape {shape} and "
                f"variances of shape {self.variances.shape}; both need an axis for each of these parents"
            )
        if self.slopes.shape != (*shape, len(self.numbers)):
            raise NetworkError(
                f"regressions on {len(self.numbers)} numeric parents have slopes of shape {self.slopes.shape}; they "
                f"need {(*shape, len(self.numbers))}"
            )
        if (self.variances < 0).any():
            raise NetworkError(f"the variances of regressions are not negative: {self.variances.min()}")

    def __repr__(self) -> str:
        of = f"{counted(self.intercepts.size, 'configuration')} of {', '.join(map(str, self.categories))}, "
        on = f"on {', '.join(map(str, self.numbers))}" if self.numbers else "constant"
        return f"Regressions({of if self.categories else ''}{on})"


class MixedNetwork:
    """A DAG with tables for its categories and regressions for its numbers: immutable, and checked when it is made.

    Parameters
    ----------
    dag : DAG
        The graph.
    states : mapping
        Category → its states, in the order of the table's axes. A node without states is a number.
    tables : mapping
        Category → P(category | parents): an axis for each parent in the order of ``parents[node]``, which for a
        numeric parent is that of its bins, and the category's own states last. Rows sum to 1.
    regressions : mapping
        Number → its ``Regressions`` on its parents.
    cuts : mapping, optional
        Category → numeric parent → the increasing ends of its bins, one fewer than bins.

    Attributes
    ----------
    dag : DAG
        The graph.
    nodes, categories, numbers : tuple
        All nodes, and those of each kind, in the order of the graph.
    states, tables, cuts : mapping
        The states and the table of each category, and for each of its numeric parents the ends of the bins.
    regressions : mapping
        The regressions of each number.
    parents : mapping
        Node → its parents, in the order of the graph.

    See Also
    --------
    Network : A net of categories alone.

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import MixedNetwork, Regressions
    >>> MixedNetwork(
    ...     db.DAG([("sex", "height")]),
    ...     {"sex": ("f", "m")},
    ...     {"sex": [0.5, 0.5]},
    ...     {"height": Regressions(("sex",), (), [165.0, 178.0], [[], []], [40.0, 50.0])},
    ... )
    MixedNetwork(2 nodes, 1 arrow: 1 category, 1 number)
    """

    _strong_tree: object | None = None
    """The compiled form, which ``inference.strong_tree`` makes for the first query: no part of the value."""

    def __init__(
        self,
        dag: DAG,
        states: Mapping[Any, Iterable[State]],
        tables: Mapping[Any, Any],
        regressions: Mapping[Any, Regressions],
        cuts: Mapping[Any, Mapping[Any, Any]] | None = None,
    ) -> None:
        self.dag = dag
        self.nodes = dag.nodes
        self.categories: tuple[Node, ...] = tuple(node for node in dag.nodes if node in states)
        self.numbers: tuple[Node, ...] = tuple(node for node in dag.nodes if node not in states)
        self.parents: Mapping[Node, tuple[Node, ...]] = MappingProxyType(
            {node: tuple(sorted(dag.parents(node), key=dag.index)) for node in dag.nodes}
        )
        self.states: Mapping[Node, tuple[State, ...]] = MappingProxyType(checked_states(dag, self.categories, states))
        self.cuts: Mapping[Node, Mapping[Node, Floats]] = MappingProxyType(
            {node: MappingProxyType(self._read_cuts(node, cuts or {})) for node in self.categories}
        )
        self.tables: Mapping[Node, Floats] = MappingProxyType(
            {node: checked_table(node, tables, self._axes(node)) for node in self.categories}
        )
        self.regressions: Mapping[Node, Regressions] = MappingProxyType(
            {node: self._read_regressions(node, regressions) for node in self.numbers}
        )

    @classmethod
    def of(cls, network: Network) -> MixedNetwork:
        """The mixed network of a net of categories.

        Parameters
        ----------
        network : Network
            A net of categories.

        Returns
        -------
        MixedNetwork
        """
        tables = {}
        for node, parents in network.parents.items():
            order = [parents.index(parent) for parent in sorted(parents, key=network.dag.index)]
            tables[node] = network.tables[node].transpose(*order, len(order))
        return cls(network.dag, network.states, tables, {})

    def is_number(self, node: Node) -> bool:
        """Whether a node is a number.

        Parameters
        ----------
        node : node
            The name of a node.

        Returns
        -------
        bool
        """
        self.dag.index(node)
        return node not in self.states

    def code(self, category: Node, state: State) -> int:
        """The index of a state among those of its category.

        Parameters
        ----------
        category : node
            The name of a category.
        state : state
            One of its states, or what stands for one in another type.

        Returns
        -------
        int

        Raises
        ------
        UnseenStateError
            If the category has no such state; the message lists its states.
        """
        if self.is_number(category):
            raise NetworkError(f"{category!r} is a number: it has no states")
        return code_of_state(self._codes[category], category, state)

    @property
    def n_parameters(self) -> int:
        """The number of free parameters.

        (r − 1)·q of each table; of each regression an intercept, a variance and a slope for each numeric parent.
        """
        of_tables = sum(table.size - table.size // table.shape[-1] for table in self.tables.values())
        return of_tables + sum(r.intercepts.size * (2 + len(r.numbers)) for r in self.regressions.values())

    @property
    def kinds_in_words(self) -> str:
        """Such as ``2 categories, 1 number``."""
        parts = [(len(self.categories), "category", "categories"), (len(self.numbers), "number", "numbers")]
        return ", ".join(counted(n, one, many) for n, one, many in parts if n) or "no node"

    @cached_property
    def cards(self) -> Mapping[Node, int]:
        """The number of states of each category."""
        return {node: len(states) for node, states in self.states.items()}

    @cached_property
    def factors(self) -> Mapping[Node, Floats]:
        """The table of each category, each row divided by its sum."""
        rows = {node: table / table.sum(axis=-1, keepdims=True) for node, table in self.tables.items()}
        for table in rows.values():
            table.flags.writeable = False  # shared by all queries, and by the threads that ask them
        return MappingProxyType(rows)

    @cached_property
    def _codes(self) -> dict[Node, dict[State, int]]:
        return codes_of_states(self.states)

    def _axes(self, node: Node) -> Axes:
        """The name and the states, or bins, of each axis of a table."""
        above = [
            (up, self.states[up] if up in self.states else bin_names(self.cuts[node][up])) for up in self.parents[node]
        ]
        return [*above, (node, self.states[node])]

    def _read_cuts(self, node: Node, cuts: Mapping[Any, Mapping[Any, Any]]) -> dict[Node, Floats]:
        given, read = cuts.get(node, {}), {}
        for parent in (parent for parent in self.parents[node] if parent not in self.states):
            if parent not in given:
                raise NetworkError(f"there are no cuts of the number {parent!r} for the table of {node!r}")
            ends = _frozen(given[parent], "cuts")
            if ends.ndim != 1 or (np.diff(ends) <= 0).any():
                raise NetworkError(f"the cuts of {parent!r} for {node!r} are increasing numbers, not {ends.tolist()}")
            read[parent] = ends
        return read

    def _read_regressions(self, node: Node, regressions: Mapping[Any, Regressions]) -> Regressions:
        if node not in regressions:
            raise NetworkError(f"there are no states and no regressions for {node!r}")
        read = regressions[node]
        categories = tuple(parent for parent in self.parents[node] if parent in self.states)
        numbers = tuple(parent for parent in self.parents[node] if parent not in self.states)
        if (read.categories, read.numbers) != (categories, numbers):
            raise NetworkError(
                f"the regressions of {node!r} are on {(*read.categories, *read.numbers)!r}; its parents, the "
                f"categories first and each kind in the order of the graph, are {(*categories, *numbers)!r}"
            )
        shape = tuple(len(self.states[parent]) for parent in categories)
        if read.intercepts.shape != shape:
            raise NetworkError(f"the regressions of {node!r} have shape {read.intercepts.shape}; they need {shape}")
        return read

    def __getstate__(self) -> tuple[object, ...]:
        cuts = {node: dict(of_node) for node, of_node in self.cuts.items()}
        return self.dag, dict(self.states), dict(self.tables), dict(self.regressions), cuts

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        MixedNetwork.__init__(self, *state)  # checks it again: a pickle may come from anywhere

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MixedNetwork):
            return NotImplemented
        if (self.dag, self.nodes, self.states) != (other.dag, other.nodes, other.states):
            return False
        return (
            self.regressions == other.regressions
            and all(np.array_equal(table, other.tables[node]) for node, table in self.tables.items())
            and all(
                np.array_equal(ends, other.cuts[node][parent])
                for node, of_node in self.cuts.items()
                for parent, ends in of_node.items()
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"MixedNetwork({dag_size(self.dag)}: {self.kinds_in_words})"


def bin_names(cuts: Floats) -> tuple[str, ...]:
    """The bins between cuts, such as ``≤ 20``, ``20 to 65`` and ``> 65``; one bin, ``any``, where there are no cuts.

    >>> bin_names(np.array([20.0, 65.0]))
    ('≤ 20', '20 to 65', '> 65')
    """
    if not len(cuts):
        return ("any",)
    ends = [short_number(end) for end in cuts.tolist()]
    return (f"≤ {ends[0]}", *(f"{low} to {high}" for low, high in pairwise(ends)), f"> {ends[-1]}")


def _frozen(values: object, what: str) -> Floats:
    """A copy as an array of finite numbers that cannot be written to."""
    try:
        read: AnyArray = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise NetworkError(f"the {what} are not an array of numbers") from None
    if not np.isfinite(read).all():
        raise NetworkError(f"the {what} are not all finite")
    read.flags.writeable = False
    return read
