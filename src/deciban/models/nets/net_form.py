"""The structure of a net that classifies: which columns the class and each column depend on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deciban import nets
from deciban.errors import ColumnMismatchError
from deciban.models.form import Form
from deciban.types import AnyArray

__all__ = ["Families", "NetForm"]


@dataclass(frozen=True)
class Families:
    """The parents of the class and of each column, as indices, and which columns are children of the class."""

    target: str
    of_class: tuple[int, ...]
    of_columns: tuple[tuple[int, ...], ...]
    under_class: tuple[bool, ...]

    @classmethod
    def of(cls, dag: nets.DAG, names: tuple[str, ...], target: str) -> Families:
        """Read a graph of the class and some columns; columns that it does not name have no edges."""
        unknown = [node for node in dag.nodes if node != target and node not in names]
        if unknown or target not in dag.nodes:
            raise ColumnMismatchError(
                f"the nodes of the structure are the class, {target!r}, and columns; it has "
                f"{', '.join(map(repr, dag.nodes))}, and the columns are {', '.join(names)}. Name its class in target."
            )
        index = {name: i for i, name in enumerate(names)}
        parents = [dag.parents(name) if name in dag.nodes else frozenset() for name in names]
        return cls(
            target,
            tuple(sorted(index[str(name)] for name in dag.parents(target))),
            tuple(tuple(sorted(index[str(up)] for up in ups if up != target)) for ups in parents),
            tuple(target in ups for ups in parents),
        )

    def dag(self, names: tuple[str, ...]) -> nets.DAG:
        """The graph with all columns."""
        edges = [(names[up], names[i]) for i, ups in enumerate(self.of_columns) for up in ups]
        edges += [(self.target, names[i]) for i, is_under in enumerate(self.under_class) if is_under]
        edges += [(names[up], self.target) for up in self.of_class]
        return nets.DAG(edges, [self.target, *names])

    def sets(self) -> AnyArray:
        """The sets of columns that are counted: the parents of the class; then each column after its own parents."""
        sets = [self.of_class, *((*ups, i) for i, ups in enumerate(self.of_columns))]
        out = np.full((len(sets), max(map(len, sets))), -1, dtype=np.int32)
        for row, columns in zip(out, sets, strict=True):
            row[: len(columns)] = columns
        return out


@dataclass(frozen=True)
class NetForm(Form):
    """The form of the data, and the structure that was given or found."""

    families: Families | None = None
