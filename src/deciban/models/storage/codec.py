"""Values ↔ JSON and arrays: how what a model holds is written, with its types, and read back without running code.

Plain JSON stands for itself. Anything else is an object with one key, which says what it is:

==========================================  ====================================================================
``{"tuple": […]}``, ``{"map": [[k, v]]}``   tuples and mappings
``{"float": "nan"}``                        numbers that JSON lacks
``{"date": "2024-02-29"}``                  dates, times and durations; ISO strings, or seconds
``{"scalar": ["<i8", 3]}``                  a numpy number; ``{"precision": "float32"}`` is the type itself
``{"array": [name, order]}``                an array that is stored under its name
``{"raw": [name, dtype, shape]}``           an array of text or dates, stored as bytes
``{"objects": [name, shape]}``              an array of objects, stored as JSON text
``{"Gaussian": {…}}``                       one of the classes listed here, by its fields
==========================================  ====================================================================

A new distribution, smoothing, part of a tally or calibration can be saved once it is listed in `DISTRIBUTIONS`,
`SMOOTHINGS`, `PARTS` or `CALIBRATIONS`: a dataclass whose fields are values of these kinds.
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

from deciban.decide import Reject
from deciban.decide.calibration import Isotonic, Temperature
from deciban.errors import ParameterError
from deciban.estimate import (
    MLE,
    Bernoulli,
    Binned,
    Categorical,
    Cut,
    Exponential,
    Gaussian,
    Ignore,
    Jeffreys,
    Kernel,
    Laplace,
    Lidstone,
    LogNormal,
    MEstimate,
    NegativeBinomial,
    Poisson,
)
from deciban.limits import check_memory
from deciban.models.form import Form
from deciban.models.nets.net_form import Families, NetForm
from deciban.models.storage.checks import check_read
from deciban.models.tables.schema import ColumnPlan, Schema
from deciban.models.text.column import Text
from deciban.nets import BDeu, LinearGaussian
from deciban.nets.data.states import States
from deciban.nets.learning.em import EMTrace
from deciban.nets.learning.learned import FitSettings
from deciban.nets.learning.moments import CrossMoments
from deciban.read import MissingLabel, Variable
from deciban.read.variable import object_array
from deciban.tallies import Counts, Crossed, Gapped, Moments, Sketch, Tally, Terms
from deciban.text import Bag, TokenRules, Vocabulary
from deciban.types import AnyArray

__all__ = ["CALIBRATIONS", "DISTRIBUTIONS", "PARTS", "SMOOTHINGS", "Encoder", "decode"]

DISTRIBUTIONS: tuple[type, ...] = (
    Bernoulli,
    Binned,
    Categorical,
    Cut,
    Exponential,
    Gaussian,
    Ignore,
    Kernel,
    LogNormal,
    NegativeBinomial,
    Poisson,
    Text,
)
SMOOTHINGS: tuple[type, ...] = (MLE, BDeu, Jeffreys, Laplace, Lidstone, MEstimate)
PARTS: tuple[type, ...] = (Bag, Counts, Crossed, Gapped, Moments, Sketch, Terms)
CALIBRATIONS: tuple[type, ...] = (Isotonic, Temperature)

_OTHERS: tuple[type, ...] = (
    Variable,
    MissingLabel,
    Tally,
    Form,
    NetForm,
    Families,
    Schema,
    ColumnPlan,
    Reject,
    TokenRules,
    Vocabulary,
    CrossMoments,
    EMTrace,
    FitSettings,
    LinearGaussian,
    States,
)
_LISTED = (*DISTRIBUTIONS, *SMOOTHINGS, *PARTS, *CALIBRATIONS, *_OTHERS)
_CLASSES = {listed.__name__: listed for listed in _LISTED}
_STORED = {np.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")}
_RAW = "USMm"
_PER_VALUE = 200
"""The bytes of a value of an array of objects, at most, and of the text that it is read from."""


class Encoder:
    """Turns values into JSON; the arrays among them are laid aside in `arrays`, named by where they were found."""

    def __init__(self) -> None:
        self.arrays: dict[str, AnyArray] = {}

    def encode(self, value: Any, path: str, owner: str) -> Any:
        """Give the JSON of a value; `owner` is the column or parameter that an error names."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if np.isfinite(value) else {"float": str(value)}
        if type(value) in (list, tuple) or isinstance(value, Mapping):
            return self._items(value, path, owner)
        if isinstance(value, np.ndarray):
            return self._array(value, path, owner)
        if _CLASSES.get(type(value).__name__) is type(value):
            return self._fields(value, path, owner)
        return _encode_single(value, owner)

    def _items(self, value: Any, path: str, owner: str) -> Any:
        held = map(list, value.items()) if isinstance(value, Mapping) else value
        items = [self.encode(item, f"{path}.{i}", owner) for i, item in enumerate(held)]
        return items if type(value) is list else {"tuple" if type(value) is tuple else "map": items}

    def _fields(self, value: Any, path: str, owner: str) -> Any:
        if isinstance(value, Variable | ColumnPlan):
            owner = f"column {value.name!r}"
        held = {f.name: getattr(value, f.name) for f in fields(value)}
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
        # Sums of floats depend on the order in which memory is walked, so the order is kept.
        return {"array": [path, "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"]}


def decode(value: Any, arrays: Mapping[str, AnyArray]) -> Any:
    """Give the value that JSON stands for; LookupError when it is of a kind that is not known here."""
    if isinstance(value, list):
        return [decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind in _SINGLE:
        return _SINGLE[kind](held)
    if kind in _WITH_ARRAYS:
        return _WITH_ARRAYS[kind](held, arrays)
    if kind not in _CLASSES:
        raise LookupError(f"it holds a {kind}, which is not known here")
    return _make(_CLASSES[kind], {name: decode(item, arrays) for name, item in held.items()})


def _encode_single(value: Any, owner: str) -> Any:
    """Dates and numpy's numbers."""
    if isinstance(value, type) and issubclass(value, np.floating):
        return {"precision": value.__name__}
    if isinstance(value, np.generic) and (value.dtype.kind == "U" or value.dtype in _STORED):
        return {"scalar": [value.dtype.str, _encode_plain(value.item())]}
    if isinstance(value, datetime) and not getattr(value, "nanosecond", 0):  # pandas counts nanoseconds, too
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


def _make(cls: type, held: dict[str, Any]) -> Any:
    """Call the constructor with the fields that it takes: Laplace() fixes its alpha itself."""
    if cls in _UPGRADES:
        held = _UPGRADES[cls](held)
    takes = _arguments(cls)
    made = cls(**{name: value for name, value in held.items() if name in takes})
    check_read(made)
    return made


def _moments_of_version_1(held: dict[str, Any]) -> dict[str, Any]:
    """Means and sums of squared deviations, which files held before version 2, as sums around the means."""
    if "sums" in held:
        return held
    old = Moments.of(held["weight"], held["mean"], held["deviation"], held["given_names"])
    return {field.name: getattr(old, field.name) for field in fields(old)}


_UPGRADES: dict[type, Callable[[dict[str, Any]], dict[str, Any]]] = {Moments: _moments_of_version_1}
"""How the fields of older files become those of today."""


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
