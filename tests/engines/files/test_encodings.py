"""Files in other encodings are read as what they say, with a warning, or as the user says."""

import gzip
import json
import warnings

import pytest

import deciban as db
from deciban.engines.files import text_files as encodings
from deciban.engines.files.source import FileSource
from deciban.engines.files.text_files import TextFile
from deciban.errors import DamagedTableError, DecibanWarning, ParameterError, SourceError

ROWS = [{"name": name, "y": number} for name, number in [("café", 1), ("“über”", 2), ("a\nb", 3), ("plain", 4)]] * 60
CSV = "name,y\n" + "".join(f'"{row["name"]}",{row["y"]}\n' for row in ROWS)
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
ARRAY = json.dumps(ROWS, ensure_ascii=False, indent=1)
FOUND = {
    "cp1252": "Latin-1",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16-LE",
    "utf-16-be": "UTF-16-BE",
    "utf-32": "32",
}


@pytest.mark.parametrize("text", [CSV, LINES, ARRAY], ids=["csv", "lines", "array"])
@pytest.mark.parametrize("encoding", [*FOUND, "utf-8", "utf-8-sig"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
def test_the_encoding_is_found_or_named(text, encoding, pack, tmp_path, monkeypatch):
    monkeypatch.setattr(TextFile.blocks, "__defaults__", (64,))
    suffix = "csv" if text is CSV else "json"
    path = tmp_path / (f"rows.{suffix}" + (".gz" if pack is gzip.compress else ""))
    path.write_bytes(pack(text.encode(encoding)))
    assert FileSource.of(path, encoding=encoding).read().to_pylist() == ROWS
    if encoding.startswith("utf-8"):
        assert FileSource.of(path).read().to_pylist() == ROWS
    else:
        with pytest.warns(DecibanWarning, match=f"{path.name} is not in UTF-8 and read as .*{FOUND[encoding]}"):
            source = FileSource.of(path)
        assert source.read().to_pylist() == ROWS


def test_a_late_character_of_a_long_file_is_found(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"name,y\n" + b"plain,1\n" * 300_000 + "café,2\n".encode("latin-1"))
    with pytest.warns(DecibanWarning, match="Latin-1"):
        assert db.tally(path, target="y").total == 300_001


def test_the_line_of_a_bad_row_is_that_of_the_file(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(("name,y\n" + "café,1\n" * 20 + "a,b,c\n").encode("utf-16"))
    with pytest.raises(SourceError, match=r"rows\.csv, line 22: it has 3 values"):
        db.tally(path, target="y", encoding="utf-16")


@pytest.mark.parametrize("text", ["naïve — “test” ✓ 日本", "π ≈ 3", "é" * 9])
def test_a_damaged_utf_8_file_is_not_taken_for_latin_1(text):
    raw = text.encode() + b"\xff\n"
    assert encodings.found_encoding([raw]) is None


def test_what_is_no_text_is_named(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(bytes(range(256)) * 9)
    with pytest.raises(DamagedTableError, match="it is not text"):
        db.tally(path, target="y")
    path.write_bytes(b"name,y\n\xff\xfe,1\n")
    with pytest.raises(SourceError, match="encoding=…"):
        db.tally(path, target="y", encoding="utf-8")
    with pytest.raises(DamagedTableError, match=r"rows\.csv is not in utf-16: .* Pass another encoding"):
        db.tally(path, target="y", encoding="utf-16")


def test_wrong_options_are_named(tmp_path):
    for name, found in (("nope", "none that Python knows"), ("rot13", "none that Python knows")):
        with pytest.raises(ParameterError, match=found):
            db.tally(_written(tmp_path), target="y", encoding=name)
    with pytest.raises(ParameterError, match="the data are not in files"):
        db.tally({"y": [1]}, target="y", encoding="utf-8")
    with pytest.raises(ParameterError, match="is for Excel files"):
        db.tally(_written(tmp_path), target="y", sheet="a")


def _written(folder):
    path = folder / "rows.csv"
    path.write_text("name,y\na,1\n")
    return path


def test_a_long_warning_names_the_first_of_several_files(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.csv").write_bytes("name,y\ncafé,1\n".encode("latin-1"))
    with pytest.warns(DecibanWarning, match=r"3 files, .*a\.csv the first, are not in UTF-8") as caught:
        db.tally(tmp_path, target="y")
    assert len(caught) == 1


def test_utf_8_is_read_without_a_word(tmp_path):
    (tmp_path / "rows.csv").write_text(CSV, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert db.tally(tmp_path / "rows.csv", target="y").total == len(ROWS)
