"""``search``: the graph with the best score.

An order of the variables that depends on the data, not on their names.

Many moves of a search have the same gain, since a → b and b → a alone have the same score, and then the order of the
variables decides. An order by name or by column would give another graph when columns are renamed. So variables are
ordered by what their columns hold: by the score of the variable alone, best first; where that is equal, by the scores
of pairs, by colour refinement (Weisfeiler and Leman 1968). Only columns that are equivalent, such as copies, keep the
order of their names. The order of the rows changes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import ParameterError
from deciban.nets.data.binning import BinRule
from deciban.nets.data.node_rows import ColumnRole, Reads, kind_of, kinds_of_columns, read_rows
from deciban.nets.data.samples import NetSample, code_rows, mixed_rows, number_rows
from deciban.nets.graphs.bits import mask_of
from deciban.nets.graphs.confidence import Confidence
from deciban.nets.graphs.dag import CPDAG, DAG, PDAG
from deciban.nets.graphs.graph import Node
from deciban.nets.graphs.interventional import InterventionalCPDAG, distinct_interventions
from deciban.nets.scores.discrete import BIC
from deciban.nets.scores.gaussian import GaussianBIC
from deciban.nets.scores.incomplete import scores_on
from deciban.nets.scores.mixed import ConditionalGaussianBIC, DegenerateGaussianBIC
from deciban.nets.scores.protocol import ADVICE, LocalScores, Score, check_penalty, core_scores, in_order
from deciban.nets.scores.registry import Missing, ScoreName, read_scored
from deciban.nets.search.boss import boss
from deciban.nets.search.climbing import Climb, climb, restart, scale_of, tabu
from deciban.nets.search.exact import chow_liu, exact
from deciban.nets.search.ges import FromGraph, ges
from deciban.nets.search.gies import gies
from deciban.nets.search.result import Move, Progress, SearchResult
from deciban.nets.search.rules import KnowledgeLike, Rules
from deciban.nets.search.streaming import stream_of
from deciban.nets.search.structural_em import completion_of, structural_em
from deciban.ties import exceeds, settled
from deciban.types import AnyArray, Ints

__all__ = ["data_order", "edge_support", "search"]


Method = Literal["auto", "boss", "ges", "hc", "tabu", "exact", "chow_liu"]

# Chosen on six networks and on random nets: 5 restarts bring the graphs nearer to the true ones, 20 no further. With
# more variables, or slow scores, they take too long.
_RESTARTS, _FEW = 5, 100
# With so few variables the best of all graphs takes no longer: 6 ms for 10 of them, 500 rows. No number of restarts
# finds it in more than 95 of 100 samples, as an order takes its parents greedily.
_MOST_EXACT = 10


def search(
    data: Any,
    score: ScoreName | Score = "auto",
    *,
    method: Method = "auto",
    max_parents: int | None = None,
    penalty: float | None = None,
    knowledge: KnowledgeLike | None = None,
    restarts: int | None = None,
    random_state: int | np.random.Generator | None = None,
    columns: Mapping[Any, ColumnRole] | None = None,
    bins: int | BinRule | None = None,
    interventions: Any = None,
    sample_weight: Any = None,
    missing: Missing = "error",
    progress: bool | Progress = False,
) -> SearchResult:
    """Search for the graph with the best score.

    Parameters
    ----------
    data : table, files or Oracle
        A frame, an array, a mapping of columns, a list of records or any other table; rows in files: a name, a glob, a
        folder or a list of these, which are read once into memory-mapped temporary files; or, for "ges", an ``Oracle``:
        anything that has a ``dag``.
    score : {"auto", "bic", "bdeu", "k2", "gaussian_bic", "cg_bic", "dg_bic"} or score
        "auto": "gaussian_bic" where every column holds numbers of many different values, "bic" where every column holds
        categories, "cg_bic" where there are both; ``notes`` of the result say which is which. "bic", "bdeu" or "k2" for
        categories, "gaussian_bic" for numbers, "cg_bic" for both, with the numbers normal in each cell of the
        categories (``ConditionalGaussianBIC``), "dg_bic" for the same without differences between cells, or a score
        such as ``BDeu(1)``; or your own, an object with the attributes of ``deciban.nets.Score``.
    method : {"auto", "boss", "ges", "hc", "tabu", "exact", "chow_liu"}
        "auto", "ges" and then "boss", see below; "boss", best order score search; "ges", greedy equivalence search;
        "hc", hill climbing; "tabu", which also leaves local optima; "exact", the best of all graphs, for about 20
        variables; "chow_liu", the best tree. The first three give a class of graphs, the others one DAG, some of whose
        arrows the data do not decide: ``result.cpdag`` has those that they do.
    max_parents : int, optional
        The largest number of parents of a variable; of a class of graphs, in each family that a step makes.
    penalty : float, optional
        What ½·log n, the penalty of "bic", "gaussian_bic", "cg_bic" and "dg_bic" for each parameter, is multiplied by:
        unless given, 2 for "gaussian_bic" and 1 for the others, or what a score such as ``BIC(1.5)`` says. The larger
        it is, the fewer are the edges: among many columns in few rows some are related by chance, and
        ``result.notes`` says which penalty to pass.
    knowledge : Knowledge, optional
        Arrows that must be in the graph (``required``) or must not (``forbidden``), as pairs of names; and tiers.
    restarts : int, optional
        How often "hc" and "tabu" perturb the best graph at random and search again, and "boss" and "auto" search from a
        random order. Unless given, 5 for "auto" with up to 100 variables, with a fixed seed, and else 0, as with
        "cg_bic".
    random_state : int, numpy.random.Generator or None
        The seed of the restarts that are asked for.
    columns : mapping, optional
        The kinds of columns that are not as wanted: "category" or "number", or as in ``discover``. The order of an
        ordered category is not used.
    bins : int or {"quantile", "mdl"}, optional
        Cut numbers into bins, and count all columns: into so many bins of about as many rows, or four of them with
        "quantile"; with "mdl" where the cuts tell the states of a category apart, by minimum description length.
    interventions : column name, mapping or sequence, optional
        Which nodes were set from outside in which rows: such a row counts in every family but that of the node. The
        name of a column with the node that was set in each row, several with commas between them, or none; a mapping
        such as ``{"drug": {"A": "x", "none": None}}``, column → value → the nodes that it sets, or ``{"knocked": "x"}``
        for a column that is 1 in the rows in which they were set; or for each row a node, several in a tuple, or None.
        These columns are no nodes of the graph. ``result.cpdag`` is then an ``InterventionalCPDAG``, which "auto" and
        "ges" find by greedy interventional equivalence search, and "boss" by that search from its best order.
    sample_weight : array or column name, optional
        How many rows each row stands for; of rows in files, the name of a column.
    missing : {"error", "drop", "skip", "em", "state"}
        "error" refuses a missing value. "drop" leaves out its row (the result says how many were ``dropped``). "skip"
        compares two families on the rows in which both are known. "em" sums over it by structural EM, for "bic",
        "gaussian_bic" and "cg_bic". "state" makes it a state of its own.
    progress : bool or function
        True to print each step to the standard error, or a function to call with it.

    Returns
    -------
    SearchResult
        ``graph`` (with "auto", "boss" and "ges" a CPDAG, else a DAG), ``dag``, ``cpdag``, ``score``, ``moves``. Neither
        the names of columns nor the order of columns and rows change it: among moves with the same gain, the data
        decide.

    See Also
    --------
    discover : Find the graph by tests of independence instead.
    BayesNet.fit : Estimate the tables of ``result.dag``.
    compare_graphs : Compare the result with a known graph.

    Notes
    -----
    With "auto" the variables are put in order several times, and moved while that raises the score, as with "boss"
    (Andrews et al., 2023): first in the order of their own scores, then in that of the graph that "ges" finds, then in
    random orders (``restarts``). The graph with the highest score is taken, so it scores at least as high as that of
    "ges"; with up to 10 variables, except with "cg_bic", it is the best of all graphs, as with "exact". With
    ``missing="skip"``, and of an oracle, it is "ges" alone.

    On random linear models of 20 to 100 variables (300 to 10,000 rows) the graphs of "boss" were at a mean distance of
    23 from the true ones with ``penalty=1``, 13 with 1.5, 11 with 2 and 10 with 3. On tables sampled from six
    published networks of categories the mean distance was least with 1. Hence the defaults.

    A class of graphs is meaningful for scores that are equal within it. Of "k2", and of "cg_bic" where an arrow joins a
    category and a number, they are not: there the result is the class of one graph with a high score, and other graphs
    of the class may have a lower one.

    With ``missing="skip"`` a step that adds x to the parents P of v is judged on the rows F where v, x and P are known
    (pairwise deletion: Liu and Constantinou, 2022),

        gain(x → v | P) = n / n_F·[ s(v, P ∪ x; F) − s(v, P; F) ],

    for any score s, with the penalty of n_F rows. Only "ges" judges every step so; the other methods need a sum of
    local scores, which rise by no more than that gain, but come from different rows: they may find an edge too many.
    Values that are missing completely at random make only the rows fewer; where it depends on other values whether one
    is missing, the rows that are left differ from those that are not, and edges may be found that are not there.

    With ``missing="em"`` the parameters of a graph are estimated by EM, and the search is repeated on rows that are
    completed with them, until a graph comes again (structural EM: Friedman, 1998). The first graph is that of "skip",
    and of all graphs the best is returned, by the score of the observed values. Numbers are completed by their expected
    cross-products, categories, alone or beside numbers, by ten exact draws for each incomplete row, with a fixed seed.
    It takes longer than "skip", and rarely leaves a false edge out again, as rows that are completed with the edge
    agree with it.

    BIC is the default because its distance to seven published networks (asia, sachs, child, insurance, alarm,
    hailfinder, win95pts), summed over samples of 1,000 and 5,000 rows, is smaller than that of ``BDeu(1)``. On others
    neither is nearer throughout: BIC is on hepar2 and andes, ``BDeu(1)`` on water, mildew and barley, whose variables
    have many states.

    With ``interventions`` the score of a family comes from the rows in which its child was not set (Cooper and Yoo,
    1999), and the steps of "ges" are those between interventional classes (Hauser and Bühlmann, 2012). Graphs that
    have the same score differ in no direction that the interventions decide.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {
    ...     "rain": ["no", "no", "yes", "yes"] * 5,
    ...     "street": ["dry", "dry", "wet", "wet"] * 5,
    ... }
    >>> result = db.search(rows)
    >>> result
    SearchResult(auto: bic = -18.3565, 1 edge)
    CPDAG(rain — street)
    >>> result.dag
    DAG(street → rain)

    With rows in which the street was sprayed, whatever the weather:

    >>> sprayed = {
    ...     "rain": ["no", "yes"] * 10,
    ...     "street": ["wet"] * 20,
    ...     "set": ["street"] * 20,
    ... }
    >>> both = {name: rows.get(name, [""] * 20) + sprayed[name] for name in sprayed}
    >>> db.search(both, interventions="set").graph
    InterventionalCPDAG(rain → street)
    """
    check_choice("method", method, get_args(Method))
    if restarts is not None:
        _check_restarts(restarts, method)
    if penalty is not None:
        check_penalty(penalty)
    report = _reporter(progress)
    dag = getattr(data, "dag", None)
    if isinstance(dag, DAG):
        if penalty is not None:
            raise ParameterError("an oracle has independences, not scores: leave out penalty.")
        if getattr(data, "latent", ()):
            raise ParameterError('a search by scores allows no latent nodes: use discover(oracle, method="fci").')
        if sample_weight is not None:
            raise ParameterError("an oracle has no rows to weigh: leave out sample_weight.")
        if bins is not None or columns is not None:
            raise ParameterError("an oracle has no columns to read: leave out bins and columns.")
        if interventions is not None:
            raise ParameterError("an oracle has no rows in which nodes were set: leave out interventions.")
        if method not in ("auto", "ges"):
            raise ParameterError(f'an oracle has independences, not scores: pass method="ges", not {method!r}.')
        return _from_graph(dag, knowledge, max_parents, report)
    sample, criterion, name = read_scored(data, score, sample_weight, missing, columns, bins, interventions)
    if penalty is not None:
        criterion = _with_penalty(criterion, name, penalty)
    if isinstance(random_state, np.random.Generator):
        # One seed for all later searches of a bootstrap, which run side by side in any order.
        random_state = int(random_state.integers(1 << 63))
    together = () if sample.interventions is None else distinct_interventions(sample.interventions.occurring)
    plan = _Plan(criterion, name, method, knowledge, max_parents, restarts, random_state, missing == "em", together)
    result = plan.run(sample, report)
    factor = float(getattr(criterion, "penalty", 1.0))
    is_whole = bins is None and interventions is None and missing in ("error", "drop")
    stream = stream_of(plan._on, criterion, is_whole=is_whole)
    return replace(result, dropped=sample.dropped, sample=sample, again=plan.run, penalty=factor, stream=stream)


def _with_penalty(criterion: Score, name: str, penalty: float) -> Score:
    if not isinstance(criterion, BIC | GaussianBIC | ConditionalGaussianBIC | DegenerateGaussianBIC):
        raise ParameterError(
            f'penalty is for the scores "bic", "gaussian_bic", "cg_bic" and "dg_bic"; {name} has no such factor. Leave '
            "it out."
        )
    return replace(criterion, penalty=penalty)


@dataclass(frozen=True)
class _Plan:
    """How to search, apart from the rows."""

    criterion: Score
    name: str
    method: Method
    knowledge: KnowledgeLike | None
    max_parents: int | None
    restarts: int | None
    random_state: int | None
    is_em: bool = False
    interventions: tuple[frozenset[Node], ...] = ()

    def run(self, sample: NetSample, report: Progress = lambda _: None) -> SearchResult:
        """Search, with the variables in the order that the data give."""
        scores = scores_on(self.criterion, sample)
        if not self.is_em:
            return self._on(scores, report)
        complete = completion_of(self.criterion, sample, [scores.names[index] for index in data_order(scores)])
        if sample.is_complete:
            return self._on(scores, report)
        return structural_em(complete, self._on(scores, report), lambda completed: self._on(completed, report))

    def _on(self, scores: LocalScores, report: Progress) -> SearchResult:
        scores = in_data_order(scores)
        rules = Rules.of(scores.names, self.knowledge, self.max_parents)
        if self.interventions:
            return self._interventional(scores, rules, report)
        if self.method in ("auto", "boss", "ges"):
            return self._class(scores, rules, report)
        if self.method == "chow_liu" and not (rules.is_free and self.max_parents is None):
            raise ParameterError('a Chow–Liu tree takes no knowledge and no max_parents: pass method="hc".')
        parents, moves = _directed(self.method, scores, rules, report, self._restarts_of(scores))
        graph = DAG._from_masks(parents, scores.names)._reordered(_by_name(scores.names))
        return SearchResult(graph, _total(scores, parents), tuple(moves), self.method, self.name)

    def _restarts_of(self, scores: LocalScores) -> tuple[int, int | None]:
        """How often to search again, and the seed."""
        if self.restarts is None:
            is_fast = len(scores.names) <= _FEW and getattr(scores, "is_quick", False)
            return (_RESTARTS if self.method == "auto" and is_fast else 0), 0
        return self.restarts, self.random_state

    def _interventional(self, scores: LocalScores, rules: Rules, report: Progress) -> SearchResult:
        """Search where some rows say which nodes were set in them."""
        if self.method == "chow_liu":
            raise ParameterError("a Chow–Liu tree has no directions: pass another method with interventions.")
        names, together = scores.names, self.interventions
        graph: DAG | PDAG
        if self.method in ("auto", "boss", "ges"):
            index = {name: number for number, name in enumerate(names)}
            masks = [mask_of(index[node] for node in nodes) for nodes in together]
            greedy = None if self.method == "boss" else gies(scores, masks, rules, report, names)
            if greedy is None or (self.method == "auto" and getattr(scores, "is_additive", True)):
                found = None if greedy is None else greedy[1:]
                start, before = boss(scores, rules, report, self._restarts_of(scores), found)
                edges, dag, more = gies(scores, masks, rules, report, names, start)
                if greedy is None or not exceeds(_total(scores, greedy[1]), _total(scores, dag), scale_of(scores)):
                    greedy = edges, dag, [*before, *more]
            (up, free), parents, moves = greedy
            graph = PDAG._made(names, up, free)
            if rules.is_free:
                graph = InterventionalCPDAG._of_masks(names, up, free, together)
        else:
            parents, moves = _directed(self.method, scores, rules, report, self._restarts_of(scores))
            graph = DAG._from_masks(parents, names)
        graph, score = graph._reordered(_by_name(names)), _total(scores, parents)
        return SearchResult(graph, score, tuple(moves), self.method, self.name, interventions=together)

    def _class(self, scores: LocalScores, rules: Rules, report: Progress) -> SearchResult:
        """By the methods that find a class of graphs."""
        scale, names = scale_of(scores), scores.names
        greedy = None if self.method == "boss" else ges(scores, scale, rules, report, names)
        # Scores that judge each step on rows of its own do not add up to the score of an order.
        if greedy is None or (self.method == "auto" and not hasattr(scores, "gains")):
            found = None if greedy is None else (greedy[2], greedy[3])
            start, moves = boss(scores, rules, report, self._restarts_of(scores), found)
            up, free, dag, more = ges(scores, scale, rules, report, names, start, ("delete",))
            if greedy is None or not exceeds(_total(scores, greedy[2]), _total(scores, dag), scale):
                greedy = up, free, dag, [*moves, *more]
        if self.method == "auto" and len(names) <= _MOST_EXACT and getattr(scores, "is_quick", False):
            best = exact(scores, rules)
            if exceeds(_total(scores, best), _total(scores, greedy[2]), scale):
                greedy = ges(scores, scale, rules, report, names, best, ())
        up, free, dag, moves = greedy
        kind = CPDAG if rules.is_free else PDAG
        graph = kind._from_masks(up, free, names)._reordered(_by_name(names))
        return SearchResult(graph, _total(scores, dag), tuple(moves), self.method, self.name)


def _by_name(names: Iterable[Node]) -> tuple[Node, ...]:
    return tuple(sorted(names, key=str))


def _directed(
    method: Method,
    scores: LocalScores,
    rules: Rules,
    report: Progress,
    restarts: tuple[int, int | None],
) -> tuple[list[int], list[Move]]:
    if method == "exact":
        return exact(scores, rules), []
    if method == "chow_liu":
        return chow_liu(scores, report)
    run = climb if method == "hc" else tabu
    state = Climb(scores, rules)
    moves, best = run(state, report)
    rng = np.random.default_rng(restarts[1])
    for _ in range(restarts[0]):
        state = Climb(scores, rules, best)  # from the best graph so far, not from the last one
        perturbed = restart(state, rng, report)
        more, other = run(state, report)
        if exceeds(_total(scores, other), _total(scores, best), state.scale):
            best, moves = other, [*moves, *perturbed, *more]
    return best, moves


def _from_graph(dag: DAG, knowledge: KnowledgeLike | None, max_parents: int | None, report: Progress) -> SearchResult:
    """Greedy equivalence search with d-separation in a graph instead of a score."""
    names = _by_name(dag.nodes)
    rules = Rules.of(names, knowledge, max_parents)
    up, free, _, moves = ges(FromGraph(dag._reordered(names)), 1.0, rules, report, names)
    kind = CPDAG if rules.is_free else PDAG
    return SearchResult(kind._from_masks(up, free, names), None, tuple(moves), "ges", "oracle")


def _total(scores: LocalScores, parents: list[int]) -> float:
    return float(scores.local(list(enumerate(parents))).sum())


def _check_restarts(restarts: int, method: Method) -> None:
    if isinstance(restarts, bool) or not isinstance(restarts, int | np.integer) or restarts < 0:
        raise ParameterError(f"restarts is a number of times, 0 or more; not {restarts!r}.")
    if restarts and method not in ("auto", "boss", "hc", "tabu"):
        raise ParameterError(
            f'method {method!r} does not restart: pass restarts=0, or method="auto", "boss", "hc" or "tabu".'
        )


def _reporter(progress: bool | Progress) -> Progress:
    if callable(progress):
        return progress
    if progress:
        return lambda move: print(move, file=sys.stderr)
    return lambda _: None


def in_data_order(scores: LocalScores) -> LocalScores:
    """The same scores with the variables in the order that the data give."""
    return in_order(scores, data_order(scores))


def data_order(scores: LocalScores) -> Ints:
    """The indices of the variables in the order that the data give."""
    count = len(scores.names)
    colours = _ranks(-_rounded(scores.local([(v, 0) for v in range(count)])))
    # As colours of a graph are refined (Weisfeiler and Leman 1968), by the variables alone, then by their pairs:
    # neither names nor the order of columns take part.
    if count > 1 and colours.max() < count - 1:
        colours = _refined(colours, _rounded(core_scores(scores).pairs()))
    return np.argsort(colours, kind="stable")


def _rounded(scores: AnyArray) -> AnyArray:
    """The scores, equal where they differ by rounding: sums in another order of rows differ in their last digits."""
    finite = scores[np.isfinite(scores)]
    return settled(scores, scale=float(np.abs(finite).max(initial=0.0)))


def _refined(colours: Ints, pairs: AnyArray) -> Ints:
    """Split variables of one colour by the colours and scores of their pairs, until nothing is split.

    `pairs` is the matrix [child, parent] of the scores with one parent.
    """
    to, of = _ranks(pairs), _ranks(pairs.T)
    # Of each pair of scores one number, in their order; then one of each colour and pair.
    both = _ranks(to * (of.max() + 1) + of)
    while True:
        around = np.sort(colours * (both.max() + 1) + both, axis=1)
        keys = [tuple(key) for key in np.column_stack([colours, around]).tolist()]
        rank = {key: number for number, key in enumerate(sorted(set(keys)))}
        finer = np.array([rank[key] for key in keys])
        if finer.max() == colours.max():
            return finer
        colours = finer


def _ranks(values: AnyArray) -> Ints:
    """Equal values have equal ranks: 0, 1, 2, … in rising order."""
    return np.unique(values, return_inverse=True)[1].reshape(values.shape)


def edge_support(
    data: Any,
    nodes: Sequence[Node],
    *,
    reads: Reads,
    n: int = 100,
    random_state: int | np.random.Generator | None = 0,
) -> Confidence:
    """Greedy equivalence search on n bootstrap samples of the columns of some nodes.

    Categories are scored by BIC, numbers by the Gaussian BIC, both together by "cg_bic". Rows with a missing value are
    left out. The shares say how stable the edges of a net are that was drawn by hand, or learned from other rows; they
    say nothing of its tables.
    """
    rows = read_rows(data, tuple(nodes), missing="drop", choices=("drop",))
    if reads == "mixed":
        kinds = kinds_of_columns({name: kind_of(column) for name, column in rows.columns.items()})
        return search(mixed_rows(rows, kinds, ADVICE), "cg_bic", method="ges").bootstrap(n, random_state=random_state)
    if reads == "numbers":
        return search(number_rows(rows, labels=ADVICE.labels), "gaussian_bic", method="ges").bootstrap(
            n, random_state=random_state
        )
    return search(code_rows(rows, numbers=ADVICE.numbers), "bic", method="ges").bootstrap(n, random_state=random_state)
