"""P(effect | do(cause), given) in a graph of any kind: what identifications share, and the choice of an estimate."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal, get_args, overload

import numpy as np

from deciban.choices import check_choice
from deciban.errors import InputError, NotIdentifiedError
from deciban.estimate import MLE, Smoothing
from deciban.nets.causal.causal_graph import as_nodes
from deciban.nets.causal.criteria import Instrument
from deciban.nets.causal.effects import Effect
from deciban.nets.causal.estimand import Estimand, check_bootstrap, read_complete
from deciban.nets.causal.mean_effect import MeanEffect, MeanMethod, estimate_mean
from deciban.nets.causal.measured_rows import MeasuredRows, are_tables
from deciban.nets.causal.terms import TEXT, Term, multiply, probability, sum_out, write_effect
from deciban.nets.data.node_rows import NodeKind, Rows, read_kinds
from deciban.nets.graphs.bits import bits
from deciban.nets.graphs.graph import Graph, Node
from deciban.read import container_of

__all__ = ["EffectQuery", "Estimator", "Method", "Names"]

Method = Literal["no effect", "adjustment", "optimal adjustment", "front-door", "id"]
Names = frozenset[Node]

Estimator = Literal["auto", "tables", "regression", "aipw", "dml", "front-door", "iv"]
"""How an effect is estimated from rows."""

# There may be exponentially many; `iter_adjustment_sets` gives all.
_MOST_SETS = 1000


@dataclass(frozen=True, eq=False)
class EffectQuery(ABC):
    """The nodes of a query and, from a subclass, the graph and its adjustment sets."""

    effect: tuple[Node, ...]
    cause: tuple[Node, ...]
    given: tuple[Node, ...]
    # The same sets as masks of the graph's nodes.
    _y: int
    _x: int
    _w: int

    @property
    @abstractmethod
    def _whole(self) -> Graph:
        """The graph whose nodes the masks mean."""

    @property
    @abstractmethod
    def _observed(self) -> int:
        """The nodes that have columns."""

    @abstractmethod
    def _terms(self) -> Iterator[tuple[Method, Term]]:
        """A formula by each method that finds one, the best first."""

    @property
    @abstractmethod
    def why(self) -> str:
        """Why the effect is not identified; empty if it is."""

    @abstractmethod
    def iter_adjustment_sets(self) -> Iterator[Names]:
        """Every minimal adjustment set, with polynomial time between one and the next.

        Returns
        -------
        iterator of frozenset
        """

    @property
    @abstractmethod
    def optimal_adjustment(self) -> Names | None:
        """The adjustment set of least variance (Henckel, Perković and Maathuis, 2022); None where none is known."""

    @abstractmethod
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

    @property
    def front_door_sets(self) -> tuple[Names, ...]:
        """The minimal front-door sets, the smaller first."""
        return ()

    @property
    def instruments(self) -> tuple[Instrument, ...]:
        """The instruments, which identify the effect in a linear model; those that need no other nodes first."""
        return ()

    def __bool__(self) -> bool:
        return self.is_identified

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

    @cached_property
    def adjustment_sets(self) -> tuple[Names, ...]:
        """The minimal adjustment sets, the smaller first; at most a thousand (see ``iter_adjustment_sets``)."""
        rank = {node: index for index, node in enumerate(self._whole.nodes)}
        sets = islice(self.iter_adjustment_sets(), _MOST_SETS)
        return tuple(sorted(sets, key=lambda names: (len(names), sorted(rank[node] for node in names))))

    @property
    def _smallest(self) -> Names | None:
        """The adjustment set with the fewest nodes; of several, the one closest to the optimal set."""
        best = self.optimal_adjustment or frozenset()
        return min(self.adjustment_sets, key=lambda names: (len(names), -len(names & best)), default=None)

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
        return self._estimand(self._adjusted(self._checked(names)))

    def _checked(self, names: Node | Iterable[Node]) -> Names:
        chosen = frozenset(as_nodes(self._whole, names))
        if not self.is_adjustment_set(chosen):
            sets = " or ".join(map(self._shown, self.adjustment_sets[:5])) or "none"
            raise NotIdentifiedError(
                f"adjusting for {self._shown(chosen)} does not give {self._title}: it leaves a path open that is not "
                f"causal, or holds an effect of the cause. Minimal sets that do: {sets}."
            )
        return chosen

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

    @overload
    def estimate(
        self, data: Any, *, method: Literal["tables"], columns: Mapping[Any, NodeKind] | None = None,
        adjust_for: Node | Iterable[Node] = None, smoothing: Smoothing = ..., sample_weight: Any = None,
        bootstrap: int = 200, random_state: int | np.random.Generator | None = 0,
    ) -> Effect: ...  # fmt: skip
    @overload
    def estimate(
        self, data: Any, *, method: Literal["regression", "aipw", "dml", "front-door", "iv"],
        columns: Mapping[Any, NodeKind] | None = None, adjust_for: Node | Iterable[Node] = None,
        smoothing: Smoothing = ..., sample_weight: Any = None, bootstrap: int = 200,
        random_state: int | np.random.Generator | None = 0,
    ) -> MeanEffect: ...  # fmt: skip
    @overload
    def estimate(
        self, data: Any, *, method: Estimator = "auto", columns: Mapping[Any, NodeKind] | None = None,
        adjust_for: Node | Iterable[Node] = None, smoothing: Smoothing = ..., sample_weight: Any = None,
        bootstrap: int = 200, random_state: int | np.random.Generator | None = 0,
    ) -> Effect | MeanEffect: ...  # fmt: skip
    def estimate(
        self,
        data: Any,
        *,
        method: Estimator = "auto",
        columns: Mapping[Any, NodeKind] | None = None,
        adjust_for: Node | Iterable[Node] = None,
        smoothing: Smoothing = MLE(),
        sample_weight: Any = None,
        bootstrap: int = 200,
        random_state: int | np.random.Generator | None = 0,
    ) -> Effect | MeanEffect:
        """The effect from a table.

        Parameters
        ----------
        data : table
            A table with a column for each node of the formula.
        method, columns, adjust_for, smoothing, sample_weight, bootstrap, random_state
            As in ``effect``.

        Returns
        -------
        Effect or MeanEffect

        See Also
        --------
        effect : The same in one call, with all arguments described.
        """
        check_choice("method", method, get_args(Estimator))
        check_bootstrap(bootstrap)
        columns = read_kinds(self._whole.nodes, columns)
        chosen = None if adjust_for is None else self._checked(adjust_for)
        if not isinstance(data, str | bytes | None):
            # A stream can be read once, and which columns are needed depends on what some of them hold.
            data = container_of(data)
        if method in ("auto", "tables") and (self.is_identified or method == "tables"):
            estimand = self.estimand if chosen is None else self._estimand(self._adjusted(chosen))
            rows = read_complete(data, estimand.columns, sample_weight)
            if method == "tables" or are_tables(rows, columns):
                return estimand.estimate(rows, smoothing=smoothing, bootstrap=bootstrap, random_state=random_state)
        cause, effect = self._single()
        how, sets, instruments = self._plan(method, chosen)
        rows = self._read(data, [cause, effect, *instruments], sets, sample_weight)
        adjusted = tuple(node for node in rows.columns if node not in (cause, effect, *instruments))
        measured = MeasuredRows.of(rows, columns)
        if method == "auto" and how == "iv" and are_tables(rows, columns):
            raise NotIdentifiedError(self._why_not_estimated)
        return estimate_mean(
            measured,
            cause=cause,
            effect=effect,
            method=how,
            adjusted=adjusted,
            instruments=instruments,
            random_state=random_state,
        )

    def _single(self) -> tuple[Node, Node]:
        """The cause and the effect, where each is one node."""
        for what, nodes, allowed in (("cause", self.cause, 1), ("effect", self.effect, 1), ("given", self.given, 0)):
            if len(nodes) > allowed:
                least = "one node as cause and one as effect" if allowed else "no given nodes"
                raise InputError(
                    f"{what} has {', '.join(map(str, nodes))}, but effects of numbers are estimated for {least}. Put "
                    'the numbers into groups (pandas.cut) for method="tables", or select the rows of a group yourself.'
                )
        return self.cause[0], self.effect[0]

    def _plan(self, method: Estimator, chosen: Names | None) -> tuple[MeanMethod, list[Names], tuple[Node, ...]]:
        """The method, the sets of nodes to adjust for (the first that has columns is taken), and the instruments."""
        if method in ("auto", "regression", "aipw", "dml"):
            if chosen is not None:
                sets = [chosen]
            else:
                smallest, best = self._smallest, self.optimal_adjustment
                # Strata need small sets, but regressions have the least variance with the optimal one.
                sets = list(dict.fromkeys(names for names in (best, smallest) if names is not None))
            if method == "auto" and chosen is None and self.method == "no effect":
                return "no effect", [frozenset()], ()
            if sets:
                return "regression" if method == "auto" else method, sets, ()
        if method in ("auto", "front-door") and self.front_door_sets and chosen is None:
            return "front-door", [self.front_door_sets[0]], ()
        if method in ("auto", "iv") and self.instruments and chosen is None:
            given = self.instruments[0].given
            return "iv", [given], tuple(one.node for one in self.instruments if one.given == given)
        raise NotIdentifiedError(self._why_no_plan(method))

    def _why_no_plan(self, method: Estimator) -> str:
        if method == "auto" and not self.is_identified:
            return self._why_not_estimated
        lacking = {"front-door": "front door", "iv": "instrument"}.get(method, "adjustment set")
        others = [
            name
            for name, is_there in {
                "regression": bool(self.adjustment_sets),
                "front-door": bool(self.front_door_sets),
                "iv": bool(self.instruments),
                "tables": self.is_identified,
            }.items()
            if is_there
        ]
        advice = f" Pass method={' or '.join(map(repr, others))}." if others else f" {self.why}"
        cause, effect = self._names_of(self.cause), self._names_of(self.effect)
        return f"the graph has no {lacking} for the effect of {cause} on {effect}.{advice}"

    @property
    def _why_not_estimated(self) -> str:
        """Why there is no estimate, and how a linear model would give one."""
        if not self.instruments:
            return self.why
        shown = " or ".join(map(str, self.instruments[:3]))
        return f'{self.why} In a linear model the effect is identified by the instrument {shown}: method="iv".'

    def _read(self, data: Any, nodes: list[Node], sets: list[Names], sample_weight: Any) -> Rows:
        """The columns of some nodes, and of the first of the sets whose nodes all have columns."""
        *better, last = sets
        for names in better:
            rows = read_complete(data, [*nodes, *self._ordered(names)], sample_weight, may_lack=names - last)
            if not rows.absent:
                return rows
        return read_complete(data, [*nodes, *self._ordered(last)], sample_weight)

    def _ordered(self, names: Iterable[Node]) -> list[Node]:
        chosen = set(names)
        return [node for node in self._whole.nodes if node in chosen]

    @staticmethod
    def _names_of(nodes: Iterable[Node]) -> str:
        return ", ".join(map(str, nodes))

    @property
    def _title(self) -> str:
        return write_effect(TEXT, self.effect, self.cause, self.given)

    @property
    def _order(self) -> tuple[Node, ...]:
        first = dict.fromkeys((*self.cause, *self.given))
        observed = (self._whole.nodes[node] for node in bits(self._observed))
        return (*first, *(node for node in observed if node not in first))

    def _estimand(self, term: Term) -> Estimand:
        return Estimand(self.effect, self.cause, self.given, term, self._order)

    def _adjusted(self, names: Names) -> Term:
        inner = probability(self.effect, {*self.cause, *self.given, *names})
        return sum_out(names, multiply([inner, probability(names, self.given)])) if names else inner

    def _shown(self, names: Names) -> str:
        return f"{{{self._names_of(self._ordered(names))}}}" if names else "nothing"

    def _how(self) -> str:
        """The method in words, beside its formula."""
        if self.method == "adjustment":
            return f"by adjustment for {self._shown(self._smallest or frozenset())}"
        if self.method == "front-door":
            return f"by the front door {self._shown(self.front_door_sets[0])}"
        how = {"no effect": "no directed path leads from cause to effect", "id": "by the ID algorithm"}
        return how.get(str(self.method), "by optimal adjustment")

    def __str__(self) -> str:
        return f"{self.estimand}\n{self._how()}" if self.is_identified else self._why_not_estimated

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def _repr_html_(self) -> str:
        return self.estimand._repr_html_() if self.is_identified else self._why_not_estimated
