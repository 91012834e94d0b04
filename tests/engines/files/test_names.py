"""Names of files."""

from pathlib import Path

import pytest

from deciban.engines.files.names import format_of, list_files
from deciban.engines.source import is_files
from deciban.errors import FileError


@pytest.mark.parametrize("data", ["rows.csv", Path("rows.csv"), ["a.csv", Path("b.csv")]])
def test_names_of_files(data):
    assert is_files(data)


@pytest.mark.parametrize("data", [[], {}, 3, None, [["a", "b"]], [{"a": 1}]])
def test_tables_are_no_names(data):
    assert not is_files(data)


def test_a_folder_stands_for_its_tables(tmp_path):
    for name in ("b.csv", "a/c.csv.gz", "_SUCCESS", ".hidden.csv", "_temporary/d.csv", "notes.txt", "A.CSV"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    assert [str(path.relative_to(tmp_path)) for path in list_files(tmp_path)] == ["A.CSV", "a/c.csv.gz", "b.csv"]


def test_a_name_with_the_characters_of_a_glob(tmp_path):
    path = tmp_path / "rows[1].csv"
    path.touch()
    assert list_files(path) == (path,)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a.csv", ("csv", None)),
        ("a.b.TSV.gz", ("csv", "gzip")),
        ("a.jsonl.zst", ("json", "zstd")),
        ("a.parquet", ("parquet", None)),
        ("a.feather", ("arrow", None)),
    ],
)
def test_formats(name, found):
    assert format_of(Path(name)) == found


@pytest.mark.parametrize("name", ["a", "a.gz", "a.txt", "a.parquet.gz"])
def test_unknown_formats(name):
    with pytest.raises(FileError):
        format_of(Path(name))
