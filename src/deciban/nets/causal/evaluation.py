"""The number that a formula stands for: a term becomes a table with an axis for each of its free variables.

P(a | b) is undefined where P(b) = 0: nothing was ever seen there. What is multiplied by 0 does not matter, so

  Σ_z P(y | x, z) P(z)

is defined where every z that occurs occurs with x, too: this is *positivity*. Undefined cells are carried along, and
those that reach a sum are noted, so that an answer can name what it lacks. They are NaN in here and nowhere outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Protocol

import numpy as np

from deciban.errors import TooLargeError
from deciban.nets.causal.identification.terms import Probability, Product, Ratio, Sum, Term
from deciban.nets.graphs.base import Node
from deciban.nets.network import State
from deciban.types import AnyArray, Floats

__all__ = ["MOST_CELLS", "Evaluation", "Source"]

MOST_CELLS = 1 << 27
"""The largest table that is made: a gigabyte."""

Axes = tuple[Node, ...]


class Source(Protocol):
    """What gives P(of | given) of observed variables."""

    @property
    def states(self) -> Mapping[Node, tuple[State, ...]]: ...

    def conditional(self, of: Axes, given: Axes) -> Floats:
        """An axis for each variable of ``given``, then for each of ``of``; NaN where ``given`` never occurs."""
        ...


class Evaluation:
    """Terms as tables, and the conditions that were needed and never occur.

    ``unsupported`` has for each P(a | b) the cells of b that were.
    """

    def __init__(self, source: Source, order: Sequence[Node]) -> None:
        self._source = source
        self._rank = {node: place for place, node in enumerate(order)}
        self.unsupported: dict[Axes, AnyArray] = {}

    def table(self, term: Term, axes: Axes) -> Floats:
        """The value of a term, with these axes; along those that it does not depend on it is constant."""
        own, values = self._value(term)
        shape = tuple(len(self._source.states[node]) for node in axes)
        return np.broadcast_to(_aligned(own, values, axes), shape).copy()

    def _value(self, term: Term) -> tuple[Axes, Floats]:
        match term:
            case Probability():
                return self._product((term,))
            case Product(factors):
                return self._product(factors)
            case Sum(over, body):
                axes, values = self._value(body)
                gone = tuple(place for place, node in enumerate(axes) if node in over)
                return tuple(node for node in axes if node not in over), values.sum(axis=gone)
            case Ratio(top, bottom):
                return self._ratio(top, bottom)

    def _product(self, factors: Sequence[Term]) -> tuple[Axes, Floats]:
        held = [self._probability(one) if isinstance(one, Probability) else self._value(one) for one in factors]
        axes = self._sorted({node for own, _ in held for node in own})
        cells = prod(len(self._source.states[node]) for node in axes)
        if cells > MOST_CELLS:
            raise TooLargeError(f"a formula of {len(axes)} variables needs {cells:,} cells; at most {MOST_CELLS:,} fit")
        parts = [_aligned(own, values, axes) for own, values in held]
        out = np.ones((1,) * len(axes))
        is_zero = np.zeros((1,) * len(axes), dtype=bool)
        for part in parts:
            out = out * part
            is_zero = is_zero | (part == 0)
        out = np.where(is_zero, 0.0, out)
        for factor, part in zip(factors, parts, strict=True):
            if isinstance(factor, Probability):
                self._note(factor, np.isnan(part) & np.isnan(out), axes)
        return axes, out

    def _ratio(self, top: Term, bottom: Term) -> tuple[Axes, Floats]:
        (above, one), (below, other) = self._value(top), self._value(bottom)
        axes = self._sorted({*above, *below})
        divisor = _aligned(below, other, axes)
        return axes, _aligned(above, one, axes) / np.where(divisor == 0, np.nan, divisor)

    def _probability(self, term: Probability) -> tuple[Axes, Floats]:
        of, given = self._sorted(term.of), self._sorted(term.given)
        return (*given, *of), self._source.conditional(of, given)

    def _note(self, term: Probability, lacking: AnyArray, axes: Axes) -> None:
        given = self._sorted(term.given)
        others = tuple(place for place, node in enumerate(axes) if node not in term.given)
        cells = lacking.any(axis=others)
        if cells.any():
            shape = tuple(len(self._source.states[node]) for node in given)
            self.unsupported[given] = self.unsupported.get(given, np.zeros(shape, dtype=bool)) | cells

    def _sorted(self, nodes: set[Node] | frozenset[Node]) -> Axes:
        return tuple(sorted(nodes, key=self._rank.__getitem__))


def _aligned(own: Axes, values: Floats, axes: Axes) -> Floats:
    """The table with its axes in the order of ``axes`` and length 1 where it has none."""
    turned = values.transpose([own.index(node) for node in axes if node in own])
    return turned[tuple(slice(None) if node in own else None for node in axes)]
