"""`deciban fit`: tables, documents and tallies, with the settings of the models."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import deciban as db
from deciban.engines.files.writing import as_csv
from deciban.errors import TooLargeError

rng = np.random.default_rng(0)
ROWS = 400
PLAY = rng.choice(["no", "yes"], ROWS)
NOISY = np.where(rng.random(ROWS) < 0.005, np.where(PLAY == "yes", "no", "yes"), PLAY)
SKY = np.where(rng.random(ROWS) < 0.3, "sun", np.where(PLAY == "yes", "sun", "rain"))
TABLE = {
    "id": [f"K{i}" for i in range(ROWS)],
    "sky": SKY,
    "warm": rng.normal(np.where(PLAY == "yes", 2.0, 0.0)),
    "times": rng.integers(1, 3, ROWS),
    "play": PLAY,
}


@pytest.fixture
def table(tmp_path):
    (tmp_path / "days.csv").write_bytes(as_csv(TABLE))


def test_the_model_is_that_of_fit_and_is_scored_by_leave_one_out(run, table):
    shown = run("fit", "days.csv", "-t", "play", "-x", "id", "-x", "times", "-o", "days.deciban").output
    held = {name: TABLE[name] for name in ("sky", "warm", "play")}
    expected = db.NaiveBayes().fit(held, "play")
    model = db.load("days.deciban")
    assert model.tally_ == expected.tally_ and model.weights_ == expected.weights_
    rows = {"sky": SKY, "warm": TABLE["warm"]}
    report = db.evaluate(PLAY, posterior=expected.loo_predict_proba(rows, PLAY))
    assert f"exact leave-one-out, {ROWS} rows" in shown
    assert f"{report.accuracy:.4f}" in shown and f"{report.probability.log_loss.value:.4f}" in shown
    assert "Strongest columns, in decibans a row: sky" in shown


def test_identifiers_and_near_copies_of_the_target_are_warned_of(run, tmp_path):
    (tmp_path / "noisy.csv").write_bytes(as_csv({**TABLE, "noisy": NOISY, "copy": PLAY}))
    shown = run("fit", "noisy.csv", "-t", "play").output
    assert "Warning: column 'id' holds another value in nearly every row" in shown
    assert "Warning: column 'copy' is one-to-one with the target" in shown
    assert "Warning: column 'noisy' agrees with the target in 99." in shown


def test_weights_are_a_column(run, table):
    run("fit", "days.csv", "-t", "play", "--weight", "times", "-o", "days.deciban", "-x", "id")
    assert db.load("days.deciban").tally_.total == TABLE["times"].sum()


def test_settings_are_those_of_the_model(run, table):
    options = ["--missing", "state", "--na-values", "?", "--smoothing", "0.5", "--priors", "yes=0.1,no=0.9"]
    run("fit", "days.csv", "-t", "play", "-x", "id", *options, "--calibrate", "isotonic", "-o", "days.deciban")
    model = db.load("days.deciban")
    assert (model.missing, list(model.na_values), model.smoothing.alpha) == ("state", ["?"], 0.5)
    assert model.class_prior_.tolist() == pytest.approx([0.9, 0.1])
    assert type(model.calibration_).__name__ == "Isotonic"


@pytest.mark.parametrize("name", ["tan", "net", "aode", "kdb", "combined"])
def test_every_kind_of_model_can_be_fitted_and_explains(run, name):
    run("fit", "tennis.csv", "-t", "PlayTennis", "--model", name, "-o", "m.deciban")
    assert "decibans" in run("explain", "m.deciban", "day.json").output


def test_auto_says_what_it_chose_and_why(run, table):
    held = json.loads(
        run("fit", "days.csv", "-t", "play", "-x", "id", "--model", "auto", "--format", "json", "-q").output
    )
    names = [candidate["name"] for candidate in held["selection"]["candidates"]]
    assert names == ["naive", "tan", "net", "aode", "kdb", "combined"]
    assert held["selection"]["chosen"] in names and "chosen" in held["selection"]["reason"]
    assert held["model"]["rows"] == ROWS and 0.5 < held["scores"]["accuracy"]["value"] < 1


def test_documents_are_a_column_or_files_in_class_folders(run, tmp_path):
    run("fit", "messages.jsonl", "--text", "text", "-t", "label", "-o", "column.deciban")
    for line in (tmp_path / "messages.jsonl").read_text().splitlines():
        held = json.loads(line)
        folder = tmp_path / "mails" / held["label"]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{len(list(folder.iterdir()))}.txt").write_text(held["text"])
    shown = run("fit", "mails", "-o", "folder.deciban").output
    assert "Strongest tokens for spam" in shown
    folder, column = db.load("folder.deciban"), db.load("column.deciban")
    assert folder.predict_proba(["a free lunch"]).tolist() == column.predict_proba(["a free lunch"]).tolist()


MESSAGES = {
    "message": [
        f"win cheap money now and claim prize {i}" if i % 2 else f"see you at noon, lunch {i}" for i in range(60)
    ],
    "kind": [["ham", "spam"][i % 2] for i in range(60)],
    "length": [i % 7 for i in range(60)],
}


def test_a_table_of_one_text_is_one_of_documents(run, tmp_path):
    (tmp_path / "sms.csv").write_bytes(as_csv(MESSAGES))
    shown = run("fit", "sms.csv", "-t", "kind", "-x", "length", "-o", "m.deciban").output
    assert "Column 'message' is text and the only one: a model of documents is fitted" in shown
    assert "TextNB of 60 rows" in shown and "Strongest tokens for spam" in shown
    expected = db.TextNB().fit(MESSAGES["message"], MESSAGES["kind"])
    assert db.load("m.deciban").predict_proba(["free"]).tolist() == expected.predict_proba(["free"]).tolist()
    (tmp_path / "two.csv").write_bytes(as_csv({name: MESSAGES[name] for name in ("message", "kind")}))
    assert "accuracy" in run("evaluate", "m.deciban", "two.csv").output  # it knows its target, and the other column
    assert "prediction" in run("predict", "m.deciban", "two.csv").output
    assert "tokens: " in run("inspect", "m.deciban").output
    chosen = run("fit", "sms.csv", "-t", "kind", "-x", "length", "--model", "auto", "-q").output
    assert "Cross-validation" in chosen and "ratio" in chosen and "aode" not in chosen


@pytest.mark.parametrize(
    "options",
    [["--model", "naive"], ["--column", "message=text"], ["--missing", "skip"], ["--na-values", "?"]],
    ids=str,
)
def test_a_column_of_text_stays_one_where_that_is_asked_for(run, tmp_path, options):
    (tmp_path / "sms.csv").write_bytes(as_csv(MESSAGES))
    shown = run("fit", "sms.csv", "-t", "kind", "-x", "length", *options, "-o", "m.deciban").output
    assert "NaiveBayes of 60 rows, 1 column" in shown and "NaiveBayes of 60 rows" in run("inspect", "m.deciban").output
    assert "NaiveBayes" in run("fit", "sms.csv", "-t", "kind").output  # it has a second column


def test_an_error_while_the_model_is_described_leaves_no_file(run, monkeypatch, tmp_path):
    def fail(*_):
        raise TooLargeError("there is too little memory.")

    monkeypatch.setattr("deciban.storage.description.describe", fail)
    for form in ("text", "json"):
        run("fit", "tennis.csv", "-t", "PlayTennis", "-o", "m.deciban", "--format", form, code=1)
        assert not (tmp_path / "m.deciban").exists()


def test_documents_of_a_linear_model_are_scored_by_cross_validation(run, tmp_path):
    lines = (tmp_path / "messages.jsonl").read_text() * 4
    (tmp_path / "many.jsonl").write_text(lines)
    shown = run("fit", "many.jsonl", "--text", "text", "-t", "label", "--model", "ratio").output
    assert "Cross-validation: 32 rows in 5 folds" in shown


def test_a_tally_becomes_a_naive_bayes_model(run):
    run("tally", "tennis.csv", "-t", "PlayTennis", "-o", "t.tally")
    run("fit", "t.tally", "-o", "t.deciban", "--smoothing", "jeffreys")
    assert db.load("t.deciban").tally_ == db.load("t.tally")
    assert "only naive" in run("fit", "t.tally", "--model", "tan", code=2).output


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-t", "PlayTenis"], 1, "has no column 'PlayTenis'. Did you mean 'PlayTennis'?"),
        (["-t", "PlayTennis", "-x", "Wnd"], 1, "Did you mean 'Wind'?"),
        ([], 2, "one of: Outlook, Temperature, Humidity, Wind, PlayTennis."),
        (["-t", "PlayTennis", "--priors", "yess=0.5,no=0.5"], 1, "Did you mean 'yes'?"),
        (["-t", "PlayTennis", "--priors", "even"], 2, "neither empirical, uniform"),
        (["-t", "PlayTennis", "--smoothing", "laplas"], 2, "Did you mean 'laplace'?"),
        (["-t", "PlayTennis", "--smoothing", "1", "--model", "kdb"], 2, "the model kdb has no such setting"),
        (["-t", "PlayTennis", "-x", "PlayTennis"], 1, "has two roles"),
        (["--targt", "PlayTennis"], 2, "--target"),
        (["-t", "PlayTennis", "-o", "no/such/m.deciban"], 3, "there is no folder"),
        (["--text", "Wind", "-t", "PlayTennis", "-x", "Outlook"], 2, "no columns to leave out"),
    ],
)
def test_an_error_is_one_line_that_names_the_fix(run, arguments, code, message):
    shown = run("fit", "tennis.csv", *arguments, code=code).output
    assert message in " ".join(shown.replace("│", " ").split())


def test_a_missing_file_is_named(run):
    assert "Did you mean 'tennis.csv'?" in run("fit", "tenis.csv", "-t", "PlayTennis", code=3).output


def test_the_distribution_of_a_column_can_be_named(run, table):
    run("fit", "days.csv", "-t", "play", "--column", "warm=Gaussian", "--column", "id=ignore", "-o", "days.deciban")
    kinds = {plan.name: type(plan.distribution).__name__ for plan in db.load("days.deciban").schema_}
    assert kinds["warm"] == "Gaussian" and kinds["id"] == "Ignore"
    shown = " ".join(run("fit", "days.csv", "-t", "play", "--column", "warm=gausian", code=2).output.split())
    assert "Did you mean 'gaussian'?" in shown.replace("│ ", "")


def test_ctrl_c_leaves_no_half_written_file(tmp_path):
    """A real process is interrupted while it reads its input."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-c", "from deciban.cli import run; run()", "fit", "-", "-t", "play", "-o", "d.deciban"]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes) as process:
        process.stdin.write(as_csv(TABLE))
        process.stdin.flush()  # it waits for the end of its input
        while not any(scratch.iterdir()) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        message = process.communicate()[1]
    assert process.returncode == 130 and b"Interrupted." in message
    assert [file.name for file in tmp_path.iterdir()] == ["scratch"] and not any(scratch.iterdir())


def test_another_encoding_is_noted_in_the_words_of_the_command(run):
    Path("days.csv").write_bytes("sky,play\n".encode("latin-1") + "föhn,yes\nrain,no\n".encode("latin-1") * 9)
    shown = run("fit", "days.csv", "-t", "play").output
    assert "Warning: days.csv is not in UTF-8 and read as Windows-1252 (Latin-1); --encoding names another" in shown
    assert "Warning" not in run("fit", "days.csv", "-t", "play", "--encoding", "latin-1").output
    assert (
        "--encoding nope is none that Python knows"
        in run("fit", "days.csv", "-t", "play", "--encoding", "nope", code=1).output
    )


def test_a_json_array_is_a_table(run):
    rows = [{"sky": sky, "play": play} for sky, play in (("sun", "yes"), ("rain", "no"))] * 9
    Path("days.json").write_text(json.dumps(rows, indent=2))
    assert "NaiveBayes of 18 rows" in run("fit", "days.json", "-t", "play").output


def test_a_table_of_nothing_but_the_target_is_named(run):
    Path("only.csv").write_text("play\nyes\nno\n")
    assert "no column beside 'play'" in run("fit", "only.csv", "-t", "play", code=1).output
    assert "no column beside 'play'" in run("fit", "tennis.csv", "-t", "PlayTennis", *EXCLUDED, code=1).output.replace(
        "PlayTennis", "play"
    )


EXCLUDED = [part for name in ("Outlook", "Temperature", "Humidity", "Wind") for part in ("-x", name)]


@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow", "rows.csv", "rows.json", "rows.csv.gz"])
def test_a_damaged_table_has_the_code_of_files(name, run):
    Path(name).write_bytes(bytes(range(256)) * 9)
    shown = run("fit", name, "-t", "play", code=3).output
    assert name in shown and len(shown.splitlines()) == 1


def test_a_label_that_may_mean_missing_is_named(run, tmp_path):
    rows = "".join(f"{('?', 'clerk', 'cook')[i % 3]},{('unknown', 1, 2, 3)[i % 4]},{i % 2}\n" for i in range(40))
    (tmp_path / "work.csv").write_text(f"work,level,rich\n{rows}")
    shown = run("fit", "work.csv", "-t", "rich").output
    assert "column 'work' has the label '?'. If it means missing, pass --na-values '?'." in shown
    assert "column 'level' has the label 'unknown'. If it means missing, pass --na-values unknown." in shown
    fitted = run("fit", "work.csv", "-t", "rich", "--na-values", "?", "--na-values", "unknown").output
    assert "has the label" not in fitted


def test_numbers_with_decimal_commas_are_numbers(run, tmp_path):
    rows = "".join(f"{i / 4:.2f};{i % 2}\n".replace(".", ",") for i in range(40))
    (tmp_path / "warm.csv").write_text(f"warm;rich\n{rows}")
    shown = run("fit", "warm.csv", "-t", "rich").output
    assert "column 'warm' has decimal commas, as in '0,00', which are read as numbers" in shown
    assert "floats" in shown
    assert "labels: 40 distinct" in run("fit", "warm.csv", "-t", "rich", "--decimal", ".").output
