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
from deciban.estimate.closed_form import ClosedForm, NamedFormula
from deciban.estimate.likelihood import Formula, Labels, StateLogs
from deciban.export.onnx.graph import Graph, Kind
from deciban.read import EXACT

__all__ = ["Columns", "Numbers", "kind_of_labels"]


_LARGEST = float(np.finfo(np.float64).max)
_LARGEST_INT = int(np.iinfo(np.int64).max)
_MATRIX = "X"


class Numbers(NamedTuple):
    """The numbers of some columns, rows × columns, 0 where they are missing; and which of them are known."""

    values: str
    known: str


class Columns:
    """The inputs of a graph, by the indices of the formulas; several formulas may read one input."""

    def __init__(self, graph: Graph, form: ClosedForm) -> None:
        if not form.columns:
            raise ParameterError("the model uses no column: its posterior is the prior, and there is no graph to make.")
        self.graph = graph
        self.formulas: list[Formula] = [column.formula for column in form.columns]
        self._names, matrix = [column.name for column in form.columns], form.matrix
        are_doubles = matrix is not None and matrix.are_doubles
        self._kinds = [_kind_of(column, are_doubles=are_doubles) for column in form.columns]
        common = None if matrix is None else _common_kind(set(self._kinds))
        self._width, self._places = 0, [0] * len(form.columns)
        if matrix is not None and common is not None:
            place_of = {name: place for place, name in enumerate(matrix.names)}
            self._width, self._places = len(matrix.names), [place_of[name] for name in self._names]
            self._kinds = [common] * len(self._kinds)
            graph.input(_MATRIX, common, self._width)
        else:
            for name, kind in dict(zip(self._names, self._kinds, strict=True)).items():
                graph.input(name, kind, 1)
        markers = frozenset().union(*(column.markers for column in form.columns))
        self._texts = [marker for marker in markers if isinstance(marker, str)]
        self._numbers = sorted(float(m) for m in markers if isinstance(m, Real) and not isinstance(m, bool))
        self._read: dict[tuple[str, ...], Numbers] = {}

    def name(self, i: int) -> str:
        """The name of the input of the i-th formula."""
        return self._names[i]

    def numbers(self, indices: Sequence[int]) -> Numbers:
        """The numbers of some columns, which have different inputs."""
        key = tuple(self._names[i] for i in indices)
        if key not in self._read:
            graph, x = self.graph, self._tensor(indices)
            known = graph.add("LessOrEqual", graph.add("Abs", x), _LARGEST)
            for marker in self._numbers:
                known = graph.add("And", known, graph.add("Not", graph.add("Equal", x, marker)))
            self._read[key] = Numbers(graph.add("Where", known, x, 0.0), known)
        return self._read[key]

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
        if not self._width:
            return self.graph.beside([self._names[i] for i in indices])
        places = [self._places[i] for i in indices]
        if places == list(range(self._width)):
            return _MATRIX
        return self.graph.add("Gather", _MATRIX, np.array(places), axis=1)


def kind_of_labels(name: str, states: Labels) -> Kind:
    """The type of an input with these labels.

    >>> kind_of_labels("sky", Labels(["sun", "rain"])), kind_of_labels("doors", Labels([2, 4]))
    ('string', 'int64')
    """
    known = list(states.known())
    if all(isinstance(label, str) for label in known):
        return "string"
    if all(isinstance(label, bool) for label in known):
        return "double" if states.has_missing else "bool"
    if not all(isinstance(label, int | float) and not isinstance(label, bool) for label in known):
        kinds = ", ".join(sorted({type(label).__name__ for label in known}))
        raise ParameterError(
            f"column {name!r} has labels of type {kinds}: ONNX has strings, numbers and booleans, one type a column. "
            "Convert them to strings before fit."
        )
    largest = max(abs(label) for label in known)
    if any(isinstance(label, float) for label in known) or (states.has_missing and largest <= EXACT):
        return "double"
    if states.has_missing or largest > _LARGEST_INT:
        raise ParameterError(f"column {name!r} has the label {largest}, which is too large for ONNX.")
    return "int64"


def _kind_of(column: NamedFormula, *, are_doubles: bool) -> Kind:
    states = column.formula.states if isinstance(column.formula, StateLogs) else None
    if not isinstance(states, Labels) or states.is_dense:
        return "double"
    kind = kind_of_labels(column.name, states)
    is_exact = kind == "int64" and max(map(abs, states.known())) <= EXACT
    return "double" if are_doubles and (is_exact or kind == "bool") else kind


def _common_kind(kinds: set[Kind]) -> Kind | None:
    """The type of a matrix with columns of these types: doubles for numbers of several types; None if there is none."""
    if len(kinds) == 1:
        return next(iter(kinds))
    return "double" if "string" not in kinds else None
