"""JSON arrays have the rows of the same objects as JSON Lines, and errors name the line."""

import json

import pytest

import deciban as db
from deciban.engines.files.source import FileSource
from deciban.errors import DamagedTableError, DecibanWarning, FileError, InputError, SourceError, TooLargeError

ROWS = [{"sky": "sun", "warm": 21.5, "n": 3, "play": True}, {"sky": None, "warm": 9, "play": False}, {"n": 1 << 70}]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_an_array_is_read_as_its_objects(indent, suffix, tmp_path):
    (tmp_path / "lines.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS[:2]))
    (tmp_path / f"array.{suffix}").write_text("\n " + json.dumps(ROWS[:2], indent=indent))
    expected = FileSource.of(tmp_path / "lines.jsonl").read()
    assert FileSource.of(tmp_path / f"array.{suffix}").read().equals(expected)


def test_a_model_learns_from_an_array_in_pieces_of_the_sample(tmp_path):
    rows = [{"x": i % 3, "y": "ab"[i % 2]} for i in range(1000)]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    source = FileSource.of(tmp_path / "rows.json")
    assert len(source.sample(10)) == 10 and source.sample(2000).num_rows == 1000
    model = db.NaiveBayes().fit_files(tmp_path / "rows.json", target="y")
    assert model.tally_.total == 1000


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        (
            '[{"x": 1}, {"x": "a"}, {"x": 2}]',
            SourceError,
            "line 1: column 'x' has the value 'a', and its type is int64",
        ),
        ('[{"x": 1},\n\n{"x": 2.5},\n7]', SourceError, "line 4: it is not a JSON object: 7"),
        ('[{"x": 1},\n{"x": ', DamagedTableError, r"line 2: this is not valid JSON"),
        ('[{"x": 1}\n{"x": 2}]', DamagedTableError, r"line 2: this is not valid JSON: Expecting ',' or '\]'"),
        ('[{"x": 1}]\n[{"x": 2}]', DamagedTableError, r"line 2: this is not valid JSON: Extra data"),
        ("[" * 100_000, DamagedTableError, "nested too deeply"),
        ('[{"x": "\\ud800"}, {"x": "a"}]', SourceError, "line 1: column 'x' has the value '.ud800'"),
        ("[]", InputError, "no rows with values"),
        ("[1, 2]", InputError, "no rows with values"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, error, says, tmp_path):
    (tmp_path / "rows.json").write_text(text)
    with pytest.raises(error, match=says):
        db.tally(tmp_path / "rows.json", target="x")


def test_bad_rows_are_left_out_and_named(tmp_path):
    (tmp_path / "rows.json").write_text('[{"x": 1},\n{"x": "a"},\n{"x": 2}, []]')
    with pytest.warns(DecibanWarning, match=r"2 rows .* line 2: column 'x'.* line 3: it is not a JSON object"):
        assert db.tally(tmp_path / "rows.json", target="x", on_bad_row="skip").total == 2


def test_a_type_that_is_given_keeps_its_word(tmp_path):
    (tmp_path / "rows.json").write_text('[{"x": 1, "y": "a"}, {"x": 2.5, "y": "b"}]')
    with pytest.raises(SourceError, match=r"column 'x' has the value 2\.5, and its type is int64"):
        db.tally(tmp_path / "rows.json", target="y", schema={"x": "int64"})
    assert FileSource.of(tmp_path / "rows.json").read()["x"].to_pylist() == [1.0, 2.5]


def test_arrays_and_lines_are_not_mixed(tmp_path):
    (tmp_path / "a.json").write_text('[{"x": 1}]')
    (tmp_path / "b.json").write_text('{"x": 1}\n')
    with pytest.raises(FileError, match="one JSON array, and other files are not"):
        db.tally(tmp_path, target="x")


def test_a_large_array_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "1000000")
    (tmp_path / "rows.json").write_text(json.dumps([{"x": 1}] * 20_000))
    with pytest.raises(TooLargeError, match="JSON Lines"):
        db.tally(tmp_path / "rows.json", target="x")
