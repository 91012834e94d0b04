"""What an effect may be when only the class of the graph is known: IDA.

Data tell a class of graphs, and the graphs of a class may differ in what an action does. In each of them the parents of
x are an adjustment set, so the possible effects are

  P(y | do(x)) = Σ_pa P(y | x, pa) P(pa)      over the possible parents pa of x, and P(y) where y is one of them

for which no DAG needs to be listed (Maathuis, Kalisch and Bühlmann, 2009: intervention calculus when the DAG is
absent). Each comes with the share of the class's DAGs that have it, and the smallest of them is a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, overload

import numpy as np

from deciban.errors import GraphError, InputError, ParameterError
from deciban.estimate import MLE, Smoothing
from deciban.nets.causal.effects import Effect
from deciban.nets.causal.estimand import Estimand
from deciban.nets.causal.identification.terms import Term, multiply, probability, sum_out
from deciban.nets.causal.parents import possible_parents
from deciban.nets.causal.slopes import Covariances, slope
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG, PDAG
from deciban.nets.network import as_network

__all__ = ["PossibleEffect", "PossibleEffects", "ida"]

Model = Literal["tables", "gaussian"]


@dataclass(frozen=True, eq=False)
class PossibleEffect:
    """The effect in the DAGs in which the cause has these parents.

    ``effect`` is an ``Effect``, or with ``model="gaussian"`` the slope, whose standard error is ``error``.
    """

    parents: frozenset[Node]
    dags: int
    share: float
    effect: Any
    error: float | None = None


@dataclass(frozen=True, eq=False)
class PossibleEffects(Sequence[PossibleEffect]):
    """The effects that a cause may have over a class of graphs, one for each set of parents."""

    cause: Node
    effect: Node
    possible: tuple[PossibleEffect, ...]

    @overload
    def __getitem__(self, place: int) -> PossibleEffect: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[PossibleEffect]: ...
    def __getitem__(self, place: int | slice) -> PossibleEffect | Sequence[PossibleEffect]:
        return self.possible[place]

    def __len__(self) -> int:
        return len(self.possible)

    def range(self, state: Any = None, outcome: Any = None) -> tuple[float, float]:
        """The least and the greatest effect.

        From tables that of P(outcome | do(cause = state)), so both are needed; from Gaussian data the slope, and
        neither is.
        """
        if isinstance(self.possible[0].effect, Effect):
            if state is None or outcome is None:
                raise InputError('pass what is done and what may follow: possible.range("on", "yes")')
            values = [one.effect[state][outcome] for one in self.possible]
        else:
            values = [one.effect for one in self.possible]
        return min(values), max(values)

    def __str__(self) -> str:
        return "\n".join([f"what {self.cause} may do to {self.effect}", *self._lines()])

    def _lines(self) -> Iterator[str]:
        for one in self.possible:
            held = ", ".join(sorted(map(str, one.parents))) or "nothing"
            yield f"caused by {held}: {one.dags} DAG{'s'[: one.dags != 1]}, {one.share:.0%}"
            if isinstance(one.effect, Effect):
                yield from (f"  {line}" for line in str(one.effect).splitlines()[1:])
            else:
                yield f"  slope {one.effect:.4g} ± {one.error:.2g}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def ida(
    data: Any,
    graph: DAG | PDAG,
    *,
    cause: Node,
    effect: Node,
    model: Model = "tables",
    smoothing: Smoothing = MLE(),
    sample_weight: Any = None,
    bootstrap: int = 0,
    random_state: int | np.random.Generator | None = 0,
) -> PossibleEffects:
    """The possible effects of a cause, over all DAGs of a class.

    Parameters
    ----------
    data
        A table, or a ``BayesNet`` for exact answers.
    graph
        A ``CPDAG``, such as ``db.discover`` finds; or a PDAG with arrows from elsewhere, all of whose DAGs are listed.
    cause, effect
        Two nodes.
    model
        "tables": labels, and each effect is a table of P(effect | do(cause)). "gaussian": numbers that are linear in
        each other, and each effect is a slope.
    smoothing, sample_weight, bootstrap, random_state
        As in ``db.effect``.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {"smoking": [0, 0, 0, 1, 1, 1], "cancer": [0, 0, 1, 0, 1, 1]}
    >>> ida(rows, db.CPDAG([], [("smoking", "cancer")]), cause="smoking", effect="cancer")
    what smoking may do to cancer
    caused by nothing: 1 DAG, 50%
      smoking  cancer = 0  cancer = 1
      0        0.6667      0.3333
      1        0.3333      0.6667
    caused by cancer: 1 DAG, 50%
      smoking  cancer = 0  cancer = 1
      0        0.5000      0.5000
      1        0.5000      0.5000
    """
    if model not in ("tables", "gaussian"):
        raise ParameterError(f"model is 'tables' or 'gaussian', not {model!r}.")
    sets = possible_parents(graph, cause)
    if graph.index(cause) == graph.index(effect):
        raise GraphError(f"cause and effect are both {cause!r}")
    others = [node for node in graph.nodes if any(node in names for names in sets) and node != effect]
    everyone = [cause, effect, *others]
    if model == "gaussian":
        tell = _slopes(data, cause, effect, everyone, sample_weight)
    else:
        tell = _tables(data, cause, effect, everyone, (smoothing, sample_weight, bootstrap, random_state))
    whole = sum(sets.values())
    found = (PossibleEffect(names, count, count / whole, *tell(names)) for names, count in sets.items())
    return PossibleEffects(cause, effect, tuple(found))


_Teller = Callable[[frozenset[Node]], tuple[Any, float | None]]


def _slopes(source: Any, cause: Node, effect: Node, nodes: Sequence[Node], weights: Any) -> _Teller:
    if as_network(source) is not None:
        raise InputError("a net of tables has no slopes; leave out model='gaussian'")
    held = Covariances.read(source, nodes, weights)
    return lambda names: slope(held, cause, effect, [node for node in nodes if node in names])


def _tables(source: Any, cause: Node, effect: Node, nodes: Sequence[Node], how: tuple[Any, ...]) -> _Teller:
    def tell(names: frozenset[Node]) -> tuple[Any, None]:
        asked = Estimand((effect,), (cause,), (), _adjusted(cause, effect, names), tuple(nodes))
        if as_network(source) is not None:
            return asked.evaluate(source), None
        return asked.estimate(source, *how), None

    return tell


def _adjusted(cause: Node, effect: Node, parents: frozenset[Node]) -> Term:
    if effect in parents:
        return probability([effect])
    return sum_out(parents, multiply([probability([effect], {cause, *parents}), probability(parents)] if parents else
                                     [probability([effect], [cause])]))  # fmt: skip
