"""Answers as values: the distribution of one node, the joint table of several, the most probable states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import islice, product
from math import exp, inf
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from deciban.choices import closest, counted
from deciban.errors import ParameterError, UnknownNodeError, UnseenStateError
from deciban.nets.graphs.graph import Node
from deciban.nets.network import State
from deciban.read import plain
from deciban.ties import first_largest
from deciban.types import Floats, ResultMapping
from deciban.units import bits_from_nats

__all__ = ["Completion", "Distribution", "JointDistribution"]

_OVERFLOWS = 709.0
"""Logarithms above this are of numbers that are no float."""

_SHOWN = 20
_IN_LINE = 6
_BAR = (
    '<td style="min-width:120px"><div style="width:{width:.1f}%;height:0.8em;background:#2b7bba"></div></td>'
    '<td style="text-align:right">{number}</td>'
)


class Distribution(Mapping[State, float]):
    """The distribution of one node: a mapping from states to probabilities, in the order of the node's states.

    Parameters
    ----------
    node : node
        The name of the node.
    states : iterable
        Its states.
    probabilities : array
        Their probabilities.

    Attributes
    ----------
    node : node
        The name of the node.
    states : tuple
        Its states.

    See Also
    --------
    BayesNet.query : Returns it.
    JointDistribution : Of several nodes.

    Examples
    --------
    >>> from deciban.nets import Distribution
    >>> rain = Distribution("rain", ("no", "yes"), [0.75, 0.25])
    >>> rain["yes"], rain.most_likely(), round(rain.entropy, 3)
    (0.25, 'no', 0.811)
    >>> rain
    Distribution(rain: no 0.7500, yes 0.2500)
    >>> print(rain)
    rain
    no   0.7500
    yes  0.2500
    """

    def __init__(self, node: Node, states: Iterable[State], probabilities: ArrayLike) -> None:
        self.node = node
        self.states = tuple(states)
        self._values: Floats = np.array(probabilities, dtype=np.float64)
        self._values.flags.writeable = False
        self._index = {state: index for index, state in enumerate(self.states)}

    def __getitem__(self, state: State) -> float:
        try:
            return float(self._values[self._index[plain(state)]])
        except (KeyError, TypeError):
            raise _UnknownStateError(self.node, state, self.states) from None

    def __iter__(self) -> Iterator[State]:
        return iter(self.states)

    def __len__(self) -> int:
        return len(self.states)

    def as_array(self) -> Floats:
        """The probabilities in the order of ``states``.

        Returns
        -------
        array
            Read-only.
        """
        return self._values

    def most_likely(self) -> State:
        """The state with the largest probability, the first of those that are equal.

        Returns
        -------
        state
        """
        # Scale 0: with 1, all probabilities below 1e-9 would be equal, and of many states all are so small.
        return self.states[first_largest(self._values, scale=0.0)]

    @property
    def entropy(self) -> float:
        """H = −Σ p·log₂ p, in bits."""
        positive = self._values[self._values > 0]
        return max(bits_from_nats(float(-(positive * np.log(positive)).sum())), 0.0)

    def to_series(self) -> Any:
        """The distribution as a pandas Series. Needs pandas.

        Returns
        -------
        pandas.Series
            Indexed by state.
        """
        from deciban.read.frame import make_series  # noqa: PLC0415  brings pyarrow, which takes long to load

        return make_series(self._values, self.states, str(self.node))

    def __repr__(self) -> str:
        shown = ", ".join(f"{state} {self[state]:.4f}" for state in self.states[:_IN_LINE])
        return f"Distribution({self.node}: {shown}{', …' if len(self) > _IN_LINE else ''})"

    def __str__(self) -> str:
        wide = max((len(str(state)) for state in self.states[:_SHOWN]), default=0)
        rows = [f"{state!s:{wide}}  {self[state]:.4f}" for state in self.states[:_SHOWN]]
        more = [f"… and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "\n".join([str(self.node), *rows, *more])

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><td>{escape(str(state))}</td>{_BAR.format(width=100 * p, number=f'{p:.4f}')}</tr>"
            for state, p in list(self.items())[:_SHOWN]
        )
        more = f"<tr><td>… and {len(self) - _SHOWN} more</td></tr>" if len(self) > _SHOWN else ""
        return f"<table><caption>{escape(str(self.node))}</caption>{''.join(rows)}{more}</table>"


class JointDistribution(Mapping[tuple[State, ...], float]):
    """The joint distribution of several nodes: a mapping from tuples with a state for each node to probabilities.

    Parameters
    ----------
    nodes : iterable of nodes
        The names of the nodes.
    states : iterable of iterables
        The states of each node.
    probabilities : array
        An axis for each node.

    Attributes
    ----------
    nodes : tuple
        The names of the nodes.
    states : tuple of tuples
        The states of each node.
    array : array
        The probabilities, with an axis for each node; read-only.

    See Also
    --------
    BayesNet.query : Returns it for a list of nodes.
    Distribution : Of one node.

    Examples
    --------
    >>> from deciban.nets import JointDistribution
    >>> both = JointDistribution(
    ...     ("rain", "wet"), [("no", "yes"), ("no", "yes")], [[0.7, 0.1], [0.0, 0.2]]
    ... )
    >>> both["yes", "yes"], both.most_likely(), both.marginal("rain")["yes"]
    (0.2, ('no', 'no'), 0.2)
    >>> print(both)
    rain  wet  P
    no    no   0.7000
    no    yes  0.1000
    yes   no   0.0000
    yes   yes  0.2000
    """

    def __init__(self, nodes: Iterable[Node], states: Iterable[Iterable[State]], probabilities: ArrayLike) -> None:
        self.nodes = tuple(nodes)
        self.states = tuple(tuple(of_node) for of_node in states)
        self.array: Floats = np.array(probabilities, dtype=np.float64)
        self.array.flags.writeable = False
        self._indices = [{state: index for index, state in enumerate(of_node)} for of_node in self.states]

    def __getitem__(self, states: tuple[State, ...]) -> float:
        if not isinstance(states, tuple) or len(states) != len(self.nodes):
            raise _UnknownStateError(self.nodes, states, [f"one for each of {', '.join(map(str, self.nodes))}"])
        states = tuple(map(plain, states))
        for node, state, index in zip(self.nodes, states, self._indices, strict=True):
            if state not in index:
                raise _UnknownStateError(node, state, tuple(index))
        return float(self.array[tuple(index[state] for index, state in zip(self._indices, states, strict=True))])

    def __iter__(self) -> Iterator[tuple[State, ...]]:
        return product(*self.states)

    def __len__(self) -> int:
        return int(self.array.size)

    def most_likely(self) -> tuple[State, ...]:
        """The states with the largest probability, the first of those that are equal.

        Returns
        -------
        tuple of states
        """
        best = np.unravel_index(first_largest(self.array.ravel(), scale=0.0), self.array.shape)
        return tuple(of_node[int(code)] for of_node, code in zip(self.states, best, strict=True))

    def marginal(self, x: Node | Iterable[Node]) -> Any:
        """The distribution of one of the nodes, or the joint table of some of them.

        Parameters
        ----------
        x : node or iterable of nodes
            The node, or several in the order wanted.

        Returns
        -------
        Distribution or JointDistribution
        """
        # First as one node: a node may be a tuple, which is also an iterable.
        is_one = _is_among(x, self.nodes)
        nodes = (x,) if _is_among(x, self.nodes) else _several(x)
        for node in nodes:
            if not _is_among(node, self.nodes):
                raise UnknownNodeError(f"the table has no node {node!r}; its nodes are {self.nodes!r}")
        axes = [self.nodes.index(node) for node in nodes]
        summed = self.array.sum(axis=tuple(axis for axis in range(len(self.nodes)) if axis not in axes))
        kept = sorted(axes)
        table = summed.transpose([kept.index(axis) for axis in axes])
        if is_one:
            return Distribution(nodes[0], self.states[axes[0]], table)
        return JointDistribution(nodes, [self.states[axis] for axis in axes], table)

    def to_frame(self, backend: str = "pandas") -> Any:
        """The table as a frame.

        Parameters
        ----------
        backend : str
            "pandas", "polars", "pyarrow" or another library that narwhals knows.

        Returns
        -------
        frame
            A column for each node, and one named ``P``.
        """
        from deciban.read.frame import make_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

        outcomes = list(self)
        columns = {str(node): [outcome[axis] for outcome in outcomes] for axis, node in enumerate(self.nodes)}
        return make_frame({**columns, "P": self.array.ravel()}, backend)

    def _cells(self) -> tuple[list[tuple[str, ...]], str]:
        rows = [(*map(str, outcome), f"{self[outcome]:.4f}") for outcome in islice(self, _SHOWN)]
        more = f"… and {len(self) - _SHOWN} more" if len(self) > _SHOWN else ""
        return [(*map(str, self.nodes), "P"), *rows], more

    def __repr__(self) -> str:
        best = ", ".join(map(str, self.most_likely()))
        return f"JointDistribution({', '.join(map(str, self.nodes))}: {counted(len(self), 'cell')}, most likely {best})"

    def __str__(self) -> str:
        rows, more = self._cells()
        wide = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = ["  ".join(f"{cell:{size}}" for cell, size in zip(row, wide, strict=True)).rstrip() for row in rows]
        return "\n".join([*lines, *([more] if more else [])])

    def _repr_html_(self) -> str:
        (head, *rows), more = self._cells()
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        return f"<table><tr>{top}</tr>{body}</table>{more}"


class Completion(ResultMapping[Node, State]):
    """The most probable states of some nodes: a mapping from nodes to states.

    Parameters
    ----------
    states : mapping
        Node → state.
    log_probability : float
        log P(states, e).
    log_evidence : float
        log P(e).

    See Also
    --------
    BayesNet.mpe : Returns it for all nodes.
    BayesNet.map : Returns it for some nodes.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> best = net.mpe({"wet": "yes"})
    >>> best["rain"], round(best.probability, 2), round(best.posterior, 3)
    ('yes', 0.16, 0.667)
    """

    def __init__(self, states: Mapping[Node, State], log_probability: float, log_evidence: float) -> None:
        self._values = dict(states)
        self.log_probability = log_probability
        self.log_evidence = log_evidence

    @property
    def probability(self) -> float:
        """P(states, e); of evidence on numbers a density, which may be infinite as a float."""
        return exp(self.log_probability) if self.log_probability < _OVERFLOWS else inf

    @property
    def posterior(self) -> float:
        """P(states | e)."""
        # The two logarithms are of different sums, so a certain completion may come out above 1 by rounding.
        return min(exp(self.log_probability - self.log_evidence), 1.0)

    def __repr__(self) -> str:
        shown = ", ".join(f"{node}={state}" for node, state in list(self._values.items())[:_SHOWN])
        more = ", …" if len(self) > _SHOWN else ""
        return f"Completion({shown}{more}; probability {self.probability:.3g}, posterior {self.posterior:.3g})"


class _UnknownStateError(UnseenStateError, KeyError):
    """An unknown state; also a KeyError, so that ``in`` and ``get`` work as for every mapping."""

    def __init__(self, node: Node, state: object, states: Iterable[object]) -> None:
        known = tuple(states)
        shown = ", ".join(map(repr, known[:12]))
        super().__init__(f"{node!r} has no state {state!r}; its states are: {shown}.{closest(state, known)}")

    __str__ = ValueError.__str__  # that of KeyError would print the message in quotes


def _is_among(x: object, nodes: tuple[Node, ...]) -> TypeGuard[Node]:
    try:
        return x in nodes
    except TypeError:
        return False


def _several(x: object) -> tuple[Node, ...]:
    if isinstance(x, str) or not isinstance(x, Iterable):
        raise UnknownNodeError(f"the table has no node {x!r}")
    nodes = tuple(x)
    if not nodes or len(set(nodes)) < len(nodes):
        raise ParameterError(f"expected one or more different nodes, not {x!r}")
    return nodes
