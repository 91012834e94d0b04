"""A model file and its journal are one model: nothing acknowledged is lost, and nothing is applied twice."""

import os
import shutil

import pytest

import deciban as db
from deciban.errors import (
    ColumnMismatchError,
    FileAccessError,
    InputError,
    JournalError,
    NegativeCountError,
    ParameterError,
    ReusedKeyError,
)
from deciban.serve.learning import journaled_model as journal_module
from deciban.serve.learning import journaled_model as module
from deciban.serve.learning.changes import Change
from deciban.serve.learning.journaled_model import Answer, Journal, JournaledModel, Request
from deciban.storage.model_files import read_notes

from .conftest import FIRST, LABELS, ROWS, fitted, request


@pytest.fixture
def model(path):
    made = JournaledModel(path)
    yield made
    made.close()


def _same(held, *indices):
    """Whether a model has exactly these rows."""
    wanted = fitted([i for part in indices for i in part]).tally_
    parts = zip(held.state.model.tally_.parts, wanted.parts, strict=True)
    counts = held.state.model.tally_.class_counts.tolist()
    return counts == wanted.class_counts.tolist() and all(
        a.is_close(b) if hasattr(a, "is_close") else a == b for a, b in parts
    )


def test_a_model_that_nobody_teaches_leaves_no_trace(model, path):
    assert model.refresh() is False
    assert model.fold() is False
    assert os.listdir(path.parent) == ["days.deciban"]


def test_what_was_learned_is_there_after_a_restart(model, path):
    first = model.commit([request("learn", 60, 80), request("forget", 0, 10)])
    assert [answer.content for answer in first] == [
        {"action": "learn", "rows": 20, "position": 1},
        {"action": "forget", "rows": 10, "position": 2},
    ]
    assert _same(model, range(10, 80))
    again = JournaledModel(path)
    assert again.state.position == 2
    assert again.state.model.tally_ == model.state.model.tally_
    assert db.load(path).tally_.total == FIRST  # the file has not changed yet
    again.close()


def test_folding_writes_the_file_and_a_restart_applies_nothing_twice(model, path):
    model.commit([request("learn", 60, 80)])
    assert model.fold() is True
    assert model.fold() is False
    assert db.load(path).tally_ == model.state.model.tally_
    assert read_notes(path)[0] == {"journal": {"id": model.marks.id, "position": 1}}
    assert (model.unfolded, model.marks.folded) == (0, 1)
    model.commit([request("learn", 80, 90)])
    again = JournaledModel(path)
    assert again.state.model.tally_ == model.state.model.tally_
    assert _same(again, range(90))
    again.close()


def test_a_key_gives_the_first_answer_also_after_folding_and_a_restart(model, path):
    first, repeated = model.commit([request("learn", 60, 61, "k"), request("learn", 60, 61, "k")])
    assert (first.is_repeated, repeated) == (False, Answer(first.content, is_repeated=True))
    model.fold()
    again = JournaledModel(path)
    assert again.commit([request("learn", 60, 61, "k")]) == [Answer(first.content, is_repeated=True)]
    assert again.state.position == 1
    (error,) = again.commit([request("learn", 61, 62, "k")])
    assert isinstance(error, ReusedKeyError)
    assert "'k' was used before, with other rows" in str(error)
    (error,) = again.commit([request("forget", 60, 61, "k")])
    assert isinstance(error, ReusedKeyError)
    assert _same(again, range(61))
    again.close()


@pytest.mark.parametrize(
    ("rows", "labels", "error", "message"),
    [
        ([*ROWS[:2], {**ROWS[2], "rain": 3}], LABELS[:3], ColumnMismatchError, "rain"),
        ([*ROWS[:2], {**ROWS[2], "warm": "hot"}], LABELS[:3], InputError, "'hot'"),
        ([*ROWS[:2], {**ROWS[2], "sky": ["sun"]}], LABELS[:3], TypeError, "sky"),
        (
            ROWS[:2],
            ["play", "pley"],
            InputError,
            r"row 1 has the label 'pley'.*Did you mean 'play'\?",
        ),
        (ROWS[:2], ["play", None], TypeError, "row 1 has no label"),
        (ROWS[:2], ["play", ["stay"]], TypeError, "row 1 has no label"),
        (ROWS[:2], None, InputError, "there are no labels"),
    ],
)
def test_a_batch_that_cannot_be_learned_is_refused_as_a_whole(model, rows, labels, error, message):
    refused, learned = model.commit([Request(Change.of("learn", rows, labels), "k"), request("learn", 60, 61)])
    with pytest.raises(error, match=message):
        raise refused
    assert learned.content["position"] == 1
    assert _same(model, range(61))
    assert model.commit([request("learn", 61, 62, "k")])[0].content["position"] == 2  # the key was not used


def test_rows_that_were_never_learned_cannot_be_forgotten(model):
    (error,) = model.commit([Request(Change.of("forget", [{**ROWS[0], "sky": "hail"}], LABELS[:1]))])
    assert isinstance(error, NegativeCountError)
    (_, twice, other) = model.commit(
        [request("forget", 0, FIRST), request("forget", 0, 1), Request(Change.of("forget", ROWS[:1], ["new"]))]
    )
    assert isinstance(twice, InputError)
    assert isinstance(other, InputError)
    assert model.state.position == 1


def test_a_new_class_is_learned_when_the_request_says_so(model, path):
    model.commit([Request(Change.of("learn", ROWS[:2], ["sleep", "play"]), new_classes=True)])
    assert model.state.model.classes_.tolist() == ["play", "sleep", "stay"]
    again = JournaledModel(path)
    assert again.state.model.tally_ == model.state.model.tally_
    again.close()


def test_a_model_that_cannot_learn_says_so_and_writes_nothing(tmp_path):
    texts = ["free prize now", "lunch at noon", "win a free prize", "see you at lunch"]
    db.save(db.TextNB("twcnb").fit(texts, ["spam", "ham"] * 2), tmp_path / "mail.deciban")
    held = JournaledModel(tmp_path / "mail.deciban")
    (error,) = held.commit([Request(Change.of("learn", ["a prize"], ["spam"]))])
    assert isinstance(error, ParameterError)
    assert "twcnb" in str(error)
    held.close()


# Several processes ---------------------------------------------------------------------------------------------------


def test_two_workers_have_one_model(model, path):
    other = JournaledModel(path)
    model.commit([request("learn", 60, 80)])
    assert other.state.position == 0
    assert other.refresh() is True
    other.commit([request("forget", 70, 80), request("learn", 80, 85)])
    assert model.refresh() is True
    assert model.refresh() is False
    assert model.state.position == other.state.position == 3
    assert model.state.model.tally_ == other.state.model.tally_
    assert _same(model, range(70), range(80, 85))
    other.close()


def test_a_worker_learns_what_others_wrote_before_it_decides(model, path):
    other = JournaledModel(path)
    model.commit([request("learn", 60, 61, "k")])
    # This worker has not looked at the journal since, and must not forget a row twice or repeat a key.
    assert other.commit([request("learn", 60, 61, "k")])[0].is_repeated
    model.commit([request("forget", 0, FIRST)])
    (error,) = other.commit([request("forget", 0, FIRST)])
    assert isinstance(error, InputError)
    assert other.state.position == model.state.position == 2
    other.close()


def test_a_worker_that_is_behind_a_fold_reads_the_file(model, path):
    other = JournaledModel(path)
    model.commit([request("learn", 60, 80)])
    model.fold()
    model.commit([request("learn", 80, 90)])
    assert other.refresh() is True
    assert other.state.model.tally_ == model.state.model.tally_
    model.commit([request("learn", 90, 95)])
    model.fold()
    assert other.commit([request("learn", 95, 100)])[0].content["position"] == 4
    assert _same(other, range(100))
    assert other.fold() is True
    assert model.refresh() is True
    assert model.state.model.tally_ == other.state.model.tally_ == db.load(path).tally_
    other.close()


def test_only_one_worker_folds_a_position(model, path):
    other = JournaledModel(path)
    model.commit([request("learn", 60, 80)])
    other.refresh()
    assert model.fold() is True
    written = path.stat().st_mtime_ns
    assert other.fold() is False
    assert path.stat().st_mtime_ns == written
    other.close()


def test_a_fold_between_the_reading_of_the_file_and_of_the_journal_is_noticed(model, path, monkeypatch):
    model.commit([request("learn", 60, 80)])
    read, is_first = module.read_file, True

    def read_and_fold(name):
        nonlocal is_first
        found = read(name)
        if is_first:
            is_first = False
            model.fold()
        return found

    monkeypatch.setattr(module, "read_file", read_and_fold)
    other = JournaledModel(path)
    assert other.state.model.tally_ == model.state.model.tally_
    assert other.state.position == 1
    other.close()


# Files that do not belong together -----------------------------------------------------------------------------------


def test_a_model_file_that_was_replaced_is_not_overwritten(model, path):
    model.commit([request("learn", 60, 80)])
    db.save(fitted(range(30)), path)
    with pytest.raises(JournalError, match=r"is not the model file that .* belongs to.*holds 1 change that"):
        model.commit([request("learn", 80, 81)])
    with pytest.raises(JournalError, match="is not the model file"):
        model.fold()
    with pytest.raises(JournalError, match="move the journal away"):
        JournaledModel(path)
    assert db.load(path).tally_.total == 30
    path.with_name("days.deciban.journal").rename(path.with_name("old.journal"))
    JournaledModel(path).close()


def test_a_file_that_was_replaced_before_the_first_row_is_noticed(model, path):
    db.save(fitted(range(30)), path)
    with pytest.raises(JournalError, match="was replaced after it was loaded"):
        model.commit([request("learn", 80, 81)])


def test_a_file_that_is_gone_is_an_error_and_the_journal_keeps_the_rows(model, path):
    model.commit([request("learn", 60, 80)])
    path.rename(path.with_name("elsewhere"))
    with pytest.raises(FileAccessError, match="cannot be read"):
        model.commit([request("learn", 80, 81)])
    path.with_name("elsewhere").rename(path)
    model.commit([request("learn", 80, 81)])
    assert _same(model, range(81))


@pytest.mark.parametrize("older", ["days.deciban", "days.deciban.journal"])
def test_an_older_file_or_journal_is_noticed(model, path, older, tmp_path):
    model.commit([request("learn", 60, 70)])
    model.fold()
    copy = tmp_path / "copy"
    shutil.copy(path.with_name(older), copy)
    model.commit([request("learn", 70, 80)])
    model.fold()
    model.close()
    shutil.copy(copy, path.with_name(older))
    which = "model file" if older == path.name else "journal"
    with pytest.raises(JournalError, match=f"the {which} was replaced by an older"):
        JournaledModel(path)


def test_a_learned_model_can_be_copied_and_served_elsewhere(model, path, tmp_path):
    model.commit([request("learn", 60, 70)])
    model.fold()
    shutil.copy(path, tmp_path / "copy.deciban")
    other = JournaledModel(tmp_path / "copy.deciban")
    other.commit([request("learn", 70, 80)])
    other.fold()
    assert _same(other, range(80))
    assert _same(model, range(70))
    other.close()


def test_an_entry_that_cannot_be_applied_names_itself(model, path):
    model.commit([request("learn", 60, 70)])
    journal = Journal.open(path.with_name("days.deciban.journal"))
    with journal.writing():
        journal.append(Change.of("learn", [{"rain": 1}], ["play"]))
    with pytest.raises(JournalError, match=r"entry 2 of the journal .* cannot be applied"):
        JournaledModel(path)
    journal.close()


def test_a_failed_commit_changes_nothing(model, monkeypatch):
    model.commit([request("learn", 60, 70)])
    before = model.state
    pages = model._journal._db.execute("PRAGMA page_count").fetchone()[0]
    model._journal._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalError, match="the disk is full"):
        model.commit([request("learn", 70, 400, "k")])
    assert model.state is before
    model._journal._db.execute("PRAGMA max_page_count = 1000000")
    assert model.commit([request("learn", 70, 400, "k")])[0].content["position"] == 2
    assert _same(model, range(400))


def test_a_fold_that_cannot_write_keeps_the_journal(model, path, monkeypatch):
    model.commit([request("learn", 60, 70)])

    def fail(*_):
        raise FileAccessError("the disk is full")

    monkeypatch.setattr(module, "write_whole", fail)
    with pytest.raises(FileAccessError):
        model.fold()
    monkeypatch.undo()
    assert model.unfolded == 1
    again = JournaledModel(path)
    assert _same(again, range(70))
    assert again.fold() is True
    again.close()


def test_what_dead_processes_left_beside_the_file_is_removed(model, path):
    left, fresh = path.with_name(".days.deciban.0123.tmp"), path.with_name(".days.deciban.4567.tmp")
    for file in (left, fresh):
        file.touch()
    os.utime(left, (0, 0))
    model.commit([request("learn", 60, 70)])
    model.fold()
    assert not left.exists()
    assert fresh.exists()  # another process may be writing it


def test_the_journal_is_beside_the_file_that_a_link_points_to(path, tmp_path):
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "current.deciban").symlink_to(path)
    held = JournaledModel(tmp_path / "links" / "current.deciban")
    held.commit([request("learn", 60, 70)])
    held.fold()
    assert os.listdir(tmp_path / "links") == ["current.deciban"]
    assert db.load(path).tally_.total == 70
    held.close()


def test_a_folder_that_cannot_be_written_is_named_and_predictions_go_on(model, monkeypatch):
    connect = journal_module._connection
    monkeypatch.setattr(journal_module, "_connection", lambda path, _: connect(path, "ro"))
    with pytest.raises(JournalError, match="is the folder writable"):
        model.commit([request("learn", 60, 61)])
    assert model.state.model.predict(ROWS[:1]).tolist()
    monkeypatch.undo()
    model.commit([request("learn", 60, 61)])
    monkeypatch.setattr(journal_module, "_connection", lambda path, _: connect(path, "ro"))
    again = JournaledModel(model.path)
    with pytest.raises(JournalError, match="the file or its folder is read-only"):
        again.commit([request("learn", 61, 62)])
    again.close()
