"""Rows from files and from the standard input, whose format is found from its first bytes."""

from __future__ import annotations

import gzip
import io
import warnings

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from deciban.cli.inputs import open_rows
from deciban.errors import ColumnMismatchError, DecibanWarning

TABLE = pa.table({"age": [39, 50], "job": ["clerk", "smith"]})


def as_csv() -> bytes:
    return b"age,job\n39,clerk\n50,smith\n"


def as_parquet() -> bytes:
    sink = io.BytesIO()
    parquet.write_table(TABLE, sink)
    return sink.getvalue()


def as_arrow() -> bytes:
    sink = io.BytesIO()
    feather.write_feather(TABLE, sink)
    return sink.getvalue()


FORMS = {
    "csv": as_csv,
    "tsv": lambda: as_csv().replace(b",", b"\t"),
    "gzip": lambda: gzip.compress(as_csv()),
    "json": lambda: b'{"age": 39, "job": "clerk"}\n{"age": 50, "job": "smith"}\n',
    "parquet": as_parquet,
    "arrow": as_arrow,
    "array": lambda: b'[{"age": 39, "job": "clerk"},\n {"age": 50, "job": "smith"}]',
    "utf-16": lambda: as_csv().decode().encode("utf-16-le"),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_standard_input_is_read_in_every_format(form, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(FORMS[form]())))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DecibanWarning)
        with open_rows("-", progress=False) as rows:
            assert rows.read().to_pylist() == TABLE.to_pylist()


def test_a_file_is_read_by_its_name(tmp_path):
    (tmp_path / "people.csv").write_bytes(as_csv())
    with open_rows(str(tmp_path / "people.csv"), progress=False) as rows:
        assert rows.read().to_pylist() == TABLE.to_pylist()


def test_columns_are_left_out(tmp_path):
    (tmp_path / "people.csv").write_bytes(as_csv())
    with open_rows(str(tmp_path / "people.csv"), ["job"]) as rows:
        assert rows.names == ("age",)
        assert rows.read().column_names == rows.sample(1).column_names == ["age"]
    with (
        pytest.raises(ColumnMismatchError, match="Did you mean 'job'"),
        open_rows(str(tmp_path / "people.csv"), ["age", "jobb"]),
    ):
        pass
