"""Values ↔ JSON and arrays: how the values of a model are written, with their types, and read without running code.

Plain JSON is written as it is. Anything else is an object with one key, which names its kind:

==========================================  ====================================================================
``{"tuple": […]}``, ``{"map": [[k, v]]}``   tuples and mappings
``{"float": "nan"}``                        numbers that JSON lacks
``{"date": "2024-02-29"}``                  dates, times and durations; ISO strings, or seconds
``{"scalar": ["<i8", 3]}``                  a numpy number; ``{"precision": "float32"}`` is the type itself
``{"array": [name, order]}``                an array that is stored under its name
``{"raw": [name, dtype, shape]}``           an array of text or dates, stored as bytes
``{"objects": [name, shape]}``              an array of objects, stored as JSON text
``{"Gaussian": {…}}``                       a value of a class that is registered (`storable`), by its fields
==========================================  ====================================================================

A new distribution, smoothing, part of a tally or calibration can be saved once it is registered: a dataclass whose
fields are values of these kinds.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Any

import numpy as np

from deciban.errors import ParameterError
from deciban.limits import check_memory
from deciban.read import object_array
from deciban.storable import STORED, Stored
from deciban.tallies import tally  # noqa: F401  a file may hold any part of a tally: their modules register them
from deciban.text import bag  # noqa: F401
from deciban.types import AnyArray

__all__ = ["Encoder", "decode", "stored_kind"]


_STORED = {np.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")}
_RAW = "USMm"
_PER_VALUE = 200
"""The bytes of a value of an array of objects, at most, and of the text that it is read from."""


class Encoder:
    """Turns values into JSON; the arrays among them are collected in `arrays`, named by the path to them."""

    def __init__(self) -> None:
        self.arrays: dict[str, AnyArray] = {}

    def encode(self, value: Any, path: str, owner: str) -> Any:
        """The JSON of a value; `owner` is the column or parameter that an error names."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if np.isfinite(value) else {"float": str(value)}
        if type(value) in (list, tuple) or isinstance(value, Mapping):
            return self._items(value, path, owner)
        if isinstance(value, np.ndarray):
            return self._array(value, path, owner)
        if stored_name(value) is not None:
            return self._fields(value, path, owner)
        return _encode_single(value, owner)

    def _items(self, value: Any, path: str, owner: str) -> Any:
        held = map(list, value.items()) if isinstance(value, Mapping) else value
        items = [self.encode(item, f"{path}.{i}", owner) for i, item in enumerate(held)]
        return items if type(value) is list else {"tuple" if type(value) is tuple else "map": items}

    def _fields(self, value: Any, path: str, owner: str) -> Any:
        held = {f.name: getattr(value, f.name) for f in fields(value) if f.metadata.get("is_stored", True)}
        if type(held.get("name")) is str:  # a column: its plan, its labels or its counts
            owner = f"column {held['name']!r}"
        return {type(value).__name__: {name: self.encode(v, f"{path}.{name}", owner) for name, v in held.items()}}

    def _array(self, value: AnyArray, path: str, owner: str) -> Any:
        if value.dtype.kind == "O":
            items = [self.encode(item, path, owner) for item in value.ravel().tolist()]
            text = json.dumps(items, allow_nan=False, separators=(",", ":")).encode("ascii")
            self.arrays[path] = np.frombuffer(text, dtype=np.uint8)
            return {"objects": [path, list(value.shape)]}
        if value.dtype.kind in _RAW or (value.dtype.newbyteorder("=") in _STORED and not value.dtype.isnative):
            self.arrays[path] = np.frombuffer(value.tobytes(), dtype=np.uint8)
            return {"raw": [path, value.dtype.str, list(value.shape)]}
        if value.dtype not in _STORED:
            raise ParameterError(f"{owner} is an array of {value.dtype}, which cannot be written to a file.")
        self.arrays[path] = value.copy(order="C")
        # Sums of floats depend on the order of the elements in memory, so the order is kept.
        return {"array": [path, "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"]}


def decode(value: Any, arrays: Mapping[str, AnyArray]) -> Any:
    """The value that JSON stands for; a LookupError where its class is not registered."""
    if isinstance(value, list):
        return [decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind in _SINGLE:
        return _SINGLE[kind](held)
    if kind in _WITH_ARRAYS:
        return _WITH_ARRAYS[kind](held, arrays)
    stored = stored_kind(kind)
    if stored is None:
        raise LookupError(
            f"it holds a {kind}, which is not known here; a class of your own is registered with storable before load"
        )
    return _make(stored, {name: decode(item, arrays) for name, item in held.items()})


def _encode_single(value: Any, owner: str) -> Any:
    """Dates and numpy's numbers."""
    if isinstance(value, type) and issubclass(value, np.floating):
        return {"precision": value.__name__}
    if isinstance(value, np.generic) and (value.dtype.kind == "U" or value.dtype in _STORED):
        return {"scalar": [value.dtype.str, _encode_plain(value.item())]}
    if isinstance(value, datetime) and not getattr(value, "nanosecond", 0):  # pandas also has nanoseconds
        return {"datetime": value.isoformat()}
    if type(value) in (date, time):
        return {type(value).__name__: value.isoformat()}
    if isinstance(value, timedelta) and not getattr(value, "nanoseconds", 0):
        return {"timedelta": [value.days, value.seconds, value.microseconds]}
    raise ParameterError(
        f"{owner} holds {value!r}, a {type(value).__name__}, which cannot be written to a file: text, numbers, "
        "booleans, dates and tuples of these can."
    )


def _encode_plain(value: Any) -> Any:
    return value if not isinstance(value, float) or np.isfinite(value) else str(value)


def _make(stored: Stored, held: dict[str, Any]) -> Any:
    """Call the constructor with the fields that it takes: Laplace() sets its alpha itself."""
    takes = _arguments(stored.cls)
    made = stored.cls(**{name: value for name, value in held.items() if name in takes})
    if stored.check is not None:
        stored.check(made)
    return made


@cache
def _arguments(cls: type) -> frozenset[str]:
    return frozenset(inspect.signature(cls).parameters)


def _read_scalar(held: Any) -> Any:
    kind, value = held
    dtype = np.dtype(kind)
    if dtype.kind != "U" and dtype not in _STORED:
        raise LookupError(f"it holds a number of {dtype}, which is not known here")
    return dtype.type(value)


def _read_precision(held: str) -> type[np.floating[Any]]:
    known: dict[str, type[np.floating[Any]]] = {"float32": np.float32, "float64": np.float64}
    return known[held]


def _read_array(held: Any, arrays: Mapping[str, AnyArray]) -> AnyArray:
    name, order = held
    return np.array(arrays[name], order=order)


def _read_raw(held: Any, arrays: Mapping[str, AnyArray]) -> AnyArray:
    name, kind, shape = held
    dtype = np.dtype(kind)
    if dtype.kind not in _RAW and dtype.newbyteorder("=") not in _STORED:  # never pointers to objects
        raise LookupError(f"it holds an array of {dtype}, which is not known here")
    raw = arrays[name].tobytes()
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(raw) or (dtype.itemsize == 0 and shape):
        raise LookupError(f"it holds an array of {dtype} and shape {shape} in {len(raw)} bytes")
    return np.ndarray(shape, dtype, buffer=raw).copy()


def _read_objects(held: Any, arrays: Mapping[str, AnyArray]) -> AnyArray:
    name, shape = held
    text = arrays[name].tobytes()
    check_memory(f"the values of the array {name!r}", text.count(b",") + 1, itemsize=_PER_VALUE)
    items = json.loads(text)
    return object_array(decode(item, arrays) for item in items).reshape(shape)


_SINGLE: dict[str, Callable[[Any], Any]] = {
    "float": float,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda held: timedelta(*held),
    "scalar": _read_scalar,
    "precision": _read_precision,
}
_WITH_ARRAYS: dict[str, Callable[[Any, Mapping[str, AnyArray]], Any]] = {
    "tuple": lambda held, arrays: tuple(decode(held, arrays)),
    "map": lambda held, arrays: dict(decode(held, arrays)),
    "array": _read_array,
    "raw": _read_raw,
    "objects": _read_objects,
}


def stored_kind(name: str) -> Stored | None:
    """The registered class that files call by this name."""
    return STORED.get(name)


def stored_name(value: Any) -> str | None:
    """The name that files use for the class of a value; None where it is not registered."""
    name = type(value).__name__
    return name if name in STORED and STORED[name].cls is type(value) else None
