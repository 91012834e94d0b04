"""``search``: the graph that a score likes best."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from deciban.errors import ParameterError
from deciban.nets.gaussian_score import GaussianBIC
from deciban.nets.graph import CPDAG, DAG, PDAG
from deciban.nets.rows import Missing, read_rows
from deciban.nets.scores import BIC, K2, BDeu, LocalScores, Score
from deciban.nets.search.climbing import TIE, Climb, climb, restart, tabu
from deciban.nets.search.exact import exact
from deciban.nets.search.ges import FromScores, Gains, ges
from deciban.nets.search.oracle import FromGraph
from deciban.nets.search.result import Move, Report, SearchResult
from deciban.nets.search.rules import KnowledgeLike, Rules
from deciban.nets.search.tree import chow_liu

__all__ = ["search"]

Method = Literal["hc", "tabu", "ges", "exact", "chow_liu"]
Criterion = Literal["bic", "bdeu", "k2", "gaussian_bic"]


def search(
    data: Any,
    score: Criterion | Score = "bic",
    method: Method = "hc",
    *,
    max_parents: int | None = None,
    knowledge: KnowledgeLike | None = None,
    restarts: int = 0,
    random_state: int | np.random.Generator | None = None,
    ess: float = 10,
    sample_weight: Any = None,
    missing: Missing = "error",
    progress: bool | Report = False,
) -> SearchResult:
    """Search for the graph that explains a table best, by a score.

    Parameters
    ----------
    data
        A frame, an array, a mapping of columns, or (for ``method="ges"``) an oracle: anything that has a ``dag``.
    score
        ``"bic"``, ``"bdeu"`` or ``"k2"`` of categories, ``"gaussian_bic"`` of numbers, or a score such as ``BDeu(1)``.
    method
        ``"hc"``, hill climbing; ``"tabu"``, which also leaves hills; ``"ges"``, over classes of equivalent graphs;
        ``"exact"``, the best of all graphs, for about 20 variables; ``"chow_liu"``, the best tree.
    max_parents
        How many parents a variable may have; with ``"ges"``, in each family that a step makes.
    knowledge
        Arrows that must be there (``required``) or must not (``forbidden``), as pairs of names.
    restarts
        How often ``"hc"`` and ``"tabu"`` shake the best graph and search again.
    random_state
        The seed of that.
    ess
        The imaginary rows of ``"bdeu"``.
    sample_weight
        A weight a row: how many rows it stands for.
    missing
        What a missing value is: an ``"error"``, or a reason to leave out its row in every family (``"drop"``); the
        result says how many rows were ``dropped``.
    progress
        True to print each step to the standard error, or a function to call with it.

    Returns
    -------
    SearchResult
        ``graph`` (a DAG; with ``"ges"`` a CPDAG), ``score``, ``moves``. The order of columns and rows changes nothing.

    Examples
    --------
    >>> rows = [("no", "dry"), ("no", "dry"), ("yes", "wet"), ("yes", "wet")] * 5
    >>> result = search({"rain": [r for r, _ in rows], "street": [s for _, s in rows]})
    >>> result
    SearchResult(hc: bic = -18.3565, 1 edges, 1 moves)
    DAG(rain → street)
    """
    if method not in get_args(Method):
        raise ParameterError(f"method is one of {', '.join(get_args(Method))}; not {method!r}.")
    _check_restarts(restarts, method)
    report = _reporter(progress)
    dag = getattr(data, "dag", None)
    if isinstance(dag, DAG):
        if getattr(data, "latent", ()):
            raise ParameterError('a search by scores knows no latent nodes: use discover(oracle, method="fci").')
        if sample_weight is not None:
            raise ParameterError("an oracle has no rows to weigh: leave out sample_weight.")
        return _ask(dag, method, Rules.of(_sorted_names(dag), knowledge, max_parents), report)
    criterion, name = _criterion(score, ess)
    scores, dropped = _scores(criterion, data, sample_weight, missing)
    rules = Rules.of(scores.names, knowledge, max_parents)
    if method == "ges":
        return replace(_equivalence(FromScores(scores), scores, rules, report, name), dropped=dropped)
    if method == "chow_liu" and not (rules.is_free and max_parents is None):
        raise ParameterError('a Chow–Liu tree has no room for knowledge or max_parents: pass method="hc".')
    parents, moves = _directed(method, scores, rules, report, (restarts, random_state))
    graph = DAG.from_masks(parents, scores.names)
    return SearchResult(graph, _total(scores, parents), tuple(moves), method, name, dropped)


def _scores(criterion: Score, data: Any, weights: Any, missing: Missing) -> tuple[LocalScores, int]:
    """The scores of a sample, and how many of its rows were dropped; a score of the user's own reads what it gets."""
    if weights is None and missing == "error":
        return criterion.on(data), 0
    rows = read_rows(data, weights, missing)
    return criterion.on(rows.table, rows.weights), rows.dropped


def _directed(
    method: Method, scores: LocalScores, rules: Rules, report: Report, again: tuple[int, Any]
) -> tuple[list[int], list[Move]]:
    if method == "exact":
        return exact(scores, rules), []
    if method == "chow_liu":
        return chow_liu(scores, report)
    run = _climb if method == "hc" else _tabu
    state = Climb(scores, rules)
    moves, best = run(state, report)
    rng = np.random.default_rng(again[1])
    for _ in range(again[0]):
        state = Climb(scores, rules, best)
        shaken = restart(state, rng, report, scores.names)
        more, found = run(state, report)
        if _total(scores, found) > _total(scores, best) + TIE:
            best, moves = found, [*moves, *shaken, *more]
    return best, moves


def _climb(state: Climb, report: Report) -> tuple[list[Move], list[int]]:
    return climb(state, report, state.scores.names), state.parents


def _tabu(state: Climb, report: Report) -> tuple[list[Move], list[int]]:
    return tabu(state, report, state.scores.names)


def _equivalence(gains: Gains, scores: LocalScores, rules: Rules, report: Report, name: str) -> SearchResult:
    up, free, dag, moves = ges(gains, rules, report, scores.names)
    kind = CPDAG if rules.is_free else PDAG
    graph = kind.from_masks(up, free, scores.names)
    return SearchResult(graph, _total(scores, dag), tuple(moves), "ges", name)


def _ask(dag: DAG, method: Method, rules: Rules, report: Report) -> SearchResult:
    """Greedy equivalence search that asks a graph."""
    if method != "ges":
        raise ParameterError(f'an oracle knows independences, no scores: pass method="ges", not {method!r}.')
    names = _sorted_names(dag)
    ordered = DAG(dag.directed_edges, names)
    up, free, _, moves = ges(FromGraph(ordered), rules, report, names)
    kind = CPDAG if rules.is_free else PDAG
    return SearchResult(kind.from_masks(up, free, names), None, tuple(moves), "ges", "oracle")


def _sorted_names(dag: DAG) -> Any:
    return tuple(sorted(dag.nodes, key=str))


def _total(scores: LocalScores, parents: list[int]) -> float:
    return float(scores.local(list(enumerate(parents))).sum())


def _criterion(score: Criterion | Score, ess: float) -> tuple[Score, str]:
    named: dict[Any, Callable[[], Score]] = {
        "bic": BIC,
        "bdeu": lambda: BDeu(ess),
        "k2": K2,
        "gaussian_bic": GaussianBIC,
    }
    if isinstance(score, str):
        if score not in named:
            raise ParameterError(f"score is one of {', '.join(named)}, or a score value; not {score!r}.")
        return named[score](), score
    if not callable(getattr(score, "on", None)):
        raise ParameterError(f"score is one of {', '.join(named)}, or a score value such as BDeu(1); not {score!r}.")
    return score, repr(score)


def _check_restarts(restarts: int, method: Method) -> None:
    if isinstance(restarts, bool) or not isinstance(restarts, int | np.integer) or restarts < 0:
        raise ParameterError(f"restarts is a number of times, 0 or more; not {restarts!r}.")
    if restarts and method not in ("hc", "tabu"):
        raise ParameterError(f'method {method!r} does not start again: pass restarts=0, or method="hc" or "tabu".')


def _reporter(progress: bool | Report) -> Report:
    if callable(progress):
        return progress
    if progress:
        return lambda move: print(move, file=sys.stderr)
    return lambda _: None
