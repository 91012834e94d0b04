"""Files as a source: the same tally as of the table in memory, for every format and however it is split."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import deciban as db
from deciban.engines.files import text_files as lines
from deciban.engines.files.source import FileSource
from deciban.engines.tally import TableCounting
from deciban.errors import (
    ColumnMismatchError,
    DamagedTableError,
    FileError,
    InputError,
    InputTypeError,
    MissingFileError,
    ParameterError,
    SourceError,
    TooLargeError,
)

from .tables import SUFFIXES, mixed_table, write, write_parts

TABLE = mixed_table(5_000)
WEIGHED = db.tally(TABLE, target="y", sample_weight="w")


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of a few rows, so that small files have many of them."""
    monkeypatch.setattr(lines.TextFile.blocks, "__defaults__", (1_000,))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_tally_of_the_table(suffix, tmp_path, small_blocks):
    path = write(TABLE, tmp_path / f"rows{suffix}")
    assert db.tally(path, target="y", sample_weight="w") == WEIGHED


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_folder_of_files_gives_the_tally_of_all(suffix, tmp_path, small_blocks):
    folder = write_parts(TABLE, tmp_path, suffix, [7, 8, 3_000])
    (folder / "_SUCCESS").touch()
    for source in (folder, str(folder / "part-*"), [folder / f"part-{i}{suffix}" for i in range(4)]):
        assert db.tally(source, target="y", sample_weight="w") == WEIGHED


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_sample_of_all_rows_is_the_table(suffix, tmp_path):
    folder = write_parts(TABLE, tmp_path, suffix, [7, 3_000])
    assert FileSource.of(folder).sample(10_000).equals(TABLE)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_sample_is_spread_over_the_source(suffix, tmp_path):
    rows = 200_000
    table = pa.table({"at": pa.array(range(rows)), "y": pa.array(["a"] * rows)})
    write_parts(table, tmp_path, suffix, [150_000])
    found = FileSource.of(tmp_path).sample(2_000)
    assert 1_000 < len(found) < 10_000
    tenths = [at * 10 // rows for at in found["at"].to_pylist()]
    assert set(tenths) == set(range(10)) and max(tenths.count(i) for i in range(10)) < len(found) / 3


def test_batches_are_in_order(tmp_path, small_blocks):
    folder = write_parts(TABLE, tmp_path, ".csv", [7, 3_000])
    found = pa.concat_tables([b.cast(TABLE.schema) for b in FileSource.of(folder).batches()])
    assert found.equals(TABLE)
    assert next(FileSource.of(folder).batches(["y"])).column_names == ["y"]


def test_columns_may_be_in_another_order_and_wider_in_later_files(tmp_path):
    pq.write_table(pa.table({"n": pa.array([1, 2], pa.int32()), "y": ["a", "b"]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"y": ["a", "b"], "n": [2.5, 4.0]}), tmp_path / "1.parquet")
    found = db.tally(tmp_path, target="y")
    assert found == db.tally({"n": [1.0, 2.0, 2.5, 4.0], "y": list("abab")}, target="y")


def test_types_can_be_given(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("n,y\n1,a\n2,b\n")
    assert db.tally(path, target="y", schema={"n": "float64"}) == db.tally(
        {"n": [1.0, 2.0], "y": ["a", "b"]}, target="y"
    )
    assert db.tally(path, target="y", schema=pa.schema({"n": pa.string()})).parts[0].variable.labels.tolist() == [
        "1",
        "2",
    ]
    with pytest.raises(ParameterError, match="schema\\['n'\\] is 'number', which is no Arrow type"):
        db.tally(path, target="y", schema={"n": "number"})
    with pytest.raises(ColumnMismatchError, match="schema names 'm', which is no column"):
        db.tally(path, target="y", schema={"m": "int64"})


# What is refused ----------------------------------------------------------------------------------------------------


def test_missing_files_and_empty_globs(tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n1,a\n")
    with pytest.raises(MissingFileError, match=r"Did you mean 'rows.csv'"):
        db.tally(tmp_path / "row.csv", target="y")
    with pytest.raises(MissingFileError, match="no file matches"):
        db.tally(str(tmp_path / "*.parquet"), target="y")
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingFileError, match="has no file that ends in"):
        db.tally(tmp_path / "empty", target="y")
    with pytest.raises(ParameterError, match="named twice"):
        db.tally([tmp_path / "rows.csv", str(tmp_path / "*.csv")], target="y")


def test_files_whose_columns_differ(tmp_path):
    (tmp_path / "0.csv").write_text("x,y\n1,a\n")
    (tmp_path / "1.csv").write_text("z,y\n1,a\n")
    with pytest.raises(ColumnMismatchError, match=r"1.csv lacks 'x' and also has 'z', unlike .*0.csv"):
        db.tally(tmp_path, target="y")
    (tmp_path / "p").mkdir()
    pq.write_table(pa.table({"x": [1], "y": ["a"]}), tmp_path / "p" / "0.parquet")
    pq.write_table(pa.table({"x": ["one"], "y": ["a"]}), tmp_path / "p" / "1.parquet")
    with pytest.raises(ColumnMismatchError, match=r"column 'x' is string in .*1.parquet and int64 in .*0.parquet"):
        db.tally(tmp_path / "p", target="y")


def test_files_of_several_formats_or_an_unknown_one(tmp_path):
    (tmp_path / "0.csv").write_text("x,y\n1,a\n")
    pq.write_table(pa.table({"x": [1], "y": ["a"]}), tmp_path / "1.parquet")
    with pytest.raises(FileError, match=r"different formats: 0.csv and 1.parquet"):
        db.tally(tmp_path, target="y")
    (tmp_path / "rows.xml").write_text("")
    with pytest.raises(FileError, match=r"the format of .*rows.xml is not known"):
        db.tally(tmp_path / "rows.xml", target="y")


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".csv.gz"])
@pytest.mark.parametrize("kept", [0.5, 0.999])
def test_damaged_files(suffix, kept, tmp_path):
    path = write(TABLE, tmp_path / f"rows{suffix}")
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * kept)])
    with pytest.raises(SourceError, match=f"rows{suffix} cannot be read"):
        db.tally(path, target="y")


@pytest.mark.parametrize(
    "suffix", [".parquet", ".arrow", ".csv.gz", ".csv.zst", ".jsonl.gz", ".csv", ".jsonl", ".json"]
)
def test_a_file_of_something_else_is_no_table(suffix, tmp_path):
    path = tmp_path / f"rows{suffix}"
    path.write_bytes(bytes(range(256)) * 40)
    with pytest.raises(DamagedTableError, match=f"rows{suffix}"):
        db.tally(path, target="y")


def test_a_damaged_page_is_found_when_it_is_read(tmp_path):
    path = write(TABLE, tmp_path / "rows.parquet")
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 3 : len(raw) // 3 + 200] = bytes(200)
    path.write_bytes(raw)
    with pytest.raises((SourceError, InputError)):
        db.tally(path, target="y")


def test_a_source_without_rows(tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n")
    pq.write_table(pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.string())}), tmp_path / "r.parquet")
    for name in ("rows.csv", "r.parquet"):
        with pytest.raises(InputError, match=f"{name} has no rows"):
            db.tally(tmp_path / name, target="y")


def test_too_many_labels_are_refused(tmp_path, monkeypatch):
    for i in range(4):
        labels = [f"id-{i}-{k}" for k in range(20_000)]
        pq.write_table(pa.table({"id": labels, "y": ["a", "b"] * 10_000}), tmp_path / f"{i}.parquet")
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", str(7_000_000))
    with pytest.raises(TooLargeError, match=r"the labels of column 'id' \(80,000\) would take"):
        db.tally(tmp_path, target="y")


def test_a_target_that_is_no_column(tmp_path):
    path = write(TABLE, tmp_path / "rows.csv")
    with pytest.raises(ColumnMismatchError, match="there is no column 'z'"):
        db.tally(path, target="z")
    with pytest.raises(ColumnMismatchError, match=r"rows.csv has no column 'Y'.*Did you mean 'y'"):
        FileSource.of(path).count(TableCounting("y", columns=("Y",)))


def test_options_are_checked(tmp_path):
    path = write(TABLE, tmp_path / "rows.csv")
    with pytest.raises(ParameterError, match="on_bad_row is 'error' or 'skip'"):
        db.tally(path, target="y", on_bad_row="ignore")
    with pytest.raises(InputTypeError, match="rows cannot be read from a int"):
        db.NaiveBayes().fit_files(3, target="y")
