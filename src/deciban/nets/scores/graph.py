"""The score of a graph that is given, on data."""

from __future__ import annotations

from typing import Any, Literal, get_args

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.nets.data.reading import read_variables
from deciban.nets.data.samples import CodedSample, NumberSample
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.scores.protocol import ADVICE, Score
from deciban.nets.scores.registry import AUTO, SCORES, ScoreName, read_score

__all__ = ["Missing", "read_scored", "score_graph"]

Missing = Literal["error", "drop", "state"]


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
    score : {"auto", "bic", "bdeu", "k2", "gaussian_bic"} or a score
        As in ``search``: "auto" is BIC for categories and Gaussian BIC for numbers.
    sample_weight : array of numbers, optional
        How many rows each row stands for.
    missing : {"error", "drop", "state"}
        What to do with missing values.

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
    scores = criterion.on(sample)
    index: dict[Node, int] = {name: i for i, name in enumerate(scores.names)}
    absent = [node for node in graph.nodes if node not in index]
    if absent:
        raise ColumnMismatchError(f"the data have no column {absent[0]!r}, which is a node of the graph.")
    families = [(index[node], sum(1 << index[parent] for parent in graph.parents(node))) for node in graph.nodes]
    return float(scores.local(families).sum())


def read_scored(
    data: Any, score: ScoreName | Score, sample_weight: Any, missing: Missing
) -> tuple[CodedSample | NumberSample, Score, str]:
    """The rows as a score reads them, the score and its name."""
    chosen = read_score(score)
    options = {"sample_weight": sample_weight, "missing": missing, "choices": get_args(Missing)}
    sample = read_variables(data, None if chosen is None else chosen[0].reads, ADVICE, **options)
    if chosen is None:
        chosen = SCORES[AUTO[sample.reads]](), AUTO[sample.reads]
    return sample, *chosen
