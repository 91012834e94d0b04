"""From the counts of a family to P(node | parents).

For r states and q configurations of the parents, with pseudo-counts a,

    P(k | j) = (n_jk + a_k) / (n_j + Σ a)

where the rule that smooths gives the pseudo-counts: those of naive Bayes (``Laplace`` 1, ``Jeffreys`` ½, …), and
``BDeu(ess)`` ess/(q·r), which shares the same number of imaginary rows out to every family, so that equivalent graphs
have equal joint distributions (Heckerman, Geiger, Chickering, 1995).

A configuration j that was never counted has no relative frequencies. ``unseen`` says what its row is:

=============  =====================================================================================
``"prior"``    what the rule says without any count; an error where it says nothing, as ``MLE`` does
``"uniform"``  every state is as likely as any other
``"marginal"`` the node's distribution whatever its parents are, smoothed by the same rule
``"error"``    an error, whatever the rule
=============  =====================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Literal, get_args

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.estimate import Laplace
from deciban.estimate.smoothing import Smoothing
from deciban.nets.graphs.base import Node
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.unseen import Unseen
from deciban.types import AnyArray, Floats

__all__ = ["Rule", "UnseenPolicy", "check_policy", "estimate_tables", "pseudocounts", "read_rules"]

Rule = Smoothing
UnseenPolicy = Literal["prior", "uniform", "marginal", "error"]


def read_rules(nodes: Sequence[Node], smoothing: Rule | Mapping[Any, Rule]) -> dict[Node, Rule]:
    """The rule of each node: the same for all, or as a mapping says, Laplace's where it says nothing."""
    given = smoothing if isinstance(smoothing, Mapping) else dict.fromkeys(nodes, smoothing)
    unknown = [node for node in given if node not in nodes]
    if unknown:
        raise ParameterError(f"smoothing names {unknown[0]!r}, which is no node of the graph")
    for rule in given.values():
        if not isinstance(rule, Smoothing):
            raise ParameterError(f"smoothing is a rule such as Laplace(), MLE() or BDeu(10), not {rule!r}")
    return {node: given.get(node, Laplace()) for node in nodes}


def check_policy(unseen: str) -> None:
    """Refuse what is no policy."""
    if unseen not in get_args(UnseenPolicy):
        raise ParameterError(f"unseen is one of {', '.join(map(repr, get_args(UnseenPolicy)))}, not {unseen!r}")


def pseudocounts(rule: Smoothing, states: int, configurations: int, node: Node) -> Floats:
    """What a rule adds to the count of each state, under each configuration."""
    try:
        return rule.pseudocounts(states, configurations)
    except ParameterError as error:
        raise ParameterError(f"the smoothing of {node!r}: {error} Pass a mapping from nodes to rules.") from None


def estimate_tables(tally: FamilyTally, rules: Mapping[Node, Rule], unseen: UnseenPolicy) -> dict[Node, Floats]:
    """P(node | parents) for each node."""
    if not tally.rows > 0:
        raise InputError("there are no rows, or all weigh nothing: there is nothing to estimate from.")
    never = Unseen(tally)
    _check_unseen(never, rules, unseen, tally)
    tables = {}
    for node, counts in tally.counts.items():
        table = smooth(counts, rules[node], node)
        if node in never and unseen != "prior":
            table.reshape(-1, table.shape[-1])[never[node].rows] = _stand_in(tally.totals[node], rules[node], unseen)
        tables[node] = table
    return tables


def smooth(counts: AnyArray, rule: Rule, node: Node) -> Floats:
    """(n + a) / (N + Σ a); a row without either is uniform."""
    states = counts.shape[-1]
    added = counts + pseudocounts(rule, states, prod(counts.shape[:-1]), node)
    whole = added.sum(axis=-1, keepdims=True)
    return np.divide(added, whole, out=np.full(added.shape, 1 / states), where=whole > 0)


def _stand_in(totals: AnyArray, rule: Rule, unseen: UnseenPolicy) -> Floats:
    if unseen == "uniform":
        return np.full(len(totals), 1 / len(totals))
    return smooth(totals, rule, None)


def _check_unseen(never: Unseen, rules: Mapping[Node, Rule], unseen: UnseenPolicy, tally: FamilyTally) -> None:
    if unseen in ("uniform", "marginal"):
        return
    for node, rows in never.items():
        counts: Any = tally.counts[node]
        if unseen == "error" or not pseudocounts(rules[node], counts.shape[-1], rows.possible, node).any():
            raise InputError(
                f"{len(rows):,} of {rows.possible:,} configurations of the parents of {node!r} were never counted, "
                f"such as {_shown(rows[0])}, so nothing is known of {node!r} there. "
                'Pass unseen="uniform" or unseen="marginal", or a smoothing that adds pseudo-counts.'
            )


def _shown(configuration: Mapping[Node, Any]) -> str:
    return ", ".join(f"{parent}={state}" for parent, state in configuration.items()) or "the only one there is"
