"""A whole model at a glance: for each column, which of its values weighs how much for one class against another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deciban.explain.plot import plot_nomogram

__all__ = ["Nomogram", "Scale"]


@dataclass(frozen=True)
class Scale:
    """One column: values, bins or tokens as text, each with its weight in decibans."""

    name: str
    points: tuple[tuple[str, float], ...]

    @property
    def reach(self) -> float:
        """How far apart the column's values can drive the prediction."""
        weights = [weight for _, weight in self.points]
        return max(weights, default=0.0) - min(weights, default=0.0)


@dataclass(frozen=True)
class Nomogram:
    """The prior's weight and the scales of the columns, those of the widest range first.

    `columns` is how many columns the model has; those that are not shown have a smaller range.
    """

    label: Any
    against: Any
    prior_db: float
    scales: tuple[Scale, ...]
    columns: int = 0

    @property
    def hidden(self) -> int:
        """How many columns are not shown."""
        return max(self.columns - len(self.scales), 0)

    def to_text(self) -> str:
        """A line for each column: its values by weight."""
        head = f"decibans for {self.label} against {self.against}; prior {self.prior_db:+.1f}"
        width = max((len(scale.name) for scale in self.scales), default=0)
        lines = [f"{scale.name:<{width}}  {_listed(scale)}".rstrip() for scale in self.scales]
        return "\n".join([head, *lines, *([f"and {self.hidden} more columns"] if self.hidden else [])])

    def __str__(self) -> str:
        return self.to_text()

    def plot(self, ax: Any = None) -> Any:
        """Draw it with matplotlib; give the axes."""
        return plot_nomogram(self, ax)


def _listed(scale: Scale) -> str:
    return ", ".join(f"{text} {weight:+.1f}" for text, weight in sorted(scale.points, key=lambda point: point[1]))
