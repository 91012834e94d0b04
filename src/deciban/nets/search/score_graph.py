"""The score of a graph that is given, on data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.nets.data.node_rows import ColumnRole
from deciban.nets.graphs.bits import mask_of
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Node
from deciban.nets.scores.incomplete import scores_on
from deciban.nets.scores.protocol import Score
from deciban.nets.scores.registry import Missing, ScoreName, read_scored
from deciban.nets.search.structural_em import completion_of

__all__ = ["score_graph"]


def score_graph(
    graph: DAG,
    data: Any,
    *,
    score: ScoreName | Score = "auto",
    columns: Mapping[Any, ColumnRole] | None = None,
    interventions: Any = None,
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
        As in ``search``: "auto" is "bic" for categories, "gaussian_bic" for numbers, with twice the penalty of
        ``GaussianBIC()``, and "cg_bic" where there are both.
    columns : mapping, optional
        The kinds of columns that are not as wanted, as in ``search``.
    interventions : column name, mapping or sequence, optional
        Which nodes were set from outside in which rows, as in ``search``: a family is scored on the rows in which its
        child was not set.
    sample_weight : array of numbers, optional
        How many rows each row stands for.
    missing : {"error", "drop", "skip", "em", "state"}
        What to do with missing values, as in ``search``. With "skip" each parent counts what it gains per row of those
        that have the values, times the number of all rows. With "em", for "bic", "gaussian_bic" and "cg_bic", the score
        is the log-likelihood of the observed values at its maximum, less the penalty; the net is that of ``BayesNet``,
        in which categories have the numbers among their parents in bins.

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
    sample, criterion, _ = read_scored(data, score, sample_weight, missing, columns, interventions=interventions)
    index: dict[Node, int] = {name: i for i, name in enumerate(sample.names)}
    absent = [node for node in graph.nodes if node not in index]
    if absent:
        raise ColumnMismatchError(f"the data have no column {absent[0]!r}, which is a node of the graph.")
    if missing == "em":
        return completion_of(criterion, sample, graph.nodes).score(graph)
    families = [(index[node], mask_of(index[parent] for parent in graph.parents(node))) for node in graph.nodes]
    return float(scores_on(criterion, sample).local(families).sum())
