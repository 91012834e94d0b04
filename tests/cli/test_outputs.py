"""Results in every format, to the standard output and to files, which appear complete or not at all."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from typer.testing import CliRunner

import deciban as db
from deciban.cli.demonstration import write_examples
from deciban.cli.main import app
from deciban.cli.outputs import write_json, write_table, writing
from deciban.errors import MissingFileError


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    write_examples(folder)
    return folder


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
    write_table(TABLE[:0], None, "json")
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


PROGRAM = [sys.executable, "-c", "from deciban.cli import run; run()"]
PRINTING = [
    ["predict", "tennis.deciban", "tennis.csv"],
    ["predict", "tennis.deciban", "tennis.csv", "--format", "csv"],
    ["predict", "tennis.deciban", "day.json", "--format", "json"],
    ["sample", "garden.bif", "-n", "70000", "--format", "parquet"],
    ["inspect", "tennis.deciban"],
    ["fit", "tennis.csv", "--target", "PlayTennis"],
    ["--help"],
    ["--version"],
]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no such device")
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_full_disk_is_one_line_and_a_code(arguments, examples):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*PROGRAM, *arguments], check=False, cwd=examples, stdout=full, stderr=PIPE, text=True)
    assert done.returncode == 3, done.stderr
    assert re.fullmatch(r"Error: the standard output cannot be .*written: No space left on device\.\n", done.stderr)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no such device")
def test_notes_that_cannot_be_written_stop_nothing(examples):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*PROGRAM, *PRINTING[5]], check=False, cwd=examples, stdout=PIPE, stderr=full, text=True)
    assert done.returncode == 0 and "NaiveBayes of 14 rows" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="a shell that closes streams")
@pytest.mark.parametrize(("closed", "says"), [(">&-", "output is closed"), ("<&-", "input is closed")])
def test_a_closed_stream_is_named(closed, says, examples):
    line = f"{shlex.join([*PROGRAM, 'predict', 'tennis.deciban', '-' if '<' in closed else 'tennis.csv'])} {closed}"
    done = subprocess.run(["/bin/sh", "-c", line], check=False, cwd=examples, stderr=PIPE, text=True)
    assert done.returncode == 3 and says in done.stderr and done.stderr.count("\n") == 1


def test_a_reader_that_has_seen_enough_is_no_error(examples):
    line = f"{shlex.join([*PROGRAM, 'sample', 'garden.bif', '-n', '200000', '--format', 'csv'])} | head -n 1"
    done = subprocess.run(["/bin/sh", "-c", line], check=False, cwd=examples, capture_output=True, text=True)
    assert done.stdout == "season,sprinkler,rain,wet,slippery\n" and done.stderr == ""


@pytest.fixture(scope="module")
def surrogates(tmp_path_factory):
    """Models whose labels have a lone surrogate, which Python's text can hold and UTF-8 cannot."""
    folder = tmp_path_factory.mktemp("surrogates")
    table, labels = {"sky": ["sun", "rain"] * 4, "n": [1.0, 2.0] * 4}, ["\ud800", "b"] * 4
    db.save(db.NaiveBayes().fit(table, labels), folder / "m.deciban")
    db.save(db.tally({**table, "y": labels}, target="y"), folder / "t.tally")
    db.save(db.BayesNet([("a", "b")]).fit({"a": labels, "b": table["sky"]}), folder / "net.deciban")
    (folder / "rows.csv").write_text("sky,n,y\nsun,1,b\nrain,2,b\n")
    (folder / "row.json").write_text('{"sky": "sun", "n": 1.0}')
    return folder


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("inspect m.deciban", 0),
        ("inspect m.deciban --format json", 0),
        ("explain m.deciban rows.csv", 0),
        ("explain m.deciban rows.csv --format json", 0),
        ("evaluate m.deciban rows.csv --target y", 0),
        ("evaluate m.deciban rows.csv --target y --format json", 0),
        ("report m.deciban rows.csv --target y -o page.html", 0),
        ("sql m.deciban", 0),
        ("inspect t.tally", 0),
        ("query net.deciban P(a)", 0),
        ("predict m.deciban row.json --format json", 0),
        ("predict m.deciban row.json", 0),
        ("predict m.deciban rows.csv", 1),
        ("predict m.deciban row.json --format csv", 1),
        ("predict m.deciban rows.csv --format parquet -o out.parquet", 1),
        ("sample net.deciban -n 9", 1),
        ("convert net.deciban out.bif", 1),
    ],
)
def test_a_lone_surrogate_is_shown_as_an_escape_or_named(line, code, surrogates, monkeypatch):
    monkeypatch.chdir(surrogates)
    result = CliRunner().invoke(app, line.split())
    assert result.exit_code == code, repr(result.exception)
    if code:
        assert "\\ud800'" in result.stderr
    elif "report" not in line:
        assert "\\ud800" in result.stdout
