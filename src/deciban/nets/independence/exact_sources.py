"""A graph as the source of independences: d-separation instead of a test on data.

Latent nodes are in the graph but cannot be observed: they cannot be tested or conditioned on.

A joint table as an exact source of independences.

  X ⊥ Y | Z  ⟺  P(x, y, z) · P(z) = P(x, z) · P(y, z)  for all x, y, z

needs no division, so P(z) = 0 needs no special case. With integers or fractions in the table the answer is exact; with
floats it is up to rounding.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import isclose
from typing import Any

import numpy as np

from deciban import _core
from deciban.errors import InputError, ParameterError, UnknownNodeError
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node, is_among, sort_key
from deciban.nets.independence.independence_test import Outcome, TestResult, VerdictRules, core_values

__all__ = ["JointTable", "Oracle"]


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
    rules = VerdictRules(0.5, 0.0, False)

    def __init__(self, dag: DAG, latent: Node | Iterable[Node] = ()) -> None:
        if not isinstance(dag, DAG):
            raise ParameterError(f"an oracle is made from a DAG, not from a {type(dag).__name__}.")
        self.dag = dag
        hidden = dag._names(dag._mask(latent))
        self.latent = tuple(node for node in dag.nodes if node in hidden)

    def __getstate__(self) -> dict[str, object]:
        # What the core tests is made again from the graph.
        return {name: value for name, value in vars(self).items() if name != "source"}

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes that can be observed."""
        return tuple(node for node in self.dag.nodes if node not in self.latent)

    @cached_property
    def source(self) -> _core.Source:
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
        verdict: Outcome = "independent" if values[3] > 0.5 else "dependent"
        return TestResult(x, y, tuple(order[i] for i in inside), *values, verdict, self.name)


Nodes = Node | Iterable[Node]
Number = int | Fraction | float

# Sums of products of floats differ by less, real dependences by more; counts and fractions are compared exactly.
_TOLERANCE = 1e-9


class JointTable:
    """The probability of every outcome of some variables, as an exact source of independences.

        X ⊥ Y | Z  ⟺  P(x, y, z) · P(z) = P(x, z) · P(y, z)  for all x, y, z

    With integers or fractions in the table the answer is exact; with floats it is up to rounding.

    Parameters
    ----------
    table : mapping or array
        A mapping from outcomes, tuples with a state for each variable, to probabilities or counts (0 for
        outcomes that are not listed); or an array with an axis for each variable.
    variables : sequence, optional
        Their names, in the order of the tuples or the axes. By default 0, 1, ….

    Attributes
    ----------
    nodes : tuple
        The names of the variables.

    See Also
    --------
    is_compatible : Whether a graph fits the table.
    discover : Takes it as a source.

    Examples
    --------
    Two coins and whether they show the same: any two are independent, but not given the third.

    >>> from deciban.nets import JointTable
    >>> outcomes = {("h", "h", 1): 1, ("h", "t", 0): 1, ("t", "h", 0): 1, ("t", "t", 1): 1}
    >>> coins = JointTable(outcomes, ["a", "b", "same"])
    >>> coins.independent("a", "same"), coins.independent("a", "same", given="b")
    (True, False)
    """

    def __init__(self, table: Any, variables: Sequence[Node] | None = None) -> None:
        cells = _cells(table)
        width = len(next(iter(cells)))
        self.nodes: tuple[Node, ...] = tuple(range(width) if variables is None else variables)
        if len(self.nodes) != width or len(set(self.nodes)) != width:
            raise InputError(f"a table of {width} variables, but the names {self.nodes!r}")
        self._index = {node: index for index, node in enumerate(self.nodes)}
        self._cells = cells
        self._is_exact = all(isinstance(number, int | Fraction) for number in cells.values())
        self._sums: dict[tuple[int, ...], dict[tuple[Hashable, ...], Number]] = {}

    def independent(
        self, x: Node | Iterable[Node], y: Node | Iterable[Node], given: Node | Iterable[Node] = ()
    ) -> bool:
        """Whether x ⊥ y | given holds in the table.

        Parameters
        ----------
        x, y : variable or iterable of variables
            The two sides.
        given : variable or iterable of variables, optional
            The conditioning set.

        Returns
        -------
        bool
        """
        a, b, c = self._indices(x), self._indices(y), self._indices(given)
        whole, left, right, base = (self._sum(c + part) for part in (a + b, a, b, ()))
        rights: dict[tuple[Hashable, ...], list[tuple[tuple[Hashable, ...], Number]]] = {}
        for key, number in right.items():
            rights.setdefault(key[: len(c)], []).append((key[len(c) :], number))
        return all(
            self._same(whole.get(key + other, 0) * base[key[: len(c)]], number * peer)
            for key, number in left.items()
            for other, peer in rights[key[: len(c)]]
        )

    def _same(self, one: Number, other: Number) -> bool:
        # The absolute tolerance is for 0 against the rounding error of a product that should be 0.
        return one == other if self._is_exact else isclose(one, other, rel_tol=_TOLERANCE, abs_tol=1e-15)

    def _indices(self, names: Nodes) -> tuple[int, ...]:
        is_one = isinstance(names, str) or not isinstance(names, Iterable) or is_among(names, self._index)
        listed: Iterable[Node] = [names] if is_one else names  # type: ignore[assignment, list-item]
        try:
            return tuple(sorted({self._index[name] for name in listed}))
        except (KeyError, TypeError):
            raise UnknownNodeError(f"{names!r} is not a variable of the table: {self.nodes!r}") from None

    def _sum(self, indices: tuple[int, ...]) -> dict[tuple[Hashable, ...], Number]:
        if indices not in self._sums:
            sums: dict[tuple[Hashable, ...], Number] = {}
            for outcome, number in self._cells.items():
                key = tuple(outcome[index] for index in indices)
                sums[key] = sums.get(key, 0) + number
            self._sums[indices] = sums
        return self._sums[indices]

    def __repr__(self) -> str:
        return f"JointTable({len(self._cells)} outcomes of {', '.join(map(str, self.nodes))})"


def _cells(table: Any) -> dict[tuple[Hashable, ...], Number]:
    """The outcomes with a probability above 0; floats are normalized."""
    if isinstance(table, Mapping):
        numbers = {key if isinstance(key, tuple) else (key,): _number(value) for key, value in table.items()}
    else:
        array = np.asarray(table)
        numbers = {cell: _number(array[cell]) for cell in np.ndindex(array.shape)}
    cells = {key: number for key, number in numbers.items() if number}
    if len({len(key) for key in numbers}) != 1 or not cells or min(cells.values()) < 0:
        raise InputError("a joint table needs outcomes of the same length and non-negative numbers, not all 0")
    total = sum(cells.values())
    if isinstance(total, float):
        return {key: float(number) / total for key, number in cells.items()}
    return cells


def _number(value: object) -> Number:
    plain: object = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, int | float | Fraction) and plain - plain == 0:
        return plain
    raise InputError(f"a joint table contains finite numbers, not {value!r}")
