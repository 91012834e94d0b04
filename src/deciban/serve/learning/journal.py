"""The journal: an append-only list of changes in a SQLite file, each on the disk before it is acknowledged.

A transaction is durable when SQLite's commit returns. With ``synchronous=FULL`` that holds for a write-ahead log, with
one flush of the disk for each commit, and for a rollback journal that is truncated, with about four. (A rollback
journal that is deleted needs ``synchronous=EXTRA``: a power failure may bring it back, and with it the old state.) The
log is used here: a commit takes a quarter of the time, and readers never wait for the writer.

SQLite before 3.51.3 may damage a database with a write-ahead log if a process commits while another one copies the log
into the database ("the WAL-reset bug"). So the log is never copied automatically. It is copied when the journal is
folded, while another connection holds the lock for writing, so that no process can commit.

    marks    one row: the id; the checksum of the first model file; the position folded into the file, its size and time
    entries  position, time, action, content (JSON), digest
    keys     idempotency key, digest and answer of its first request, time
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson

from deciban.errors import JournalError
from deciban.serve.learning.changes import Change

__all__ = ["KEPT_KEYS", "KEPT_SECONDS", "Journal", "Marks", "Remembered"]

KEPT_SECONDS, KEPT_KEYS = 24 * 3600, 1_000_000
"""How long idempotency keys are kept at least, and how many of them at most."""

_APPLICATION, _VERSION = 0x6442_4A6C, 1  # "dBJl"
_WAIT_SECONDS = 10.0

_SETTINGS = """
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA checkpoint_fullfsync = ON;
PRAGMA wal_autocheckpoint = 0;
PRAGMA secure_delete = ON;
PRAGMA cell_size_check = ON;
PRAGMA trusted_schema = OFF;
"""
"""`fullfsync` is for macOS, where fsync does not reach the disk. `secure_delete` overwrites rows that were folded, so
that forgotten rows do not stay in the file."""

_TABLES = (
    "CREATE TABLE marks (id TEXT NOT NULL, base TEXT NOT NULL, folded INTEGER NOT NULL, file TEXT NOT NULL)",
    "CREATE TABLE entries (position INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, action TEXT NOT NULL, "
    "content BLOB NOT NULL, digest BLOB NOT NULL)",
    "CREATE TABLE keys (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, digest BLOB NOT NULL, "
    "answer TEXT NOT NULL, time REAL NOT NULL)",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)

_MARKS = (
    "SELECT id, base, folded, file, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'entries'), 0) FROM marks"
)

_REASONS = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_READONLY": "the file or its folder is read-only",
    "SQLITE_CANTOPEN": "it cannot be opened: is the folder writable?",
    "SQLITE_BUSY": f"another process has held it for {_WAIT_SECONDS:g} seconds",
    "SQLITE_CORRUPT": "it is damaged",
    "SQLITE_NOTADB": "it is damaged, or not a journal",
    "SQLITE_IOERR": "the disk reports an error",
}


@dataclass(frozen=True)
class Marks:
    """What a journal says of its model file, and its last position.

    `base` is the checksum of the model file that the journal began with, `folded` the last position that the model file
    includes, and `file` the size and time of the file that was written then.
    """

    id: str
    base: str
    folded: int
    file: str
    last: int


@dataclass(frozen=True)
class Remembered:
    """The first request with an idempotency key: the digest of its change, and its answer."""

    digest: bytes
    answer: dict[str, Any]


class Journal:
    """The journal beside a model file; used by one thread at a time, and by any number of processes."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        with self._errors("opened"):
            self._db = _connection(path, "rwc" if create else "rw")
            try:
                self._db.executescript(_SETTINGS)
                self._file = _identity(path)
            except BaseException:
                self._db.close()
                raise

    @classmethod
    def open(cls, path: Path) -> Journal | None:
        """The journal in a file; None where there is no file, or one in which nothing was ever written."""
        if not path.exists():
            return None
        journal = cls(path)
        try:
            with journal.reading():
                if not journal._is_new():
                    journal._check_format()
                    return journal
        except BaseException:
            journal.close()
            raise
        journal.close()
        return None

    @classmethod
    def create(cls, path: Path, base: str, file: str) -> Journal:
        """A new journal for a model file, or the one that another process has just made."""
        journal = cls(path, create=True)
        try:
            journal._use_log()
            with journal.writing():
                if journal._is_new():
                    for statement in _TABLES:
                        journal._db.execute(statement)
                    journal._db.execute("INSERT INTO marks VALUES (?, ?, 0, ?)", (uuid4().hex, base, file))
                journal._check_format()
        except BaseException:
            journal.close()
            raise
        return journal

    def close(self) -> None:
        """Close the file; what was committed is on the disk already."""
        self._db.close()

    # Transactions --------------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that writes; it waits for those of other processes. An error undoes all of it."""
        if _identity(self.path) != self._file:
            raise JournalError(f"the journal {self.path} was moved or replaced. Put it back and restart the service.")
        yield from self._transaction("BEGIN IMMEDIATE", "written")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A transaction in which all that is read is of one moment."""
        yield from self._transaction("BEGIN", "read")

    def _transaction(self, begin: str, done: str) -> Iterator[None]:
        with self._errors(done):
            self._db.execute(begin)
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    # Reading -------------------------------------------------------------------------------------------------------

    def version(self) -> int:
        """A number that changes when another process has written."""
        with self._errors("read"):
            return self._number("PRAGMA data_version")

    def marks(self) -> Marks:
        """What the journal says of its model file, and the last position."""
        with self._errors("read"):
            row = self._db.execute(_MARKS).fetchone()
        if row is None:
            raise JournalError(f"the journal {self.path} is damaged: its marks are missing.")
        return Marks(*row)

    def entries_after(self, position: int) -> Iterator[tuple[int, Change]]:
        """The changes above a position, in order; a damaged one is an error."""
        with self._errors("read"):
            wanted = "SELECT position, action, content, digest FROM entries WHERE position > ? ORDER BY position"
            for at, action, content, digest in self._db.execute(wanted, (position,)):
                change = Change(action, content)
                if change.digest != digest:
                    raise JournalError(f"the journal {self.path} is damaged: entry {at} does not have its checksum.")
                yield at, change

    def remembered(self, key: str) -> Remembered | None:
        """The first request with a key."""
        with self._errors("read"):
            row = self._db.execute("SELECT digest, answer FROM keys WHERE key = ?", (key,)).fetchone()
        return None if row is None else Remembered(row[0], orjson.loads(row[1]))

    # Writing, within `writing()` -----------------------------------------------------------------------------------

    def append(self, change: Change) -> int:
        """Add a change; its position."""
        row = (time.time(), change.action, change.content, change.digest)
        with self._errors("written"):
            cursor = self._db.execute("INSERT INTO entries (time, action, content, digest) VALUES (?, ?, ?, ?)", row)
        position = cursor.lastrowid
        if position is None:
            raise JournalError(f"the journal {self.path} gave an entry no position.")
        return position

    def remember(self, key: str, change: Change, answer: dict[str, Any]) -> None:
        """Keep the answer to the first request with a key."""
        row = (key, change.digest, orjson.dumps(answer).decode(), time.time())
        with self._errors("written"):
            self._db.execute("INSERT INTO keys (key, digest, answer, time) VALUES (?, ?, ?, ?)", row)

    def mark_folded(self, position: int, file: str) -> None:
        """Note that the model file includes all up to a position; remove these entries, and old keys."""
        with self._errors("written"):
            self._db.execute("UPDATE marks SET folded = ?, file = ?", (position, file))
            self._db.execute("DELETE FROM entries WHERE position <= ?", (position,))
            self._db.execute("DELETE FROM keys WHERE time < ?", (time.time() - KEPT_SECONDS,))
            self._db.execute("DELETE FROM keys WHERE number <= (SELECT max(number) FROM keys) - ?", (KEPT_KEYS,))

    def _use_log(self) -> None:
        """Use a write-ahead log; the file then always does. Two processes that begin it at once try again."""
        give_up = time.monotonic() + _WAIT_SECONDS
        while True:
            try:
                with self._errors("made"):
                    (mode,) = self._db.execute("PRAGMA journal_mode = WAL").fetchone()
                break
            except JournalError as error:
                if time.monotonic() > give_up or "SQLITE_BUSY" not in getattr(error.__cause__, "sqlite_errorname", ""):
                    raise
                time.sleep(0.01)
        if mode != "wal":
            raise JournalError(f"the journal {self.path} cannot be made: the model is not on a local disk.")

    def checkpoint(self) -> None:
        """Copy the write-ahead log into the file, so that the next change begins the log anew."""
        with self.writing():  # no process can commit meanwhile (the WAL-reset bug)
            copying = _connection(self.path, "rw")
            try:
                copying.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            finally:
                copying.close()

    # Checks --------------------------------------------------------------------------------------------------------

    def _number(self, pragma: str) -> int:
        value: int = self._db.execute(pragma).fetchone()[0]
        return value

    def _is_new(self) -> bool:
        return self._number("SELECT count(*) FROM sqlite_schema") == 0

    def _check_format(self) -> None:
        if self._number("PRAGMA application_id") != _APPLICATION:
            raise JournalError(f"{self.path} is not a journal of deciban, but another SQLite file. Move it away.")
        if self._number("PRAGMA user_version") > _VERSION:
            raise JournalError(f"the journal {self.path} was written by a newer version of deciban. Update deciban.")

    @contextmanager
    def _errors(self, done: str) -> Iterator[None]:
        """SQLite's errors as one of deciban's, with the reason."""
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            known = next((text for start, text in _REASONS.items() if name.startswith(start)), str(error))
            raise JournalError(f"the journal {self.path} cannot be {done}: {known}.") from error


def _identity(path: Path) -> tuple[int, int] | None:
    """What a file is, whatever its name; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connection(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
