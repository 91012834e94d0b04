"""Results in every format, to the standard output and to files, which appear complete or not at all."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from deciban.cli.outputs import Format, write_json, write_table, writing
from deciban.errors import MissingFileError

TABLE = pa.table({"label": ["ham, or not", None], "rows": [12, 3], "share": [0.8, 1 / 3]})

READ = {
    "out.csv": lambda path: csv.read_csv(path, convert_options=csv.ConvertOptions(strings_can_be_null=True)),
    "out.parquet": parquet.read_table,
    "out.json": lambda path: pa.Table.from_pylist(json.loads(path.read_text())),
}


@pytest.mark.parametrize("name", READ)
def test_the_name_of_a_file_decides_its_format(name, tmp_path):
    with writing(tmp_path / name) as writer:
        writer.write(TABLE[:1])
        writer.write(TABLE[1:])
    assert READ[name](tmp_path / name).to_pylist() == TABLE.to_pylist()


def test_a_table_for_reading_shows_all_of_every_value(tmp_path):
    write_table(TABLE, tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text().splitlines() == [
        "label        rows     share",
        "ham, or not    12       0.8",
        "                3  0.333333",
    ]


def test_no_rows_are_an_empty_array(capfdbinary):
    write_table(TABLE[:0], None, Format.JSON)
    assert capfdbinary.readouterr().out == b"[]\n"


def test_an_interrupted_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def interrupted() -> None:
        with writing(path) as writer:
            writer.write(TABLE)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]
    assert path.read_text() == "old"


def test_a_missing_folder_is_an_error_of_files(tmp_path):
    with pytest.raises(MissingFileError, match="there is no folder"):
        write_json({}, tmp_path / "missing" / "out.json")
