"""The columns of a model as inputs of a graph.

A column of a frame is an input of its own, with one value a row; a matrix is one input, ``X``. Numbers are doubles;
labels are strings, whole numbers or booleans, as they were in fit. ONNX has no nulls:

- NaN is a missing number; so is an infinite one, for which `predict` raises an error;
- the empty string is a missing label, unless it is a label of the column;
- whole numbers and booleans cannot be missing: a column of them that had missing values in fit is passed as doubles;
- what `na_values` lists is missing, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from deciban.errors import ParameterError
from deciban.estimate.columns.values import Markers
from deciban.models.export.onnx.graph import Graph, Kind
from deciban.read import MISSING_LABEL, Variable
from deciban.read.objects import EXACT

__all__ = ["Columns", "Numbers", "common_kind", "kind_of_labels"]

_LARGEST = float(np.finfo(np.float64).max)
_LARGEST_INT = int(np.iinfo(np.int64).max)
_MATRIX = "X"


class Numbers(NamedTuple):
    """The numbers of some columns, rows × columns, 0 where they are missing; and which of them are known."""

    values: str
    known: str


class Columns:
    """The inputs of a graph.

    Parameters
    ----------
    graph : the graph, which has no nodes yet
    names : the names of all columns of the model
    kinds : the types of the columns; None for a column that the model ignores
    is_matrix : whether all columns are one input, which then has one type
    markers : the values that stand for missing ones
    """

    def __init__(
        self,
        graph: Graph,
        names: Sequence[str],
        kinds: Sequence[Kind | None],
        *,
        is_matrix: bool,
        markers: Markers = frozenset(),
    ) -> None:
        self.graph, self.names, self._kinds, self._is_matrix = graph, names, kinds, is_matrix
        used = [(name, kind) for name, kind in zip(names, kinds, strict=True) if kind is not None]
        if not used:
            raise ParameterError("the model uses no column: its posterior is the prior, and there is no graph to make.")
        if is_matrix:
            graph.input(_MATRIX, used[0][1], len(names))
        else:
            for name, kind in used:
                graph.input(name, kind, 1)
        self._read: dict[tuple[int, ...], Numbers] = {}
        self._texts = [marker for marker in markers if isinstance(marker, str)]
        self._numbers = sorted(float(m) for m in markers if isinstance(m, Real) and not isinstance(m, bool))

    def numbers(self, indices: Sequence[int]) -> Numbers:
        """The numbers of some columns."""
        if tuple(indices) not in self._read:
            self._read[tuple(indices)] = self._numbers_of(indices)
        return self._read[tuple(indices)]

    def _numbers_of(self, indices: Sequence[int]) -> Numbers:
        graph, x = self.graph, self._tensor(indices)
        known = graph.add("LessOrEqual", graph.add("Abs", x), _LARGEST)
        for marker in self._numbers:
            known = graph.add("And", known, graph.add("Not", graph.add("Equal", x, marker)))
        return Numbers(graph.add("Where", known, x, 0.0), known)

    def rows_of_labels(self, i: int, rows: Mapping[Any, int], *, unseen: int, missing: int) -> str:
        """The row of a table that belongs to each label of a column: rows × 1."""
        graph, kind = self.graph, self._kinds[i]
        if kind == "double":
            x = self.numbers([i])
            return graph.add("Where", x.known, graph.encode(x.values, kind, dict(rows), unseen), missing)
        if kind == "string":
            marked = dict.fromkeys(["", *self._texts], missing)
            return graph.encode(self._tensor([i]), kind, marked | dict(rows), unseen)
        keys = {int(marker): missing for marker in self._numbers if marker.is_integer()}
        keys |= {int(label): row for label, row in rows.items()}
        return graph.encode(graph.as_integers(self._tensor([i])), "int64", keys, unseen)

    def _tensor(self, indices: Sequence[int]) -> str:
        """Some columns in one tensor: rows × columns."""
        if not self._is_matrix:
            return self.graph.beside([self.names[i] for i in indices])
        if list(indices) == list(range(len(self.names))):
            return _MATRIX
        return self.graph.add("Gather", _MATRIX, np.array(indices), axis=1)


def kind_of_labels(variable: Variable) -> Kind:
    """The type of an input with these labels.

    >>> (
    ...     kind_of_labels(Variable.of("sky", ["sun", "rain"])),
    ...     kind_of_labels(Variable.of("doors", [2, 4])),
    ... )
    ('string', 'int64')
    """
    labels = variable.labels.tolist()
    known = [label for label in labels if label != MISSING_LABEL]
    if all(isinstance(label, str) for label in known):
        return "string"
    has_missing = len(known) < len(labels)
    if all(isinstance(label, bool) for label in known):
        return "double" if has_missing else "bool"
    if not all(isinstance(label, int | float) and not isinstance(label, bool) for label in known):
        kinds = ", ".join(sorted({type(label).__name__ for label in known}))
        raise ParameterError(
            f"column {variable.name!r} has labels of type {kinds}: ONNX has strings, numbers and booleans, one type a "
            "column. Convert them to strings before fit."
        )
    largest = max(abs(label) for label in known)
    if any(isinstance(label, float) for label in known) or (has_missing and largest <= EXACT):
        return "double"
    if has_missing or largest > _LARGEST_INT:
        raise ParameterError(f"column {variable.name!r} has the label {largest}, which is too large for ONNX.")
    return "int64"


def common_kind(kinds: Sequence[Kind | None]) -> Kind | None:
    """The type of a matrix with columns of these types: doubles for numbers of several types; None if there is none."""
    found = {kind for kind in kinds if kind is not None}
    if len(found) == 1:
        return next(iter(found))
    return "double" if "string" not in found else None
