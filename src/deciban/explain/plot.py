"""Pictures of evidence, by matplotlib: signed bars for one prediction, a nomogram for a whole model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from deciban.errors import DecibanError

if TYPE_CHECKING:
    from deciban.explain.explanation import Explanation
    from deciban.explain.nomogram import Nomogram

__all__ = ["plot_explanation", "plot_nomogram"]

_FOR, _AGAINST = "#2b7bba", "#c44e52"


def plot_explanation(explanation: Explanation, ax: Any = None) -> Any:
    """Draw each weight as a bar, the prior first and the total last; give the axes."""
    names, weights = zip(*explanation.weights(), strict=True)
    axes = ax or _axes(height=0.6 + 0.32 * len(names))
    colours = [_FOR if weight >= 0 else _AGAINST for weight in weights]
    axes.barh(range(len(names)), weights, color=colours)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.axhline(len(names) - 1.5, color="grey", linewidth=0.5)
    axes.set_xlabel(f"decibans for {explanation.label} against {explanation.against}")
    return axes


def plot_nomogram(nomogram: Nomogram, ax: Any = None) -> Any:
    """Draw a line for each column with its values at their weights; give the axes."""
    scales = nomogram.scales
    axes = ax or _axes(height=0.8 + 0.6 * len(scales))
    axes.set_xscale("symlog", linthresh=10.0)  # some columns can say very much
    reach = max((abs(weight) for scale in scales for _, weight in scale.points), default=1.0)
    axes.set_xlim(-1.4 * reach, 1.4 * reach)
    for y, scale in enumerate(scales):
        weights = [weight for _, weight in scale.points]
        axes.hlines(y, min(weights, default=0), max(weights, default=0), color="grey", linewidth=1)
        axes.plot(weights, [y] * len(weights), "o", color=_FOR, markersize=4)
        _write_values(axes, y, scale.points)
    axes.set_yticks(range(len(scales)), [scale.name for scale in scales])
    axes.set_ylim(len(scales) - 0.5, -0.7)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_xlabel(f"decibans for {nomogram.label} against {nomogram.against}; prior {nomogram.prior_db:+.1f}")
    return axes


def _write_values(axes: Any, y: int, points: Sequence[tuple[str, float]]) -> None:
    """Write values above their points, leaving out those that would lie on one another."""
    letter = 4.5  # pixels, about
    end = float("-inf")
    for text, weight in sorted(points, key=lambda point: point[1]):
        at = axes.transData.transform((weight, y))[0]
        if at - letter * len(text) / 2 > end:
            axes.annotate(text, (weight, y), (0, 5), textcoords="offset points", ha="center", fontsize=7)
            end = at + letter * len(text) / 2 + letter


def _axes(height: float) -> Any:
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  an optional extra
    except ImportError as error:
        raise DecibanError("plots need matplotlib. Install deciban[plot].") from error
    return plt.subplots(figsize=(8, height), layout="constrained")[1]
