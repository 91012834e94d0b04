"""Files with a right checksum that `save` did not write: sizes and errors of the file and of values in it."""

import json

import numpy as np
import pytest
from safetensors.numpy import save

import deciban as db
from deciban.errors import FileError, TooLargeError
from deciban.storage import codec
from deciban.storage.codec import decode

HEADER = {"format": "deciban model", "version": 2, "deciban": "0", "model": "GaussianNB", "parameters": {}}


def sealed(raw):
    """The bytes with the checksum that they have."""
    raw = bytearray(raw)
    raw[codec._DIGEST] = codec._digest(raw)
    return bytes(raw)


def packed(text, arrays=None):
    return sealed(save(arrays or {}, metadata={"deciban": "0" * 64 + text}))


def with_table(info):
    """A file whose header claims a table, of which nothing is there."""
    held = {"__metadata__": {"deciban": "0" * 64 + json.dumps(HEADER)}, "x": info}
    header = json.dumps(held, separators=(",", ":")).encode()
    return sealed(len(header).to_bytes(8, "little") + header)


@pytest.mark.parametrize(
    "raw",
    [
        packed("[]"),
        packed("{}"),
        packed("7"),
        packed("{"),
        packed("[" * 100_000),
        packed(json.dumps({**HEADER, "version": "new"})),
        packed(json.dumps({**HEADER, "version": None})),
        packed(json.dumps({**HEADER, "model": []})),
        packed(json.dumps({**HEADER, "parameters": 3})),
        packed(json.dumps({**HEADER, "parameters": {"priors": {"timedelta": [10**12, 0, 0]}}})),
        packed(json.dumps({**HEADER, "parameters": {"priors": {"scalar": ["i1", 10**9]}}})),
        packed(json.dumps(HEADER)),
        with_table({"dtype": "F64", "shape": [1 << 40], "data_offsets": [0, 1 << 43]}),
        with_table({"dtype": "F64", "shape": [1 << 40], "data_offsets": [0, 0]}),
        with_table({"dtype": "F128", "shape": [0], "data_offsets": [0, 0]}),
        with_table({"dtype": "BF16", "shape": [0], "data_offsets": [0, 0]}),
        with_table({"dtype": "F64", "shape": [1 << 63, 1 << 63], "data_offsets": [0, 0]}),
        with_table([]),
        sealed((1 << 62).to_bytes(8, "little") + packed(json.dumps(HEADER))[8:]),
    ],
)
def test_a_file_that_save_did_not_write_is_one_error(raw, tmp_path):
    path = tmp_path / "other"
    path.write_bytes(raw)
    with pytest.raises(FileError, match="other"):
        db.load(path)


@pytest.mark.parametrize(
    "value",
    [
        {"raw": ["x", "<U0", [1 << 40]]},
        {"raw": ["x", "<U1", [1 << 40]]},
        {"raw": ["x", "<U1", [-1, -4]]},
        {"raw": ["x", "<f8", [1]]},
        {"raw": ["x", "O", [2]]},
        {"scalar": ["V8", 1 << 40]},
        {"scalar": ["O", 1]},
    ],
)
def test_a_value_is_as_large_as_its_bytes(value):
    with pytest.raises(LookupError, match="it holds"):
        decode(value, {"x": np.zeros(16, dtype=np.uint8)})


def test_the_values_of_a_header_are_bounded(tmp_path, monkeypatch):
    text = json.dumps({**HEADER, "form": [0] * 100_000})
    (tmp_path / "other").write_bytes(packed(text))
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", str(8 << 20))
    with pytest.raises(TooLargeError, match="the values of the file's header"):
        db.load(tmp_path / "other")
    names = np.frombuffer(b"[" + b"0," * 100_000 + b"0]", dtype=np.uint8)
    with pytest.raises(TooLargeError, match="the values of the array 'x'"):
        decode({"objects": ["x", [100_001]]}, {"x": names})
