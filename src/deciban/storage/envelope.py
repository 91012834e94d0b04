"""The bytes of a file: a safetensors file whose header begins with a checksum of all the rest.

    8 bytes: length of the header │ {"__metadata__":{"deciban":"⟨SHA-256⟩⟨JSON⟩"}, …arrays… } │ the arrays' bytes

The checksum is at a fixed offset, so it is compared before anything is parsed, and any flipped bit is noticed. Its
offset and rule are the same in all versions of the format, so a file of another version is not mistaken for a damaged
one.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load, save

import deciban
from deciban.errors import DamagedFileError, DecibanError, FileError, ParameterError
from deciban.limits import check_memory
from deciban.types import AnyArray

__all__ = ["FORMAT", "VERSION", "checksum_in", "is_packed", "own_version", "pack", "unpack"]

FORMAT = "deciban model"
VERSION = 2

_START = b'{"__metadata__":{"deciban":"'
_LENGTH = 8
_DIGEST = slice(_LENGTH + len(_START), _LENGTH + len(_START) + 64)
_LONGEST_HEADER = 100_000_000
"""The longest header that safetensors reads."""
_PER_VALUE = 200
"""The bytes of a value of the header, at most, and of the text that it is read from."""


def own_version() -> str:
    """The version of the running deciban."""
    return str(deciban.__version__)


def pack(content: dict[str, Any], arrays: dict[str, AnyArray]) -> bytes:
    """The bytes of a file that holds JSON content and arrays."""
    header = {"format": FORMAT, "version": VERSION, "deciban": own_version(), **content}
    text = json.dumps(header, allow_nan=False, separators=(",", ":"))
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
            whole += max(info["data_offsets"][1] for key, info in _header(raw).items() if key != "__metadata__")
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            return "damaged: its header cannot be read"
    if len(raw) < whole:
        return f"truncated: it has {len(raw)} bytes, of at least {whole}"
    return "damaged: its bytes do not give its checksum"


def _header_length(raw: bytes | bytearray) -> int:
    return int.from_bytes(raw[:_LENGTH], "little")


def _header(raw: bytes) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(raw[_LENGTH : _LENGTH + _header_length(raw)])
    return read
