"""IDA: the possible effects if only the equivalence class of the graph is known.

The graphs of an equivalence class may differ in the effect of an intervention. In each of them the parents of x are an
adjustment set, so the possible effects are

  P(y | do(x)) = Σ_pa P(y | x, pa) P(pa)      over the possible parents pa of x, and P(y) if y is one of them

which are found without listing the DAGs (Maathuis, Kalisch and Bühlmann, 2009: intervention calculus when the DAG is
absent). Each comes with the share of the DAGs of the class that have it; the smallest is a lower bound.

The possible parents of a node over all DAGs of an equivalence class, without listing the DAGs.

In a DAG of a CPDAG some neighbours S of x are its parents and the others its children. There is a DAG of the class with
exactly these parents if and only if there is no new v-structure at x: if S is a clique (Maathuis, Kalisch and
Bühlmann, 2009, lemma 3.1). All edges at x are then directed, as after an experiment on x, so the remaining undirected
edges form chordal components again (Hauser and Bühlmann, 2012), and the DAGs with these parents can be counted.

Effects in linear models: the slope of a regression.

If every variable is a linear function of its parents plus noise, the effect of one unit more of x on the mean of y is
the coefficient of x in the regression of y on x and the parents of x (Pearl, 1998),

  β = [Σ_zz⁻¹ Σ_zy] at x,   z = (x, parents of x),

and 0 if y is one of these parents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any, Literal, get_args, overload

import numpy as np

from deciban.choices import check_choice, counted
from deciban.errors import GraphError, InputError, TooLargeError
from deciban.estimate import MLE, Smoothing
from deciban.nets.causal.effects import Effect
from deciban.nets.causal.estimand import Estimand
from deciban.nets.causal.terms import Term, multiply, probability, sum_out
from deciban.nets.data.node_rows import read_rows
from deciban.nets.data.samples import number_rows
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.chordal import AcyclicMoralOrientations
from deciban.nets.graphs.dag import CPDAG, DAG, PDAG
from deciban.nets.graphs.graph import Graph, Node
from deciban.nets.graphs.orientation import close
from deciban.nets.network import State, as_network
from deciban.types import Floats

__all__ = ["Covariances", "PossibleEffect", "PossibleEffects", "ida", "possible_parents", "slope"]


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
    effect: Effect | float
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

    def range(self, state: State | None = None, outcome: State | None = None) -> tuple[float, float]:
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
            values = [one.effect[state][outcome] for one in self.possible if isinstance(one.effect, Effect)]
        else:
            values = [one.effect for one in self.possible if not isinstance(one.effect, Effect)]
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
    is_net = as_network(data) is not None
    if model == "gaussian" and is_net:
        raise InputError("a BayesNet has no slopes; do not pass model='gaussian'")
    covariances = Covariances.read(data, nodes, sample_weight) if model == "gaussian" else None

    def effect_given(parents: frozenset[Node]) -> tuple[Effect | float, float | None]:
        if covariances is not None:
            return slope(covariances, cause, effect, [node for node in nodes if node in parents])
        estimand = Estimand((effect,), (cause,), (), _adjusted(cause, effect, parents), tuple(nodes))
        if is_net:
            return estimand.evaluate(data), None
        table = estimand.estimate(
            data, smoothing=smoothing, sample_weight=sample_weight, bootstrap=bootstrap, random_state=random_state
        )
        return table, None

    total = sum(sets.values())
    possible = (PossibleEffect(names, count, count / total, *effect_given(names)) for names, count in sets.items())
    return PossibleEffects(cause, effect, tuple(possible))


def _adjusted(cause: Node, effect: Node, parents: frozenset[Node]) -> Term:
    if effect in parents:
        return probability([effect])
    return sum_out(parents, multiply([probability([effect], {cause, *parents}), probability(parents)] if parents else
                                     [probability([effect], [cause])]))  # fmt: skip


# Only a PDAG with further arrows is listed; a CPDAG of any size is counted.
_MOST_DAGS = 100_000


def possible_parents(g: DAG | PDAG, x: Node) -> dict[frozenset[Node], int]:
    """The sets of parents that x has in some DAG of the class, and in how many; smaller sets first.

    For a CPDAG only the neighbours of x are needed. For a PDAG with further arrows, such as those of
    background knowledge, all DAGs are listed.

    >>> possible_parents(DAG([("season", "rain"), ("season", "sprinkler")]).cpdag(), "season")
    {frozenset(): 1, frozenset({'rain'}): 1, frozenset({'sprinkler'}): 1}
    """
    if isinstance(g, DAG):
        return {g.parents(x): 1}
    if not isinstance(g, PDAG):
        raise GraphError(f"possible effects need a DAG, CPDAG or PDAG, not a {type(g).__name__}")
    node = g.index(x)
    whole = g.extension().cpdag()
    counts = _near(whole, node) if whole._neighbour_masks == g._neighbour_masks else _listed(g, node)
    by_size = sorted(counts.items(), key=lambda item: (item[0].bit_count(), item))
    return {g._names(mask): count for mask, count in by_size}


def _near(g: CPDAG, node: int) -> dict[int, int]:
    fixed, neighbours = g._parent_masks[node], g._neighbour_masks[node]
    return {fixed | chosen: _count(g, node, chosen) for chosen in _cliques(g, 0, neighbours)}


def _cliques(g: Graph, chosen: int, left: int) -> Iterator[int]:
    """All cliques among some nodes, the empty one first."""
    yield chosen
    for peer in bits(left):
        left ^= 1 << peer
        yield from _cliques(g, chosen | 1 << peer, left & g._adjacent_masks[peer])


def _count(g: CPDAG, node: int, chosen: int) -> int:
    """The number of DAGs of the class in which exactly these neighbours are parents of the node."""
    up, free = list(g._parent_masks), list(g._neighbour_masks)
    up[node] |= chosen
    for peer in bits(free[node]):
        free[peer] &= ~(1 << node)
        if not chosen >> peer & 1:
            up[peer] |= 1 << node
    free[node] = 0
    # The DAGs with these parents are the orientations of what is still undirected (Hauser and Bühlmann 2012).
    return AcyclicMoralOrientations(close(up, free)[1]).count()


def _listed(g: PDAG, node: int) -> dict[int, int]:
    dags = list(islice((dag._parent_masks[node] for dag in g.dags()), _MOST_DAGS + 1))
    if len(dags) > _MOST_DAGS:
        raise TooLargeError(f"the PDAG has more than {_MOST_DAGS:,} DAGs; pass a CPDAG, whose DAGs need not be listed")
    return dict(Counter(dags))


# The least eigenvalue of correlations that rounding could not have made, as in the Gaussian score.
_SINGULAR = 1e-11


@dataclass(frozen=True, eq=False)
class Covariances:
    """Covariances of named variables, and the number of rows."""

    names: tuple[str, ...]
    matrix: Floats
    rows: float

    @classmethod
    def read(cls, data: Any, nodes: Sequence[Node], sample_weight: Any = None) -> Covariances:
        """The covariances of the columns of some nodes, from the rows without missing values."""
        rows = read_rows(data, nodes, sample_weight=sample_weight, missing="drop", choices=("drop",))
        sample = number_rows(rows, nodes, labels='Leave out model="gaussian" for labels.')
        names = tuple(map(str, nodes))
        if not sample.total > len(names) + 1:
            raise InputError(
                f"{sample.total:.12g} rows without missing values in {', '.join(names)}: too few for a regression"
            )
        weights = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
        centred = sample.values - np.average(sample.values, axis=0, weights=weights)
        return cls(names, (centred * weights[:, None]).T @ centred / weights.sum(), float(weights.sum()))


def slope(covariances: Covariances, x: Node, y: Node, parents: Sequence[Node]) -> tuple[float, float]:
    """The coefficient of x in the regression of y on x and its parents, and its standard error."""
    if y in parents:
        return 0.0, 0.0
    indices = [covariances.names.index(str(node)) for node in (x, *parents)]
    goal = covariances.names.index(str(y))
    spread = np.sqrt(np.diag(covariances.matrix))
    for index in (*indices, goal):
        if not spread[index] > 0:
            raise InputError(f"column {covariances.names[index]!r} is constant: it has no slope. Remove it.")
    # In units of the deviations: whether columns are collinear then does not depend on the units of measurement.
    around = covariances.matrix / np.outer(spread, spread)
    inner = around[np.ix_(indices, indices)]
    if np.linalg.eigvalsh(inner)[0] < _SINGULAR:
        shown = ", ".join(covariances.names[index] for index in indices)
        raise InputError(f"{shown} are collinear, so their slopes are not identified. Remove one of them.")
    inverse = np.linalg.inv(inner)
    beta = inverse @ around[indices, goal]
    left = max(1 - float(beta @ around[indices, goal]), 0.0)  # rounding may leave less than 0 of a perfect fit
    scale = float(spread[goal] / spread[indices[0]])
    error = np.sqrt(left * inverse[0, 0] / max(covariances.rows - len(indices) - 1, 1.0))
    return float(beta[0]) * scale, float(error) * scale
