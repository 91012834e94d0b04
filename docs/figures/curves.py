"""Draw the curves of docs/notes.md: python docs/figures/curves.py.

They are written as plain SVG on a white ground, so that they look the same in light and dark and do not depend on the
version of a plotting library.
"""

import runpy
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import product
from pathlib import Path

import numpy as np

import deciban as db

_WIDTH, _HEIGHT = 560, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 26, 16, 48
_COLOURS = "#0072b2", "#d55e00", "#008060", "#a0508c"
"""Colours that differ in lightness too (after Okabe and Ito)."""


@dataclass
class Chart:
    """Axes with curves; `log_x` takes the ticks and the curves in powers of ten."""

    title: str
    x_label: str
    y_label: str
    x_ticks: Sequence[float]
    y_ticks: Sequence[float]
    log_x: bool = False
    legend_x: int = _LEFT + 14
    parts: list[str] = field(default_factory=list)
    legend: list[tuple[str, str]] = field(default_factory=list)

    def add(self, name: str, x: Sequence[float], y: Sequence[float], *, is_dashed: bool = False) -> None:
        """Add a curve, with its name in the legend."""
        colour = "#666" if is_dashed else _COLOURS[len(self.legend) % len(_COLOURS)]
        style = f'fill="none" stroke="{colour}" stroke-width="2"' + (' stroke-dasharray="5 4"' if is_dashed else "")
        points = " ".join(f"{self._x(a):.1f},{self._y(b):.1f}" for a, b in zip(x, y, strict=True))
        self.parts.append(f'<polyline points="{points}" {style}/>')
        self.legend.append((name, style))

    def to_svg(self) -> str:
        """The whole picture."""
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
            f'height="{_HEIGHT}" font-family="sans-serif" font-size="13" role="img">',
            f"<title>{escape(self.title)}</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="6" fill="#fff"/>',
            *self._axes(),
            *self.parts,
            *self._legend(),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _axes(self) -> list[str]:
        lines = []
        for tick in self.x_ticks:
            at = self._x(tick)
            lines.append(f'<path d="M{at:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#ddd"/>')
            lines.append(f'<text x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{tick:,g}</text>')
        for tick in self.y_ticks:
            at = self._y(tick)
            lines.append(f'<path d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>')
            lines.append(f'<text x="{_LEFT - 8}" y="{at + 4.5:.1f}" text-anchor="end">{tick:g}</text>')
        middle_x, middle_y = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
        lines.append(f'<text x="{middle_x:.1f}" y="{_HEIGHT - 10}" text-anchor="middle">{escape(self.x_label)}</text>')
        turned = f'transform="translate(16 {middle_y:.1f}) rotate(-90)"'
        return [*lines, f'<text {turned} text-anchor="middle">{escape(self.y_label)}</text>']

    def _legend(self) -> list[str]:
        lines = []
        for row, (name, style) in enumerate(self.legend):
            y = _TOP + 18 + 20 * row
            lines.append(f'<path d="M{self.legend_x} {y}h26" {style}/>')
            lines.append(f'<text x="{self.legend_x + 34}" y="{y + 4.5}">{escape(name)}</text>')
        return lines

    def _x(self, value: float) -> float:
        low, high, at = self.x_ticks[0], self.x_ticks[-1], value
        if self.log_x:
            low, high, at = np.log(low), np.log(high), np.log(at)
        return _LEFT + (at - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def _y(self, value: float) -> float:
        low, high = self.y_ticks[0], self.y_ticks[-1]
        return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)


def coin() -> Chart:
    """The likelihood of a coin after 10 and after 100 tosses, 7 of 10 heads, in units of its maximum."""
    chart = Chart(
        "The likelihood of θ after 7 of 10 and after 70 of 100 heads has its maximum at 0.7",
        "θ, the probability of heads",
        "L(θ) / L(0.7)",
        [0, 0.2, 0.4, 0.6, 0.7, 0.8, 1],
        [0, 0.25, 0.5, 0.75, 1],
    )
    theta = np.linspace(0.005, 0.995, 199)
    shape = 0.7 * np.log(theta / 0.7) + 0.3 * np.log((1 - theta) / 0.3)
    for tosses in (10, 100):
        chart.add(f"{7 * tosses // 10} heads in {tosses} tosses", theta, np.exp(tosses * shape))
    chart.add("H/N = 0.7", [0.7, 0.7], [0, 1], is_dashed=True)
    return chart


def training_size() -> Chart:
    """The log loss of new days, of models with four pseudo-counts, by the number of days that they learned from."""
    sizes, repeats, alphas = (20, 50, 100, 200, 500, 1000), 20, (0.01, 1, 10, 100)
    truth, grid, joint = _tennis()
    X, y = truth.sample(sizes[-1] * repeats, random_state=0)
    losses = np.zeros((len(alphas), len(sizes)))
    for column, size in enumerate(sizes):
        for start in range(0, size * repeats, size):
            tally = db.CategoricalNB().fit(X[start : start + size], y[start : start + size]).tally_
            for row, alpha in enumerate(alphas):
                model = db.CategoricalNB.from_tally(tally, alpha=alpha)
                losses[row, column] -= (joint * model.predict_log_proba(grid)).sum() / repeats
    chart = Chart(
        "The log loss of naive Bayes by the number of training rows, for four pseudo-counts",
        "training rows",
        "log loss of new rows",
        sizes,
        [0.4, 0.6, 0.8, 1, 1.2],
        log_x=True,
        legend_x=340,
    )
    for alpha, loss in zip(alphas, losses, strict=True):
        chart.add(f"α = {alpha}", sizes, loss)
    least = -(joint * truth.predict_log_proba(grid)).sum()
    chart.add("the true probabilities", [sizes[0], sizes[-1]], [least, least], is_dashed=True)
    return chart


def _tennis() -> tuple[db.CategoricalNB, dict[str, tuple[str, ...]], np.ndarray]:
    """Naive Bayes of PlayTennis, all days that can occur, and the probability of each with each class."""
    table = runpy.run_path(str(Path(__file__).parents[1] / "snippets" / "tables" / "playtennis.py"))["days"]
    truth = db.CategoricalNB.from_tally(db.tally(table, target="play"))
    names = truth.feature_names_in_.tolist()
    grid = dict(zip(names, zip(*product(*(sorted(set(table[name])) for name in names)), strict=True), strict=True))
    return truth, grid, np.exp(truth.predict_joint_log_proba(grid))


FIGURES = {"coin": coin, "training-size": training_size}

if __name__ == "__main__":
    for name, draw in FIGURES.items():
        (Path(__file__).parent / "notes" / f"{name}.svg").write_text(draw().to_svg(), encoding="utf-8")
