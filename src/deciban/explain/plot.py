"""Plots of evidence, by matplotlib: signed bars for one prediction, a nomogram for a whole model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from deciban.charts import AGAINST, FOR
from deciban.extras import need
from deciban.ties import largest_first

if TYPE_CHECKING:
    from deciban.explain.explanation import Explanation
    from deciban.explain.nomogram import Nomogram

__all__ = ["plot_explanation", "plot_nomogram"]

_LONGEST_NAME, _LONGEST_VALUE = 24, 20


def plot_explanation(explanation: Explanation, ax: Any = None) -> Any:
    """Draw each weight as a bar, the prior first and the total last; return the axes."""
    names, weights = zip(*explanation.weights(), strict=True)
    axes = ax or _axes(height=0.6 + 0.32 * len(names))
    colours = [FOR if weight >= 0 else AGAINST for weight in weights]
    axes.barh(range(len(names)), weights, color=colours)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.axhline(len(names) - 1.5, color="grey", linewidth=0.5)
    axes.set_xlabel(f"decibans for {explanation.label} against {explanation.against}")
    return axes


def plot_nomogram(nomogram: Nomogram, ax: Any = None) -> Any:
    """Draw the prior, and a line for each column with its values at their weights; return the axes."""
    prior = (f"{nomogram.prior_db:+z.1f}", nomogram.prior_db)
    rows: list[tuple[str, Sequence[tuple[str, float]]]] = [("prior", [prior])]
    rows += [(_short(scale.name, _LONGEST_NAME), scale.points) for scale in nomogram.scales]
    axes = ax or _axes(height=1.0 + 0.56 * len(rows), width=9.0)
    for y, (_, points) in enumerate(rows):
        weights = [weight for _, weight in points]
        axes.hlines(y, min(weights, default=0.0), max(weights, default=0.0), color="0.6", linewidth=1.2, zorder=1)
        colours = [FOR if weight >= 0 else AGAINST for weight in weights]
        axes.scatter(weights, [y] * len(weights), c=colours, s=22, zorder=2)
    _dress(axes, nomogram, [name for name, _ in rows])
    axes.figure.figure.draw_without_rendering()  # fixes the layout, which is needed to measure labels
    for y, (_, points) in enumerate(rows):
        _write_values(axes, y, points)
    return axes


def _dress(axes: Any, nomogram: Nomogram, names: Sequence[str]) -> None:
    """The axis, which is linear in decibans, and the names of the rows."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.margins(x=0.08)
    axes.axvline(0.0, color="0.35", linewidth=1.0, zorder=0.9)
    axes.grid(axis="x", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    rest = f"; {nomogram.hidden} columns of smaller range not shown" if nomogram.hidden else ""
    axes.set_xlabel(f"decibans for {nomogram.label} against {nomogram.against}{rest}")


def _write_values(axes: Any, y: int, points: Sequence[tuple[str, float]]) -> None:
    """Write values above or below their points, the ends first, omitting those that would overlap another."""
    ordered = largest_first(points, lambda point: -point[1])
    from_the_ends = [ordered[k // 2] if k % 2 == 0 else ordered[-1 - k // 2] for k in range(len(ordered))]
    taken: list[Any] = []
    for text, weight in from_the_ends:
        for offset, side in ((5, "bottom"), (-5, "top")):
            note = axes.annotate(
                _short(text, _LONGEST_VALUE),
                (weight, y),
                (0, offset),
                textcoords="offset points",
                ha="center",
                va=side,
                fontsize=7.5,
            )
            box = note.get_window_extent().expanded(1.06, 0.9)
            if not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            note.remove()


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _axes(height: float, width: float = 8.0) -> Any:
    plt = need("matplotlib.pyplot", "plot", "a plot")
    return plt.subplots(figsize=(width, height), layout="constrained")[1]
