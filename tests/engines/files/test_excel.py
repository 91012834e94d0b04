"""Sheets of Excel files are tables like others; what is no sheet is named."""

import zipfile
from xml.sax.saxutils import escape

import pytest

import deciban as db
from deciban.engines.files.source import FileSource
from deciban.errors import (
    ColumnMismatchError,
    DamagedTableError,
    DecibanWarning,
    InputError,
    MissingExtraError,
    ParameterError,
)

NAMESPACE = "http://schemas.openxmlformats.org"
ROWS = [["sky", "warm", "n", "play"], ["sun", 21.5, 3, True], ["rain", 9, None, False], [], ["naïve", 1.5, 2, True]]


@pytest.fixture(autouse=True)
def calamine():
    return pytest.importorskip("python_calamine")


def write_workbook(path, **sheets):
    """The smallest workbook with these rows."""
    names = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1))
    relation = f"{NAMESPACE}/officeDocument/2006/relationships"
    numbers = range(1, len(sheets) + 1)
    links = "".join(f'<Relationship Id="r{i}" Type="{relation}/worksheet" Target="s{i}.xml"/>' for i in numbers)
    main = f'xmlns="{NAMESPACE}/spreadsheetml/2006/main" xmlns:r="{relation}"'
    package = f'xmlns="{NAMESPACE}/package/2006/relationships"'
    with zipfile.ZipFile(path, "w") as file:
        types = '<Default Extension="xml" ContentType="application/xml"/>'
        file.writestr("[Content_Types].xml", f'<Types xmlns="{NAMESPACE}/package/2006/content-types">{types}</Types>')
        top = f'<Relationship Id="r0" Type="{relation}/officeDocument" Target="xl/workbook.xml"/>'
        file.writestr("_rels/.rels", f"<Relationships {package}>{top}</Relationships>")
        file.writestr("xl/workbook.xml", f"<workbook {main}><sheets>{names}</sheets></workbook>")
        file.writestr("xl/_rels/workbook.xml.rels", f"<Relationships {package}>{links}</Relationships>")
        for i, rows in enumerate(sheets.values(), 1):
            cells = ["".join(map(cell, row, "ABCDEF", [r] * 6)) for r, row in enumerate(rows, 1)]
            lines = "".join(f'<row r="{r}">{held}</row>' for r, held in enumerate(cells, 1))
            file.writestr(f"xl/s{i}.xml", f"<worksheet {main}><sheetData>{lines}</sheetData></worksheet>")
    return path


def cell(value, column, row):
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{column}{row}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    kind = ' t="b"' if isinstance(value, bool) else ""
    return f'<c r="{column}{row}"{kind}><v>{value if not isinstance(value, bool) else int(value)}</v></c>'


def test_values_have_the_types_of_their_cells(tmp_path):
    table = FileSource.of(write_workbook(tmp_path / "days.xlsx", days=ROWS)).read()
    assert [str(kind) for kind in table.schema.types] == ["string", "double", "int64", "bool"]
    expected = [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:] if row]
    assert table.to_pylist() == expected
    model = db.NaiveBayes().fit_files(tmp_path / "days.xlsx", target="play")
    assert model.tally_.total == 3 and model.classes_.tolist() == [False, True]


def test_a_column_of_numbers_and_text_is_text(tmp_path):
    path = write_workbook(tmp_path / "days.xlsx", days=[["id", "y"], [17, "a"], ["A3", "b"]])
    assert FileSource.of(path).read()["id"].to_pylist() == ["17", "A3"]


def test_the_sheet_is_chosen_by_name(tmp_path):
    path = write_workbook(tmp_path / "days.xlsx", first=[["y"], [1]], second=[["y"], [1], [2]])
    assert db.tally(path, target="y", sheet="second").total == 2
    with pytest.warns(
        DecibanWarning, match=r"2 sheets, and the first, 'first', is read; sheet= names another: 'second'"
    ):
        assert db.tally(path, target="y").total == 1
    with pytest.raises(ParameterError, match=r"has no sheet 'secnd'\. Did you mean 'second'\?"):
        db.tally(path, target="y", sheet="secnd")


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "is empty: it has no row with the names"),
        ([["y", "y"], [1, 2]], "two columns of the name 'y'"),
        ([["y"], [1], [1, 2]], "row 3: there is a value in column B, which has no name in row 1"),
        ([["y"]], "no rows"),
    ],
)
def test_a_sheet_that_is_no_table_is_named(rows, says, tmp_path):
    with pytest.raises(InputError, match=says):
        db.tally(write_workbook(tmp_path / "days.xlsx", days=rows), target="y")


def test_files_of_other_things_are_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "zip.xlsx", "w") as file:
        file.writestr("readme.txt", "no sheet")
    (tmp_path / "noise.xlsx").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "empty.xlsx").write_bytes(b"")
    (tmp_path / "text.xls").write_text("x,y\n1,2\n")
    for name in ("zip.xlsx", "noise.xlsx", "empty.xlsx", "text.xls"):
        with pytest.raises(DamagedTableError, match=f"{name} cannot be read as an Excel file"):
            db.tally(tmp_path / name, target="y")


def test_sheets_of_several_files_have_the_same_columns(tmp_path):
    write_workbook(tmp_path / "a.xlsx", days=[["x", "y"], [1, 2]])
    write_workbook(tmp_path / "b.xlsx", days=[["z", "y"], [1, 2]])
    with pytest.raises(ColumnMismatchError, match="lacks 'x' and also has 'z'"):
        db.tally(tmp_path, target="y")


def test_the_extra_is_named_where_it_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(MissingExtraError, match=r"deciban\[excel\]"):
        db.tally(write_workbook(tmp_path / "days.xlsx", days=ROWS), target="play")
