"""Identification: whether an effect follows from observations, and by which formula.

Where all common causes are observed, the answer is easy: adjust for them. An ``Identification`` looks for every set
that does, then for a front door, and last runs the ID algorithm, which finds a formula wherever there is one and
otherwise names the hedge that stands in the way (Pearl, "Causality", 2009, chapter 3). In a class of graphs, a
``ClassIdentification`` looks for the sets that are right in all of them.

**The ID algorithm** finds every identifiable effect, by c-factors. Let Q[S] be the distribution of S under an
intervention on all other variables. The joint distribution is the product of Q[S] over the c-components S, each of
which is identified:

  Q[S] = Π_{v ∈ S} P(v | predecessors of v)

and with D = the ancestors of y in the graph without x, P(y | do(x)) = Σ_{D∖y} Π Q[Dᵢ] over the c-components Dᵢ of D.
Each Q[Dᵢ] is computed from the Q[S] of the c-component S that contains it: non-ancestors are summed out and
c-components are divided out, alternately (Tian and Pearl, 2002). If neither is possible, the two sets are a *hedge*:
there are models with the same observational distribution and different effects, so the algorithm is complete (Shpitser
and Pearl, 2006; Huang and Valtorta, 2006).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np

from deciban.errors import GraphError, NotIdentifiedError
from deciban.estimate import MLE, Smoothing
from deciban.nets.causal.causal_graph import CausalGraph, as_nodes, disjoint_masks
from deciban.nets.causal.criteria import (
    Instrument,
    causal_nodes,
    find_instruments,
    front_doors,
    is_adjustment,
    minimal_adjustments,
    optimal_adjustment,
)
from deciban.nets.causal.effect_query import EffectQuery, Estimator, Method, Names
from deciban.nets.causal.effects import Effect
from deciban.nets.causal.generalized_adjustment import ClassIdentification
from deciban.nets.causal.mean_effect import MeanEffect
from deciban.nets.causal.terms import Term, divide, multiply, probability, sum_out, tidy
from deciban.nets.data.node_rows import NodeKind
from deciban.nets.graphs.bits import bits, reach
from deciban.nets.graphs.dag import DAG, PDAG
from deciban.nets.graphs.graph import Edge, Graph, Node
from deciban.nets.graphs.marked import MAG, PAG
from deciban.nets.network import as_network

__all__ = ["Hedge", "HedgeError", "Identification", "conditional_effect", "effect", "identify", "joint_effect"]


@dataclass(frozen=True, eq=False)
class Identification(EffectQuery):
    """How an effect is identified from observations: the result of ``identify``, true where it is.

    ``estimand`` is the formula of the first ``method`` that works, with the smallest adjustment set, whose strata have
    the most rows; ``adjust_for`` takes another.

    Attributes
    ----------
    graph : CausalGraph
        The graph with its hidden nodes.
    effect, cause, given : tuple of nodes
        The nodes of the query.

    See Also
    --------
    identify : Returns it.
    Estimand : The formula.

    Examples
    --------
    >>> import deciban as db
    >>> g = db.DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "cancer")])
    >>> found = db.identify(g, cause="smoking", effect="cancer")
    >>> found.method, found.adjustment_sets
    ('adjustment', (frozenset({'gene'}),))
    >>> hidden = db.identify(g, cause="smoking", effect="cancer", latent="gene")
    >>> hidden.is_identified, [sorted(part) for part in hidden.hedge]
    (False, [['cancer'], ['cancer', 'smoking']])
    """

    graph: CausalGraph

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, Identification) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        dag = self.graph.dag
        return dag, dag._names(self.graph.hidden), frozenset(self.effect), frozenset(self.cause), frozenset(self.given)

    @property
    def _whole(self) -> Graph:
        return self.graph.dag

    @property
    def _observed(self) -> int:
        return self.graph.observed

    def _terms(self) -> Iterator[tuple[Method, Term]]:
        if not self._w and not causal_nodes(self.graph, self._x, self._y):
            yield "no effect", probability(self.effect)
        if self._smallest is not None:
            yield "adjustment", self._adjusted(self._smallest)
        if self.optimal_adjustment not in (None, self._smallest):
            yield "optimal adjustment", self._adjusted(self.optimal_adjustment or frozenset())
        # The ID algorithm is complete: where it fails no front door exists. Its formula is the longest, so it is last.
        if isinstance(self._general, Hedge):
            return
        if self.front_door_sets:
            yield "front-door", self._through(self.front_door_sets[0])
        yield "id", self._general

    @cached_property
    def _general(self) -> Term | Hedge:
        try:
            return conditional_effect(self.graph, self._x, self._y, self._w)
        except HedgeError as error:
            return error.hedge

    def iter_adjustment_sets(self) -> Iterator[Names]:
        """Every minimal adjustment set, with polynomial time between one and the next.

        Returns
        -------
        iterator of frozenset
        """
        return map(self.graph.dag._names, minimal_adjustments(self.graph, self._x, self._y, self._w))

    @cached_property
    def optimal_adjustment(self) -> Names | None:
        """The adjustment set of least variance (Henckel, Perković and Maathuis, 2022); None if part of it is hidden."""
        best = None if self._w else optimal_adjustment(self.graph, self._x, self._y)
        return None if best is None else self.graph.dag._names(best)

    @cached_property
    def front_door_sets(self) -> tuple[Names, ...]:
        """The minimal front-door sets, the smaller first."""
        return () if self._w else tuple(map(self.graph.dag._names, front_doors(self.graph, self._x, self._y)))

    @cached_property
    def instruments(self) -> tuple[Instrument, ...]:
        """The instruments, which identify the effect in a linear model; those that need no other nodes first."""
        if self._w or len(self.cause) != 1:
            return ()
        dag = self.graph.dag
        found = find_instruments(self.graph, self._x, self._y)
        return tuple(Instrument(dag.nodes[node], dag._names(given)) for node, given in found)

    def is_adjustment_set(self, names: Node | Iterable[Node]) -> bool:
        """Whether adjusting for these nodes gives the effect in every model of the graph.

        Parameters
        ----------
        names : node or iterable of nodes
            The nodes to adjust for, besides ``given``.

        Returns
        -------
        bool
        """
        chosen = self.graph.dag._mask(names) | self._w
        is_late = self._w and chosen & reach(self.graph.dag._child_masks, self._x)
        return not is_late and is_adjustment(self.graph, self._x, self._y, chosen)

    @property
    def hedge(self) -> tuple[Names, Names] | None:
        """If the effect is not identified, the two sets of the hedge that shows it, the smaller first."""
        hedge, names = self._general, self.graph.dag._names
        return (names(hedge.inner), names(hedge.outer)) if isinstance(hedge, Hedge) else None

    @property
    def why(self) -> str:
        """Why the effect is not identified; empty if it is."""
        if not isinstance(self._general, Hedge):
            return ""
        inner, outer = self.graph.listed(self._general.inner), self.graph.listed(self._general.outer)
        nodes, spouses, whole = self.graph.dag.nodes, self.graph.spouses, self._general.outer
        joined = [f"{nodes[a]} ↔ {nodes[b]}" for a in bits(whole) for b in bits(spouses[a] & whole) if a < b]
        return (
            f"{self._title} is not identified: {{{outer}}} and {{{inner}}} form a hedge. There are hidden common "
            f"causes {', '.join(joined)}, so models with the same observational distribution can differ in the effect. "
            "Observe a common cause, or do an experiment."
        )

    def _through(self, names: Names) -> Term:
        inner = multiply([probability(self.effect, {*self.cause, *names}), probability(self.cause)])
        return sum_out(names, multiply([probability(names, self.cause), sum_out(self.cause, inner)]))


@overload
def identify(
    graph: DAG, *, cause: Node | Iterable[Node], effect: Node | Iterable[Node], given: Node | Iterable[Node] = (),
    latent: Node | Iterable[Node] = (), confounded: Iterable[Edge] = (),
) -> Identification: ...  # fmt: skip
@overload
def identify(
    graph: PDAG | MAG | PAG, *, cause: Node | Iterable[Node], effect: Node | Iterable[Node],
    given: Node | Iterable[Node] = (), latent: Node | Iterable[Node] = (), confounded: Iterable[Edge] = (),
) -> ClassIdentification: ...  # fmt: skip
@overload
def identify(
    graph: Graph, *, cause: Node | Iterable[Node], effect: Node | Iterable[Node], given: Node | Iterable[Node] = (),
    latent: Node | Iterable[Node] = (), confounded: Iterable[Edge] = (),
) -> Identification | ClassIdentification: ...  # fmt: skip
def identify(
    graph: Graph,
    *,
    cause: Node | Iterable[Node],
    effect: Node | Iterable[Node],
    given: Node | Iterable[Node] = (),
    latent: Node | Iterable[Node] = (),
    confounded: Iterable[Edge] = (),
) -> Identification | ClassIdentification:
    """Whether P(effect | do(cause), given) is identified by observations, and by which formula.

    Parameters
    ----------
    graph : DAG, CPDAG, PDAG, MAG or PAG
        The causal graph, or a class of graphs: then the formula must be right in all of them, and is an adjustment.
    cause, effect : node or iterable of nodes
        The nodes that an intervention sets, and those whose distribution is wanted.
    given : node or iterable of nodes, optional
        A conditioning set: the effect within each combination of its states.
    latent : node or iterable of nodes, optional
        Nodes of a DAG that are not observed.
    confounded : iterable of pairs, optional
        Pairs of nodes of a DAG with a hidden common cause that is not in the graph: a ↔ b.

    Returns
    -------
    Identification, or ClassIdentification of a class
        True where the effect is identified; it prints the formula, or why there is none.

    See Also
    --------
    effect : Identify and estimate in one call.
    ida : If only the equivalence class of the graph is known.

    Examples
    --------
    The front-door criterion, with a hidden common cause of smoking and cancer:

    >>> import deciban as db
    >>> g = db.DAG([("smoking", "tar"), ("tar", "cancer")])
    >>> print(
    ...     db.identify(g, cause="smoking", effect="cancer", confounded=[("smoking", "cancer")])
    ... )
    P(cancer | do(smoking)) = Σ_tar P(tar | smoking) Σ_smoking′ P(cancer | smoking′, tar) P(smoking′)
    by the front door {tar}

    Of a class, such as ``discover`` returns, the effect may be the same in all graphs, or not:

    >>> g = db.CPDAG([("a", "x"), ("b", "x"), ("x", "y")])
    >>> print(db.identify(g, cause="x", effect="y"))
    P(y | do(x)) = P(y | x)
    by adjustment for nothing
    >>> bool(db.identify(db.CPDAG([], [("x", "y")]), cause="x", effect="y"))
    False
    """
    if isinstance(graph, PDAG | MAG | PAG):
        hidden = [*as_nodes(graph, latent), *confounded]
        if hidden:
            raise GraphError(
                f"latent and confounded are for a DAG; a {type(graph).__name__} says itself what may be hidden. A PAG "
                "stands for graphs with hidden common causes."
            )
        y, x, w = disjoint_masks(graph, {"effect": effect, "cause": cause, "given": given})
    else:
        read = CausalGraph.read(graph, latent, confounded)
        y, x, w = read.disjoint_masks(effect=effect, cause=cause, given=given)
    if not y or not x:
        raise GraphError("cause and effect need at least one node each")
    outcomes, causes, strata = (tuple(as_nodes(graph, names)) for names in (effect, cause, given))
    if isinstance(graph, PDAG | MAG | PAG):
        return ClassIdentification(outcomes, causes, strata, y, x, w, graph)
    return Identification(outcomes, causes, strata, y, x, w, read)


@overload
def effect(
    data: Any, graph: Graph, *, cause: Node | Iterable[Node], effect: Node | Iterable[Node],
    given: Node | Iterable[Node] = (), latent: Node | Iterable[Node] = (), confounded: Iterable[Edge] = (),
    method: Literal["tables"], columns: Mapping[Any, NodeKind] | None = None,
    adjust_for: Node | Iterable[Node] = None, smoothing: Smoothing = ..., sample_weight: Any = None,
    bootstrap: int = 200, random_state: int | np.random.Generator | None = 0,
) -> Effect: ...  # fmt: skip
@overload
def effect(
    data: Any, graph: Graph, *, cause: Node | Iterable[Node], effect: Node | Iterable[Node],
    given: Node | Iterable[Node] = (), latent: Node | Iterable[Node] = (), confounded: Iterable[Edge] = (),
    method: Literal["regression", "aipw", "dml", "front-door", "iv"],
    columns: Mapping[Any, NodeKind] | None = None, adjust_for: Node | Iterable[Node] = None,
    smoothing: Smoothing = ..., sample_weight: Any = None, bootstrap: int = 200,
    random_state: int | np.random.Generator | None = 0,
) -> MeanEffect: ...  # fmt: skip
@overload
def effect(
    data: Any, graph: Graph, *, cause: Node | Iterable[Node], effect: Node | Iterable[Node],
    given: Node | Iterable[Node] = (), latent: Node | Iterable[Node] = (), confounded: Iterable[Edge] = (),
    method: Estimator = "auto", columns: Mapping[Any, NodeKind] | None = None,
    adjust_for: Node | Iterable[Node] = None, smoothing: Smoothing = ..., sample_weight: Any = None,
    bootstrap: int = 200, random_state: int | np.random.Generator | None = 0,
) -> Effect | MeanEffect: ...  # fmt: skip
def effect(
    data: Any,
    graph: Graph,
    *,
    cause: Node | Iterable[Node],
    effect: Node | Iterable[Node],
    given: Node | Iterable[Node] = (),
    latent: Node | Iterable[Node] = (),
    confounded: Iterable[Edge] = (),
    method: Estimator = "auto",
    columns: Mapping[Any, NodeKind] | None = None,
    adjust_for: Node | Iterable[Node] = None,
    smoothing: Smoothing = MLE(),
    sample_weight: Any = None,
    bootstrap: int = 200,
    random_state: int | np.random.Generator | None = 0,
) -> Effect | MeanEffect:
    """The effect of a cause from a table, or exactly from a Bayes net: identify it, then estimate it.

    Between categories it is the table P(effect | do(cause), given), an ``Effect``. With numbers it is the change of the
    mean, a ``MeanEffect`` with a standard error and an interval for each slope, mean and difference.

    Parameters
    ----------
    data : table or BayesNet
        A table with a column for each node of the formula, or a net, from which the effect is exact.
    graph : DAG, CPDAG, PDAG, MAG or PAG
        The causal graph, or a class of graphs, over which the effect must be the same.
    cause, effect, given, latent, confounded
        As in ``identify``.
    method : str
        How it is estimated:

        - "tables": by counting; every column is a category.
        - "regression": linear least squares on the cause and an adjustment set, with categories as indicators.
        - "aipw": augmented inverse-probability weighting with cross-fitting, between the states of a category.
        - "dml": double machine learning with cross-fitting, for a numeric cause in a partially linear model.
        - "front-door": a product of linear regressions through the mediators.
        - "iv": two-stage least squares with instruments.
        - "auto": "tables" where every column is a category; else the first of "regression", "front-door" and "iv" that
          the graph allows.
    columns : mapping, optional
        Which columns are numbers and which categories: ``{"stars": "number"}``. By default labels and numbers of few
        values are categories, as in ``BayesNet.fit``.
    adjust_for : node or iterable of nodes, optional
        The adjustment set. By default the smallest for "tables", and the one of least variance for the others.
    smoothing : Smoothing
        Of "tables": how counts become probabilities. By default relative frequencies: the effect is undefined if it
        needs a cell without rows.
    sample_weight : array, optional
        How many rows each row stands for.
    bootstrap : int
        Of "tables": the number of bootstrap samples for the standard errors; 0 for none.
    random_state : int, numpy.random.Generator or None
        The seed of the bootstrap, and of the folds of "aipw" and "dml".

    Returns
    -------
    Effect or MeanEffect

    Raises
    ------
    NotIdentifiedError
        If the graph does not identify the effect; the message names the hedge, and instruments where there are any.

    See Also
    --------
    identify : The formula alone.
    BayesNet.do : The net after an intervention.

    Notes
    -----
    Rows with a missing value in a column of the formula are left out. The order of the rows changes nothing. Where
    positivity fails, ``notes`` say so, with the figures. The formulas and their sources are in the modules
    ``deciban.nets.causal.mean_estimates`` and ``deciban.nets.causal.mean_estimates``.

    Examples
    --------
    Fewer of those who took the drug got well, but it was given to those who were more ill:

    >>> import deciban as db
    >>> rows = {
    ...     "ill": [0, 0, 0, 0, 1, 1, 1, 1],
    ...     "drug": [0, 0, 1, 1, 0, 0, 1, 1],
    ...     "well": [0, 1, 0, 1, 0, 1, 0, 1],
    ... }
    >>> times = [20, 60, 2, 18, 18, 2, 60, 20]
    >>> g = db.DAG([("ill", "drug"), ("ill", "well"), ("drug", "well")])
    >>> print(db.effect(rows, g, cause="drug", effect="well", sample_weight=times, bootstrap=0))
    P(well | do(drug)) = Σ_ill P(well | drug, ill) P(ill)
    drug  well = 0  well = 1
    0     0.5750    0.4250
    1     0.4250    0.5750

    The same as the difference of two probabilities, with its interval:

    >>> found = db.effect(
    ...     rows, g, cause="drug", effect="well", sample_weight=times, method="regression"
    ... )
    >>> found.difference(1, 0, outcome=1)
    EffectSize(0.15 ± 0.06)
    """
    identification = identify(graph, cause=cause, effect=effect, given=given, latent=latent, confounded=confounded)
    if as_network(data) is not None:
        return identification.evaluate(data)
    return identification.estimate(
        data,
        method=method,
        columns=columns,
        adjust_for=adjust_for,
        smoothing=smoothing,
        sample_weight=sample_weight,
        bootstrap=bootstrap,
        random_state=random_state,
    )


@dataclass(frozen=True)
class Hedge:
    """Two c-components, one inside the other, whose nodes are all ancestors of the smaller."""

    inner: int
    outer: int


class HedgeError(NotIdentifiedError):
    """The effect is not identified; ``hedge`` proves it."""

    def __init__(self, hedge: Hedge) -> None:
        super().__init__("the effect is not identified")
        self.hedge = hedge


def joint_effect(g: CausalGraph, x: int, y: int) -> Term:
    """P(y | do(x)) as a formula of observed variables; a ``HedgeError`` if it is not identified."""
    # ID, line 2 (Shpitser and Pearl 2006): nodes that are not ancestors of y are summed out.
    whole = g.ancestors(y, g.observed)
    # Line 3: without the arrows into x, what is no ancestor of y may be set too.
    needed = g.ancestors(y, whole & ~x)
    parts = []
    # Line 4: P(y | do(x)) is a sum of products over the c-components without x; each is identified by itself.
    for part in g.districts(needed):
        around = next(one for one in g.districts(whole) if one & part)
        factor = _identify(g, part, around, _observed_factor(g, around, whole))
        parts.append(_closed(g, factor, needed | x))
    return tidy(sum_out(g.ordered(needed & ~y), multiply(parts)))


def conditional_effect(g: CausalGraph, x: int, y: int, given: int) -> Term:
    """P(y | do(x), given): IDC (Shpitser and Pearl, 2006).

    Observations are replaced by interventions while rule 2 of the do-calculus allows it. Then the conditional effect is
    identified if and only if the joint effect on y and the remaining observations is.
    """
    for node in bits(given):
        one = 1 << node
        # Rule 2: P(y | do(x), z, w) = P(y | do(x), do(z), w) if y ⊥ z | x, w without the arrows into x and out of z
        # (Pearl 1995). By one node at a time, in any order (Shpitser and Pearl 2006, IDC).
        if g.separated(y, one, x | (given & ~one), into=x, out_of=one):
            return conditional_effect(g, x | one, y, given & ~one)
    joint = joint_effect(g, x, y | given)
    return divide(joint, sum_out(g.ordered(y), joint)) if given else joint


def _observed_factor(g: CausalGraph, district: int, whole: int) -> Term:
    """Q[S] of a c-component of the graph on an ancestral set (ID, line 6)."""
    return multiply(_given_before(g, node, whole) for node in g.order if district >> node & 1)


def _given_before(g: CausalGraph, node: int, whole: int) -> Term:
    """P(v | predecessors of v), which depends only on v's c-component among them and its parents."""
    index = g.order.index(node)
    so_far = sum(1 << one for one in g.order[: index + 1]) & whole
    district = next(part for part in g.districts(so_far) if part >> node & 1)
    around = district
    for one in bits(district):
        around |= g.parents[one]
    return probability([g.dag.nodes[node]], g.ordered(around & ~(1 << node)))


def _identify(g: CausalGraph, inner: int, outer: int, factor: Term) -> Term:
    """Q[inner] from Q[outer]."""
    above = g.ancestors(inner, outer)
    # Tian and Pearl (2002), with A = the ancestors of C in T. A = C: what else is in T can be summed out.
    if above == inner:
        return sum_out(g.ordered(outer & ~inner), factor)
    # A = T: neither step makes T smaller, and the two sets form a hedge (ID, line 5).
    if above == outer:
        raise HedgeError(Hedge(inner, outer))
    # Else go on in the c-component of A that contains C, which is smaller (ID, line 7).
    smaller = sum_out(g.ordered(outer & ~above), factor)
    district = next(part for part in g.districts(above) if part & inner)
    return _identify(g, inner, district, _part_of(g, district, above, smaller))


def _part_of(g: CausalGraph, district: int, whole: int, factor: Term) -> Term:
    """Q[district] from Q[whole]: the product of Q[v and its predecessors] / Q[its predecessors]."""
    order = [node for node in g.order if whole >> node & 1]
    parts = []
    for index, node in enumerate(order):
        if district >> node & 1:
            later = [g.dag.nodes[one] for one in order[index + 1 :]]
            here = sum_out(later, factor)
            parts.append(divide(here, sum_out([g.dag.nodes[node]], here)))
    return multiply(parts)


def _closed(g: CausalGraph, factor: Term, known: int) -> Term:
    """Average a factor over variables that its formula names but its value does not depend on."""
    idle = factor.free - g.dag._names(known)
    return sum_out(idle, multiply([probability(idle), factor])) if idle else factor
