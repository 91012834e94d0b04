"""A model file and its journal, which together are one model.

    model = file + the changes above the position that the file includes, in order

Every process applies the same changes in the same order to the same numbers, so all have the same model, bit for bit.
A change is applied to a copy (`deciban.models.draft`) before it is written, so what the journal holds can always
be applied again. Folding writes the model to its file, with the journal's id and the position as a note, and then
removes the changes up to that position. If a process dies between the two, the file is ahead of the journal's mark, and
the changes that it includes are skipped.

The journal: an append-only list of changes in a SQLite file, each on the disk before it is acknowledged.

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

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from uuid import uuid4

import orjson

from deciban.choices import counted
from deciban.errors import DecibanError, FileAccessError, JournalError, ReusedKeyError
from deciban.files import as_path, write_whole
from deciban.models.draft import Draft
from deciban.serve.adapters import Classifier, JsonObject, Model, Net, adapter_of
from deciban.serve.learning.changes import Change, apply
from deciban.storage.model_files import ModelFile, file_bytes, read_file, read_notes

__all__ = ["Answer", "Journal", "JournaledModel", "Request", "State"]


NOTE = "journal"
"""The name of the service's note in a model file."""

_LEFTOVER_SECONDS = 60.0
"""A temporary file of this age or older was left behind by a process that died."""


@dataclass(frozen=True)
class State:
    """A model and the last position that it includes."""

    model: Model
    position: int


@dataclass(frozen=True)
class Request:
    """A change that a client sends; `key` names it when it is sent again."""

    change: Change
    key: str | None = None
    new_classes: bool = False


@dataclass(frozen=True)
class Answer:
    """What a client is told: the position of its change. `is_repeated` where the change had been made before."""

    content: JsonObject
    is_repeated: bool = False


class JournaledModel:
    """A model that learns durably; used by one thread at a time, and by any number of processes.

    Parameters
    ----------
    path : the model file; its journal is the file beside it with ``.journal`` after its name, which is made when rows
        are first learned
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = as_path(path).resolve()
        self.journal_path = self.path.with_name(self.path.name + ".journal")
        self.marks: Marks | None = None
        """The marks of the journal when it was last read."""
        self._journal: Journal | None = None
        self._version = 0
        self._known_file = _signature(self.path)  # before the file is read: a later replacement is then noticed
        self.state: State
        if not self._join():
            file = read_file(self.path)
            self.state, self._checksum = State(file.model, 0), file.checksum

    def close(self) -> None:
        """Close the journal."""
        if self._journal is not None:
            self._journal.close()

    @property
    def lag(self) -> int:
        """How many positions of the journal are not in the model yet."""
        return 0 if self.marks is None else max(0, self.marks.last - self.state.position)

    @property
    def unfolded(self) -> int:
        """How many positions of the model are not in its file yet."""
        return 0 if self.marks is None else self.state.position - self.marks.folded

    # Changing ------------------------------------------------------------------------------------------------------

    def commit(self, requests: Sequence[Request]) -> list[Answer | DecibanError]:
        """Make the changes of several requests in one transaction; the answer to each, or why it was refused.

        When this returns, the changes are on the disk and in `state`. When it raises, none of them has been made.
        """
        journal = self._open_journal()
        with journal.writing():
            marks = journal.marks()
            self._check_file(marks)
            state = self._caught_up(journal, marks)
            draft, adapter = Draft(state.model), adapter_of(state.model)
            answers = [self._admit(journal, draft, adapter, request) for request in requests]
            changed = any(isinstance(answer, Answer) and not answer.is_repeated for answer in answers)
            marks = journal.marks()
            if changed:
                state = State(draft.finish(), marks.last)
        # only now, as the transaction may still fail when it is committed
        self.state, self.marks = state, marks
        return answers

    def refresh(self) -> bool:
        """Apply the changes that other processes have made; whether there were any."""
        journal, before = self._journal, self.state
        if journal is None:
            return self._join()
        version = journal.version()  # before the entries: what is written in between is found by the next call
        if version == self._version:
            return False
        with journal.reading():
            marks = journal.marks()
            state = self._applied(journal, before) if marks.folded <= before.position else None
        self.state, self.marks = self._read(journal) if state is None else (state, marks)
        self._version = version
        return self.state is not before

    def fold(self) -> bool:
        """Write the model to its file and remove the changes that it includes; False where it includes all already."""
        journal, state, marks = self._journal, self.state, self.marks
        if journal is None or marks is None or state.position <= marks.folded:
            return False
        # outside the transaction: it takes long for a large model, and others may write meanwhile
        content = file_bytes(state.model, {NOTE: {"id": marks.id, "position": state.position}})
        with journal.writing():
            marks = journal.marks()
            if marks.folded >= state.position:
                self.marks = marks
                return False
            self._check_file(marks)
            # the file first: if the process dies before the mark, the file is ahead, and its changes are skipped
            self._write(content)
            journal.mark_folded(state.position, self._known_file)
            self.marks = journal.marks()
        journal.checkpoint()
        return True

    def _write(self, content: bytes) -> None:
        """Replace the model file; what processes that died have left beside it is removed."""
        for leftover in self.path.parent.glob(f".{escape(self.path.name)}.*.tmp"):
            with suppress(OSError):
                if leftover.stat().st_mtime < time.time() - _LEFTOVER_SECONDS:
                    leftover.unlink()
        write_whole(self.path, content)
        self._known_file = _signature(self.path)

    def _admit(
        self, journal: Journal, draft: Draft, adapter: Classifier | Net, request: Request
    ) -> Answer | DecibanError:
        """Apply and write one change; or the reason why not, with nothing applied and nothing written."""
        change, key = request.change, request.key
        first = None if key is None else journal.remembered(key)
        if first is not None:
            # sent again, because the answer was lost: the change must not be made twice
            if first.digest == change.digest:
                return Answer(first.answer, is_repeated=True)
            return ReusedKeyError(f"the idempotency key {key!r} was used before, with other rows. Use a new key.")
        try:
            apply(change, draft, adapter, new_classes=request.new_classes)
        except DecibanError as error:
            return error
        answer: JsonObject = {"action": change.action, "rows": len(change.rows), "position": journal.append(change)}
        if key is not None:
            journal.remember(key, change, answer)
        return Answer(answer)

    # The file and the journal --------------------------------------------------------------------------------------

    def _join(self, journal: Journal | None = None) -> bool:
        """Take a journal, by default that beside the file, and load the model with it; False where there is none."""
        journal = journal or Journal.open(self.journal_path)
        if journal is None:
            return False
        try:
            version = journal.version()
            state, marks = self._read(journal)
        except BaseException:
            journal.close()
            raise
        self._journal, self.state, self.marks, self._version = journal, state, marks, version
        return True

    def _read(self, journal: Journal) -> tuple[State, Marks]:
        """The model of the file with all changes above its position.

        The file is read before the journal. If another process folds in between, the changes that the file lacks are
        gone, and the file is read again.
        """
        while True:
            self._known_file, file = _signature(self.path), read_file(self.path)
            with journal.reading():
                marks = journal.marks()
                if _note(file.notes, marks) >= marks.folded or _signature(self.path) == self._known_file:
                    return self._with_changes(journal, file, marks), marks

    def _with_changes(self, journal: Journal, file: ModelFile, marks: Marks) -> State:
        return self._applied(journal, State(file.model, self._position_in(file.notes, file.checksum, marks)))

    def _applied(self, journal: Journal, state: State) -> State:
        draft, position = None, state.position
        for position, change in journal.entries_after(state.position):
            if draft is None:
                draft, adapter = Draft(state.model), adapter_of(state.model)
            try:
                apply(change, draft, adapter)
            except DecibanError as error:  # every entry could be applied when it was written
                raise JournalError(
                    f"entry {position} of the journal {self.journal_path} cannot be applied to {self.path}: {error}"
                ) from error
        return state if draft is None else State(draft.finish(), position)

    def _open_journal(self) -> Journal:
        """The journal, made if there is none."""
        if self._journal is None and not self._join():  # another process may have made it
            if _signature(self.path) != self._known_file:
                raise JournalError(f"{self.path} was replaced after it was loaded. Restart the service.")
            self._join(Journal.create(self.journal_path, self._checksum, self._known_file))
        if self._journal is None:
            raise JournalError(f"the journal {self.journal_path} cannot be opened.")
        return self._journal

    def _caught_up(self, journal: Journal, marks: Marks) -> State:
        """The state with all changes of the journal; while this process may write, no other one can fold."""
        if marks.folded <= self.state.position:
            return self._applied(journal, self.state)
        return self._with_changes(journal, read_file(self.path), marks)

    def _check_file(self, marks: Marks) -> None:
        """Refuse to go on where the model file was replaced by something other than this service."""
        signature = _signature(self.path)
        if signature == self._known_file:
            return
        if signature != marks.file:  # the notes are read only here, as they cost more than the signature
            self._position_in(*read_notes(self.path), marks)
        self._known_file = signature

    def _position_in(self, notes: Mapping[str, object], checksum: str, marks: Marks) -> int:
        """The last position that a model file includes; an error where it is not the journal's."""
        position = _note(notes, marks)
        # the file that the journal began with has no note of it
        if marks.folded == 0 and checksum == marks.base:
            return 0
        if position < 0:
            unfolded = counted(marks.last - marks.folded, "change")
            raise JournalError(
                f"{self.path} is not the model file that the journal {self.journal_path} belongs to: it was replaced. "
                f"The journal holds {unfolded} that no file includes. Put the other file back; or, to begin with this "
                "one, move the journal away."
            )
        if not marks.folded <= position <= marks.last:
            older = "model file" if position < marks.folded else "journal"
            raise JournalError(
                f"{self.path} includes position {position} of its journal, which has {marks.folded} to {marks.last}: "
                f"the {older} was replaced by an older one, and changes are lost. Put the newer one back, or, to go on "
                "with the model file as it is, move the journal away."
            )
        return position


def _note(notes: Mapping[str, object], marks: Marks) -> int:
    """The position of a journal that a model file notes; −1 where it notes none, or that of another journal."""
    note = notes.get(NOTE)
    if not isinstance(note, dict) or note.get("id") != marks.id or not isinstance(note.get("position"), int):
        return -1
    return int(note["position"])


def _signature(path: Path) -> str:
    """What changes when a file is replaced."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise FileAccessError(f"the model file {path} cannot be read: {error.strerror}.") from None
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"


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

# AUTOINCREMENT: SQLite would otherwise give the position of a removed entry again, and a model file that includes the
# old one would lose the new one.
_TABLES = (
    "CREATE TABLE marks (id TEXT NOT NULL, base TEXT NOT NULL, folded INTEGER NOT NULL, file TEXT NOT NULL)",
    "CREATE TABLE entries (position INTEGER PRIMARY KEY AUTOINCREMENT, time REAL NOT NULL, action TEXT NOT NULL, "
    "content BLOB NOT NULL, digest BLOB NOT NULL)",
    "CREATE TABLE keys (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, digest BLOB NOT NULL, "
    "answer TEXT NOT NULL, time REAL NOT NULL)",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)

# `sqlite_sequence` has the last position also when its entry was folded and removed
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
    """What a journal records about its model file, and its last position.

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
    answer: JsonObject


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
                # a process may have died between making the file and writing its tables
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
            # before the transaction: SQLite cannot change the mode within one
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
        if _identity(self.path) != self._file:  # SQLite would go on writing to a file that no path leads to
            raise JournalError(f"the journal {self.path} was moved or replaced. Put it back and restart the service.")
        # IMMEDIATE takes the lock for writing now: a lock taken at the first write may fail, after what was read
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
                if self._db.in_transaction:  # SQLite itself ends it after some errors, such as a full disk
                    self._db.execute("ROLLBACK")
                raise

    # Reading -------------------------------------------------------------------------------------------------------

    def version(self) -> int:
        """A number that changes when another process has written."""
        with self._errors("read"):
            return self._number("PRAGMA data_version")

    def marks(self) -> Marks:
        """The marks of the model file in the journal, and the last position."""
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

    def remember(self, key: str, change: Change, answer: JsonObject) -> None:
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
            # numbers grow with time, so these are the oldest keys
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
    """The device and inode of a file, which do not depend on its name; None where there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _connection(path: Path, mode: str) -> sqlite3.Connection:
    # Autocommit: transactions begin and end where the statements say so. The thread of `LiveModel` uses what the main
    # thread has opened.
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False)
