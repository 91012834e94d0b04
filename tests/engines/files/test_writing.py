"""Rows to CSV, Parquet and JSON, in one call or several."""

from __future__ import annotations

import io

import pyarrow as pa
import pytest
from pyarrow import csv

from deciban.engines.files.writing import WRITERS, as_csv, row_writer
from deciban.errors import ParameterError

TABLE = pa.table({"name": ["a", None, "", 'b,"c"', "d\ne"], "n": [1, None, 3, 4, 5]})


def written(form: str, *parts: pa.Table) -> bytes:
    sink = io.BytesIO()
    writer = row_writer(form, sink)
    for part in parts:
        writer.write(part)
    writer.close()
    return sink.getvalue()


def test_parts_with_and_without_quotes_make_one_csv_file():
    raw = written("csv", TABLE[:2], TABLE[2:])
    assert raw.startswith(b"name,n\na,1\n,\n")
    options = csv.ConvertOptions(strings_can_be_null=True, quoted_strings_can_be_null=False)
    read = csv.read_csv(
        io.BytesIO(raw), parse_options=csv.ParseOptions(newlines_in_values=True), convert_options=options
    )
    assert read.to_pylist() == TABLE.to_pylist()


def test_names_of_columns_are_quoted_where_they_need_it():
    assert as_csv({"a,b": [1]}) == b'"a,b"\n1\n'


def test_encoded_texts_are_written_as_texts():
    assert as_csv(pa.table({"a": pa.array(["x", "y, z"]).dictionary_encode()})) == b'a\n"x"\n"y, z"\n'


@pytest.mark.parametrize("form", WRITERS)
def test_the_parts_of_a_table_make_the_same_file_as_the_whole(form):
    if form != "parquet":  # a row group for each part
        assert written(form, TABLE[2:3], TABLE[3:]) == written(form, TABLE[2:])
    assert written(form, TABLE[:2], TABLE[2:])


def test_an_unknown_format_is_an_error():
    with pytest.raises(ParameterError, match="'csv'"):
        row_writer("cvs", io.BytesIO())
