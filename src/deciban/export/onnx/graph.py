"""An ONNX graph under construction: inputs, constants, nodes and outputs, each known by the name of its tensor.

The operators are those of opset 13, and LabelEncoder of opset 2 of ONNX-ML, so that old runtimes can run the graph;
labels that are doubles need the LabelEncoder of opset 4. All floats have double precision: onnxruntime has kernels for
doubles of every operator that is used here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from deciban.errors import TooLargeError
from deciban.extras import need
from deciban.limits import in_bytes
from deciban.types import AnyArray, ArrayLike

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto

__all__ = ["Graph", "Kind", "sum_rows"]


Kind = Literal["bool", "double", "int64", "string"]
"""The types of tensors that go in and out."""

# A runtime reads the opsets and the IR versions up to those of its own release, so these are as low as they can be.
_OPSET, _ML_OPSET, _ML_OPSET_OF_DOUBLES, _IR_VERSION = 13, 2, 4, 8
_ML = "ai.onnx.ml"
_MOST_BYTES = (1 << 31) - (1 << 24)
"""A protobuf message has less than 2 GiB; some of it is left for nodes and names."""


class Graph:
    """Adds nodes and gives the names of their outputs."""

    def __init__(self) -> None:
        self._onnx = need("onnx", "onnx", "to_onnx")
        self._nodes: list[NodeProto] = []
        self._constants: dict[str, TensorProto] = {}
        self._inputs: list[ValueInfoProto] = []
        self._outputs: list[ValueInfoProto] = []
        self._names: set[str] = set()
        self._doubles: dict[str, str] = {}
        self._bytes = 0
        self._ml_opset = 0

    def input(self, name: str, kind: Kind, width: int) -> str:
        """A tensor of rows × `width` that the caller passes; inputs come before all else, so they keep their names."""
        self._names.add(name)
        self._inputs.append(self._value(name, kind, ["rows", width]))
        return name

    def constant(self, values: ArrayLike) -> str:
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
        self._constants[name] = self._onnx.numpy_helper.from_array(np.asarray(array, order="C"), name)
        return name

    def add(self, operator: str, *inputs: ArrayLike, **attributes: object) -> str:
        """A node with one output. Inputs are names of tensors, or arrays and numbers, which become constants."""
        tensors = [each if isinstance(each, str) else self.constant(each) for each in inputs]
        name = self._fresh(operator.lower())
        self._nodes.append(self._onnx.helper.make_node(operator, tensors, [name], **attributes))
        return name

    def encode(self, tensor: str, kind: Kind, rows: dict[Any, int], default: int) -> str:
        """The number that belongs to each value, `default` for values that are not among the keys of `rows`."""
        keys, values = list(rows), list(rows.values())
        attributes: dict[str, object]
        if kind == "double":
            # Only opset 4 takes doubles as keys, and old runtimes lack it: so it is asked for where it is needed alone.
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

    def greatest(self, tensors: Sequence[str]) -> str:
        """The largest of each entry of tensors of one shape."""
        return tensors[0] if len(tensors) == 1 else self.add("Max", *tensors)

    def all_of(self, tensors: Sequence[str]) -> str:
        """Booleans that are true where all of these are."""
        return reduce(lambda a, b: self.add("And", a, b), tensors)

    def as_integers(self, tensor: str) -> str:
        """Booleans or numbers as int64."""
        return self.add("Cast", tensor, to=self._onnx.TensorProto.INT64)

    def as_doubles(self, tensor: str) -> str:
        """Booleans or whole numbers as doubles; the same tensor once."""
        if tensor not in self._doubles:
            self._doubles[tensor] = self.add("Cast", tensor, to=self._onnx.TensorProto.DOUBLE)
        return self._doubles[tensor]

    def output(self, name: str, tensor: str, kind: Kind, width: int | None = None) -> None:
        """Return a tensor of rows, or of rows × `width`; an input of the same name makes the output's longer."""
        while name in self._names:
            name += "_"
        self._names.add(name)
        self._nodes.append(self._onnx.helper.make_node("Identity", [tensor], [name]))
        self._outputs.append(self._value(name, kind, ["rows"] if width is None else ["rows", width]))

    def model(self, name: str, producer_version: str, metadata: dict[str, str]) -> ModelProto:
        """The checked model."""
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
        # With the inference of shapes, so a graph that no runtime would load is an error here.
        self._onnx.checker.check_model(model, full_check=True)
        checked: ModelProto = model
        return checked

    def _value(self, name: str, kind: Kind, shape: Sequence[int | str]) -> ValueInfoProto:
        types = self._onnx.TensorProto
        of_kind = {"bool": types.BOOL, "double": types.DOUBLE, "int64": types.INT64, "string": types.STRING}
        info: ValueInfoProto = self._onnx.helper.make_tensor_value_info(name, of_kind[kind], shape)
        return info

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
