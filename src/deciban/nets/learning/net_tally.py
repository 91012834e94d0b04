"""What the tallies of nets share: the statistics of the families of a graph."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.tallies.arithmetic import add_to_zero
from deciban.tallies.render import rows_as_html, rows_as_text

__all__ = ["NetTally"]


class NetTally:
    """A graph, the number of rows and, in a subclass, statistics of each family."""

    _HEADS: ClassVar[tuple[str, ...]]

    dag: DAG
    rows: float | int

    @property
    def names(self) -> tuple[Node, ...]:
        """The nodes."""
        return self.dag.nodes

    @property
    def total(self) -> float | int:
        """The number of rows, or their weight."""
        return self.rows

    __radd__ = add_to_zero

    @abstractmethod
    def _shown(self) -> list[tuple[str, ...]]:
        """A row of text for each node, under `_HEADS`."""

    def __str__(self) -> str:
        return rows_as_text(repr(self), self._HEADS, self._shown())

    def _repr_html_(self) -> str:
        return rows_as_html(repr(self), self._HEADS, self._shown())
