"""Configurations of parents that were never counted: what a net says there comes from no row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import overload

import numpy as np

from deciban.nets.graphs.base import Node
from deciban.nets.learning.families import FamilyTally
from deciban.nets.network import State
from deciban.types import Ints

__all__ = ["Configurations", "Unseen"]


class Configurations(Sequence[dict[Node, State]]):
    """Those of one node: how many (``len``), of how many ``possible``, and each as {parent: state} when asked for."""

    def __init__(self, node: Node, parents: Sequence[Node], states: Mapping[Node, tuple[State, ...]], rows: Ints):
        self.node = node
        self.rows = rows
        self._lists = {parent: states[parent] for parent in parents}

    @property
    def possible(self) -> int:
        """The number of all configurations."""
        return prod(len(states) for states in self._lists.values())

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> dict[Node, State]: ...
    @overload
    def __getitem__(self, at: slice) -> list[dict[Node, State]]: ...
    def __getitem__(self, at: int | slice) -> dict[Node, State] | list[dict[Node, State]]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        left, configuration = int(self.rows[at]), {}
        for parent, states in reversed(self._lists.items()):
            left, code = divmod(left, len(states))
            configuration[parent] = states[code]
        return dict(reversed(configuration.items()))

    def __repr__(self) -> str:
        return f"Configurations({len(self):,} of {self.possible:,} of {self.node!r} never counted)"


class Unseen(Mapping[Node, Configurations]):
    """For each node that has some, its configurations that were never counted."""

    def __init__(self, tally: FamilyTally) -> None:
        self._held = {}
        self.possible = 0
        for node, parents in tally.parents.items():
            sums = tally.counts[node].sum(axis=-1)
            self.possible += sums.size
            empty = np.flatnonzero(sums == 0)
            if len(empty):
                self._held[node] = Configurations(node, parents, tally.states, empty)

    def __getitem__(self, node: Node) -> Configurations:
        return self._held[node]

    def __iter__(self) -> Iterator[Node]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    @property
    def count(self) -> int:
        """The number of configurations of all nodes that were never counted."""
        return sum(map(len, self._held.values()))

    def __repr__(self) -> str:
        where = f": {', '.join(f'{node} {len(rows):,}' for node, rows in self._held.items())}" if self._held else ""
        return f"Unseen({self.count:,} of {self.possible:,} configurations{where})"
