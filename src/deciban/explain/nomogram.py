"""A whole model at a glance: for each column, which of its values weighs how much for one class against another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deciban.explain.plot import plot_nomogram

__all__ = ["Nomogram", "Scale"]


@dataclass(frozen=True)
class Scale:
    """One column: values as text, each with its weight in decibans."""

    name: str
    points: tuple[tuple[str, float], ...]

    @property
    def reach(self) -> float:
        """How far apart the column's values can drive the prediction."""
        weights = [weight for _, weight in self.points]
        return max(weights, default=0.0) - min(weights, default=0.0)


@dataclass(frozen=True)
class Nomogram:
    """The prior's weight and the scales of all columns, those that can say most first."""

    label: Any
    against: Any
    prior_db: float
    scales: tuple[Scale, ...]

    def to_text(self) -> str:
        """A line for each column: its values by weight."""
        head = f"decibans for {self.label} against {self.against}; prior {self.prior_db:+.1f}"
        width = max((len(scale.name) for scale in self.scales), default=0)
        return "\n".join([head, *(f"{scale.name:<{width}}  {_listed(scale)}" for scale in self.scales)])

    def __str__(self) -> str:
        return self.to_text()

    def plot(self, ax: Any = None) -> Any:
        """Draw it with matplotlib; give the axes."""
        return plot_nomogram(self, ax)


def _listed(scale: Scale) -> str:
    return ", ".join(f"{text} {weight:+.1f}" for text, weight in sorted(scale.points, key=lambda point: point[1]))
