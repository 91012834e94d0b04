"""The score of a graph that is given, on data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

from deciban.choices import check_choice
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.nets.data.binning import BinRule, binned, check_bins
from deciban.nets.data.samples import NetSample, RowOptions, read_variables
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.scores.discrete import BIC, K2, BDeu
from deciban.nets.scores.gaussian import GaussianBIC
from deciban.nets.scores.incomplete import scores_on
from deciban.nets.scores.mixed import ConditionalGaussianBIC, DegenerateGaussianBIC
from deciban.nets.scores.protocol import ADVICE, Score

__all__ = ["SCORES", "Missing", "ScoreName", "read_score", "read_scored", "score_graph"]


Missing = Literal["error", "drop", "skip", "state"]


def score_graph(
    graph: DAG,
    data: Any,
    *,
    score: ScoreName | Score = "auto",
    sample_weight: Any = None,
    missing: Missing = "error",
) -> float:
    """Score a graph on data.

    A score is a sum over the nodes, each with its parents: the log-likelihood with its penalty, or the logarithm of the
    marginal likelihood. Scores of graphs are compared on the same rows.

    Parameters
    ----------
    graph : DAG
        The graph; each of its nodes is a column of the data. Other columns are not used.
    data : table
        A frame, an array, a mapping of columns, or any other table.
    score : {"auto", "bic", "bdeu", "k2", "gaussian_bic", "cg_bic", "dg_bic"} or a score
        As in ``search``: "auto" is BIC for categories, Gaussian BIC for numbers and "cg_bic" where there are both.
    sample_weight : array of numbers, optional
        How many rows each row stands for.
    missing : {"error", "drop", "skip", "state"}
        What to do with missing values, as in ``search``. With "skip" the local scores are per row of those in which the
        family is known, times the number of all rows.

    Returns
    -------
    float
        The score in nats; higher is better.

    See Also
    --------
    search : The graph with the best score.

    Examples
    --------
    >>> import deciban as db
    >>> table = {
    ...     "rain": ["no", "no", "yes", "yes"] * 5,
    ...     "street": ["dry", "dry", "wet", "wet"] * 5,
    ... }
    >>> round(db.score_graph(db.DAG([("rain", "street")]), table), 2)
    -18.36
    >>> round(db.score_graph(db.DAG(nodes=["rain", "street"]), table), 2)
    -30.72
    """
    if not isinstance(graph, DAG):
        raise ParameterError(
            f"graph is a DAG, not a {type(graph).__name__}. A CPDAG has cpdag.extension(), a DAG of its class."
        )
    sample, criterion, _ = read_scored(data, score, sample_weight, missing)
    scores = scores_on(criterion, sample)
    index: dict[Node, int] = {name: i for i, name in enumerate(scores.names)}
    absent = [node for node in graph.nodes if node not in index]
    if absent:
        raise ColumnMismatchError(f"the data have no column {absent[0]!r}, which is a node of the graph.")
    families = [(index[node], sum(1 << index[parent] for parent in graph.parents(node))) for node in graph.nodes]
    return float(scores.local(families).sum())


def read_scored(
    data: Any,
    score: ScoreName | Score,
    sample_weight: Any,
    missing: str,
    choices: Sequence[str] = get_args(Missing),
    bins: int | BinRule | None = None,
) -> tuple[NetSample, Score, str]:
    """The rows as a score reads them, the score and its name; with `bins`, numbers are cut into these."""
    chosen = read_score(score)
    options = RowOptions(sample_weight=sample_weight, missing=missing, choices=choices)
    reads = None if chosen is None else chosen[0].reads
    sample: NetSample
    if bins is None:
        sample = read_variables(data, reads, ADVICE, **options)
    else:
        check_bins(bins)
        if reads not in (None, "categories"):
            raise ParameterError('bins are categories: pass score="bic" or "bdeu", or leave out bins.')
        sample = binned(read_variables(data, "mixed", ADVICE, **options), bins)
    if chosen is None:
        chosen = SCORES[AUTO[sample.reads]](), AUTO[sample.reads]
    return sample, *chosen


ScoreName = Literal["auto", "bic", "bdeu", "k2", "gaussian_bic", "cg_bic", "dg_bic"]

SCORES: dict[str, Callable[[], Score]] = {
    "bic": BIC,
    "bdeu": BDeu,
    "k2": K2,
    "gaussian_bic": GaussianBIC,
    "cg_bic": ConditionalGaussianBIC,
    "dg_bic": DegenerateGaussianBIC,
}
"""The scores that ``search`` finds by name: name → a function that makes the score."""

AUTO = {"categories": "bic", "numbers": "gaussian_bic", "mixed": "cg_bic"}
"""The score that "auto" stands for, by what the columns hold."""


def read_score(score: object) -> tuple[Score, str] | None:
    """A score by its name, or as it is, and how a result calls it; None for "auto"."""
    if isinstance(score, str):
        check_choice("score", score, ("auto", *SCORES), other=", or a score such as BDeu(1)")
        return None if score == "auto" else (SCORES[score](), score)
    made = score() if isinstance(score, type) else score
    if not isinstance(made, Score):
        raise ParameterError(
            f"score is one of {', '.join(map(repr, ('auto', *SCORES)))}, or an object with the attribute reads and the "
            f"method on(data), such as BDeu(1); not {score!r}."
        )
    has_repr = type(made).__repr__ is not object.__repr__
    return made, repr(made) if has_repr else type(made).__name__
