"""From the counts of a family to P(node | parents).

For r states and q configurations of the parents, with pseudo-counts a,

    P(k | j) = (n_jk + a_k) / (n_j + Σ a)

where the smoothing gives the pseudo-counts: as in naive Bayes (``Laplace`` 1, ``Jeffreys`` ½, …), and ``BDeu(ess)``
ess/(q·r), which gives every family the same equivalent sample size, so that equivalent graphs have equal joint
distributions (Heckerman, Geiger, Chickering, 1995).

A configuration j that does not occur in the data has no relative frequencies. ``unseen_parents`` says what its row is:

=============  =====================================================================================
``"prior"``    the smoothing alone; an error if it adds no pseudo-counts, as with ``MLE``
``"uniform"``  all states are equally likely
``"marginal"`` the marginal distribution of the node, with the same smoothing
``"error"``    an error
=============  =====================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Literal, overload

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.estimate import Laplace
from deciban.estimate.smoothing import Smoothing
from deciban.nets.graphs.graph import Node
from deciban.nets.learning.families import FamilyTally
from deciban.nets.network import State
from deciban.types import AnyArray, Floats, Ints, ResultMapping

__all__ = ["Rule", "UnseenConfigurations", "UnseenParents", "estimate_tables", "pseudocounts", "read_rules"]


Rule = Smoothing
UnseenParents = Literal["prior", "uniform", "marginal", "error"]


def read_rules(nodes: Sequence[Node], smoothing: Rule | Mapping[Any, Rule]) -> dict[Node, Rule]:
    """The smoothing of each node: the same for all, or from a mapping, with Laplace for nodes not in it."""
    given = smoothing if isinstance(smoothing, Mapping) else dict.fromkeys(nodes, smoothing)
    unknown = [node for node in given if node not in nodes]
    if unknown:
        raise ParameterError(f"smoothing names {unknown[0]!r}, which is not a node of the graph")
    for rule in given.values():
        if not isinstance(rule, Smoothing):
            raise ParameterError(f"smoothing is a rule such as Laplace(), MLE() or BDeu(10), not {rule!r}")
    return {node: given.get(node, Laplace()) for node in nodes}


def pseudocounts(rule: Rule, states: int, configurations: int, node: Node) -> Floats:
    """The pseudo-counts of each state, for each configuration of the parents."""
    try:
        return rule.pseudocounts(states, configurations)
    except ParameterError as error:
        raise ParameterError(f"the smoothing of {node!r}: {error} Pass a mapping from nodes to rules.") from None


def estimate_tables(
    tally: FamilyTally, rules: Mapping[Node, Rule], unseen_parents: UnseenParents
) -> dict[Node, Floats]:
    """P(node | parents) for each node."""
    if not tally.rows > 0:
        raise InputError("there are no rows, or all their weights are 0: nothing can be estimated.")
    unseen = UnseenConfigurations(tally)
    if unseen.count:
        _check_unseen(unseen, rules, unseen_parents, tally)
    tables = {node: smooth(counts, rules[node], node) for node, counts in tally.counts.items()}
    if unseen.count and unseen_parents != "prior":
        for node, configurations in unseen.items():
            rows = tables[node].reshape(-1, tables[node].shape[-1])
            rows[configurations.rows] = _unseen_row(tally.totals[node], rules[node], unseen_parents)
    return tables


def smooth(counts: AnyArray, rule: Rule, node: Node) -> Floats:
    """(n + a) / (N + Σ a); uniform if both are 0."""
    states = counts.shape[-1]
    added = counts + pseudocounts(rule, states, prod(counts.shape[:-1]), node)
    total = added.sum(axis=-1, keepdims=True)
    return np.divide(added, total, out=np.full(added.shape, 1 / states), where=total > 0)


def _unseen_row(totals: AnyArray, rule: Rule, unseen_parents: UnseenParents) -> Floats:
    if unseen_parents == "uniform":
        return np.full(len(totals), 1 / len(totals))
    return smooth(totals, rule, None)


def _check_unseen(
    unseen: UnseenConfigurations, rules: Mapping[Node, Rule], unseen_parents: UnseenParents, tally: FamilyTally
) -> None:
    if unseen_parents in ("uniform", "marginal"):
        return
    for node, rows in unseen.items():
        counts: Any = tally.counts[node]
        if unseen_parents == "error" or not pseudocounts(rules[node], counts.shape[-1], rows.possible, node).any():
            raise InputError(
                f"{len(rows):,} of {rows.possible:,} configurations of the parents of {node!r} do not occur in the "
                f"data, such as {_shown(rows[0])}, so P({node} | parents) cannot be estimated there. Pass "
                'unseen_parents="uniform" or unseen_parents="marginal", or a smoothing that adds pseudo-counts.'
            )


def _shown(configuration: Mapping[Node, Any]) -> str:
    return ", ".join(f"{parent}={state}" for parent, state in configuration.items()) or "no parents"


class Configurations(Sequence[dict[Node, State]]):
    """The configurations of one node's parents that do not occur in the data: a sequence of {parent: state}."""

    def __init__(self, node: Node, parents: Sequence[Node], states: Mapping[Node, tuple[State, ...]], rows: Ints):
        self.node = node
        self.rows = rows
        self._lists = {parent: states[parent] for parent in parents}

    @property
    def possible(self) -> int:
        """The number of possible configurations."""
        return prod(len(states) for states in self._lists.values())

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> dict[Node, State]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[Node, State]]: ...
    def __getitem__(self, index: int | slice) -> dict[Node, State] | list[dict[Node, State]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        left, configuration = int(self.rows[index]), {}
        for parent, states in reversed(self._lists.items()):
            left, code = divmod(left, len(states))
            configuration[parent] = states[code]
        return dict(reversed(configuration.items()))

    def __repr__(self) -> str:
        return f"Configurations({len(self):,} of {self.possible:,} of the parents of {self.node!r} unseen)"


class UnseenConfigurations(ResultMapping[Node, Configurations]):
    """The configurations of parents that do not occur in the data: a mapping from each node that has some.

    ``unseen[node]`` is a sequence of {parent: state}.

    Parameters
    ----------
    tally : FamilyTally
        The counts of a net.

    Attributes
    ----------
    possible : int
        The number of possible configurations, over all nodes.

    See Also
    --------
    BayesNet.unseen_parents_ : Those of a net.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "wet": ["no", "yes"]}
    >>> unseen = db.BayesNet([("rain", "wet"), ("sprinkler", "wet")]).fit(rows).unseen_parents_
    >>> unseen
    UnseenConfigurations(2 of 6: wet 2)
    >>> unseen["wet"][0]
    {'rain': 'no', 'sprinkler': 'on'}
    """

    def __init__(self, tally: FamilyTally) -> None:
        self._values: dict[Node, Configurations] = {}
        self.possible = 0
        for node, parents in tally.parents.items():
            sums = tally.counts[node].sum(axis=-1)
            self.possible += sums.size
            empty = np.flatnonzero(sums == 0)
            if len(empty):
                self._values[node] = Configurations(node, parents, tally.states, empty)

    @property
    def count(self) -> int:
        """The number of configurations that do not occur in the data, over all nodes."""
        return sum(map(len, self._values.values()))

    def __repr__(self) -> str:
        where = f": {', '.join(f'{node} {len(rows):,}' for node, rows in self._values.items())}" if self._values else ""
        return f"UnseenConfigurations({self.count:,} of {self.possible:,}{where})"
