"""An ONNX graph under construction: inputs, constants, nodes and outputs, each known by the name of its tensor.

The operators are those of opset 13, and LabelEncoder of opset 2 of ONNX-ML, so that old runtimes can run the graph;
labels that are doubles need the LabelEncoder of opset 4. All floats have double precision: onnxruntime has kernels for
doubles of every operator that is used here.

The columns of a model as inputs of a graph.

A column of a frame is an input of its own, with one value a row; a matrix is one input, ``X``. Numbers are doubles;
labels are strings, whole numbers or booleans, as they were in fit. ONNX has no nulls:

- NaN is a missing number; so is an infinite one, for which `predict` raises an error;
- the empty string is a missing label, unless it is a label of the column;
- whole numbers and booleans cannot be missing: a column of them that had missing values in fit is passed as doubles;
- what `na_values` lists is missing, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

from deciban.errors import ParameterError, TooLargeError
from deciban.estimate.values import Markers
from deciban.extras import need
from deciban.limits import in_bytes
from deciban.read import MISSING_LABEL, Variable
from deciban.read.column import EXACT
from deciban.types import AnyArray

__all__ = ["Columns", "Graph", "Kind", "Numbers", "common_kind", "kind_of_labels", "sum_rows"]


Kind = Literal["bool", "double", "int64", "string"]
"""The types of tensors that go in and out."""

_OPSET, _ML_OPSET, _ML_OPSET_OF_DOUBLES, _IR_VERSION = 13, 2, 4, 8
_ML = "ai.onnx.ml"
_MOST_BYTES = (1 << 31) - (1 << 24)
"""A protobuf message has less than 2 GiB; some of it is left for nodes and names."""


class Graph:
    """Adds nodes and gives the names of their outputs."""

    def __init__(self) -> None:
        self._onnx = need("onnx", "onnx", "to_onnx")
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._names: set[str] = set()
        self._bytes = 0
        self._ml_opset = 0

    def input(self, name: str, kind: Kind, width: int) -> str:
        """A tensor of rows × `width` that the caller passes; inputs come before all else, so they keep their names."""
        self._names.add(name)
        self._inputs.append(self._value(name, kind, ["rows", width]))
        return name

    def constant(self, values: Any) -> str:
        """An array: floats become doubles, whole numbers int64."""
        array = np.asarray(values)
        if array.dtype.kind in "fiu":
            array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
        self._bytes += array.nbytes
        if self._bytes > _MOST_BYTES:
            raise TooLargeError(
                f"the tables of this model need more than {in_bytes(_MOST_BYTES)}; an ONNX file has less than 2 GiB. "
                "Leave out columns with very many states, or use fewer classes."
            )
        name = self._fresh("constant")
        self._constants[name] = self._onnx.numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def add(self, operator: str, *inputs: Any, **attributes: Any) -> str:
        """A node with one output. Inputs are names of tensors, or arrays and numbers, which become constants."""
        held = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        name = self._fresh(operator.lower())
        self._nodes.append(self._onnx.helper.make_node(operator, held, [name], **attributes))
        return name

    def encode(self, tensor: str, kind: Kind, rows: dict[Any, int], default: int) -> str:
        """The number that belongs to each value, `default` for values that are not among the keys of `rows`."""
        keys, values = list(rows), list(rows.values())
        if kind == "double":
            self._ml_opset = _ML_OPSET_OF_DOUBLES
            make = self._onnx.helper.make_tensor
            types, sizes = self._onnx.TensorProto, [len(keys)]
            attributes = {
                "keys_tensor": make("keys", types.DOUBLE, sizes, [float(key) for key in keys]),
                "values_tensor": make("values", types.INT64, sizes, values),
                "default_tensor": make("default", types.INT64, [1], [default]),
            }
        else:
            self._ml_opset = max(self._ml_opset, _ML_OPSET)
            of_keys = "keys_strings" if kind == "string" else "keys_int64s"
            attributes = {of_keys: keys, "values_int64s": values, "default_int64": default}
        return self.add("LabelEncoder", tensor, domain=_ML, **attributes)

    def beside(self, tensors: Sequence[str]) -> str:
        """Tensors with equally many rows, side by side."""
        return tensors[0] if len(tensors) == 1 else self.add("Concat", *tensors, axis=1)

    def total(self, tensors: Sequence[str]) -> str:
        """The sum of tensors of one shape."""
        return reduce(lambda a, b: self.add("Add", a, b), tensors)

    def as_integers(self, tensor: str) -> str:
        """Booleans or numbers as int64."""
        return self.add("Cast", tensor, to=self._onnx.TensorProto.INT64)

    def as_doubles(self, tensor: str) -> str:
        """Booleans or whole numbers as doubles."""
        return self.add("Cast", tensor, to=self._onnx.TensorProto.DOUBLE)

    def output(self, name: str, tensor: str, kind: Kind, width: int | None = None) -> None:
        """Return a tensor of rows, or of rows × `width`; an input of the same name makes the output's longer."""
        while name in self._names:
            name += "_"
        self._names.add(name)
        self._nodes.append(self._onnx.helper.make_node("Identity", [tensor], [name]))
        self._outputs.append(self._value(name, kind, ["rows"] if width is None else ["rows", width]))

    def model(self, name: str, producer_version: str, metadata: dict[str, str]) -> Any:
        """The checked ModelProto."""
        helper = self._onnx.helper
        graph = helper.make_graph(
            self._nodes, name, self._inputs, self._outputs, initializer=list(self._constants.values())
        )
        opsets = [helper.make_opsetid("", _OPSET)]
        if self._ml_opset:
            opsets.append(helper.make_opsetid(_ML, self._ml_opset))
        model = helper.make_model(
            graph,
            opset_imports=opsets,
            ir_version=_IR_VERSION,
            producer_name="deciban",
            producer_version=producer_version,
        )
        helper.set_model_props(model, metadata)
        self._onnx.checker.check_model(model, full_check=True)
        return model

    def _value(self, name: str, kind: Kind, shape: list[Any]) -> Any:
        types = self._onnx.TensorProto
        of_kind = {"bool": types.BOOL, "double": types.DOUBLE, "int64": types.INT64, "string": types.STRING}
        return self._onnx.helper.make_tensor_value_info(name, of_kind[kind], shape)

    def _fresh(self, word: str) -> str:
        """A name that no other tensor has."""
        name, number = word, len(self._nodes) + len(self._constants)
        while name in self._names:
            name, number = f"{word}_{number}", number + 1
        self._names.add(name)
        return name


def sum_rows(graph: Graph, table: AnyArray, rows: str) -> str:
    """The sum of the rows of a table that each row of `rows` names: indices of n × k → n × classes."""
    picked = graph.add("Gather", graph.constant(table), rows, axis=0)
    return graph.add("ReduceSum", picked, np.array([1]), keepdims=0)


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
