"""The journal keeps what it was given, in order, and says clearly when it cannot."""

import os
import sqlite3

import pytest

from deciban.errors import JournalError
from deciban.serve.learning import journaled_model as module
from deciban.serve.learning.changes import Change
from deciban.serve.learning.journaled_model import Journal

CHANGES = [Change.of("learn", [{"a": i}], ["x"]) for i in range(5)]


@pytest.fixture
def journal(tmp_path):
    made = Journal.create(tmp_path / "m.journal", "checksum", "file")
    yield made
    made.close()


def _append(journal, *changes):
    with journal.writing():
        return [journal.append(change) for change in changes]


def test_changes_have_positions_that_are_never_used_again(journal):
    assert _append(journal, *CHANGES[:3]) == [1, 2, 3]
    with journal.writing():
        journal.mark_folded(3, "new file")
    assert list(journal.entries_after(0)) == []
    assert _append(journal, CHANGES[3]) == [4]
    assert journal.marks().folded == 3
    assert journal.marks().last == 4
    assert list(journal.entries_after(3)) == [(4, CHANGES[3])]


def test_an_error_undoes_the_whole_transaction(journal):
    with journal.writing():
        journal.remember("used", CHANGES[0], {"position": 1})
    with pytest.raises(JournalError, match="UNIQUE"), journal.writing():
        _change_and_reuse(journal)
    assert list(journal.entries_after(0)) == []
    assert journal.remembered("key") is None


def _change_and_reuse(journal):
    journal.append(CHANGES[0])
    journal.remember("key", CHANGES[0], {"position": 1})
    journal.remember("used", CHANGES[0], {"position": 1})


def test_every_commit_reaches_the_disk(journal):
    settings = {name: journal._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "journal_mode")}
    assert settings == {"synchronous": 2, "journal_mode": "wal"}  # 2 is FULL
    assert journal._db.execute("PRAGMA wal_autocheckpoint").fetchone()[0] == 0


def test_another_process_sees_what_was_committed(journal):
    other = Journal.open(journal.path)
    before = other.version()
    _append(journal, *CHANGES[:2])
    assert other.version() != before
    assert [change for _, change in other.entries_after(1)] == [CHANGES[1]]
    assert other.marks() == journal.marks()
    other.close()


def test_two_processes_that_make_the_journal_share_it(journal):
    other = Journal.create(journal.path, "another checksum", "file")
    assert other.marks().id == journal.marks().id
    assert other.marks().base == "checksum"
    other.close()


def test_keys_survive_folding_for_a_day(journal, monkeypatch):
    now = 1_000_000.0
    monkeypatch.setattr(module.time, "time", lambda: now)
    with journal.writing():
        journal.remember("key", CHANGES[0], {"position": 1})
    now += module.KEPT_SECONDS - 1
    with journal.writing():
        journal.mark_folded(1, "file")
    assert journal.remembered("key").answer == {"position": 1}
    assert journal.remembered("key").digest == CHANGES[0].digest
    now += 2
    with journal.writing():
        journal.mark_folded(1, "file")
    assert journal.remembered("key") is None


def test_keys_are_kept_up_to_a_number(journal, monkeypatch):
    monkeypatch.setattr(module, "KEPT_KEYS", 2)
    with journal.writing():
        for i in range(4):
            journal.remember(f"key {i}", CHANGES[0], {})
        journal.mark_folded(0, "file")
    assert [journal.remembered(f"key {i}") is not None for i in range(4)] == [False, False, True, True]


def test_forgotten_rows_do_not_stay_in_the_file(journal):
    _append(journal, Change.of("learn", [{"name": "a secret name"}], ["x"]))
    with journal.writing():
        journal.mark_folded(1, "file")
    journal.checkpoint()
    journal.close()
    assert b"a secret name" not in journal.path.read_bytes()


def test_no_file_and_an_empty_file_are_no_journal(tmp_path):
    assert Journal.open(tmp_path / "none.journal") is None
    (tmp_path / "empty.journal").touch()
    assert Journal.open(tmp_path / "empty.journal") is None


def test_a_file_that_is_not_a_journal_is_named(tmp_path):
    (tmp_path / "text.journal").write_text("not a database, but a text that is long enough to have a header" * 20)
    with pytest.raises(JournalError, match=r"text\.journal cannot be opened: it is damaged, or not a journal"):
        Journal.open(tmp_path / "text.journal")
    other = sqlite3.connect(tmp_path / "other.journal")
    other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(JournalError, match=r"other\.journal is not a journal of deciban, but another SQLite file"):
        Journal.open(tmp_path / "other.journal")


def test_a_newer_journal_says_what_to_do(journal):
    journal._db.execute("PRAGMA user_version = 99")
    with pytest.raises(JournalError, match="newer version of deciban"):
        Journal.open(journal.path)


def test_a_changed_byte_in_an_entry_is_noticed(journal):
    _append(journal, *CHANGES[:2])
    journal._db.execute("UPDATE entries SET content = CAST(replace(content, '1', '7') AS BLOB) WHERE position = 2")
    with pytest.raises(JournalError, match="is damaged: entry 2 does not have its checksum"):
        list(journal.entries_after(0))


def test_a_damaged_page_is_noticed(journal):
    _append(journal, *CHANGES)
    journal.checkpoint()
    journal.close()
    raw = bytearray(journal.path.read_bytes())
    raw[4096:8192] = os.urandom(4096)
    journal.path.write_bytes(raw)
    with pytest.raises(JournalError, match="it is damaged"):
        Journal.open(journal.path).marks()


def test_a_full_disk_is_an_error_and_nothing_is_written(journal):
    _append(journal, CHANGES[0])
    pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
    journal._db.execute(f"PRAGMA max_page_count = {pages}")
    large = Change.of("learn", [{"a": "x" * 100_000}], ["x"])
    with pytest.raises(JournalError, match="cannot be written: the disk is full"):
        _append(journal, CHANGES[1], large)
    journal._db.execute("PRAGMA max_page_count = 1000000")
    assert [position for position, _ in journal.entries_after(0)] == [1]
    assert _append(journal, large) == [2]


def test_a_journal_that_another_process_holds_is_not_waited_for_forever(journal, monkeypatch):
    monkeypatch.setattr(module, "_WAIT_SECONDS", 0.05)
    other = Journal.open(journal.path)
    with journal.writing(), pytest.raises(JournalError, match="another process has held it"), other.writing():
        pass
    other.close()


def test_a_journal_that_was_moved_is_not_written(journal):
    journal.path.rename(journal.path.with_name("moved.journal"))
    with pytest.raises(JournalError, match="was moved or replaced"):
        _append(journal, CHANGES[0])


def test_a_folder_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(JournalError, match="cannot be opened: is the folder writable"):
        Journal.create(tmp_path / "nowhere" / "m.journal", "checksum", "file")
