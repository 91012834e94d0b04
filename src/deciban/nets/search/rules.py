"""The constraints of a search: required and forbidden arrows, and the largest number of parents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Protocol

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import CycleError, ParameterError
from deciban.nets.graphs.graph import Edge, Node, cycle_in_words
from deciban.types import AnyArray

__all__ = ["KnowledgeLike", "Rules"]


class KnowledgeLike(Protocol):
    """Required and forbidden arrows as pairs (parent, child); it may also have `tiers`, the earliest first."""

    @property
    def required(self) -> Collection[Edge]: ...
    @property
    def forbidden(self) -> Collection[Edge]: ...


@dataclass(frozen=True)
class Rules:
    """For each variable its required and forbidden parents, as bit masks."""

    required: tuple[int, ...]
    forbidden: tuple[int, ...]
    most: int

    @classmethod
    def of(cls, names: Sequence[Node], knowledge: KnowledgeLike | None, max_parents: int | None) -> Rules:
        """Read knowledge by name; a contradiction is an error."""
        most = _most_parents(len(names), max_parents)
        if knowledge is None:
            return cls((0,) * len(names), (0,) * len(names), most)
        required = _masks(names, knowledge.required, "required")
        forbidden = _masks(names, [*knowledge.forbidden, *_against_tiers(knowledge)], "forbidden")
        rules = cls(tuple(required), tuple(forbidden), most)
        rules._check(names)
        return rules

    def _check(self, names: Sequence[Node]) -> None:
        for child, (must, must_not) in enumerate(zip(self.required, self.forbidden, strict=True)):
            for parent, name in enumerate(names):
                if must & must_not & 1 << parent:
                    raise ParameterError(f"knowledge both requires and forbids {name} → {names[child]}: drop one.")
            if must.bit_count() > self.most:
                raise ParameterError(
                    f"knowledge requires {must.bit_count()} parents of {names[child]!r}; max_parents is {self.most}."
                )
        if cycle := cycle_in_words(names, self.required):
            raise CycleError(f"the required arrows form the cycle {cycle}: leave one out.")

    @property
    def is_free(self) -> bool:
        """Whether no arrow is required or forbidden."""
        return not any(self.required) and not any(self.forbidden)

    def allowed(self) -> AnyArray:
        """The matrix [parent, child] of the arrows that may be."""
        return ~_matrix(self.forbidden) & ~np.eye(len(self.forbidden), dtype=bool)

    def fixed(self) -> AnyArray:
        """The matrix [parent, child] of the arrows that must be."""
        return _matrix(self.required)


def _matrix(masks: Sequence[int]) -> AnyArray:
    count = len(masks)
    return np.array([[mask >> parent & 1 for mask in masks] for parent in range(count)], dtype=bool).reshape(count, -1)


def _masks(names: Sequence[Node], pairs: Collection[Edge], what: str) -> list[int]:
    index = {name: i for i, name in enumerate(names)}
    masks = [0] * len(names)
    for parent, child in pairs:
        for name in (parent, child):
            if name not in index:
                raise ParameterError(
                    f"knowledge names {name!r} in a {what} arrow, which is not a column.{did_you_mean(name, names)}"
                )
        if parent == child:
            raise ParameterError(f"knowledge has the {what} arrow {parent} → {child}, from a variable to itself.")
        masks[index[child]] |= 1 << index[parent]
    return masks


def _against_tiers(knowledge: KnowledgeLike) -> Iterator[Edge]:
    """The arrows that would lead from a later tier to an earlier one."""
    for earlier, later in combinations(getattr(knowledge, "tiers", ()), 2):
        yield from product(later, earlier)


def _most_parents(count: int, max_parents: int | None) -> int:
    if max_parents is None:
        return max(count - 1, 0)
    if isinstance(max_parents, bool) or not isinstance(max_parents, int | np.integer) or max_parents < 0:
        raise ParameterError(f"max_parents is a number of parents, 0 or more, or None; not {max_parents!r}.")
    return min(int(max_parents), max(count - 1, 0))
