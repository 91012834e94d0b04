"""Identification: whether an effect follows from observations, and by which formula.

Where all common causes are observed, the answer is easy: adjust for them. An ``Identification`` looks for every set
that does, then for a front door, and last runs the ID algorithm, which finds a formula wherever there is one and
otherwise names the hedge that stands in the way (Pearl, "Causality", 2009, chapter 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal

import numpy as np

from deciban.errors import GraphError, NotIdentifiedError
from deciban.estimate import MLE, Smoothing
from deciban.nets.causal.causal_graph import CausalGraph, as_nodes
from deciban.nets.causal.criteria import (
    causal_nodes,
    front_doors,
    is_adjustment,
    minimal_adjustments,
    optimal_adjustment,
)
from deciban.nets.causal.effects import Effect
from deciban.nets.causal.estimand import Estimand
from deciban.nets.causal.id_algorithm import Hedge, HedgeError, conditional_effect
from deciban.nets.causal.terms import TEXT, Term, multiply, probability, sum_out, write_effect
from deciban.nets.graphs.bits import bits, reach
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Edge, Node
from deciban.nets.network import as_network

__all__ = ["Identification", "effect", "identify"]


Method = Literal["no effect", "adjustment", "optimal adjustment", "front-door", "id"]
Names = frozenset[Node]

# There may be exponentially many; `iter_adjustment_sets` gives all.
_MOST_SETS = 1000


@dataclass(frozen=True, eq=False)
class Identification:
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
    effect: tuple[Node, ...]
    cause: tuple[Node, ...]
    given: tuple[Node, ...]
    # The same sets as masks of the graph's nodes.
    _y: int
    _x: int
    _w: int

    def __bool__(self) -> bool:
        return self.is_identified

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, Identification) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        dag = self.graph.dag
        return dag, dag._names(self.graph.hidden), frozenset(self.effect), frozenset(self.cause), frozenset(self.given)

    @property
    def is_identified(self) -> bool:
        """Whether some formula of observational probabilities is the effect in every model of the graph."""
        return self.method is not None

    @property
    def method(self) -> Method | None:
        """The first method that finds a formula; None where none does."""
        return next(iter(self._found), None)

    @property
    def estimand(self) -> Estimand:
        """The formula of ``method``."""
        for term in self._found.values():
            return self._estimand(term)
        raise NotIdentifiedError(self.why)

    @cached_property
    def estimands(self) -> dict[Method, Estimand]:
        """A formula by each method that finds one."""
        return {method: self._estimand(term) for method, term in self._terms()}

    @cached_property
    def _found(self) -> dict[Method, Term]:
        """The first method that finds a formula, and the formula; the others are not tried."""
        return dict(islice(self._terms(), 1))

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
    def adjustment_sets(self) -> tuple[Names, ...]:
        """The minimal adjustment sets, the smaller first; at most a thousand (see ``iter_adjustment_sets``)."""
        rank = {node: index for index, node in enumerate(self.graph.dag.nodes)}
        sets = islice(self.iter_adjustment_sets(), _MOST_SETS)
        return tuple(sorted(sets, key=lambda names: (len(names), sorted(rank[node] for node in names))))

    @cached_property
    def optimal_adjustment(self) -> Names | None:
        """The adjustment set of least variance (Henckel, Perković and Maathuis, 2022); None if part of it is hidden."""
        best = None if self._w else optimal_adjustment(self.graph, self._x, self._y)
        return None if best is None else self.graph.dag._names(best)

    @cached_property
    def front_door_sets(self) -> tuple[Names, ...]:
        """The minimal front-door sets, the smaller first."""
        return () if self._w else tuple(map(self.graph.dag._names, front_doors(self.graph, self._x, self._y)))

    @property
    def _smallest(self) -> Names | None:
        """The adjustment set with the fewest nodes; of several, the one closest to the optimal set."""
        best = self.optimal_adjustment or frozenset()
        return min(self.adjustment_sets, key=lambda names: (len(names), -len(names & best)), default=None)

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

    def adjust_for(self, names: Node | Iterable[Node]) -> Estimand:
        """The formula that adjusts for these nodes.

        Parameters
        ----------
        names : node or iterable of nodes
            An adjustment set; it need not be minimal.

        Returns
        -------
        Estimand

        Raises
        ------
        NotIdentifiedError
            If they are not an adjustment set.

        Examples
        --------
        >>> import deciban as db
        >>> g = db.DAG(
        ...     [("gene", "smoking"), ("gene", "diet"), ("diet", "cancer"), ("smoking", "cancer")]
        ... )
        >>> print(db.identify(g, cause="smoking", effect="cancer").adjust_for(["gene", "diet"]))
        P(cancer | do(smoking)) = Σ_{gene, diet} P(cancer | smoking, gene, diet) P(gene, diet)
        """
        chosen = frozenset(as_nodes(self.graph.dag, names))
        if not self.is_adjustment_set(chosen):
            sets = " or ".join(map(self._shown, self.adjustment_sets[:5])) or "none"
            raise NotIdentifiedError(
                f"adjusting for {self._shown(chosen)} does not give {self._title}: it leaves a path open that is not "
                f"causal, or holds an effect of the cause. Minimal sets that do: {sets}."
            )
        return self._estimand(self._adjusted(chosen))

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

    def evaluate(self, net: Any) -> Effect:
        """The effect, exactly, from the observed part of a Bayes net.

        Parameters
        ----------
        net : BayesNet or Network
            A net with at least the nodes of the formula.

        Returns
        -------
        Effect
        """
        return self.estimand.evaluate(net)

    def estimate(
        self,
        data: Any,
        *,
        smoothing: Smoothing = MLE(),
        sample_weight: Any = None,
        bootstrap: int = 200,
        random_state: int | np.random.Generator | None = 0,
    ) -> Effect:
        """The effect from a table.

        Parameters
        ----------
        data : table
            A table with a column for each node of the formula.
        smoothing, sample_weight, bootstrap, random_state
            As in ``Estimand.estimate``.

        Returns
        -------
        Effect

        See Also
        --------
        Estimand.estimate : The same for another formula.
        """
        return self.estimand.estimate(
            data, smoothing=smoothing, sample_weight=sample_weight, bootstrap=bootstrap, random_state=random_state
        )

    @property
    def _title(self) -> str:
        return write_effect(TEXT, self.effect, self.cause, self.given)

    @property
    def _order(self) -> tuple[Node, ...]:
        first = dict.fromkeys((*self.cause, *self.given))
        return (*first, *(node for node in self.graph.ordered(self.graph.observed) if node not in first))

    def _estimand(self, term: Term) -> Estimand:
        return Estimand(self.effect, self.cause, self.given, term, self._order)

    def _adjusted(self, names: Names) -> Term:
        inner = probability(self.effect, {*self.cause, *self.given, *names})
        return sum_out(names, multiply([inner, probability(names, self.given)])) if names else inner

    def _through(self, names: Names) -> Term:
        inner = multiply([probability(self.effect, {*self.cause, *names}), probability(self.cause)])
        return sum_out(names, multiply([probability(names, self.cause), sum_out(self.cause, inner)]))

    def __str__(self) -> str:
        if not self.is_identified:
            return self.why
        how = {"no effect": "no directed path leads from cause to effect", "id": "by the ID algorithm"}
        if self.method == "adjustment":
            shown = self._shown(self._smallest or frozenset())
            how["adjustment"] = f"by adjustment for {shown}"
        elif self.method == "front-door":
            how["front-door"] = f"by the front door {self._shown(self.front_door_sets[0])}"
        return f"{self.estimand}\n{how[str(self.method)]}"

    def _shown(self, names: Names) -> str:
        return f"{{{self.graph.listed(self.graph.dag._mask(names))}}}" if names else "nothing"

    def __repr__(self) -> str:
        return f"Identification({self})"

    def _repr_html_(self) -> str:
        return self.estimand._repr_html_() if self.is_identified else self.why


def identify(
    graph: DAG,
    *,
    cause: Node | Iterable[Node],
    effect: Node | Iterable[Node],
    given: Node | Iterable[Node] = (),
    latent: Node | Iterable[Node] = (),
    confounded: Iterable[Edge] = (),
) -> Identification:
    """Whether P(effect | do(cause), given) is identified by observations, and by which formula.

    Parameters
    ----------
    graph : DAG
        The causal graph.
    cause, effect : node or iterable of nodes
        The nodes that an intervention sets, and those whose distribution is wanted.
    given : node or iterable of nodes, optional
        A conditioning set: the effect within each combination of its states.
    latent : node or iterable of nodes, optional
        Nodes of the graph that are not observed.
    confounded : iterable of pairs, optional
        Pairs of nodes with a hidden common cause that is not in the graph: a ↔ b.

    Returns
    -------
    Identification
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
    """
    read = CausalGraph.read(graph, latent, confounded)
    y, x, w = read.disjoint_masks(effect=effect, cause=cause, given=given)
    if not y or not x:
        raise GraphError("cause and effect need at least one node each")
    outcomes, causes, strata = (tuple(as_nodes(graph, names)) for names in (effect, cause, given))
    return Identification(read, outcomes, causes, strata, y, x, w)


def effect(
    data: Any,
    graph: DAG,
    *,
    cause: Node | Iterable[Node],
    effect: Node | Iterable[Node],
    given: Node | Iterable[Node] = (),
    latent: Node | Iterable[Node] = (),
    confounded: Iterable[Edge] = (),
    smoothing: Smoothing = MLE(),
    sample_weight: Any = None,
    bootstrap: int = 200,
    random_state: int | np.random.Generator | None = 0,
) -> Effect:
    """P(effect | do(cause), given) from a table, or exactly from a Bayes net: identify it, then estimate it.

    Parameters
    ----------
    data : table or BayesNet
        A table with a column for each node of the formula, or a net, from which the effect is exact.
    graph : DAG
        The causal graph.
    cause, effect, given, latent, confounded
        As in ``identify``.
    smoothing : Smoothing
        How counts become probabilities. By default relative frequencies: the effect is undefined if it needs a cell
        without rows.
    sample_weight : array, optional
        How many rows each row stands for.
    bootstrap : int
        The number of bootstrap samples for the standard errors; 0 for none.
    random_state : int, numpy.random.Generator or None
        The seed of the bootstrap.

    Returns
    -------
    Effect

    Raises
    ------
    NotIdentifiedError
        If the graph does not identify the effect; the message names the hedge.

    See Also
    --------
    identify : The formula alone.
    BayesNet.do : The net after an intervention.

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
    """
    identification = identify(graph, cause=cause, effect=effect, given=given, latent=latent, confounded=confounded)
    if as_network(data) is not None:
        return identification.evaluate(data)
    return identification.estimate(
        data, smoothing=smoothing, sample_weight=sample_weight, bootstrap=bootstrap, random_state=random_state
    )
