"""What separates pairs of nodes: of each the set and the values of its test, compactly.

A thousand variables have half a million pairs, nearly all without an edge. As objects their sets take gigabytes; here
they are rows of arrays, and become objects when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from deciban.nets.independence.independence_test import Values
from deciban.types import AnyArray, Floats, Ints

__all__ = ["IndexPair", "SeparatingSet", "Separations"]

IndexPair = tuple[int, int]
"""Two nodes by index, the smaller first."""


class SeparatingSet(NamedTuple):
    """What takes an edge out: the set given, and the values of its test."""

    given: tuple[int, ...]
    values: Values

    @property
    def p(self) -> float:
        return self.values[3]

    def is_sure(self, rows_per_degree: float) -> bool:
        """Whether the data, not the rule for tests without a verdict, made the two independent."""
        _, df, rows, _ = self.values
        return rows >= rows_per_degree * df and (df > 0 or not self.given)


@dataclass(frozen=True)
class Separations(Mapping[IndexPair, SeparatingSet]):
    """The separating sets of pairs; of several blocks that have the same pair, the first counts."""

    blocks: tuple[_Block, ...] = ()

    @classmethod
    def of(cls, found: Mapping[IndexPair, SeparatingSet]) -> Separations:
        """The same as arrays."""
        blocks = []
        for size in sorted({len(one.given) for one in found.values()}):
            pairs = sorted(pair for pair, one in found.items() if len(one.given) == size)
            x, y = np.array(pairs, dtype=np.int64).T
            sets = np.array([found[pair].given for pair in pairs], dtype=np.int32).reshape(len(pairs), size)
            blocks.append(_Block(x << 32 | y, sets, np.array([found[pair].values for pair in pairs])))
        return cls(tuple(blocks))

    @classmethod
    def of_level(cls, x: AnyArray, y: AnyArray, sets: AnyArray, values: Floats) -> Separations:
        """Those of one level of the core, in the order of their pairs."""
        return cls((_Block(x.astype(np.int64) << 32 | y, sets, values),)) if len(x) else cls()

    @classmethod
    def weakest(cls, levels: Sequence[Separations]) -> Separations:
        """For each pair the one with the largest p, the first of equal ones."""
        blocks = [block for level in levels for block in level.blocks]
        if not blocks:
            return cls()
        keys = np.concatenate([block.keys for block in blocks])
        p = np.concatenate([block.values[:, 3] for block in blocks])
        order = np.lexsort((-p, keys))  # it is stable, so of equal ones the first comes first
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = keys[order][1:] != keys[order][:-1]
        chosen = np.zeros(len(order), dtype=bool)
        chosen[order[is_first]] = True
        ends = np.cumsum([len(block.keys) for block in blocks])[:-1]
        parts = zip(blocks, np.split(chosen, ends), strict=True)
        return cls(tuple(block.where(mask) for block, mask in parts))

    @property
    def p(self) -> Floats:
        """All p, in no order."""
        return np.concatenate([np.zeros(0), *(block.values[:, 3] for block in self.blocks)])

    def above(self, limit: float) -> Separations:
        """Those with p > limit."""
        return Separations(tuple(block.where(block.values[:, 3] > limit) for block in self.blocks))

    def among(self, adjacent: AnyArray) -> Separations:
        """Those of adjacent pairs."""
        return Separations(tuple(block.where(adjacent[block.ends]) for block in self.blocks))

    def only(self, pairs: Sequence[IndexPair]) -> dict[IndexPair, SeparatingSet]:
        """Those of some pairs, as objects."""
        wanted = np.array([x << 32 | y for x, y in pairs], dtype=np.int64)
        found: dict[IndexPair, SeparatingSet] = {}
        for block in reversed([block for block in self.blocks if len(block.keys)]):
            at = np.minimum(block.keys.searchsorted(wanted), len(block.keys) - 1)
            found.update(Separations((block.where(at[block.keys[at] == wanted]),)).rows())
        return found

    def unsure(self, rows_per_degree: float) -> Separations:
        """Those that ``SeparatingSet.is_sure`` denies."""
        blocks = []
        for block in self.blocks:
            _, df, rows, _ = block.values.T
            is_sure = (rows >= rows_per_degree * df) & ((df > 0) | (block.sets.shape[1] == 0))
            blocks.append(block.where(~is_sure))
        return Separations(tuple(blocks))

    def taken_from(self, adjacent: AnyArray) -> AnyArray:
        """A copy of a matrix of edges without these pairs."""
        left = adjacent.copy()
        for x, y in (block.ends for block in self.blocks):
            left[x, y] = left[y, x] = False
        return left

    def __add__(self, other: Separations) -> Separations:
        return Separations(self.blocks + other.blocks)

    def __getitem__(self, pair: IndexPair) -> SeparatingSet:
        key = pair[0] << 32 | pair[1]
        for block in self.blocks:
            at = int(block.keys.searchsorted(key))
            if at < len(block.keys) and block.keys[at] == key:
                return SeparatingSet(tuple(block.sets[at].tolist()), tuple(block.values[at].tolist()))
        raise KeyError(pair)

    def rows(self) -> Iterator[tuple[IndexPair, SeparatingSet]]:
        """What ``items`` has, without a search for each pair."""
        for block in self.blocks:
            pairs, rest = zip(*map(np.ndarray.tolist, block.ends), strict=True), (block.sets, block.values)
            for pair, given, values in zip(pairs, *map(np.ndarray.tolist, rest), strict=True):
                yield pair, SeparatingSet(tuple(given), tuple(values))

    def __iter__(self) -> Iterator[IndexPair]:
        for x, y in (block.ends for block in self.blocks):
            yield from zip(x.tolist(), y.tolist(), strict=True)

    def __len__(self) -> int:
        return sum(len(block.keys) for block in self.blocks)


class _Block(NamedTuple):
    """Pairs with sets of one size, a row for each: x·2³² + y in increasing order, the sets, and the values."""

    keys: Ints
    sets: AnyArray
    values: Floats

    def where(self, rows: AnyArray) -> _Block:
        return _Block(self.keys[rows], self.sets[rows], self.values[rows])

    @property
    def ends(self) -> tuple[Ints, Ints]:
        return self.keys >> 32, self.keys & 0xFFFFFFFF
