"""The routes of the Open Inference Protocol, version 2, which clients of KServe and Triton call.

The tensors of the Open Inference Protocol: inputs → columns, outputs → JSON.

The specification: https://github.com/kserve/open-inference-protocol. A column is a tensor of shape [n] or [n, 1]; one
tensor of shape [n, k] holds all k columns. Data are nested or flat lists in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version as version_of
from itertools import chain
from math import prod
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from deciban.choices import did_you_mean
from deciban.errors import InputError
from deciban.serve.adapters.adapter import Tensor
from deciban.serve.limits import read_json
from deciban.serve.problems import Problem
from deciban.serve.routes import json_response
from deciban.serve.service import Service

__all__ = ["VERSION", "ProtocolRoutes", "columns_of", "outputs_of", "wanted_outputs"]


VERSION = "1"
"""The only version of the model."""


class ProtocolRoutes:
    """The endpoints under ``/v2``."""

    def __init__(self, service: Service) -> None:
        self.service = service

    async def server(self, request: Request) -> Response:
        """Name and version of the server."""
        return json_response({"name": "deciban", "version": version_of("deciban"), "extensions": []})

    async def live(self, request: Request) -> Response:
        """Whether the server answers."""
        return json_response({"live": True})

    async def ready(self, request: Request) -> Response:
        """Whether the server can score."""
        return json_response({"live": True, "ready": True})

    async def model_ready(self, request: Request) -> Response:
        """Whether the model can score."""
        self._check(request)
        return json_response({"name": self.service.name, "ready": True})

    async def metadata(self, request: Request) -> Response:
        """The inputs and outputs of the model."""
        self._check(request)
        adapter = self.service.adapter
        return json_response(
            {
                "name": self.service.name,
                "versions": [VERSION],
                "platform": f"deciban_{adapter.kind}",
                "inputs": [tensor.to_json() for tensor in adapter.inputs],
                "outputs": [tensor.to_json() for tensor in adapter.outputs],
            }
        )

    async def infer(self, request: Request) -> Response:
        """Score columns that are sent as tensors."""
        self._check(request)
        if "inference-header-content-length" in request.headers:
            raise Problem(400, "tensors are JSON here, not binary: pass binary_data=False to Triton's client.")
        service = self.service
        body = await read_json(request, service.limits)
        adapter = service.adapter
        columns = columns_of(body, adapter.inputs, service.limits.rows, service.limits.columns)
        wanted = wanted_outputs(body, adapter.outputs, adapter.default_outputs(columns))
        found = await service.run(lambda: adapter.infer(columns, wanted))
        service.metrics.add_rows("infer", len(next(iter(columns.values()))))
        answer: dict[str, Any] = {"model_name": service.name, "model_version": VERSION}
        if body.get("id") is not None:
            answer["id"] = body["id"]
        return json_response({**answer, "outputs": outputs_of(found, adapter.outputs)})

    def _check(self, request: Request) -> None:
        name, version = request.path_params["name"], request.path_params.get("version", VERSION)
        if name != self.service.name:
            raise Problem(404, f"there is no model {name!r}.{did_you_mean(name, [self.service.name])}")
        if version != VERSION:
            raise Problem(404, f"model {name!r} has no version {version!r}: its version is {VERSION!r}.")


_KINDS: dict[str, tuple[type, ...]] = {
    "BOOL": (bool,),
    "BYTES": (str,),
    **dict.fromkeys(("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"), (int,)),
    **dict.fromkeys(("FP16", "FP32", "FP64"), (float, int)),
}
_NONE = type(None)


def columns_of(body: Any, known: Sequence[Tensor], most_rows: int, most_columns: int) -> dict[str, list[Any]]:
    """The columns of an inference request, by name."""
    inputs = _list_of(body, "inputs")
    if not inputs or len(inputs) > most_columns:
        raise InputError(f"the request has {len(inputs)} inputs; it takes from 1 to {most_columns:,}.")
    columns: dict[str, list[Any]] = {}
    for given in inputs:
        name, shape, values = _read(given, most_rows)
        if len(shape) == 2 and shape[1] != 1:
            if len(inputs) > 1 or shape[1] != len(known):
                raise InputError(
                    f"input {name!r} has the shape {shape}. Send a tensor of shape [n] for each column, or one of "
                    f"shape [n, {len(known)}] for all columns."
                )
            return {column.name: values[i :: len(known)] for i, column in enumerate(known)}
        _check_name(name, columns, known)
        columns[name] = values
    if len({len(values) for values in columns.values()}) > 1:
        raise InputError("the inputs have different numbers of rows.")
    return columns


def wanted_outputs(body: Mapping[str, Any], known: Sequence[Tensor], default: Sequence[str]) -> list[str]:
    """The names of the outputs that a request asks for."""
    names = [tensor.name for tensor in known]
    if body.get("outputs") is None:
        return list(default)
    wanted = [_name_of(given, "an output") for given in _list_of(body, "outputs")]
    for name in wanted:
        if name not in names:
            raise InputError(f"there is no output {name!r}.{did_you_mean(name, names)}")
    return wanted


def outputs_of(found: Mapping[str, list[Any]], known: Sequence[Tensor]) -> list[dict[str, Any]]:
    """Output tensors with their data."""
    by_name = {tensor.name: tensor for tensor in known}
    return [_output(by_name[name], data) for name, data in found.items()]


def _output(tensor: Tensor, data: list[Any]) -> dict[str, Any]:
    fixed = prod(size for size in tensor.shape if size >= 0)
    shape = [len(data) // fixed if size < 0 else size for size in tensor.shape]
    return {"name": tensor.name, "datatype": tensor.datatype, "shape": shape, "data": data}


def _read(given: Any, most_rows: int) -> tuple[str, list[int], list[Any]]:
    """The name, the shape and the flat data of an input."""
    name = _name_of(given, "an input")
    shape, datatype, data = given.get("shape"), given.get("datatype"), given.get("data")
    if not isinstance(shape, list) or not 1 <= len(shape) <= 2 or not all(type(n) is int and n >= 0 for n in shape):
        raise InputError(f"input {name!r} has no shape such as [n], [n, 1] or [n, k].")
    if not isinstance(data, list):
        is_binary = isinstance(given.get("parameters"), dict) and "binary_data_size" in given["parameters"]
        hint = " Tensors are JSON here: pass binary_data=False to Triton's client." if is_binary else ""
        raise InputError(f"input {name!r} has no data, a list.{hint}")
    if shape[0] > most_rows:
        raise Problem(413, f"{shape[0]:,} rows are more than the limit of {most_rows:,}. Send them in parts.")
    flat = list(chain.from_iterable(data)) if data and all(isinstance(row, list) for row in data) else data
    if len(flat) != prod(shape):
        raise InputError(f"input {name!r} has {len(flat):,} values, and its shape {shape} has {prod(shape):,}.")
    if not flat:
        raise InputError(f"input {name!r} has no rows.")
    return name, shape, _checked(name, datatype, flat)


def _checked(name: str, datatype: Any, flat: list[Any]) -> list[Any]:
    kinds = _KINDS.get(datatype) if isinstance(datatype, str) else None
    if kinds is None:
        raise InputError(f"input {name!r} has no datatype such as BYTES, BOOL, INT64 or FP64, but {datatype!r}.")
    wrong = next((value for value in flat if type(value) not in (*kinds, _NONE)), None)
    if wrong is not None:
        raise InputError(f"input {name!r} is {datatype}, and its data have {str(wrong)[:60]!r}.")
    return flat


def _check_name(name: str, columns: Mapping[str, Any], known: Sequence[Tensor]) -> None:
    names = [tensor.name for tensor in known]
    if name not in names:
        raise InputError(f"there is no input {name!r}.{did_you_mean(name, names)}")
    if name in columns:
        raise InputError(f"the input {name!r} is there twice.")


def _name_of(given: Any, what: str) -> str:
    if isinstance(given, dict) and isinstance(given.get("name"), str):
        return given["name"]
    raise InputError(f"{what} is an object with a name, not {str(given)[:60]}.")


def _list_of(body: Any, member: str) -> list[Any]:
    if isinstance(body, dict) and isinstance(body.get(member), list):
        return body[member]
    raise InputError(f'the body is an object with a list of {member}, such as {{"{member}": […]}}.')
