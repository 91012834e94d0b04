"""The picture of the section: mean ranks on a line, and bars that join classifiers without a critical difference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

from benchmarks.accuracy.ours import OURS
from benchmarks.accuracy.scores import MEASURES
from benchmarks.harness.paths import FIGURES
from benchmarks.rivals.comparison import Results, critical_difference, mean_ranks

__all__ = ["PICTURE", "cliques", "draw_ranks"]

PICTURE = "rivals-ranks.svg"
_STYLE: Any = {"svg.hashsalt": "deciban", "svg.fonttype": "none", "font.size": 9}
_INK = "#1a202c"


def draw_ranks(results: Results) -> None:
    """A panel each for accuracy and log loss; the same ranks give the same file."""
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8, 5), layout="constrained")
        for axes, measure in zip(figure.subplots(2, 1), MEASURES[:2], strict=True):
            ranks = mean_ranks(results, measure)
            _draw(axes, ranks, critical_difference(len(ranks), len(results)))
            axes.set_title(f"mean rank by {measure.title}, {len(results)} tables", fontsize=9, color=_INK)
        out = BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    FIGURES.mkdir(parents=True, exist_ok=True)
    text = re.sub(r"[ \t]+$", "", out.getvalue().decode(), flags=re.MULTILINE)
    (FIGURES / PICTURE).write_text(text, encoding="utf-8")


def cliques(ranks: Sequence[float], difference: float) -> Iterator[tuple[float, float]]:
    """The ends of the longest runs of ranks, in ascending order, that are less than the difference apart.

    >>> list(cliques([1.0, 2.0, 2.5, 4.0], 1.6))
    [(1.0, 2.5), (2.5, 4.0)]
    """
    last = -1
    for first, rank in enumerate(ranks):
        end = max(at for at, other in enumerate(ranks) if other - rank < difference)
        if end > max(first, last):
            yield rank, ranks[end]
            last = end


def _draw(axes: Any, ranks: Mapping[str, float], difference: float) -> None:
    """Names in two columns beside the line, the better half on the left."""
    ordered = sorted(ranks, key=lambda name: ranks[name])
    half, most = (len(ordered) + 1) // 2, len(ordered)
    axes.plot([1, most], [0, 0], color=_INK, linewidth=1)
    for tick in range(1, most + 1):
        axes.plot([tick, tick], [0, 0.12], color=_INK, linewidth=1)
        axes.text(tick, 0.2, str(tick), ha="center", va="bottom", fontsize=8, color=_INK)
    axes.plot([1, 1 + difference], [0.9, 0.9], color=_INK, linewidth=1.5, marker="|")
    axes.text(
        1 + difference / 2, 1, f"critical difference {difference:.2f}", ha="center", va="bottom", fontsize=8, color=_INK
    )
    bars = list(cliques([ranks[name] for name in ordered], difference))
    for level, (start, end) in enumerate(bars):
        axes.plot([start - 0.05, end + 0.05], [-0.2 - 0.17 * level] * 2, color=_INK, linewidth=3, solid_capstyle="butt")
    below = -0.5 - 0.17 * len(bars)
    for at, name in enumerate(ordered):
        is_left = at < half
        depth = below - 0.45 * (at if is_left else most - 1 - at)
        edge, rank = (0.6 if is_left else most + 0.4), ranks[name]
        color = "#2b6cb0" if name in OURS else "#4a5568"
        axes.plot([rank, rank, edge], [0, depth, depth], color=color, linewidth=0.8)
        side = {"ha": "right", "x": edge - 0.05} if is_left else {"ha": "left", "x": edge + 0.05}
        axes.text(y=depth, s=f"{name} {rank:.2f}", va="center", fontsize=8, color=color, **side)
    axes.set_xlim(-1, most + 2)
    axes.set_axis_off()
