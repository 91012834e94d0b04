"""Draw the picture of the README and of the landing page: one prediction as a sum of weights of evidence.

`python docs/figures/hero.py` writes hero.svg, from the model of the README's example. The picture has its own
background and follows the colour scheme that the reader's system prefers.
"""

from __future__ import annotations

import runpy
from contextlib import redirect_stdout
from io import StringIO
from math import log10
from pathlib import Path

from deciban.explain import Explanation

__all__ = ["drawn"]

_FOLDER = Path(__file__).parent
_ROW = {"sky": "grey", "pressure": 1008}
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _STEP = 760, 300, 190, 700, 92, 42
_LOWEST, _HIGHEST = -5.0, 12.0
_MARKS = [0.25, 0.5, 0.75, 0.9]

_STYLE = """
  .card { fill: #ffffff; stroke: #d0d7de; }
  text { fill: #1f2328; font: 15px system-ui, -apple-system, "Segoe UI", sans-serif; }
  .title { font-size: 19px; font-weight: 600; }
  .quiet { fill: #59636e; font-size: 13px; }
  .number { text-anchor: start; font-variant-numeric: tabular-nums; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  line { stroke: #d0d7de; }
  .even { stroke: #59636e; }
  .link { stroke: #59636e; stroke-dasharray: 3 3; }
  .for { fill: #0969da; }
  .against { fill: #bc4c00; }
  .total { fill: #1f2328; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #14181d; stroke: #3d444d; }
    text { fill: #f0f6fc; }
    .quiet { fill: #a9b3bd; }
    line { stroke: #3d444d; }
    .even, .link { stroke: #a9b3bd; }
    .for { fill: #58a6ff; }
    .against { fill: #f0883e; }
    .total { fill: #f0f6fc; }
  }
"""


def explanation() -> Explanation:
    """The prediction that the picture shows."""
    with redirect_stdout(StringIO()):
        model = runpy.run_path(str(_FOLDER.parent / "snippets" / "readme" / "readme.py"))["model"]
    return model.explain(_ROW)


def drawn() -> str:
    """The picture as SVG."""
    explained = explanation()
    label, probability = max(explained.probabilities.items(), key=lambda item: item[1])
    steps = [(" = ".join(filter(None, (name, value))), weight) for name, value, weight in explained.rows()]
    parts = [*_axis(), *_bars(steps[:-1] if steps[-1][0] == "total" else steps, explained.total_db)]
    title = f"P({label}) = {probability:.3f}, as a sum of weights of evidence"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style>",
            f'<rect class="card" x="1" y="1" width="{_WIDTH - 2}" height="{_HEIGHT - 2}" rx="10"/>',
            f'<text class="title" x="28" y="38">{title}</text>',
            *parts,
            "</svg>\n",
        ]
    )


def _x(weight_db: float) -> float:
    return _LEFT + (weight_db - _LOWEST) / (_HIGHEST - _LOWEST) * (_RIGHT - _LEFT)


def _signed(weight: float, digits: int) -> str:
    return f"{weight:+.{digits}f}".replace("-", "−") if weight else "0"


def _axis() -> list[str]:
    bottom = _TOP + 4 * _STEP
    lines = []
    for probability in _MARKS:
        x = _x(10 * log10(probability / (1 - probability)))
        kind = ' class="even"' if probability == 0.5 else ""
        lines.append(f'<line{kind} x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{bottom}"/>')
        lines.append(f'<text class="quiet middle" x="{x:.1f}" y="{_TOP - 16}">{probability:.0%}</text>')
    weights = [
        f'<text class="quiet middle" x="{_x(weight):.1f}" y="{bottom + 20}">{_signed(weight, 0)}</text>'
        for weight in range(int(_LOWEST), int(_HIGHEST) + 1, 5)
    ]
    return [*lines, *weights, f'<text class="quiet end" x="{_LEFT - 20}" y="{bottom + 20}">decibans</text>']


def _bars(steps: list[tuple[str, float]], total: float) -> list[str]:
    parts, reached, y = [], 0.0, float(_TOP)
    for name, weight in steps:
        parts += _bar(name, reached, reached + weight, weight, y, "for" if weight >= 0 else "against")
        reached += weight
        x = _x(reached)
        parts.append(f'<line class="link" x1="{x:.1f}" y1="{y + 28:.1f}" x2="{x:.1f}" y2="{y + _STEP:.1f}"/>')
        y += _STEP
    return parts + _bar("total", 0.0, total, total, y, "total")


def _bar(name: str, start: float, end: float, weight: float, y: float, kind: str) -> list[str]:
    left, right = sorted((_x(start), _x(end)))
    return [
        f'<text class="end" x="{_LEFT - 20}" y="{y + 20:.1f}">{name}</text>',
        f'<rect class="{kind}" x="{left:.1f}" y="{y:.1f}" width="{right - left:.1f}" height="28" rx="3"/>',
        f'<text class="number" x="{right + 8:.1f}" y="{y + 20:.1f}">{_signed(weight, 1)}</text>',
    ]


if __name__ == "__main__":
    (_FOLDER / "hero.svg").write_text(drawn(), encoding="utf-8")
