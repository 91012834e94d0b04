"""The result of ``discover``: the graph, and the tests that led to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from deciban.choices import counted
from deciban.errors import ParameterError
from deciban.nets.data.bootstrap import DrawProgress, over_draws
from deciban.nets.discovery.notes import notes_on, notes_on_rows, notes_on_tests
from deciban.nets.discovery.skeleton import Naming, Skeleton
from deciban.nets.graphs.citation import Origin, citation, own_version, table_size
from deciban.nets.graphs.confidence import Confidence
from deciban.nets.graphs.dag import PDAG
from deciban.nets.graphs.graph import Edge, Graph, Node, sort_key
from deciban.nets.graphs.marked import PAG
from deciban.nets.graphs.orientation import RULES
from deciban.nets.independence.independence_test import Independence, SourceFacts, TestResult, in_words, listed
from deciban.storable import storable
from deciban.tallies import rows_as_html
from deciban.types import Floats

__all__ = ["Collider", "Conflict", "Discovery", "DiscoveryReport"]


@storable
@dataclass(frozen=True)
class Collider:
    """A common effect x → z ← y: how well sets with z, and sets without it, separate x from y.

    Attributes
    ----------
    x, z, y : node
        The causes x and y, and the collider z.
    p_with, p_without : float
        The largest p of the tests of x and y given sets with z, and without it.
    sets_with, sets_without : int
        How many sets with z, and without it, separate x and y.
    strength : float
        How clearly the tests say that z is a collider; stronger colliders direct edges first.

    See Also
    --------
    Discovery : Lists the colliders.

    Examples
    --------
    >>> import deciban as db
    >>> found = db.discover(db.Oracle(db.DAG([("rain", "wet"), ("sprinkler", "wet")])))
    >>> collider = found.colliders[0]
    >>> collider.x, collider.z, collider.y
    ('rain', 'wet', 'sprinkler')
    """

    x: Node
    z: Node
    y: Node
    p_with: float
    p_without: float
    sets_with: int
    sets_without: int
    strength: float

    def __str__(self) -> str:
        if self.sets_with or self.sets_without:
            sets = f"{counted(self.sets_without, 'separating set')} without {self.z}, {self.sets_with} with it"
        else:
            sets = "no separating set"
        return (
            f"{self.x} → {self.z} ← {self.y}: {sets}; "
            f"largest p {self.p_without:.2g} without {self.z}, {self.p_with:.2g} with it"
        )


@storable
@dataclass(frozen=True)
class Conflict:
    """A collider that does not fit the graph, and the reason; or another contradiction.

    Attributes
    ----------
    triple : tuple or None
        The nodes (x, z, y) of the collider x → z ← y; None for another contradiction.
    reason : str
        What it contradicts.

    See Also
    --------
    Discovery : Lists the conflicts.

    Examples
    --------
    >>> from deciban.nets import Conflict
    >>> print(
    ...     Conflict(
    ...         ("a", "c", "b"), "the stronger collider c → b ← d directs b → c the other way"
    ...     )
    ... )
    a → c ← b does not fit: the stronger collider c → b ← d directs b → c the other way
    """

    triple: tuple[Node, Node, Node] | None
    reason: str

    def __str__(self) -> str:
        if self.triple is None:
            return self.reason
        x, z, y = self.triple
        return f"{x} → {z} ← {y} does not fit: {self.reason}"


@dataclass(frozen=True, eq=False)
class Discovery:
    """The result of ``discover``: a graph, and the tests that led to it.

    Attributes
    ----------
    graph : CPDAG, PDAG or PAG
        The class of graphs found: a CPDAG; a PDAG where knowledge directs more than the data can; by (R)FCI a PAG.
    method : str
        "pc", "ic", "fci" or "rfci".
    test : test
        The test on the data, or the oracle.
    colliders : tuple of Collider
        The common effects that direct the graph, the strongest first.
    conflicts : tuple of Conflict
        Findings that contradict stronger ones.
    ambiguous : tuple of triples
        Triples for which the data do not decide whether they are colliders.
    tests, unsure : int
        How many tests were made, and how many had no verdict.
    depth : int
        The size of the largest conditioning sets.
    too_large : int or None
        The smallest size of sets of which some were not tested, because there are too few rows; None where all were
        tested.
    reasons : dict
        By FCI, for the mark at y of the edge between x and y, ``reasons[x, y]``: "R0" (a common effect), the number of
        the rule from which it follows, or "knowledge".
    skeleton : Skeleton or None
        The adjacencies and separating sets by index, from which ``removed`` is made.
    again : function or None
        The same method with another test: for ``bootstrap``. None where the result was read from a file, which has no
        rows: then ``test`` has only the name of the test, and its alpha.
    origin : Origin or None
        Of a result that was read from a file, what it said of its rows.
    version : str
        The version of deciban that made it.

    See Also
    --------
    discover : Returns it.
    SearchResult : The result of a search by scores.

    Examples
    --------
    >>> import deciban as db
    >>> found = db.discover(db.Oracle(db.DAG([("rain", "wet"), ("sprinkler", "wet")])))
    >>> found
    Discovery(pc: 3 variables, 2 arrows, 0 undirected edges, 5 tests, 0 conflicts)
    >>> found.graph
    CPDAG(rain → wet, sprinkler → wet)
    >>> print(found.colliders[0])
    rain → wet ← sprinkler: 1 separating set without wet, 0 with it; largest p 1 without wet, 0 with it
    """

    graph: PDAG | PAG
    method: str
    test: Any
    colliders: tuple[Collider, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    ambiguous: tuple[tuple[Node, Node, Node], ...] = ()
    tests: int = 0
    unsure: int = 0
    depth: int = 0
    too_large: int | None = None
    reasons: dict[Edge, str] = field(default_factory=dict, repr=False)
    skeleton: Skeleton | None = field(default=None, repr=False)
    again: Callable[[Independence], Discovery] | None = field(default=None, repr=False)
    origin: Origin | None = field(default=None, repr=False)
    version: str = field(default_factory=own_version, repr=False)

    def __getstate__(self) -> dict[str, object]:
        # The facts hold what the core tests, which is made again from the rows.
        return {name: value for name, value in vars(self).items() if name != "_facts"}

    def __repr__(self) -> str:
        return f"Discovery({self.summary})"

    @property
    def summary(self) -> str:
        """The method, and the numbers of variables, edges, tests and conflicts, in one line."""
        parts = [
            counted(len(self.graph.nodes), "variable"),
            count_edges(self.graph),
            counted(self.tests, "test"),
            counted(len(self.conflicts), "conflict"),
        ]
        if self.without_verdict:
            parts.append(f"{counted(len(self.without_verdict), 'pair')} without verdict")
        return f"{self.method}: {', '.join(parts)}"

    @cached_property
    def without_verdict(self) -> tuple[TestResult, ...]:
        """The tests of separated pairs that had no verdict: see ``removed``."""
        return () if self.skeleton is None else self.skeleton.unsure_results(self._naming)

    @cached_property
    def removed(self) -> tuple[TestResult, ...]:
        """For each pair that a set separates, the test with the largest p.

        Its verdict is "none" where there was nothing to test or too few rows; such a test counts as independent only
        by the rule for it (``unsure``). Where it has ``determined``, no test removed the edge: the set determines one
        of the two, and all of it is adjacent to the other, so that the edge would say nothing new. The results are made
        when they are first used: a large graph has very many.
        """
        return () if self.skeleton is None else self.skeleton.results(self._naming)

    @cached_property
    def _naming(self) -> Naming:
        nodes = tuple(sorted(self.graph.nodes, key=self._rank))
        return Naming(nodes, self._facts.measure, self._facts.rules.rows_per_degree)

    @cached_property
    def _rank(self) -> Callable[[Node], int]:
        """The index of a node in the skeleton."""
        return sort_key(self.graph.nodes)

    @cached_property
    def _facts(self) -> SourceFacts:
        return SourceFacts.of(self.test)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What to know before reading the graph.

        Columns that are constant or determined by others, missing values, pairs that are separated without a verdict,
        and sets that were not tested because there are too few rows.
        """
        if self.origin is not None:
            return self.origin.notes
        return (
            *notes_on(self._facts, self._around),
            *notes_on_rows(self._facts.sample, lambda: self.removed),
            *notes_on_tests(self.without_verdict, self.too_large),
        )

    def _around(self, x: Node) -> frozenset[Node]:
        return self.graph._names(self.graph._adjacent_masks[self.graph.index(x)])

    def _repr_html_(self) -> str:
        lines = [*(f"note: {note}" for note in self.notes), *(f"conflict: {one}" for one in self.conflicts)]
        items = f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""
        return f"<p>{escape(self.summary)}</p>{items}{self.graph.to_svg()}"

    def removal(self, x: Node, y: Node) -> TestResult | None:
        """The test that removed the edge between x and y.

        Parameters
        ----------
        x, y : node
            The names of two variables.

        Returns
        -------
        TestResult or None
            The test with the largest p; None where no test separated them.
        """
        self.graph.index(x)
        self.graph.index(y)
        if self.skeleton is None:
            return None
        one, other = self._rank(x), self._rank(y)
        return self.skeleton.result((min(one, other), max(one, other)), self._naming)

    def separating_set(self, x: Node, y: Node) -> frozenset[Node] | None:
        """The set that makes x and y independent.

        Parameters
        ----------
        x, y : node
            The names of two variables.

        Returns
        -------
        frozenset or None
            None where no such set was found.

        Examples
        --------
        >>> import deciban as db
        >>> found = db.discover(db.Oracle(db.DAG([("season", "rain"), ("rain", "wet")])))
        >>> found.separating_set("season", "wet")
        frozenset({'rain'})
        """
        separation = self.removal(x, y)
        return None if separation is None else frozenset(separation.given)

    def explain(self, x: Node, y: Node) -> str:
        """Why x and y are adjacent or not, and why their edge is directed as it is.

        Parameters
        ----------
        x, y : node
            The names of two variables.

        Returns
        -------
        str

        Examples
        --------
        >>> import deciban as db
        >>> found = db.discover(db.Oracle(db.DAG([("rain", "wet"), ("sprinkler", "wet")])))
        >>> print(found.explain("rain", "sprinkler"))
        rain and sprinkler are d-separated, so no edge joins them.
        """
        separation = self.removal(x, y)
        if separation is not None and separation.determined:
            return _why_implied(separation)
        if separation is not None:
            counts = ", which counts as independent" if separation.verdict == "none" else ""
            return f"{in_words(replace(separation, x=x, y=y))}{counts}, so no edge joins them."
        if not self.graph.is_adjacent(x, y):
            return f"No edge joins {x} and {y}: the knowledge forbids it."
        why = "they are not independent"
        if self.depth:
            why = f"no set of up to {counted(self.depth, 'other')} around them makes them independent"
        return f"An edge joins {x} and {y}: {why}. {self.explain_direction(x, y)}"

    def explain_direction(self, x: Node, y: Node) -> str:
        """Why the edge between x and y is directed as it is, or what its marks mean.

        Parameters
        ----------
        x, y : node
            The names of two adjacent variables.

        Returns
        -------
        str

        Raises
        ------
        ParameterError
            If no edge joins x and y.
        """
        if not self.graph.is_adjacent(x, y):
            raise ParameterError(f"no edge joins {x!r} and {y!r}: explain(x, y) says why.")
        if isinstance(self.graph, PAG):
            return what_marks_say(self.graph, self.reasons, self.colliders, x, y)
        if (y, x) in self.graph.directed_edges:
            x, y = y, x
        if (x, y) not in self.graph.directed_edges:
            return f"Nothing directs it: {x} → {y} and {y} → {x} fit the data alike."
        at_y = [one for one in self.colliders if one.z == y and x in (one.x, one.y)]
        if at_y:
            return f"It points to {y} because of {at_y[0]}."
        return (
            f"It points to {y}: otherwise there would be a cycle, a new v-structure, or an arrow against the knowledge."
        )

    def bootstrap(
        self,
        n: int = 100,
        *,
        random_state: int | np.random.Generator | None = 0,
        progress: DrawProgress = False,
    ) -> Confidence:
        """How often each edge and each direction is found in bootstrap samples, on all cores.

        Rows are reweighted, not copied: a draw with replacement is a vector of multinomial weights, scaled to the
        effective sample size (Kish 1965).

        Parameters
        ----------
        n : int
            The number of bootstrap samples.
        random_state : int, numpy.random.Generator or None
            The same int gives the same samples.
        progress : bool or function
            True shows a bar on the standard error; a function is called with the number of draws that are done.

        Returns
        -------
        Confidence
            The share of samples with each edge and each arrow, a threshold, and the averaged graph.

        Raises
        ------
        ParameterError
            If the graph was found from an oracle, which has no rows.
        """
        test, again = self.test, self.again
        if not hasattr(test, "reweighted") or again is None:
            raise ParameterError("there are no rows to resample: the graph is from an oracle, or from a file.")

        def find(weights: Floats) -> Graph:
            return again(test.reweighted(weights)).graph

        return Confidence.of(self.graph.nodes, over_draws(find, test.sample, n, random_state, progress))

    @property
    def rows(self) -> float | None:
        """The number of rows, or their weight; None for an oracle."""
        if self.origin is not None:
            return self.origin.rows
        return None if self._facts.sample is None else self._facts.sample.total

    def citation(self) -> str:
        """How the graph was learned, as a paper reports it, with references.

        Returns
        -------
        str
            The method, the test, α, the rows and columns, the version of deciban; and the papers to cite.

        Examples
        --------
        >>> import deciban as db
        >>> found = db.discover({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9})
        >>> found.citation().partition(", with")[0]
        'The graph was learned by PC-stable with the G² test (α = 0.01) from 36 rows, 2 columns'
        """
        facts = self._facts
        settings = [] if facts.is_exact else [f"α = {facts.rules.alpha:g}"]
        size = table_size(self.rows, len(self.graph.nodes))
        return citation(self.method, facts.measure, settings, size, self.version)

    def report(self) -> DiscoveryReport:
        """All tests, colliders and conflicts.

        Returns
        -------
        DiscoveryReport
            It prints as text; a notebook shows tables.

        Examples
        --------
        >>> import deciban as db
        >>> print(db.discover(db.Oracle(db.DAG([("rain", "wet"), ("sprinkler", "wet")]))).report())
        Discovery(pc: 3 variables, 2 arrows, 0 undirected edges, 5 tests, 0 conflicts)
        rain and sprinkler are d-separated
        rain → wet ← sprinkler: 1 separating set without wet, 0 with it; largest p 1 without wet, 0 with it
        """
        return DiscoveryReport(self)


def _why_implied(result: TestResult) -> str:
    (known,) = result.determined
    other = result.y if known == result.x else result.x
    verb, those = ("determines", "it") if len(result.given) == 1 else ("determine", "them")
    return (
        f"{listed(result.given)} {verb} {known}, and {other} is adjacent to {those}: "
        f"an edge between {result.x} and {result.y} would say nothing new, so none joins them."
    )


_PAIRS = ("pair", "given", "verdict", "statistic", "df", "p")
_ORACLE = ("pair", "given", "verdict")
_COLLIDERS = ("common effect", "sets without it", "sets with it", "largest p without", "largest p with")


@dataclass(frozen=True, eq=False)
class DiscoveryReport:
    """All tests, colliders and conflicts of a discovery: the result of `Discovery.report`.

    It prints as text, a line for each finding; a notebook shows the graph and tables.

    Attributes
    ----------
    found : Discovery
        The discovery.

    See Also
    --------
    Discovery : Has the same findings as values.

    Examples
    --------
    >>> import deciban as db
    >>> found = db.discover(db.Oracle(db.DAG([("rain", "wet"), ("sprinkler", "wet")])))
    >>> found.report()
    DiscoveryReport(pc: 3 variables, 2 arrows, 0 undirected edges, 5 tests, 0 conflicts)
    >>> found.report().to_text().splitlines()[1]
    'rain and sprinkler are d-separated'
    """

    found: Discovery

    def to_text(self) -> str:
        """Write a line for each note, separated pair, collider and conflict.

        Returns
        -------
        text : str
        """
        found = self.found
        lines = [repr(found), *(f"note: {note}" for note in found.notes)]
        lines += [in_words(test) for test in found.removed]
        lines += [str(one) for one in found.colliders] + [f"conflict: {one}" for one in found.conflicts]
        lines += [f"open: {self._open()}"] if found.ambiguous else []
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"DiscoveryReport({self.found.summary})"

    def _repr_html_(self) -> str:
        found = self.found
        parts = [f"<p><b>{escape(found.summary)}</b></p>", found.graph._repr_html_(), _html_list("Notes", found.notes)]
        if found.removed:
            is_oracle = all(test.measure == "d-separation" for test in found.removed)
            rows = [_cells(test)[: len(_ORACLE)] if is_oracle else _cells(test) for test in found.removed]
            parts.append(rows_as_html("Pairs without an edge", _ORACLE if is_oracle else _PAIRS, rows))
        if found.colliders:
            parts.append(rows_as_html("Common effects, which direct edges", _COLLIDERS, self._colliders()))
        parts.append(_html_list("Conflicts", map(str, found.conflicts)))
        if found.ambiguous:
            parts.append(f"<p>Not decided whether a common effect: {escape(self._open())}</p>")
        return "".join(parts)

    def _open(self) -> str:
        return listed(tuple(f"{x} — {z} — {y}" for x, z, y in self.found.ambiguous))

    def _colliders(self) -> list[tuple[str, ...]]:
        return [
            (
                f"{one.x} → {one.z} ← {one.y}",
                str(one.sets_without),
                str(one.sets_with),
                f"{one.p_without:.2g}",
                f"{one.p_with:.2g}",
            )
            for one in self.found.colliders
        ]


def _cells(test: TestResult) -> tuple[str, ...]:
    given = ", ".join(map(str, test.given))
    verdict = "no verdict" if test.verdict == "none" else test.verdict
    numbers = f"{test.measure} = {test.statistic:.3g}", f"{test.df:.12g}", f"{test.p:.2g}"
    return f"{test.x}, {test.y}", given, verdict, *numbers


def _html_list(title: str, lines: Iterable[str]) -> str:
    """A list under its title; nothing where it has no lines."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p>{title}</p><ul>{items}</ul>" if items else ""


def count_edges(graph: Graph) -> str:
    """How many edges of each kind there are."""
    if not isinstance(graph, PAG):
        undirected = counted(len(graph.undirected_edges), "undirected edge")
        return f"{counted(len(graph.directed_edges), 'arrow')}, {undirected}"
    halves, doubles = len(graph.half_directed_edges), len(graph.bidirected_edges)
    return f"{len(graph.directed_edges)} →, {halves} o→, {doubles} ↔, {len(graph.open_edges)} o—o"


def what_marks_say(graph: PAG, reasons: Mapping[Edge, str], colliders: Iterable[Collider], x: Node, y: Node) -> str:
    """The edge between x and y, the meaning of its marks, and the reason of each."""
    a, kind, b = next(edge for edge in graph.edges if {edge[0], edge[2]} == {x, y})
    parts = [f"It is {a} {kind} {b}: {_meaning(graph, a, kind, b)}."]
    for end, other in ((b, a), (a, b)):
        if graph.mark(other, end) != "circle" and (other, end) in reasons:
            parts.append(_why(graph.mark(other, end), reasons[other, end], colliders, other, end))
    return " ".join(parts)


def _meaning(graph: PAG, a: Node, kind: str, b: Node) -> str:
    if kind == "→":
        hidden = "without a hidden common cause" if graph.is_visible(a, b) else "a hidden common cause is possible"
        return f"no arrowhead at {a}, so {a} is a direct or indirect cause of {b}; {hidden}"
    if kind == "o→":
        return f"{b} is not a cause of {a}; {a} is a cause of {b}, or they have a hidden common cause, or both"
    if kind == "↔":
        return "neither is a cause of the other, so they have a hidden common cause"
    return f"{a} may be a cause of {b}, or {b} of {a}, or they may have a hidden common cause; which is not determined"


def _why(mark: str | None, reason: str, colliders: Iterable[Collider], other: Node, end: Node) -> str:
    what = f"The {'arrowhead' if mark == 'arrow' else 'tail'} at {end}"
    if reason == "knowledge":
        return f"{what} comes from background knowledge."
    collider = next((one for one in colliders if one.z == end and other in (one.x, one.y)), None)
    if reason == "R0" and collider is not None:
        p = f" (largest p {collider.p_without:.2g} without it, {collider.p_with:.2g} with it)"
        known = collider.p_without == 1 and collider.p_with == 0
        apart = f"separated without {end}{'' if known else p}"
        return f"{what}: {end} is a collider between {collider.x} and {collider.y}, which are {apart}."
    return f"{what} follows from other marks (rule {reason[1:]}): {RULES.get(reason, reason)}."
