"""The cost of exact inference, known before any memory is allocated: tables, entries and bytes."""

from __future__ import annotations

from dataclasses import dataclass

from deciban.choices import counted
from deciban.limits import in_bytes
from deciban.nets.graphs.base import Node

__all__ = ["CELL", "Cost"]

CELL = 8
"""The bytes of an entry."""
_SHOWN = 12


@dataclass(frozen=True)
class Cost:
    """The cost of a query; of a compiled net, its cost without evidence. Evidence reduces it.

    Attributes
    ----------
    cliques : int
        The number of products of tables.
    largest : int
        The entries of the largest of them.
    cells : int
        The entries of all of them, in a clique tree with the separators.
    bytes : int
        The memory, with separate tables for each of ``rows_at_a_time`` rows.
    largest_clique : tuple of nodes
        The nodes of the largest one.
    rows_at_a_time : int
        The number of rows that are processed at once: in a clique tree the number of threads, or what the limit allows.

    See Also
    --------
    BayesNet.cost : Returns it.

    Examples
    --------
    >>> from deciban.nets import Cost
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
        return f"{counted(self.cliques, 'product')}, {largest}, {self.cells:,} entries in all ({in_bytes(self.bytes)})"
