"""CSV files: types, quotes, missing values, and rows that cannot be read."""

import warnings

import pyarrow as pa
import pytest

import deciban as db
from deciban.engines.files import csv
from deciban.engines.files import text_files as lines
from deciban.engines.files.source import FileSource
from deciban.errors import ColumnMismatchError, DecibanWarning, InputError, ParameterError, SourceError


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(lines.TextFile.blocks, "__defaults__", (64,))


def rows_of(text, folder, **options):
    path = folder / "rows.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DecibanWarning)
        batches = list(FileSource.of(path, **options).batches())
    return [row for batch in batches for row in batch.to_pylist()]


def test_values_in_quotes_may_have_line_ends(tmp_path):
    text = "x,y\n" + '"a\nb",1\n' * 20 + '"say ""hi""\n\n",2\n'
    found = rows_of(text, tmp_path)
    assert [row["x"] for row in found] == ["a\nb"] * 20 + ['say "hi"\n\n']


def test_a_quote_without_a_pair_costs_its_own_block_only(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_LONGEST", 200)
    text = "x,y\n" + "a,1\n" * 10 + '5" pipe,2\n' + "b,3\n" * 200
    found = rows_of(text, tmp_path)
    assert len(found) == 211 and found[10]["x"] == '5" pipe'


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks(end, mark, tmp_path):
    text = mark + "".join(line + end for line in ["x,y", "1,a", "2,b"])
    assert rows_of(text, tmp_path) == [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]
    assert rows_of(text.removesuffix(end), tmp_path) == [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]


@pytest.mark.parametrize("mark", ";\t|,")
def test_the_separator_is_found(mark, tmp_path):
    assert rows_of(f"x{mark}y\n1{mark}a\n", tmp_path) == [{"x": 1, "y": "a"}]


def test_missing_values(tmp_path):
    found = rows_of('x,s,y\n1.5,,a\nNA,null,b\n,"",c\n', tmp_path)
    assert [row["x"] for row in found] == [1.5, None, None]
    assert [row["s"] for row in found] == [None] * 3


def test_types_are_those_of_rows_spread_over_all_files(tmp_path):
    (tmp_path / "0.csv").write_text("n,m,y\n" + "1,,a\n" * 100)
    (tmp_path / "1.csv").write_text("n,m,y\n" + "1,2,a\n" * 100)
    (tmp_path / "2.csv").write_text("y,n,m\n" + "a,0.5,x\n" * 100)
    schema = FileSource.of(tmp_path).schema
    assert [str(schema.field(name).type) for name in "nmy"] == ["double", "string", "string"]


def test_an_empty_header_and_a_name_twice(tmp_path):
    with pytest.raises(InputError, match=r"rows\.csv is empty"):
        rows_of("", tmp_path)
    with pytest.raises(ColumnMismatchError, match="two columns of the name 'x'"):
        rows_of("x,x\n1,2\n", tmp_path)


GOOD = "number,y\n" + "1.5,a\n" * 30


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("2.5\n", "line 32: it has 1 values, and the header has 2: '2.5'"),
        ("2.5,b,c\n", "line 32: it has 3 values, and the header has 2: '2.5,b,c'"),
        ("two,b\n", "line 32: column 'number' has the value 'two'"),
    ],
)
def test_a_bad_row_is_named_or_left_out(bad, reason, tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "_SAMPLE", 100)  # so that the bad row does not decide the type
    path = tmp_path / "rows.csv"
    path.write_text(GOOD + bad + "2.5,b\n" * 30)
    schema = {"number": pa.float64()}
    with pytest.raises(SourceError, match=reason):
        db.tally(path, target="y", schema=schema)
    with pytest.warns(DecibanWarning, match=f"1 row could not be read and were left out: .*{reason}"):
        found = db.tally(path, target="y", schema=schema, on_bad_row="skip")
    assert found == db.tally({"number": [1.5] * 30 + [2.5] * 30, "y": ["a"] * 30 + ["b"] * 30}, target="y")


def test_bad_rows_of_all_kinds_in_one_block(tmp_path, monkeypatch):
    monkeypatch.setattr(lines.TextFile.blocks, "__defaults__", (1 << 20,))
    path = tmp_path / "rows.csv"
    text = 'number,y\n1.5,a\n\n2\n"3.5",a\nthree,"b\nb"\n4,a,a\nfour,a\n5.5,a\n'
    path.write_text(text)
    with pytest.warns(DecibanWarning) as caught:
        found = db.tally(path, target="y", schema={"number": pa.float64()}, on_bad_row="skip")
    message = str(caught[0].message)
    assert message.startswith("4 rows could not be read")
    assert [int(part.split(":")[0]) for part in message.split("line ")[1:]] == [4, 6, 8, 9]
    assert found == db.tally({"number": [1.5, 3.5, 5.5], "y": ["a"] * 3}, target="y")


def test_a_column_that_turns_to_text_in_the_last_file(tmp_path):
    for i in range(131):  # a sample looks at 64 files
        (tmp_path / f"{i:03}.csv").write_text("n,y\n1,a\n2,b\n")
    (tmp_path / "130.csv").write_text("n,y\n1,a\nmany,b\n")
    with pytest.raises(SourceError, match=r"130.csv, line 3: column 'n' has the value 'many'.*schema=\{'n': …\}"):
        db.tally(tmp_path, target="y")
    assert db.tally(tmp_path, target="y", schema={"n": "string"}).total == 262


def test_spaces_around_numbers_and_blank_lines(tmp_path):
    text = "number,y\n 1.5 ,a\n\n\n2.5,b\n\n"
    expected = [{"number": 1.5, "y": "a"}, {"number": 2.5, "y": "b"}]
    assert rows_of(text, tmp_path) == expected
    bad = text + "\n" * 200 + "three,c\n" + "\n" * 200
    assert rows_of(bad, tmp_path, schema={"number": "float64"}, on_bad_row="skip") == expected


@pytest.mark.parametrize("schema", [None, {"y": "string"}])
def test_text_that_is_not_utf_8(schema, tmp_path, monkeypatch):
    with pytest.raises(SourceError, match=r"rows\.csv cannot be read: .*UTF-?8"):
        rows_of(b"x,y\n1,\xff\xfe\n", tmp_path, schema=schema, encoding="utf-8")
    monkeypatch.setattr(csv, "_SAMPLE", 100)
    with pytest.raises(SourceError, match=r"rows\.csv cannot be read at byte \d+: .*UTF8"):
        rows_of(b"x,y\n" + b"1,a\n" * 1_000 + b"1,\xff\xfe\n", tmp_path, schema=schema, encoding="utf-8")


DECIMAL = "x;n;sky\n1,5;1;a\n2;2;b\n-,25;3;a,b\n"


def test_decimal_commas_are_found_with_a_note(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(DECIMAL)
    with pytest.warns(DecibanWarning, match="column 'x' has decimal commas, as in '1,5', which are read as numbers"):
        source = FileSource.of(path)
    assert [row["x"] for batch in source.batches() for row in batch.to_pylist()] == [1.5, 2.0, -0.25]
    assert rows_of(DECIMAL, tmp_path, schema={"x": "string"})[0] == {"x": "1,5", "n": 1, "sky": "a"}
    assert rows_of(DECIMAL, tmp_path, decimal=".")[0]["x"] == "1,5"
    assert rows_of(DECIMAL, tmp_path, decimal=",")[0]["x"] == 1.5
    with pytest.raises(ParameterError, match="decimal"):
        FileSource.of(path, decimal=";")


def test_a_decimal_comma_is_read_beside_a_value_that_cannot_be_read(tmp_path):
    found = rows_of(DECIMAL + "1.5;4;c\n3,5;5;d\n", tmp_path, schema={"x": "float64"}, on_bad_row="skip")
    assert [row["x"] for row in found] == [1.5, 2.0, -0.25, 3.5]  # a point is no decimal comma


def test_decimal_commas_beside_points_are_named_and_left(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x;y\n1,5;1.5\n2,5;2.5\n")
    with pytest.warns(DecibanWarning, match="column 'x' has decimal commas, as in '1,5', and column 'y' has points"):
        source = FileSource.of(path)
    assert next(source.batches()).to_pylist()[0] == {"x": "1,5", "y": 1.5}


@pytest.mark.parametrize("text", ['x,y\n"1,5",a\n"2,5",b\n', "x;y\na,b;1\nc;2\n", "x;y\n1,5,2;1\n2,2,2;2\n"])
def test_other_commas_are_no_decimal_commas(text, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(next(FileSource.of(path).batches()).to_pylist()[0]["x"], str)


def test_columns_are_read_in_the_types_of_a_model(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,n,sky\n1.5,1,a\nodd,2,b\n3,3,a\n")
    source = FileSource.of(path, on_bad_row="skip").with_types({"x"}, {"n", "sky"})
    with pytest.warns(DecibanWarning, match="line 3: column 'x' has the value 'odd', which is not a number"):
        assert source.read().to_pylist() == [{"x": 1.5, "n": 1, "sky": "a"}, {"x": 3.0, "n": 3, "sky": "a"}]
