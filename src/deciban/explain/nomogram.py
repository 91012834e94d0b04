"""A nomogram: for each column of a model, the weight of each value for one class against another.

It is drawn as SVG, for reports and notebooks, or with matplotlib, for a figure of one's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deciban.charts import AGAINST, FOR, Axis, circle, drawing, line, ticks, words
from deciban.choices import counted
from deciban.extras import need
from deciban.read import distinct_texts
from deciban.ties import largest_first

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

__all__ = ["Nomogram", "Scale", "draw_nomogram"]


# A value as text, and its weight in decibans.
Point = tuple[str, float]


@dataclass(frozen=True)
class Scale:
    """One column: values, bins or tokens as text, each with its weight in decibans.

    `is_ordered` is True where the points are numbers or bins in the order of their values.
    """

    name: str
    points: tuple[Point, ...]
    is_ordered: bool = False

    @property
    def reach(self) -> float:
        """The range of the column's weights."""
        weights = [weight for _, weight in self.points]
        return max(weights, default=0.0) - min(weights, default=0.0)

    def in_order(self) -> tuple[Point, ...]:
        """The points as they are shown: numbers and bins by their values, others by their weights."""
        return self.points if self.is_ordered else tuple(largest_first(self.points, lambda point: -point[1]))


@dataclass(frozen=True)
class Nomogram:
    """The weight of each value of each column for one class against another, columns with the widest range first.

    It is the result of `NaiveBayes.nomogram`. It prints as a table, and a notebook shows a picture: each column is a
    line, with its values at their decibans.

    Attributes
    ----------
    label, against : the classes
        The class that the weights are for, and the class that it is compared with.
    prior_db : float
        The weight of the prior, in decibans.
    scales : tuple
        For each column its `name`, and `points`: values, bins or tokens as text, each with its weight in decibans.
        Numbers and bins are in the order of their values.
    columns : int
        How many columns the model has; those that are not shown have a smaller range.

    Examples
    --------
    >>> import deciban as db
    >>> model = db.NaiveBayes(weights=None).fit({"sky": ["sun", "rain"]}, ["play", "stay"])
    >>> print(model.nomogram("play", "stay"))
    decibans for play against stay; prior +0.0
    sky  rain -3.0, sun +3.0
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
        """Write a line for each column: its labels by weight, its numbers and bins by value.

        Returns
        -------
        text : str
        """
        head = f"decibans for {self._classes}; prior {self.prior_db:+z.1f}"
        width = max((len(scale.name) for scale in self.scales), default=0)
        lines = [f"{scale.name:<{width}}  {listed(scale.in_order())}".rstrip() for scale in self.scales]
        return "\n".join([head, *lines, *([f"and {counted(self.hidden, 'more column')}"] if self.hidden else [])])

    @property
    def _classes(self) -> str:
        return " against ".join(distinct_texts([self.label, self.against]))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        columns = counted(max(self.columns, len(self.scales)), "column")
        return f"Nomogram({self._classes}, {columns}, prior {self.prior_db:+z.1f} decibans)"

    def to_svg(self) -> str:
        """Draw the nomogram: a line for each column, with its values at their decibans.

        Text has the colour of the text around the picture, so it can be read on light and on dark paper.

        Returns
        -------
        svg : str
        """
        return draw_nomogram(self, is_alone=True)

    def _repr_html_(self) -> str:
        more = f"<p>and {counted(self.hidden, 'more column')}</p>" if self.hidden else ""
        return f"{self.to_svg()}{more}"

    def plot(self, ax: Any = None) -> Any:
        """Draw the nomogram with matplotlib.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; new axes when None.

        Returns
        -------
        ax : matplotlib axes
        """
        rows: list[tuple[str, Sequence[Point]]] = [("prior", [(f"{self.prior_db:+z.1f}", self.prior_db)])]
        rows += [(_short(scale.name, 24), scale.points) for scale in self.scales]
        if ax is None:
            plt = need("matplotlib.pyplot", "plot", "a plot")
            _, ax = plt.subplots(figsize=(9.0, 1.0 + 0.56 * len(rows)), layout="constrained")
        for y, (_, points) in enumerate(rows):
            weights = [weight for _, weight in points]
            ax.hlines(y, min(weights, default=0.0), max(weights, default=0.0), color="0.6", linewidth=1.2, zorder=1)
            colours = [FOR if weight >= 0 else AGAINST for weight in weights]
            ax.scatter(weights, [y] * len(weights), c=colours, s=22, zorder=2)
        _dress(ax, self, [name for name, _ in rows])
        ax.figure.figure.draw_without_rendering()  # fixes the layout, which is needed to measure labels
        for y, (_, points) in enumerate(rows):
            _write_values(ax, y, points)
        return ax


_WIDTH, _NAMES, _ROW, _TOP = 760.0, 150.0, 46.0, 34.0
# SVG text cannot be measured before it is drawn: so wide is a letter of the 11 px of `tick`, taken generously.
_LETTER, _GAP = 6.8, 5.0
_LONGEST_NAME, _LONGEST_VALUE = 20, 22


def draw_nomogram(nomogram: Nomogram, *, is_alone: bool = False) -> str:
    """Draw the prior and the scales, the widest first; with `is_alone`, for a notebook instead of a page."""
    rows: list[tuple[str, Sequence[Point]]] = [("prior", [("", nomogram.prior_db)])]
    rows += [(scale.name, scale.in_order()) for scale in nomogram.scales]
    weights = [weight for _, points in rows for _, weight in points]
    low, high = min([0.0, *weights]), max([0.0, *weights])
    margin = 0.04 * ((high - low) or 1.0)  # an axis of length 0 has no scale
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


def _scale(axis: Axis, y: float, name: str, points: Sequence[Point]) -> list[str]:
    weights = [weight for _, weight in points]
    shapes = [words((0, y + 4), _short(name, _LONGEST_NAME), "strong")]
    if weights:
        shapes.append(line((_x(axis, min(weights)), y), (_x(axis, max(weights)), y), "scale"))
    for text, weight in points:
        kind = "for" if weight >= 0 else "against"
        shapes.append(circle((_x(axis, weight), y), 4.0, kind, f"{name} {text}: {weight:+z.1f} decibans"))
    return [*shapes, *_labels(axis, y, points)]


def _labels(axis: Axis, y: float, points: Sequence[Point]) -> list[str]:
    """The values above or below their points, the ends first; those that would overlap another are left out."""
    taken: dict[float, list[tuple[float, float]]] = {y - 9: [], y + 17: []}
    shapes = []
    for text, weight in _from_the_ends(points):
        shown = _short(text, _LONGEST_VALUE)
        half = len(shown) * _LETTER / 2
        middle = min(max(_x(axis, weight), _NAMES + half), _WIDTH - half)
        for height, spans in taken.items():
            if all(middle + half + _GAP < left or middle - half - _GAP > right for left, right in spans):
                spans.append((middle - half, middle + half))
                shapes.append(words((middle, height), shown, "tick", "middle"))
                break
    return shapes


def _dress(axes: Axes, nomogram: Nomogram, names: Sequence[str]) -> None:
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


def _write_values(axes: Axes, y: int, points: Sequence[tuple[str, float]]) -> None:
    """Write values above or below their points, the ends first, omitting those that would overlap another."""
    taken: list[Bbox] = []
    for text, weight in _from_the_ends(points):
        for offset, side in ((5, "bottom"), (-5, "top")):
            note = axes.annotate(
                _short(text, 20),
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


def _from_the_ends(points: Sequence[Point]) -> list[Point]:
    """The points from both ends to the middle: where labels would overlap, those of the extremes are the ones shown."""
    ordered = largest_first(points, lambda point: -point[1])
    return [ordered[k // 2] if k % 2 == 0 else ordered[-1 - k // 2] for k in range(len(ordered))]


def listed(points: Sequence[Point]) -> str:
    """Values and their weights, in one line."""
    return ", ".join(f"{text} {weight:+z.1f}".strip() for text, weight in points)


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"
