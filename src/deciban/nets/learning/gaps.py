"""Expected counts of rows with gaps: each family's table as if every row were shared out to its completions.

    E[n_jk] = Σ_rows w·P(family = jk | what the row shows)

A family is whole in most rows; those are counted once. What is missing in a row falls into parts that the observed
nodes separate: nodes that are missing, linked where a family holds both. Only the values beside a part matter to it,
so all rows that agree there are computed together, whatever else they hold. ``reference.py`` has the readable twin.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from deciban.errors import TooLargeError
from deciban.nets.base import Node
from deciban.nets.bits import bits
from deciban.nets.graph import DAG
from deciban.nets.learning.buckets import Bucket, make_buckets, propagate
from deciban.nets.learning.families import FamilyTally, families_of
from deciban.nets.learning.sample import NetSample
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["ExpectedCounts", "grouped_rows"]

_MOST_CELLS = 1 << 24
"""Entries that a table of missing nodes may have."""

_CHUNK = 1 << 21


class ExpectedCounts:
    """Called with a table for each node it gives the expected counts of all families, and the log-likelihood."""

    def __init__(self, dag: DAG, sample: NetSample, whole: FamilyTally) -> None:
        self._whole = [whole.counts[node].astype(np.float64) for node in dag.nodes]
        self._parts = list(_parts(dag, sample))

    @property
    def has_gaps(self) -> bool:
        """Whether a value is missing anywhere."""
        return bool(self._parts)

    def __call__(self, tables: Sequence[Floats]) -> tuple[list[Floats], float]:
        counts = [table.copy() for table in self._whole]
        likelihood = sum(_xlogy(n, p) for n, p in zip(self._whole, tables, strict=True))
        for part in self._parts:
            likelihood += part.add(tables, counts)
        return counts, likelihood


@dataclass(frozen=True, eq=False)
class _Touch:
    """A family that a part touches.

    Its axes, the observed ones first; the observed cell of each row; and which of the part's nodes the others are.
    """

    family: int
    axes: tuple[int, ...]
    seen: Ints
    inside: tuple[int, ...]

    def likelihood(self, table: Floats, bucket: Bucket, rows: slice) -> Floats:
        """P(node | parents) for each row and each completion, with an axis of 1 for each node that is no member."""
        shape = bucket.shape_of(self.inside)
        return table.transpose(self.axes).reshape(-1, prod(shape))[self.seen[rows]].reshape(-1, *shape)

    def add(self, belief: Floats, out: Floats, bucket: Bucket, rows: slice) -> None:
        """Add what each completion counts for to the family's table."""
        amounts = belief.sum(axis=bucket.axes_without(self.inside)).reshape(len(belief), -1)
        cells = self.seen[rows, None] * amounts.shape[1] + np.arange(amounts.shape[1])
        moved = out.transpose(self.axes)
        moved += np.bincount(cells.ravel(), amounts.ravel(), out.size).reshape(moved.shape)


@dataclass(frozen=True, eq=False)
class _Part:
    """Missing nodes that hang together, the families they are in, and the rows that look alike around them."""

    buckets: tuple[Bucket, ...]
    touches: tuple[_Touch, ...]
    weights: Floats

    def add(self, tables: Sequence[Floats], counts: Sequence[Floats]) -> float:
        """Add the expected counts of these rows; gives Σ w·log of what their families multiply to."""
        step = max(1, _CHUNK // sum(bucket.cells for bucket in self.buckets))
        chunks = (slice(begin, begin + step) for begin in range(0, len(self.weights), step))
        return sum(self._add_rows(tables, counts, rows) for rows in chunks)

    def _add_rows(self, tables: Sequence[Floats], counts: Sequence[Floats], rows: slice) -> float:
        weights = self.weights[rows]
        factors = [
            [self.touches[place].likelihood(tables[self.touches[place].family], bucket, rows) for place in bucket.held]
            for bucket in self.buckets
        ]
        beliefs, total = propagate(self.buckets, factors, len(weights))
        for bucket, belief in zip(self.buckets, beliefs, strict=True):
            shares = belief * weights.reshape(-1, *[1] * len(bucket.scope))
            for place in bucket.held:
                self.touches[place].add(shares, counts[self.touches[place].family], bucket, rows)
        return float((weights[weights > 0] * total[weights > 0]).sum())


def grouped_rows(codes: Codes, sizes: Sequence[int], weights: Floats) -> tuple[Codes, Floats]:
    """The distinct columns of nodes × rows of codes from −1 on, in order, and the weight of each."""
    keys, reach = np.zeros(codes.shape[1], dtype=np.int64), 1
    for column, size in zip(codes, sizes, strict=True):
        if reach * (size + 1) >= 1 << 62:
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
            reach = len(keys)
        keys = keys * (size + 1) + (column + 1)
        reach *= size + 1
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return codes[:, first], np.bincount(inverse, weights, len(first)).astype(np.float64)


def _parts(dag: DAG, sample: NetSample) -> Iterator[_Part]:
    gapped = (sample.codes < 0).any(axis=0)
    weights = np.ones(sample.rows) if sample.weights is None else sample.weights
    sizes = [len(sample.states[node].values) for node in dag.nodes]
    codes, weights = grouped_rows(sample.codes[:, gapped], sizes, weights[gapped])
    families = families_of(dag)
    masks = [sum(1 << member for member in family) for family in families]
    for mask, rows in sorted(_rows_by_part(families, codes).items()):
        inside = tuple(bits(mask))
        touched = [place for place, members in enumerate(masks) if members & mask]
        beside = sorted({member for place in touched for member in families[place]} - set(inside))
        alike, weight = grouped_rows(codes[beside][:, rows], [sizes[place] for place in beside], weights[rows])
        around = dict(zip(beside, alike, strict=True))
        touches = tuple(_touch(place, families[place], inside, around, sizes, len(weight)) for place in touched)
        buckets = make_buckets([sizes[place] for place in inside], [touch.inside for touch in touches])
        _check_part(dag.nodes, inside, max(bucket.cells for bucket in buckets))
        yield _Part(buckets, touches, weight)


def _touch(
    place: int,
    family: Sequence[int],
    inside: Sequence[int],
    around: dict[int, AnyArray],
    sizes: Sequence[int],
    rows: int,
) -> _Touch:
    seen = [axis for axis, member in enumerate(family) if member not in inside]
    lost = sorted((axis for axis, member in enumerate(family) if member in inside), key=lambda axis: family[axis])
    cell = np.zeros(rows, dtype=np.int64)
    for axis in seen:
        cell = cell * sizes[family[axis]] + around[family[axis]]
    return _Touch(place, (*seen, *lost), cell, tuple(inside.index(family[axis]) for axis in lost))


def _rows_by_part(families: Sequence[Sequence[int]], codes: Codes) -> dict[int, Ints]:
    """For each set of missing nodes that hang together, as a mask, the rows in which it is such a set."""
    linked = [0] * len(families)
    for family in families:
        mask = sum(1 << member for member in family)
        for member in family:
            linked[member] |= mask
    rows_of: dict[bytes, list[int]] = defaultdict(list)
    for row, pattern in enumerate(np.packbits(codes < 0, axis=0, bitorder="little").T):
        rows_of[pattern.tobytes()].append(row)
    found: dict[int, list[int]] = defaultdict(list)
    for pattern, rows in rows_of.items():
        for part in _connected(int.from_bytes(pattern, "little"), linked):
            found[part].extend(rows)
    return {part: np.array(rows, dtype=np.int64) for part, rows in found.items()}


def _connected(missing: int, linked: Sequence[int]) -> Iterator[int]:
    while missing:
        part, new = 0, missing & -missing
        while new:
            part |= new
            reached = 0
            for node in bits(new):
                reached |= linked[node]
            new = reached & missing & ~part
        missing &= ~part
        yield part


def _check_part(nodes: Sequence[Node], inside: Sequence[int], cells: int) -> None:
    if cells > _MOST_CELLS:
        shown = ", ".join(str(nodes[place]) for place in inside[:6]) + (", …" if len(inside) > 6 else "")
        raise TooLargeError(
            f"in some rows {len(inside)} linked nodes are missing together ({shown}), which needs tables of {cells:,} "
            f"entries, more than the limit of {_MOST_CELLS:,}. Leave out such rows, or pass missing='available'."
        )


def _xlogy(x: Floats, y: Floats) -> float:
    """Σ x·log y, where 0·log 0 is 0."""
    with np.errstate(divide="ignore"):
        terms = np.log(y, out=np.zeros(y.shape), where=x > 0)
    return float((x * terms).sum()) if not np.isneginf(terms).any() else -np.inf
