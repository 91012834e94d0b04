"""Configurations of parents that do not occur in the data: their table rows come from the smoothing alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import overload

import numpy as np

from deciban.mappings import ResultMapping
from deciban.nets.graphs.base import Node
from deciban.nets.learning.families import FamilyTally
from deciban.nets.network import State
from deciban.types import Ints

__all__ = ["Configurations", "UnseenConfigurations"]


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
