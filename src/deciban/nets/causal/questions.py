"""Identify an effect from observations, and estimate it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from deciban.errors import GraphError
from deciban.estimate import MLE, Smoothing
from deciban.nets.causal.effects import Effect
from deciban.nets.causal.identification.graphs import CausalGraph, as_nodes
from deciban.nets.causal.identification.identify import Identification
from deciban.nets.graphs.base import Edge, Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.network import as_network

__all__ = ["effect", "identify"]


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
    found = identify(graph, cause=cause, effect=effect, given=given, latent=latent, confounded=confounded)
    if as_network(data) is not None:
        return found.evaluate(data)
    return found.estimate(
        data, smoothing=smoothing, sample_weight=sample_weight, bootstrap=bootstrap, random_state=random_state
    )
