"""A graph as the source of independences: d-separation instead of a test on data.

Latent nodes are in the graph but cannot be observed: they cannot be tested or conditioned on.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from deciban import _core
from deciban.errors import ParameterError, UnknownNodeError
from deciban.nets.graphs.base import Node, sort_key
from deciban.nets.graphs.graph import DAG
from deciban.nets.tests.base import core_values
from deciban.nets.tests.results import TestResult, Verdict

__all__ = ["Oracle"]


class Oracle:
    """A test that answers from a graph: nodes are independent if the graph d-separates them.

    Parameters
    ----------
    dag : DAG
        The graph.
    latent : node or iterable of nodes, optional
        Nodes that cannot be observed. ``discover(oracle, method="fci")`` allows for them; "pc" and "ic" do not, and may
        then direct an edge that is due to a hidden common cause, or return edges that no DAG explains.

    Attributes
    ----------
    dag : DAG
        The graph.
    latent : tuple
        The nodes that cannot be observed.

    See Also
    --------
    discover : Finds the class of the graph from the oracle.
    d_separated : The answers, without a class.

    Examples
    --------
    >>> import deciban as db
    >>> oracle = db.Oracle(db.DAG([("gpa", "admission"), ("personality", "admission")]))
    >>> (
    ...     oracle.independent("gpa", "personality"),
    ...     oracle.independent("gpa", "personality", ["admission"]),
    ... )
    (True, False)
    """

    name = "d-separation"
    is_exact = True
    rules = (0.5, 0.0, False)

    def __init__(self, dag: DAG, latent: Node | Iterable[Node] = ()) -> None:
        if not isinstance(dag, DAG):
            raise ParameterError(f"an oracle is made from a DAG, not from a {type(dag).__name__}.")
        self.dag = dag
        hidden = dag._names(dag._mask(latent))
        self.latent = tuple(node for node in dag.nodes if node in hidden)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes that can be observed."""
        return tuple(node for node in self.dag.nodes if node not in self.latent)

    @cached_property
    def source(self) -> Any:
        """What the compiled core tests."""
        order, index = self._order
        parents = [sorted(index[parent] for parent in self.dag.parents(node)) for node in order]
        starts = np.cumsum([0, *map(len, parents)])
        return _core.graph_source(starts, np.array([up for each in parents for up in each], dtype=np.int64))

    def independent(self, x: Node, y: Node, given: Iterable[Node] = ()) -> bool:
        """Whether x and y are d-separated given the others.

        Parameters
        ----------
        x, y : node
            Two nodes that can be observed.
        given : node or iterable of nodes, optional
            The conditioning set.

        Returns
        -------
        bool
        """
        return self.test(x, y, given).p > 0.5

    @cached_property
    def _order(self) -> tuple[list[Node], dict[Node, int]]:
        key = sort_key(self.dag.nodes)
        # Latent nodes come last: a search numbers only the others.
        order = [*sorted(self.nodes, key=key), *sorted(self.latent, key=key)]
        return order, {node: i for i, node in enumerate(order)}

    def test(self, x: Node, y: Node, given: Iterable[Node] = ()) -> TestResult:
        """The d-separation of x and y given the others, as the result of a test.

        Parameters
        ----------
        x, y : node
            Two nodes that can be observed.
        given : node or iterable of nodes, optional
            The conditioning set.

        Returns
        -------
        TestResult
            With p = 1 if they are separated, 0 if not.
        """
        given = self.dag._names(self.dag._mask(given))
        order, index = self._order
        for node in (x, y, *given):
            self.dag.index(node)
            if node in self.latent:
                raise UnknownNodeError(f"{node!r} is latent: it cannot be observed or conditioned on.")
        inside = sorted(index[node] for node in given)
        values = core_values(self.source, index[x], index[y], inside)
        verdict: Verdict = "independent" if values[3] > 0.5 else "dependent"
        return TestResult(x, y, tuple(order[i] for i in inside), *values, verdict, self.name)
