"""Counting the families of a net: the door to the core. ``tests/reference/learning.py`` has the readable twin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deciban import _core
from deciban.nets.data.samples import CodedSample
from deciban.nets.graphs.graph import DAG
from deciban.nets.learning.families import FamilyTally, families_of
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["count_families", "tally_families"]


def tally_families(dag: DAG, sample: CodedSample) -> FamilyTally:
    """Count each family on the rows where it is whole, and each node on the rows where it has a value."""
    families = families_of(dag)
    sizes = np.array([len(sample.states[node]) for node in dag.nodes], dtype=np.int64)
    alone = [(index,) for index in range(len(dag.nodes))]
    tables = count_families(sample.codes, sizes, [*families, *alone], sample.sample_weight)
    counts = dict(zip(dag.nodes, tables[: len(families)], strict=True))
    totals = dict(zip(dag.nodes, tables[len(families) :], strict=True))
    return FamilyTally(dag, sample.states, counts, totals, sample.total)


def count_families(
    codes: Codes, sizes: Ints, families: Sequence[Sequence[int]], weights: Floats | None
) -> list[AnyArray]:
    """For each family a table with an axis for each member: integers, or floats where rows have weights.

    A column may have no states, where all its values are missing.
    """
    if not sizes.all():
        held = count_families(codes, np.maximum(sizes, 1), families, weights)
        return [
            table[tuple(slice(size) for size in sizes[list(family)])]
            for table, family in zip(held, families, strict=True)
        ]
    starts = np.zeros(len(families) + 1, dtype=np.int64)
    np.cumsum([len(family) for family in families], out=starts[1:])
    members = np.array([index for family in families for index in family], dtype=np.int32)
    cells = _core.count_families(codes, sizes, starts, members, weights)
    shapes = [tuple(sizes[list(family)].tolist()) for family in families]
    ends = np.cumsum([int(np.prod(shape, dtype=np.int64)) for shape in shapes])[:-1]
    return [part.reshape(shape) for part, shape in zip(np.split(cells, ends), shapes, strict=True)]
