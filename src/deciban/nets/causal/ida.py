"""IDA: the possible effects if only the equivalence class of the graph is known.

The graphs of an equivalence class may differ in the effect of an intervention. In each of them the parents of x are an
adjustment set, so the possible effects are

  P(y | do(x)) = Σ_pa P(y | x, pa) P(pa)      over the possible parents pa of x, and P(y) if y is one of them

which are found without listing the DAGs (Maathuis, Kalisch and Bühlmann, 2009: intervention calculus when the DAG is
absent). Each comes with the share of the DAGs of the class that have it; the smallest is a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, get_args, overload

import numpy as np

from deciban.choices import check_choice, counted
from deciban.errors import GraphError, InputError
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

    Attributes
    ----------
    parents : frozenset
        The parents of the cause.
    dags : int
        How many DAGs of the class have them.
    share : float
        Their share of the class.
    effect : Effect or float
        The effect; with ``model="gaussian"`` the slope.
    error : float or None
        The standard error of a slope.

    See Also
    --------
    PossibleEffects : All of them.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {"smoking": [0, 0, 0, 1, 1, 1], "cancer": [0, 0, 1, 0, 1, 1]}
    >>> first, second = db.ida(
    ...     rows, db.CPDAG([], [("smoking", "cancer")]), cause="smoking", effect="cancer"
    ... )
    >>> second.parents, second.share, second.effect[1]
    (frozenset({'cancer'}), 0.5, {0: 0.5, 1: 0.5})
    """

    parents: frozenset[Node]
    dags: int
    share: float
    effect: Any
    error: float | None = None


@dataclass(frozen=True, eq=False)
class PossibleEffects(Sequence[PossibleEffect]):
    """The possible effects of a cause over a class of graphs: a sequence, one for each possible set of parents.

    Attributes
    ----------
    cause, effect : node
        The two nodes.
    possible : tuple of PossibleEffect
        The effect with each set of parents, and the share of the DAGs that have it.

    See Also
    --------
    ida : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {"smoking": [0, 0, 0, 1, 1, 1], "cancer": [0, 0, 1, 0, 1, 1]}
    >>> found = db.ida(
    ...     rows, db.CPDAG([], [("smoking", "cancer")]), cause="smoking", effect="cancer"
    ... )
    >>> found
    PossibleEffects(smoking on cancer: 2 sets of parents)
    >>> low, high = found.range(1, 1)
    >>> round(low, 3), round(high, 3)
    (0.5, 0.667)
    """

    cause: Node
    effect: Node
    possible: tuple[PossibleEffect, ...]

    @overload
    def __getitem__(self, index: int) -> PossibleEffect: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PossibleEffect]: ...
    def __getitem__(self, index: int | slice) -> PossibleEffect | Sequence[PossibleEffect]:
        return self.possible[index]

    def __len__(self) -> int:
        return len(self.possible)

    def range(self, state: Any = None, outcome: Any = None) -> tuple[float, float]:
        """The smallest and the largest effect.

        Parameters
        ----------
        state, outcome : state, optional
            From tables, the effect is P(outcome | do(cause = state)), and both are needed. From Gaussian data it is the
            slope, and neither is passed.

        Returns
        -------
        pair of floats
            The smallest and the largest.
        """
        if isinstance(self.possible[0].effect, Effect):
            if state is None or outcome is None:
                raise InputError('pass the state of the cause and the outcome: possible.range("on", "yes")')
            values = [one.effect[state][outcome] for one in self.possible]
        else:
            values = [one.effect for one in self.possible]
        return min(values), max(values)

    def __str__(self) -> str:
        return "\n".join([f"possible effects of {self.cause} on {self.effect}", *self._lines()])

    def _lines(self) -> Iterator[str]:
        for one in self.possible:
            parents = ", ".join(sorted(map(str, one.parents))) or "none"
            yield f"parents {parents}: {counted(one.dags, 'DAG')}, {one.share:.0%}"
            if isinstance(one.effect, Effect):
                yield from (f"  {line}" for line in str(one.effect).splitlines()[1:])
            else:
                yield f"  slope {one.effect:.4g} ± {one.error:.2g}"

    def __repr__(self) -> str:
        return f"PossibleEffects({self.cause} on {self.effect}: {counted(len(self), 'set')} of parents)"

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

    In each DAG the parents of the cause are an adjustment set, so there is one effect for each possible set of parents
    (Maathuis, Kalisch and Bühlmann, 2009: intervention calculus when the DAG is absent).

    Parameters
    ----------
    data : table or BayesNet
        A table, or a net for exact answers.
    graph : CPDAG, PDAG or DAG
        A ``CPDAG``, such as ``discover`` returns; or a PDAG with further arrows, whose DAGs are all listed.
    cause, effect : node
        The two nodes.
    model : {"tables", "gaussian"}
        "tables": categories; each effect is a table of P(effect | do(cause)). "gaussian": numbers with linear
        relations; each effect is a slope.
    smoothing : Smoothing
        How counts become probabilities; relative frequencies by default.
    sample_weight : array, optional
        How many rows each row stands for.
    bootstrap : int
        The number of bootstrap samples for the standard errors of tables; 0 for none.
    random_state : int, numpy.random.Generator or None
        The seed of the bootstrap.

    Returns
    -------
    PossibleEffects

    See Also
    --------
    effect : The effect in one DAG.
    discover : Find the class.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {"smoking": [0, 0, 0, 1, 1, 1], "cancer": [0, 0, 1, 0, 1, 1]}
    >>> print(
    ...     db.ida(
    ...         rows, db.CPDAG([], [("smoking", "cancer")]), cause="smoking", effect="cancer"
    ...     )
    ... )
    possible effects of smoking on cancer
    parents none: 1 DAG, 50%
      smoking  cancer = 0  cancer = 1
      0        0.6667      0.3333
      1        0.3333      0.6667
    parents cancer: 1 DAG, 50%
      smoking  cancer = 0  cancer = 1
      0        0.5000      0.5000
      1        0.5000      0.5000
    """
    check_choice("model", model, get_args(Model))
    sets = possible_parents(graph, cause)
    if graph.index(cause) == graph.index(effect):
        raise GraphError(f"cause and effect are both {cause!r}")
    others = [node for node in graph.nodes if any(node in names for names in sets) and node != effect]
    nodes = [cause, effect, *others]
    options = {
        "smoothing": smoothing,
        "sample_weight": sample_weight,
        "bootstrap": bootstrap,
        "random_state": random_state,
    }
    if model == "gaussian":
        effect_given = _slopes(data, cause, effect, nodes, sample_weight)
    else:
        effect_given = _tables(data, cause, effect, nodes, options)
    total = sum(sets.values())
    found = (PossibleEffect(names, count, count / total, *effect_given(names)) for names, count in sets.items())
    return PossibleEffects(cause, effect, tuple(found))


_EffectGiven = Callable[[frozenset[Node]], tuple[Any, float | None]]


def _slopes(source: Any, cause: Node, effect: Node, nodes: Sequence[Node], weights: Any) -> _EffectGiven:
    if as_network(source) is not None:
        raise InputError("a BayesNet has no slopes; do not pass model='gaussian'")
    covariances = Covariances.read(source, nodes, weights)
    return lambda names: slope(covariances, cause, effect, [node for node in nodes if node in names])


def _tables(source: Any, cause: Node, effect: Node, nodes: Sequence[Node], options: dict[str, Any]) -> _EffectGiven:
    def effect_given(names: frozenset[Node]) -> tuple[Any, None]:
        estimand = Estimand((effect,), (cause,), (), _adjusted(cause, effect, names), tuple(nodes))
        if as_network(source) is not None:
            return estimand.evaluate(source), None
        return estimand.estimate(source, **options), None

    return effect_given


def _adjusted(cause: Node, effect: Node, parents: frozenset[Node]) -> Term:
    if effect in parents:
        return probability([effect])
    return sum_out(parents, multiply([probability([effect], {cause, *parents}), probability(parents)] if parents else
                                     [probability([effect], [cause])]))  # fmt: skip
