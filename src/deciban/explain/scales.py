"""A nomogram as SVG: a line for each column, with its values at their weights in decibans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deciban.charts.frame import Axis, ticks
from deciban.charts.svg import circle, drawing, line, words
from deciban.ties import largest_first

if TYPE_CHECKING:
    from deciban.explain.nomogram import Nomogram

__all__ = ["draw_nomogram", "listed"]

_WIDTH, _NAMES, _ROW, _TOP = 760.0, 150.0, 46.0, 34.0
_LETTER, _GAP = 6.8, 5.0
_LONGEST_NAME, _LONGEST_VALUE = 20, 22


def draw_nomogram(nomogram: Nomogram, *, is_alone: bool = False) -> str:
    """Draw the prior and the scales, the widest first; with `is_alone`, for a notebook instead of a page."""
    rows: list[tuple[str, Sequence[tuple[str, float]]]] = [("prior", [("", nomogram.prior_db)])]
    rows += [(scale.name, scale.in_order()) for scale in nomogram.scales]
    weights = [weight for _, points in rows for _, weight in points]
    low, high = min([0.0, *weights]), max([0.0, *weights])
    margin = 0.04 * ((high - low) or 1.0)
    axis = Axis("decibans", low - margin, high + margin)
    bottom = _TOP + _ROW * len(rows)
    shapes = _background(axis, bottom, nomogram)
    for k, (name, points) in enumerate(rows):
        shapes += _scale(axis, _TOP + _ROW * (k + 0.5), name, points)
    title = f"Nomogram for {nomogram.label} against {nomogram.against}"
    description = "; ".join(f"{name}: {listed(points)}" for name, points in rows)
    return drawing(_WIDTH, bottom + 12, shapes, title=title, description=description, is_alone=is_alone)


def _x(axis: Axis, weight: float) -> float:
    return _NAMES + axis.share(weight) * (_WIDTH - _NAMES - 20.0)


def _background(axis: Axis, bottom: float, nomogram: Nomogram) -> list[str]:
    """The grid, with its numbers above, and which side is for which class."""
    shapes = []
    for tick in ticks(axis.low, axis.high, 10):
        x = _x(axis, tick)
        kind = "axis" if tick == 0 else "grid"
        shapes += [
            line((x, _TOP - 4), (x, bottom), kind),
            words((x, _TOP - 10), f"{tick:+g}" if tick else "0", "tick", "middle"),
        ]
    shapes.append(words((0, _TOP - 10), "decibans", "name"))
    shapes.append(words((_WIDTH - 4, bottom + 8), f"for {_short(str(nomogram.label), 30)} ▸", "tick", "end"))
    shapes.append(words((_NAMES, bottom + 8), f"◂ for {_short(str(nomogram.against), 30)}", "tick"))
    return shapes


def _scale(axis: Axis, y: float, name: str, points: Sequence[tuple[str, float]]) -> list[str]:
    weights = [weight for _, weight in points]
    shapes = [words((0, y + 4), _short(name, _LONGEST_NAME), "strong")]
    if weights:
        shapes.append(line((_x(axis, min(weights)), y), (_x(axis, max(weights)), y), "scale"))
    for text, weight in points:
        kind = "for" if weight >= 0 else "against"
        shapes.append(circle((_x(axis, weight), y), 4.0, kind, f"{name} {text}: {weight:+z.1f} decibans"))
    return [*shapes, *_labels(axis, y, points)]


def _labels(axis: Axis, y: float, points: Sequence[tuple[str, float]]) -> list[str]:
    """The values above or below their points, the ends first; those that would overlap another are left out."""
    ordered = largest_first(points, lambda point: -point[1])
    from_the_ends = [ordered[k // 2] if k % 2 == 0 else ordered[-1 - k // 2] for k in range(len(ordered))]
    taken: dict[float, list[tuple[float, float]]] = {y - 9: [], y + 17: []}
    shapes = []
    for text, weight in from_the_ends:
        shown = _short(text, _LONGEST_VALUE)
        half = len(shown) * _LETTER / 2
        middle = min(max(_x(axis, weight), _NAMES + half), _WIDTH - half)
        for height, spans in taken.items():
            if all(middle + half + _GAP < left or middle - half - _GAP > right for left, right in spans):
                spans.append((middle - half, middle + half))
                shapes.append(words((middle, height), shown, "tick", "middle"))
                break
    return shapes


def listed(points: Sequence[tuple[str, float]]) -> str:
    """Values and their weights, in one line."""
    return ", ".join(f"{text} {weight:+z.1f}".strip() for text, weight in points)


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
