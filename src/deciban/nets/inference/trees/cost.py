"""What exact inference takes, known before any memory is: the tables, their entries, and bytes."""

from __future__ import annotations

from dataclasses import dataclass

from deciban.limits import in_bytes
from deciban.nets.graphs.base import Node

__all__ = ["CELL", "Cost"]

CELL = 8
"""The bytes of an entry."""
_SHOWN = 12


@dataclass(frozen=True)
class Cost:
    """What an answer takes; of a compiled net, what it takes when nothing is observed. Evidence makes it less.

    Attributes
    ----------
    cliques
        How many products of tables there are.
    largest
        The entries of the largest of them.
    cells
        The entries of all of them, in a tree also of those that neighbours share.
    bytes
        The memory that this takes, with each of ``rows_at_a_time`` rows having tables of its own.
    largest_clique
        The nodes of the largest one.
    rows_at_a_time
        How many rows are worked on at once: in a tree, as many as there are threads, or as the limit has room for.

    Examples
    --------
    >>> print(Cost(3, 8, 16, 128, ("lung", "tub", "either")))
    3 products, the largest of 8 entries (lung, tub, either), 16 entries in all (128 bytes)
    """

    cliques: int
    largest: int
    cells: int
    bytes: int
    largest_clique: tuple[Node, ...] = ()
    rows_at_a_time: int = 1

    def __str__(self) -> str:
        nodes = ", ".join(map(str, self.largest_clique[:_SHOWN])) + (", …" if len(self.largest_clique) > _SHOWN else "")
        largest = f"the largest of {self.largest:,} entries" + (f" ({nodes})" if nodes else "")
        return f"{self.cliques:,} products, {largest}, {self.cells:,} entries in all ({in_bytes(self.bytes)})"
