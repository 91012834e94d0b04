"""`deciban predict`: tables in batches, rows as JSON, documents."""

from __future__ import annotations

import csv
import json

import pyarrow as pa
import pytest
from pyarrow import parquet

import deciban as db
from deciban.engines.files import csv as csv_files

DAY = '{"Outlook": "sunny", "Wind": "strong"}'


def test_the_predictions_of_a_table_are_those_of_the_model(run):
    run("predict", "tennis.deciban", "tennis.csv", "--keep", "Outlook", "--posteriors", "-o", "p.csv")
    with open("p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    with open("tennis.csv", newline="") as file:
        days = list(csv.DictReader(file))
    model = db.load("tennis.deciban")
    assert list(rows[0]) == ["Outlook", "prediction", "posterior", "p_no", "p_yes"]
    assert [row["prediction"] for row in rows] == model.predict(days).tolist()
    assert [float(row["p_yes"]) for row in rows] == pytest.approx(model.predict_proba(days)[:, 1])
    assert [row["Outlook"] for row in rows] == [day["Outlook"] for day in days]


def test_a_row_of_json_may_leave_columns_out(run):
    shown = json.loads(run("predict", "tennis.deciban", "-", "--format", "json", "--posteriors", stdin=DAY).output)
    expected = db.load("tennis.deciban").predict_proba_one(json.loads(DAY))
    assert shown == [
        {"prediction": "no", "posterior": expected["no"], "p_no": expected["no"], "p_yes": expected["yes"]}
    ]


def test_an_array_of_rows_and_json_lines_are_read(run, tmp_path):
    (tmp_path / "rows.json").write_text(f"[{DAY}, {DAY}]")
    (tmp_path / "rows.jsonl").write_text(f"{DAY}\n{DAY}\n")
    many = run("predict", "tennis.deciban", "rows.json", "--keep-all", "--format", "csv").output
    assert many.splitlines()[0] == "Outlook,Wind,prediction,posterior" and len(many.splitlines()) == 3
    assert "has no column 'Temperature'" in run("predict", "tennis.deciban", "rows.jsonl", code=1).output


def test_all_columns_may_be_kept_as_parquet(run):
    run("predict", "tennis.deciban", "tennis.csv", "--keep-all", "-o", "p.parquet")
    table = parquet.read_table("p.parquet")
    assert table.column_names[-3:] == ["PlayTennis", "prediction", "posterior"] and len(table) == 14


def test_later_batches_are_aligned_with_the_first(run, tmp_path):
    (tmp_path / "days").mkdir()
    days = pa.Table.from_pylist([json.loads(DAY) | {"Temperature": "hot", "Humidity": "high"}] * 3)
    for name in ("a", "b"):
        parquet.write_table(days, tmp_path / "days" / f"{name}.parquet")
    shown = run("predict", "tennis.deciban", "days", "--keep", "Wind").output.splitlines()
    assert len(shown) == 7 and len(set(map(len, shown[1:]))) == 1


def test_documents_are_predicted_by_column_as_text_and_in_a_folder(run, tmp_path):
    run("fit", "messages.jsonl", "--text", "text", "-t", "label", "-o", "m.deciban", "-q")
    assert len(run("predict", "m.deciban", "messages.jsonl", "--keep", "text").output.splitlines()) == 9
    assert "spam" in run("predict", "m.deciban", "-", stdin='"claim your free prize"').output
    assert "spam" in run("predict", "m.deciban", "-", stdin='{"text": "claim your free prize"}').output
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "1.txt").write_text("claim your free prize")
    assert "1.txt" in run("predict", "m.deciban", "new", "--keep", "file").output
    assert "Did you mean 'text'?" in run("predict", "m.deciban", "messages.jsonl", "--text", "txt", code=1).output


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"Outlok": "sunny"}', "Did you mean 'Outlook'?"),
        ('{"colour": "red"}', "none of the model's columns"),
        ("[3]", "a row is an object"),
    ],
)
def test_rows_that_cannot_be_read_are_errors(run, row, message):
    assert message in run("predict", "tennis.deciban", "-", stdin=row, code=1).output


def test_a_file_that_holds_no_classifier_is_named(run):
    run("tally", "tennis.csv", "-t", "PlayTennis", "-o", "t.tally", "-q")
    assert "t.tally holds a Tally, not a classifier" in run("predict", "t.tally", "day.json", code=1).output
    assert "not a deciban file" in run("predict", "tennis.csv", "day.json", code=1).output


def drifted(values, column, folder, name):
    """A table of 30 rows with other values in some cells of a column, by row."""
    rows = [{"floor": 1 + i % 3, "warm": 1.5 + i % 7, "play": i % 2} for i in range(30)]
    for row, value in values.items():
        rows[row][column] = value
    with (folder / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def floors(run, tmp_path):
    drifted({}, "floor", tmp_path, "floors.csv")
    run("fit", "floors.csv", "-t", "play", "--column", "floor=categorical", "-o", "floors.deciban")
    return tmp_path


def predicted(run, *options):
    run("predict", "floors.deciban", *options, "--posteriors", "-o", "p.csv", "-q")
    with open("p.csv", newline="") as file:
        return [float(row["p_1"]) for row in csv.DictReader(file)]


def test_one_odd_cell_among_labels_changes_its_own_row_only(run, floors):
    drifted({4: "unknown"}, "floor", floors, "odd.csv")
    expected, found = predicted(run, "floors.csv"), predicted(run, "odd.csv")
    assert found[:4] + found[5:] == pytest.approx(expected[:4] + expected[5:])
    drifted({4: 99}, "floor", floors, "unseen.csv")
    assert found[4] == pytest.approx(predicted(run, "unseen.csv")[4])


def test_one_odd_cell_among_numbers_is_a_row_that_cannot_be_read(run, floors):
    drifted({4: "unknown"}, "warm", floors, "odd.csv")
    shown = run("predict", "floors.deciban", "odd.csv", code=1).output
    assert "odd.csv, line 6: column 'warm' has the value 'unknown', which is not a number" in shown
    assert "--on-bad-row skip" in shown
    expected = predicted(run, "floors.csv")
    assert predicted(run, "odd.csv", "--on-bad-row", "skip") == pytest.approx(expected[:4] + expected[5:])
    assert "odd.csv, line 6" in run("explain", "floors.deciban", "odd.csv", code=1).output
    run("explain", "floors.deciban", "odd.csv", "--on-bad-row", "skip")


def test_an_odd_cell_far_behind_the_first_rows_is_as_odd(run, floors, monkeypatch):
    monkeypatch.setattr(csv_files, "_SAMPLE", 40)
    drifted({25: "unknown"}, "floor", floors, "odd.csv")
    expected, found = predicted(run, "floors.csv"), predicted(run, "odd.csv")
    assert found[:25] + found[26:] == pytest.approx(expected[:25] + expected[26:])


def test_rows_of_json_have_text_for_numbers(run, floors):
    (floors / "row.json").write_text('{"floor": "3", "warm": "2.5"}')
    (floors / "plain.json").write_text('{"floor": 3, "warm": 2.5}')
    first, second = (
        run("predict", "floors.deciban", name, "--format", "json").output for name in ("row.json", "plain.json")
    )
    assert json.loads(first) == json.loads(second)


def test_a_decimal_comma_is_found_or_given(run, floors):
    text = (floors / "floors.csv").read_text().replace(",", ";").replace(".", ",")
    (floors / "comma.csv").write_text(text)
    assert predicted(run, "comma.csv") == pytest.approx(predicted(run, "floors.csv"))
    assert predicted(run, "comma.csv", "--decimal", ",") == pytest.approx(predicted(run, "floors.csv"))
    assert "line 2: column 'warm'" in run("predict", "floors.deciban", "comma.csv", "--decimal", ".", code=1).output
