"""A file: values as JSON and arrays, and these as bytes with a checksum. Reading one never runs code from it.

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

The bytes are a safetensors file whose header begins with a checksum of all the rest:

    8 bytes: length of the header │ {"__metadata__":{"deciban":"⟨SHA-256⟩⟨JSON⟩"}, …arrays… } │ the arrays' bytes

The checksum is at a fixed offset, so it is compared before anything is parsed, and any flipped bit is noticed. Its
offset and rule are the same in all versions of the format, so a file of another version is not mistaken for a damaged
one.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from datetime import date, datetime, time, timedelta
from functools import cache
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

import deciban
from deciban.errors import DamagedFileError, DecibanError, FileError, ParameterError
from deciban.limits import check_memory
from deciban.read import object_array
from deciban.storable import STORED, Stored
from deciban.tallies import tally  # noqa: F401  a file may hold any part of a tally: their modules register them
from deciban.text import bag  # noqa: F401
from deciban.types import AnyArray

__all__ = [
    "FORMAT",
    "VERSION",
    "Encoder",
    "Json",
    "checksum_in",
    "decode",
    "is_packed",
    "own_version",
    "pack",
    "unpack",
]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | float | bool | None"
Arrays = Mapping[str, AnyArray]

FORMAT = "deciban model"
VERSION = 2

# The types of safetensors: their bytes in a file are an array as it is, which other programs can read.
_STORED = {np.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")}
# Text, bytes, dates and durations: fixed sizes, no pointers, so raw bytes give them back.
_RAW = "USMm"
_PER_VALUE = 200
"""The bytes that a value of JSON takes in memory, at most, with the text that it is read from."""

_START = b'{"__metadata__":{"deciban":"'
_LENGTH = 8
_DIGEST = slice(_LENGTH + len(_START), _LENGTH + len(_START) + 64)
_LONGEST_HEADER = 100_000_000
"""The longest header that safetensors reads."""


class Encoder:
    """Turns values into JSON; the arrays among them are collected in `arrays`, named by the path to them."""

    def __init__(self) -> None:
        self.arrays: dict[str, AnyArray] = {}

    def encode(self, value: Any, path: str, owner: str) -> Json:
        """The JSON of a value; `owner` is the column or parameter that an error names."""
        # By the type itself: np.float64 is a float and np.str_ a str, and they must come back as they were.
        if value is None or type(value) in (bool, int, str):
            plain: Json = value
            return plain
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if type(value) in (list, tuple) or isinstance(value, Mapping):
            return self._items(value, path, owner)
        if isinstance(value, np.ndarray):
            return self._array(value, path, owner)
        name = type(value).__name__
        is_registered = name in STORED and STORED[name].cls is type(value)
        return {name: self._fields(value, path, owner)} if is_registered else _encode_single(value, owner)

    def _items(self, values: Collection[object], path: str, owner: str) -> Json:
        # A mapping as pairs, since the keys of JSON are text, and its own may be labels of any type.
        each = map(list, values.items()) if isinstance(values, Mapping) else values
        items = [self.encode(item, f"{path}.{i}", owner) for i, item in enumerate(each)]
        return items if type(values) is list else {"tuple" if type(values) is tuple else "map": items}

    def _fields(self, value: Any, path: str, owner: str) -> dict[str, Json]:
        state = {f.name: getattr(value, f.name) for f in fields(value) if f.metadata.get("is_stored", True)}
        if type(state.get("name")) is str:  # a column: its plan, its labels or its counts
            owner = f"column {state['name']!r}"
        return {name: self.encode(item, f"{path}.{name}", owner) for name, item in state.items()}

    def _array(self, value: AnyArray, path: str, owner: str) -> Json:
        if value.dtype.kind == "O":
            items = [self.encode(item, path, owner) for item in value.ravel().tolist()]
            text = json.dumps(items, allow_nan=False, separators=(",", ":")).encode("ascii")
            self.arrays[path] = np.frombuffer(text, dtype=np.uint8)
            return {"objects": [path, list(value.shape)]}
        # safetensors has one byte order, so numbers in the other one are raw bytes, and keep it.
        if value.dtype.kind in _RAW or (value.dtype.newbyteorder("=") in _STORED and not value.dtype.isnative):
            self.arrays[path] = np.frombuffer(value.tobytes(), dtype=np.uint8)
            return {"raw": [path, value.dtype.str, list(value.shape)]}
        if value.dtype not in _STORED:
            raise ParameterError(f"{owner} is an array of {value.dtype}, which cannot be written to a file.")
        self.arrays[path] = value.copy(order="C")
        # Sums of floats depend on the order of the elements in memory, so the order is kept.
        return {"array": [path, "F" if value.flags.f_contiguous and not value.flags.c_contiguous else "C"]}


def _encode_single(value: object, owner: str) -> Json:
    """Dates and numpy's numbers."""
    if isinstance(value, type) and issubclass(value, np.floating):
        return {"precision": value.__name__}
    if isinstance(value, np.generic) and (value.dtype.kind == "U" or value.dtype in _STORED):
        number = value.item()
        is_plain = not isinstance(number, float) or math.isfinite(number)
        return {"scalar": [value.dtype.str, number if is_plain else str(number)]}
    if isinstance(value, datetime) and not getattr(value, "nanosecond", 0):  # pandas also has nanoseconds
        return {"datetime": value.isoformat()}
    # A datetime is a date, too, so only these types themselves.
    if type(value) is date or type(value) is time:
        return {type(value).__name__: value.isoformat()}
    if isinstance(value, timedelta) and not getattr(value, "nanoseconds", 0):
        return {"timedelta": [value.days, value.seconds, value.microseconds]}
    raise ParameterError(
        f"{owner} holds {value!r}, a {type(value).__name__}, which cannot be written to a file: text, numbers, "
        "booleans, dates and tuples of these can."
    )


def decode(value: Json, arrays: Arrays) -> Any:
    """The value that JSON stands for; a LookupError where its class is not registered."""
    if isinstance(value, list):
        return [decode(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind in _SINGLE:
        return _SINGLE[kind](content)
    if kind in _WITH_ARRAYS:
        return _WITH_ARRAYS[kind](content, arrays)
    # Only classes that are registered are made: a file can name nothing else that would run.
    stored = STORED.get(kind)
    if stored is None:
        raise LookupError(
            f"it holds a {kind}, which is not known here; a class of your own is registered with storable before load"
        )
    if not isinstance(content, dict):
        raise TypeError(f"the fields of a {kind} are no object")
    return _make(stored, {name: decode(item, arrays) for name, item in content.items()})


def _make(stored: Stored, state: dict[str, object]) -> object:
    """Call the constructor with the fields that it takes: Laplace() sets its alpha itself."""
    takes = _arguments(stored.cls)
    made = stored.cls(**{name: value for name, value in state.items() if name in takes})
    if stored.check is not None:
        stored.check(made)
    return made


@cache
def _arguments(cls: type) -> frozenset[str]:
    return frozenset(inspect.signature(cls).parameters)


def _read_scalar(content: Any) -> np.generic:
    kind, value = content
    dtype = np.dtype(kind)
    if dtype.kind != "U" and dtype not in _STORED:
        raise LookupError(f"it holds a number of {dtype}, which is not known here")
    number: np.generic = dtype.type(value)
    return number


def _read_array(content: Any, arrays: Arrays) -> AnyArray:
    name, order = content
    return np.array(arrays[name], order=order)


def _read_raw(content: Any, arrays: Arrays) -> AnyArray:
    name, kind, shape = content
    dtype = np.dtype(kind)
    if dtype.kind not in _RAW and dtype.newbyteorder("=") not in _STORED:  # never pointers to objects
        raise LookupError(f"it holds an array of {dtype}, which is not known here")
    raw = arrays[name].tobytes()
    # numpy itself would take a buffer that is longer than the array.
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(raw) or (dtype.itemsize == 0 and shape):
        raise LookupError(f"it holds an array of {dtype} and shape {shape} in {len(raw)} bytes")
    return np.ndarray(shape, dtype, buffer=raw).copy()  # a copy, since bytes cannot be written to


def _read_objects(content: Any, arrays: Arrays) -> AnyArray:
    name, shape = content
    text = arrays[name].tobytes()
    # Values take many times more memory than their text; commas bound their number before any is made.
    check_memory(f"the values of the array {name!r}", text.count(b",") + 1, itemsize=_PER_VALUE)
    items = json.loads(text)
    return object_array(decode(item, arrays) for item in items).reshape(shape)


_PRECISIONS: dict[str, type[np.floating]] = {"float32": np.float32, "float64": np.float64}

_SINGLE: dict[str, Callable[[Any], object]] = {
    "float": float,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda content: timedelta(*content),
    "scalar": _read_scalar,
    "precision": _PRECISIONS.__getitem__,
}
_WITH_ARRAYS: dict[str, Callable[[Any, Arrays], object]] = {
    "tuple": lambda content, arrays: tuple(decode(content, arrays)),
    "map": lambda content, arrays: dict(decode(content, arrays)),
    "array": _read_array,
    "raw": _read_raw,
    "objects": _read_objects,
}


# Bytes -------------------------------------------------------------------------------------------------------------


def own_version() -> str:
    """The version of the running deciban."""
    return str(deciban.__version__)


def pack(content: Mapping[str, Json], arrays: dict[str, AnyArray]) -> bytes:
    """The bytes of a file that holds JSON content and arrays."""
    header = {"format": FORMAT, "version": VERSION, "deciban": own_version(), **content}
    text = json.dumps(header, allow_nan=False, separators=(",", ":"))
    # Zeros take the place of the checksum until all other bytes are known.
    raw = bytearray(save(arrays, metadata={"deciban": "0" * 64 + text}))
    if not raw.startswith(_START, _LENGTH):
        raise FileError("this version of safetensors lays files out in another way. Install safetensors 0.4 to 0.8.")
    if _header_length(raw) > _LONGEST_HEADER:
        raise ParameterError("the columns' names are too long for one file: they take more than 100 MB.")
    raw[_DIGEST] = _digest(raw)
    return bytes(raw)


def is_packed(raw: bytes) -> bool:
    """True for bytes that begin as those of a file that `pack` has made."""
    return raw.startswith(_START, _LENGTH)


def unpack(raw: bytes, name: str) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """The content and the arrays of a file, or the reason why `name` cannot be read."""
    if not is_packed(raw):
        raise FileError(
            f"{name} is not a deciban file, or its first bytes are lost. Read files made by db.save; "
            "db.read_net reads Bayes nets in other formats."
        )
    if raw[_DIGEST] != _digest(raw):
        raise DamagedFileError(f"{name} is {_harm(raw)}. Copy or make it again.")
    try:
        header = _content(raw)
        if header["format"] != FORMAT:
            raise FileError(f"{name} is not a deciban model, but a {header['format']}.")
        if header["version"] != VERSION:
            advice = "Update deciban." if header["version"] > VERSION else "Fit the model again."
            raise FileError(
                f"{name} has version {header['version']} of the format, made by deciban {header['deciban']}; deciban "
                f"{own_version()} reads version {VERSION}. {advice}"
            )
        return header, load(raw)
    except DecibanError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, SafetensorError) as error:
        # The checksum is right, so these bytes were written by something other than `save`.
        raise FileError(f"{name} is not a deciban file: its header cannot be read ({error}).") from None


def checksum_in(raw: bytes) -> str:
    """The checksum that a file holds, which `unpack` has compared with its bytes."""
    return raw[_DIGEST].decode("ascii")


def _content(raw: bytes) -> dict[str, Any]:
    """What `pack` was given, with the format and the versions; sizes are compared with the memory limit first."""
    header = raw[_LENGTH : _LENGTH + _header_length(raw)]
    check_memory("the values of the file's header", header.count(b",") + 1, itemsize=_PER_VALUE)
    content: dict[str, Any] = json.loads(json.loads(header)["__metadata__"]["deciban"][64:])
    return content


def _digest(raw: bytes | bytearray) -> bytes:
    """The checksum of all bytes except its own."""
    # Views, since a slice would copy all of a file that may be large.
    rest = sha256(memoryview(raw)[: _DIGEST.start])
    rest.update(memoryview(raw)[_DIGEST.stop :])
    return rest.hexdigest().encode("ascii")


def _harm(raw: bytes) -> str:
    """What happened to a file whose checksum is wrong: bytes are missing at its end, or changed."""
    length = _header_length(raw)
    if length > _LONGEST_HEADER:
        return "damaged: its length is impossible"
    whole = _LENGTH + length
    if len(raw) >= whole:
        try:
            header = json.loads(raw[_LENGTH:whole])
            whole += max(info["data_offsets"][1] for key, info in header.items() if key != "__metadata__")
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            return "damaged: its header cannot be read"
    if len(raw) < whole:
        return f"truncated: it has {len(raw)} bytes, of at least {whole}"
    return "damaged: its bytes do not give its checksum"


def _header_length(raw: bytes | bytearray) -> int:
    return int.from_bytes(raw[:_LENGTH], "little")
