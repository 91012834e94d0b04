"""What a search gives: the graph, its score, and how it came about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from deciban.nets.graph import DAG, PDAG

__all__ = ["Move", "Report", "SearchResult"]


@dataclass(frozen=True)
class Move:
    """One step: an arrow added, deleted or reversed, and what the score gained.

    Steps between equivalence classes ("insert", "delete") name, in `moved`, the variables whose edges take part.
    """

    kind: str
    parent: str
    child: str
    gain: float
    moved: tuple[str, ...] = ()

    def __str__(self) -> str:
        aside = f" with {', '.join(self.moved)}" if self.moved else ""
        return f"{self.kind} {self.parent} → {self.child}{aside} ({self.gain:+.4g})"


Report = Callable[[Move], object]
"""Called after each step."""


@dataclass(frozen=True)
class SearchResult:
    """The best graph that was found.

    Attributes
    ----------
    graph
        A DAG; of ``method="ges"`` the CPDAG, or, where knowledge directs more of its edges, a PDAG.
    score
        Its score in nats, higher is better; None of an oracle, which knows no sample.
    moves
        The steps that led to it, in order; none of an exact search.
    dropped
        The rows that were left out because a value of theirs is missing.
    """

    graph: DAG | PDAG
    score: float | None
    moves: tuple[Move, ...] = field(repr=False)
    method: str
    criterion: str
    dropped: int = 0

    def __repr__(self) -> str:
        edges = len(self.graph.directed_edges) + len(self.graph.undirected_edges)
        worth = "" if self.score is None else f"{self.criterion} = {self.score:.4f}, "
        steps = "" if not self.moves else f", {len(self.moves)} moves"
        left_out = f", {self.dropped:,} rows with gaps dropped" if self.dropped else ""
        return f"SearchResult({self.method}: {worth}{edges} edges{steps}{left_out})\n{self.graph!r}"

    def _repr_html_(self) -> str:
        worth = "" if self.score is None else f"{self.criterion} = {self.score:.4f}, "
        return f"<p>{self.method}: {worth}{len(self.moves)} moves</p>{self.graph.to_svg()}"
