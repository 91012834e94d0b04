"""The tokens with the largest weights for a class against another: a list that prints as a table."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from deciban.explain.shading import shown_text
from deciban.read import distinct_texts

__all__ = ["TopTokens"]


class TopTokens(list[tuple[str, float]]):
    """A list of tokens and their weights in decibans, the largest first; it prints as a table.

    Parameters
    ----------
    weights : iterable of tuples
        Tokens and weights.
    label, against : a class
        The class that the weights are for, and the class that it is compared with.

    Examples
    --------
    >>> print(TopTokens([("free", 12.25), ("win", 9.5)], "spam", "ham"))
    decibans for spam against ham
    free  +12.25
    win    +9.50
    """

    def __init__(self, weights: Iterable[tuple[str, float]], label: Any, against: Any) -> None:
        super().__init__(weights)
        self.label = label
        self.against = against

    def to_text(self) -> str:
        """Write one line for each token.

        Returns
        -------
        text : str
        """
        rows = [(shown_text(token), f"{weight:+z.2f}") for token, weight in self]
        widths = [max((len(row[k]) for row in rows), default=0) for k in (0, 1)]
        lines = [f"{token:<{widths[0]}}  {weight:>{widths[1]}}" for token, weight in rows]
        label, against = distinct_texts([self.label, self.against])
        return "\n".join([f"decibans for {label} against {against}", *lines])

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        head = f"<tr><th></th><th>decibans for {escape(str(self.label))} against {escape(str(self.against))}</th></tr>"
        cells = ((escape(shown_text(token)), f"{weight:+z.2f}") for token, weight in self)
        rows = "".join(f"<tr><td>{token}</td><td>{weight}</td></tr>" for token, weight in cells)
        return f"<table>{head}{rows}</table>"
