"""The result of ``search``: the graph, its score, and the moves that led to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from deciban import _core
from deciban.choices import counted
from deciban.errors import ParameterError
from deciban.nets.data.bootstrap import DrawProgress, over_draws
from deciban.nets.data.samples import CodedSample, NetSample, NumberSample, note_on_missing, notes_on_relations
from deciban.nets.graphs.citation import Origin, citation, own_version, table_size
from deciban.nets.graphs.confidence import Confidence
from deciban.nets.graphs.dag import CPDAG, DAG, PDAG
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.interventional import InterventionalCPDAG
from deciban.nets.search.streaming import Stream, StreamMissing, changes_of
from deciban.storable import storable
from deciban.types import Floats

__all__ = ["Move", "Progress", "SearchResult"]


@storable
@dataclass(frozen=True)
class Move:
    """One step of a search: an arrow added, deleted or reversed, or a variable moved; and what the score gained.

    Attributes
    ----------
    kind : str
        "add", "delete" or "reverse" of an arrow; "insert" or "delete" of an edge between equivalence classes; "before"
        or "after" where the variable `parent` of an order moves right before or after `child`.
    parent, child : node
        The ends of the arrow.
    gain : float
        The score after the step minus the score before it.
    moved : tuple of nodes
        Of a step between equivalence classes, the variables whose edges also change.

    See Also
    --------
    SearchResult : Lists the moves.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {
    ...     "rain": ["no", "no", "yes", "yes"] * 5,
    ...     "street": ["dry", "dry", "wet", "wet"] * 5,
    ... }
    >>> print(*db.search(rows, method="ges").moves)
    insert street → rain (+12.37)
    """

    kind: str
    parent: Node
    child: Node
    gain: float
    moved: tuple[Node, ...] = ()

    def __str__(self) -> str:
        aside = f" with {', '.join(map(str, self.moved))}" if self.moved else ""
        if self.kind in ("before", "after"):
            return f"{self.parent} {self.kind} {self.child} ({self.gain:+z.4g})"
        return f"{self.kind} {self.parent} → {self.child}{aside} ({self.gain:+z.4g})"


Progress = Callable[[Move], object]
"""Called after each step."""


def _pair_parameters(sample: NetSample) -> dict[int, int]:
    """How many pairs of variables have how many parameters, (states − 1)·(states − 1) of categories.

    A number is as a category of two states: of a mixed pair, its mean has a parameter for each further state.
    """
    if isinstance(sample, CodedSample):
        sizes = sample.sizes
    elif isinstance(sample, NumberSample):
        sizes = np.full(len(sample.names), 2)
    else:
        sizes = np.concatenate([sample.categories.sizes, np.full(len(sample.numbers.names), 2)])
    free, count = np.unique(np.asarray(sizes) - 1, return_counts=True)
    out: dict[int, int] = {}
    for i, (a, of_a) in enumerate(zip(free.tolist(), count.tolist(), strict=True)):
        for b, of_b in zip(free[i:].tolist(), count[i:].tolist(), strict=True):
            pairs = of_a * (of_a - 1) // 2 if a == b else of_a * of_b
            out[a * b] = out.get(a * b, 0) + pairs
    return out


def _edges_by_chance(pairs: dict[int, int], rows: float, penalty: float) -> float:
    """The expected number of pairs, all independent, whose edge BIC takes for worth its parameters.

    Twice the gain in log-likelihood follows χ² with as many degrees of freedom as the edge has parameters, each of
    which costs log n.
    """
    cost = penalty * np.log(max(rows, 1.0))
    return sum(count * _core.chi_square_tail(df * cost, df) for df, count in pairs.items() if df)


@dataclass(frozen=True)
class SearchResult:
    """The result of ``search``: the best graph that was found.

    Attributes
    ----------
    graph : CPDAG, PDAG or DAG
        Of "auto", "boss" and "ges" the CPDAG, or, where knowledge directs more of its edges, a PDAG; else a DAG.
    score : float or None
        Its score in nats, higher is better; None for an oracle, which has no sample.
    moves : tuple of Move
        The steps that led to it, in order; none of an exact search.
    method, criterion : str
        The method, and the name of the score.
    dropped : int
        The number of rows that were left out because of a missing value.
    penalty : float
        What the penalty of the score was multiplied by.
    interventions : tuple of frozenset
        The sets of nodes that were set together in some rows; empty where ``interventions`` was not passed.
    visited : int
        With ``missing="em"``, the number of graphs for which the missing values were completed; 0 where none was.
    is_converged : bool
        Whether a graph came again; if not, ``missing="em"`` stopped after the most graphs.
    sample, again
        The rows, and the same search on other rows: for ``bootstrap``. None for an oracle, or where the result was read
        from a file, which has no rows.
    flipped : tuple of str
        Of a result of ``update`` or ``forget``, the edges that differ from those before.
    stream : Stream or None
        What ``update`` and ``forget`` add to; None where they need a new search.
    origin : Origin or None
        What is known of rows that are not kept: those of a file, and those of ``update`` and ``forget``.
    version : str
        The version of deciban that made it.

    See Also
    --------
    search : Returns it.
    BayesNet.fit : Estimate the tables of ``result.dag``.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {
    ...     "rain": ["no", "no", "yes", "yes"] * 5,
    ...     "street": ["dry", "dry", "wet", "wet"] * 5,
    ... }
    >>> result = db.search(rows, method="hc")
    >>> result.graph, result.cpdag, result.notes
    (DAG(rain → street), CPDAG(rain — street), ('1 of 1 arrow is not decided by the data',))
    """

    graph: DAG | PDAG
    score: float | None
    moves: tuple[Move, ...] = field(repr=False)
    method: str
    criterion: str
    dropped: int = 0
    penalty: float = 1.0
    interventions: tuple[frozenset[Node], ...] = ()
    visited: int = 0
    is_converged: bool = True
    sample: NetSample | None = field(default=None, repr=False, compare=False)
    again: Callable[[NetSample], SearchResult] | None = field(default=None, repr=False, compare=False)
    flipped: tuple[str, ...] = field(default=(), repr=False, compare=False)
    stream: Stream | None = field(default=None, repr=False, compare=False)
    origin: Origin | None = field(default=None, repr=False, compare=False)
    version: str = field(default_factory=own_version, repr=False, compare=False)

    @cached_property
    def dag(self) -> DAG:
        """The graph, or one DAG of its class."""
        return self.graph if isinstance(self.graph, DAG) else self.graph.extension()

    @cached_property
    def cpdag(self) -> CPDAG:
        """The class of graphs that score the same: its arrows are those that the data decide.

        With interventions an ``InterventionalCPDAG``: observations and interventions decide its arrows.
        """
        if isinstance(self.graph, CPDAG):
            return self.graph
        return InterventionalCPDAG.of(self.dag, self.interventions) if self.interventions else self.dag.cpdag()

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know before reading the graph."""
        if self.origin is not None:
            return self.origin.notes
        notes = [] if self.sample is None else list(self.sample.notes)
        if isinstance(self.graph, DAG) and self.cpdag.undirected_edges:
            open_, arrows = len(self.cpdag.undirected_edges), len(self.graph.directed_edges)
            notes.append(
                f"{open_:,} of {counted(arrows, 'arrow')} {'is' if open_ == 1 else 'are'} not decided by the data"
            )
        if (sample := self.sample) is not None and sample.interventions is not None:
            always = [name for name in sample.names if sample.interventions.was_set(name).all()]
            notes += [f"{name} was set in every row, so nothing says what it depends on" for name in always]
        if self.dropped:
            notes.append(f"{counted(self.dropped, 'row')} with missing values dropped")
        notes += [*self._relations, *self._incomplete]
        return tuple(notes + self._chance)

    @cached_property
    def _relations(self) -> tuple[str, ...]:
        """Notes on numbers that others determine: which of them has the edges, no score can say."""
        return () if self.sample is None else notes_on_relations(self.sample)

    @cached_property
    def _incomplete(self) -> list[str]:
        """A note on missing values that were not dropped, with the rows of the family that has the fewest."""
        sample = self.sample
        if sample is None or not (note := note_on_missing(sample)):
            return []
        names = sample.names
        index = {name: column for column, name in enumerate(names)}
        families = [(child, sorted(index[parent] for parent in self.dag.parents(child))) for child in names]
        rows = [len(sample.known([*parents, index[child]])) for child, parents in families]
        fewest = min(rows)
        child, parents = families[rows.index(fewest)]
        given = f" given {', '.join(str(names[parent]) for parent in parents)}" if parents else ""
        if self.visited:
            end = "converged" if self.is_converged else "not converged"
            note += f"; structural EM: {counted(self.visited, 'graph')}, {end}"
        return [f"{note}; fewest rows of a family: {fewest:,} of {len(sample):,} ({child}{given})"]

    @cached_property
    def _chance(self) -> list[str]:
        """A note where a tenth of the edges, or more, are as many as independent columns would have."""
        sample = self.sample
        if sample is None or self.method == "chow_liu":
            return []
        edges = len(self.graph.directed_edges) + len(self.graph.undirected_edges)
        df = _pair_parameters(sample)
        expected = _edges_by_chance(df, sample.total, self.penalty)
        if expected < max(1.0, 0.1 * edges) or not edges:
            return []
        note = (
            f"{counted(edges, 'edge')}, and among as many independent columns at least {expected:,.0f} would be found "
            f"by chance ({counted(len(sample.names), 'column')}, {sample.total:,.12g} rows)"
        )
        if (
            self.criterion.lower()
            .replace("_", "")
            .startswith(("bic", "gaussianbic", "cgbic", "dgbic", "conditionalgaussianbic", "degenerategaussianbic"))
        ):
            factors = (c for c in np.arange(1, 1000) / 10 if c > self.penalty)
            # In steps of 0.1, as a user would type it.
            needed = next((c for c in factors if _edges_by_chance(df, sample.total, c) < 1), 100.0)
            return [f"{note}: pass penalty={needed:g} for less than one"]
        return [f"{note}: use more rows or fewer columns"]

    def bootstrap(
        self,
        n: int = 100,
        *,
        random_state: int | np.random.Generator | None = 0,
        progress: DrawProgress = False,
    ) -> Confidence:
        """How often each edge and each direction is found in bootstrap samples, on all cores.

        The draws are those of ``Discovery.bootstrap``. An arrow counts where the data decide it: of a DAG that was
        found, the arrows of its ``cpdag``.

        Parameters
        ----------
        n, random_state
            The number of bootstrap samples, and their seed.
        progress : bool or function
            True shows a bar on the standard error; a function is called with the number of draws that are done.

        Returns
        -------
        Confidence
            The share of samples with each edge and each arrow, a threshold, and the averaged graph.

        Examples
        --------
        >>> import deciban as db
        >>> rows = {
        ...     "rain": ["no", "no", "yes", "yes"] * 5,
        ...     "street": ["dry", "dry", "wet", "wet"] * 5,
        ... }
        >>> db.search(rows).bootstrap(20)
        Confidence from 20 draws: 1 edge above the threshold of 0.00
        rain — street: 1.00 (rain → street 0.00, street → rain 0.00)
        """
        sample, again = self.sample, self.again
        if sample is None or again is None:
            raise ParameterError(
                "there are no rows to resample: the graph is from an oracle, from a file, or from counts that were "
                "updated."
            )

        def find(weights: Floats) -> PDAG:
            found = again(sample.reweighted(weights))
            return found.cpdag if isinstance(found.graph, DAG) else found.graph

        return Confidence.of(self.graph.nodes, over_draws(find, sample, n, random_state, progress))

    def update(self, data: Any, *, sample_weight: Any = None, missing: StreamMissing = "error") -> SearchResult:
        """The result of the same search with more rows, from what was counted of the earlier ones.

        A search by "bic", "bdeu", "k2" or "gaussian_bic" keeps no rows for it but what the scores are made of: each
        different row with its count, or the means and cross-products of numbers. To these the new rows are added, and
        the search starts where a fresh one does: it finds what a search of all rows together finds.

        Parameters
        ----------
        data : table
            Rows with the same columns; they may have states that were not there.
        sample_weight : array, optional
            How many rows each row stands for.
        missing : {"error", "drop"}
            What is done with missing values in them.

        Returns
        -------
        SearchResult
            ``flipped`` names the edges that changed. It has no rows for ``bootstrap``.

        Raises
        ------
        ParameterError
            If the score is another one, or the search had bins, interventions, or missing values other than dropped:
            these need the rows themselves.

        See Also
        --------
        SearchResult.forget : Take rows out again.

        Examples
        --------
        >>> import deciban as db
        >>> result = db.search({"rain": [0, 1, 0, 1], "wet": [0, 1, 1, 0]})
        >>> later = result.update({"rain": [0, 1] * 20, "wet": [0, 1] * 20})
        >>> result.graph, later.graph, later.flipped
        (CPDAG(rain, wet), CPDAG(rain — wet), ('rain — wet is new',))
        >>> later.forget({"rain": [0, 1] * 20, "wet": [0, 1] * 20}).graph
        CPDAG(rain, wet)
        """
        return self._changed(data, sample_weight, missing, is_added=True)

    def forget(self, data: Any, *, sample_weight: Any = None, missing: StreamMissing = "error") -> SearchResult:
        """The result of the same search without some of the rows: see ``update``.

        Parameters
        ----------
        data, sample_weight, missing
            The rows, as in ``update``.

        Returns
        -------
        SearchResult

        Raises
        ------
        NegativeCountError
            If rows of categories were not counted. Of numbers only the sums are known: rows that were never there are
            noticed where the sums become impossible.
        """
        return self._changed(data, sample_weight, missing, is_added=False)

    def _changed(self, data: Any, sample_weight: Any, missing: StreamMissing, *, is_added: bool) -> SearchResult:
        if self.stream is None:
            raise ParameterError(
                'rows can be added to a search by "bic", "bdeu", "k2" or "gaussian_bic" without bins, interventions or '
                "missing values other than dropped, which was not read from a file: search all rows again."
            )
        batch = self.stream.read(self.graph.nodes, data, sample_weight, missing)
        stream, found = self.stream.changed(self.sample, batch, is_added=is_added)
        result: SearchResult = replace(
            found,
            penalty=self.penalty,
            dropped=self.dropped + (batch.dropped if is_added else 0),
            sample=stream.sample,
            flipped=changes_of(self.graph, found.graph),
            stream=stream,
        )
        rows = stream.tally.rows if stream.tally is not None else 0.0
        notes = (*(f"changed: {change}" for change in result.flipped), *result.notes)
        return replace(result, sample=None, origin=Origin(int(rows) if rows == int(rows) else rows, notes))

    @property
    def rows(self) -> float | None:
        """The number of rows, or their weight; None for an oracle."""
        if self.origin is not None:
            return self.origin.rows
        return None if self.sample is None else self.sample.total

    def citation(self) -> str:
        """How the graph was learned, as a paper reports it, with references.

        Returns
        -------
        str
            The method, the score, the penalty, the rows and columns, the version of deciban; and the papers to cite.

        Examples
        --------
        >>> import deciban as db
        >>> found = db.search({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9}, method="ges")
        >>> found.citation().partition(", with deciban")[0]
        'The graph was learned by greedy equivalence search with BIC from 36 rows, 2 columns'
        """
        settings = [f"penalty {self.penalty:g}"] if self.penalty != 1 else []
        settings += [f"{counted(self.dropped, 'row')} with missing values dropped"] if self.dropped else []
        settings += ["missing values by structural EM"] if self.visited else []
        if self.interventions:
            number = counted(len(self.interventions), "set")
            settings.append(f"{number} of nodes with interventions (Hauser A, Bühlmann P, 2012, JMLR 13)")
        size = table_size(self.rows, len(self.graph.nodes))
        return citation(self.method, self.criterion, settings, size, self.version)

    @property
    def summary(self) -> str:
        """The method, the score, the numbers of edges and moves, and the notes, in one line."""
        edges = counted(len(self.graph.directed_edges) + len(self.graph.undirected_edges), "edge")
        worth = [] if self.score is None else [f"{self.criterion} = {self.score:.4f}"]
        steps = [counted(len(self.moves), "move")] if self.moves else []
        return f"{self.method}: {', '.join([*worth, edges, *steps, *self.notes])}"

    def __repr__(self) -> str:
        return f"SearchResult({self.summary})\n{self.graph!r}"

    def _repr_html_(self) -> str:
        worth = "" if self.score is None else f"{self.criterion} = {self.score:.4f}, "
        return f"<p>{self.method}: {worth}{counted(len(self.moves), 'move')}</p>{self.graph.to_svg()}"
