"""A nomogram: for each column of a model, the weight of each value for one class against another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from deciban.choices import counted
from deciban.explain.plot import plot_nomogram
from deciban.explain.scales import draw_nomogram, listed
from deciban.read import distinct_texts
from deciban.ties import largest_first

__all__ = ["Nomogram", "Scale"]


@dataclass(frozen=True)
class Scale:
    """One column: values, bins or tokens as text, each with its weight in decibans.

    `is_ordered` is True where the points are numbers or bins in the order of their values.
    """

    name: str
    points: tuple[tuple[str, float], ...]
    is_ordered: bool = False

    @property
    def reach(self) -> float:
        """The range of the column's weights."""
        weights = [weight for _, weight in self.points]
        return max(weights, default=0.0) - min(weights, default=0.0)

    def in_order(self) -> tuple[tuple[str, float], ...]:
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
        return plot_nomogram(self, ax)
