"""The tokens with the largest weights for a class against another: a list that prints as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any

import numpy as np

from deciban.choices import counted, did_you_mean
from deciban.errors import InputError
from deciban.estimate.drawing import read_count
from deciban.explain.document import shown_text
from deciban.read import distinct_texts
from deciban.ties import settled
from deciban.types import AnyArray, Floats

__all__ = ["TermProbabilities", "TopTokens", "chosen_terms"]


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


_SHOWN = 20


@dataclass(frozen=True, eq=False)
class TermProbabilities:
    """The probability of each term in each class; it prints as a table.

    Attributes
    ----------
    terms : the terms
    classes : the labels
    array : P(term | class), terms × classes

    Examples
    --------
    >>> import numpy as np
    >>> table = TermProbabilities(
    ...     ("free", "noon"), np.array(["ham", "spam"]), np.array([[0.25, 0.6], [0.75, 0.4]])
    ... )
    >>> table["free"]["spam"]
    0.6
    >>> print(table)
    term     ham    spam
    free  0.2500  0.6000
    noon  0.7500  0.4000
    """

    terms: Sequence[str]
    classes: AnyArray
    array: Floats

    def __len__(self) -> int:
        return len(self.terms)

    def __iter__(self) -> Iterator[str]:
        return iter(self.terms)

    def __getitem__(self, term: str) -> dict[Any, float]:
        """P(term | class) of one term, by class."""
        if term not in self.terms:
            raise KeyError(f"the table has no term {term!r}.")
        row = self.array[self.terms.index(term)]
        return dict(zip(self.classes.tolist(), row.tolist(), strict=True))

    def to_frame(self, backend: str = "pandas") -> Any:
        """A frame with a column of terms and one for each class; ``backend`` may be any that narwhals knows."""
        from deciban.read.frame import make_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

        columns = dict(zip(distinct_texts(self.classes.tolist()), self.array.T, strict=True))
        return make_frame({"term": self.terms, **columns}, backend)

    def _cells(self) -> tuple[list[list[str]], str]:
        head = ["term", *map(str, self.classes.tolist())]
        rows = [[shown_text(term), *map(_number, row)] for term, row in islice(self._rows(), _SHOWN)]
        more = f"… and {len(self) - _SHOWN:,} more" if len(self) > _SHOWN else ""
        return [head, *rows], more

    def _rows(self) -> Iterator[tuple[str, list[float]]]:
        return ((term, self.array[i].tolist()) for i, term in enumerate(self.terms))

    def __repr__(self) -> str:
        return f"TermProbabilities({counted(len(self), 'term')}, {counted(len(self.classes), 'class', 'classes')})"

    def __str__(self) -> str:
        rows, more = self._cells()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]
        return "\n".join([*lines, *([more] if more else [])])

    def _repr_html_(self) -> str:
        (head, *rows), more = self._cells()
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        return f"<table><tr>{top}</tr>{body}</table>{f'<p>{more}</p>' if more else ''}"


def _number(probability: float) -> str:
    return f"{probability:.4f}" if probability >= 1e-3 or not probability else f"{probability:.1e}"


def chosen_terms(
    index: Mapping[str, int],
    probabilities: Floats,
    classes: AnyArray,
    prior: Floats,
    terms: Sequence[str] | None,
    n: int | None,
) -> TermProbabilities:
    """The table of some terms, or of the n most probable; `probabilities` are classes × terms, `prior` log P(class)."""
    names = list(index) if terms is None else [terms] if isinstance(terms, str) else list(terms)
    unknown = [name for name in names if name not in index]
    if unknown:
        raise InputError(f"the model does not know the term {unknown[0]!r}.{did_you_mean(unknown[0], index)}")
    table = probabilities.T[[index[name] for name in names]].reshape(len(names), len(classes))
    if n is not None:
        shares = settled(table @ np.exp(prior), scale=0.0)
        largest = np.argsort(-shares, kind="stable")[: read_count(n, "n", 0)].tolist()
        names, table = [names[i] for i in largest], table[largest]
    return TermProbabilities(tuple(names), classes, table)
