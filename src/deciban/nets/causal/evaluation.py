"""The value of a formula: each term becomes a table with an axis for each of its free variables.

P(a | b) is undefined if P(b) = 0. A factor that is multiplied by 0 does not matter, so

  Σ_z P(y | x, z) P(z)

is defined if every z with P(z) > 0 also occurs with x: this is *positivity*. Undefined cells are NaN within this
module; those that reach a sum are recorded, so that an ``Effect`` can list them.
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
"""The most cells of a table: 1 GB of doubles."""

Axes = tuple[Node, ...]


class Source(Protocol):
    """A source of P(of | given) for observed variables."""

    @property
    def states(self) -> Mapping[Node, tuple[State, ...]]: ...

    def conditional(self, of: Axes, given: Axes) -> Floats:
        """An axis for each variable of ``given``, then for each of ``of``; NaN if ``given`` has probability 0."""
        ...


class Evaluation:
    """Terms as tables, and the conditions that are needed and have probability 0.

    ``unsupported`` has these cells of b for each P(a | b).
    """

    def __init__(self, source: Source, order: Sequence[Node]) -> None:
        self._source = source
        self._rank = {node: index for index, node in enumerate(order)}
        self.unsupported: dict[Axes, AnyArray] = {}

    def table(self, term: Term, axes: Axes) -> Floats:
        """The value of a term, with these axes; constant along those that it does not depend on."""
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
                summed = tuple(index for index, node in enumerate(axes) if node in over)
                return tuple(node for node in axes if node not in over), values.sum(axis=summed)
            case Ratio(top, bottom):
                return self._ratio(top, bottom)

    def _product(self, factors: Sequence[Term]) -> tuple[Axes, Floats]:
        tables = [self._probability(one) if isinstance(one, Probability) else self._value(one) for one in factors]
        axes = self._sorted({node for own, _ in tables for node in own})
        cells = prod(len(self._source.states[node]) for node in axes)
        if cells > MOST_CELLS:
            raise TooLargeError(f"a formula of {len(axes)} variables needs {cells:,} cells, more than {MOST_CELLS:,}")
        parts = [_aligned(own, values, axes) for own, values in tables]
        out = np.ones((1,) * len(axes))
        is_zero = np.zeros((1,) * len(axes), dtype=bool)
        for part in parts:
            out = out * part
            is_zero = is_zero | (part == 0)
        out = np.where(is_zero, 0.0, out)
        for factor, part in zip(factors, parts, strict=True):
            if isinstance(factor, Probability):
                self._record(factor, np.isnan(part) & np.isnan(out), axes)
        return axes, out

    def _ratio(self, top: Term, bottom: Term) -> tuple[Axes, Floats]:
        (top_axes, numerator), (bottom_axes, denominator) = self._value(top), self._value(bottom)
        axes = self._sorted({*top_axes, *bottom_axes})
        divisor = _aligned(bottom_axes, denominator, axes)
        return axes, _aligned(top_axes, numerator, axes) / np.where(divisor == 0, np.nan, divisor)

    def _probability(self, term: Probability) -> tuple[Axes, Floats]:
        of, given = self._sorted(term.of), self._sorted(term.given)
        return (*given, *of), self._source.conditional(of, given)

    def _record(self, term: Probability, undefined: AnyArray, axes: Axes) -> None:
        given = self._sorted(term.given)
        others = tuple(index for index, node in enumerate(axes) if node not in term.given)
        cells = undefined.any(axis=others)
        if cells.any():
            shape = tuple(len(self._source.states[node]) for node in given)
            self.unsupported[given] = self.unsupported.get(given, np.zeros(shape, dtype=bool)) | cells

    def _sorted(self, nodes: set[Node] | frozenset[Node]) -> Axes:
        return tuple(sorted(nodes, key=self._rank.__getitem__))


def _aligned(own: Axes, values: Floats, axes: Axes) -> Floats:
    """The table with its axes in the order of ``axes`` and length 1 for the others."""
    transposed = values.transpose([own.index(node) for node in axes if node in own])
    return transposed[tuple(slice(None) if node in own else None for node in axes)]
