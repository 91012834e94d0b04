"""A model file and its journal, which together are one model.

    model = file + the changes above the position that the file includes, in order

Every process applies the same changes in the same order to the same numbers, so all have the same model, bit for bit.
A change is applied to a copy (`deciban.models.parts.draft`) before it is written, so what the journal holds can always
be applied again. Folding writes the model to its file, with the journal's id and the position as a note, and then
removes the changes up to that position. If a process dies between the two, the file is ahead of the journal's mark, and
the changes that it includes are skipped.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

from deciban.choices import counted
from deciban.errors import DecibanError, FileAccessError, JournalError, ReusedKeyError
from deciban.files import as_path, write_whole
from deciban.models.parts.draft import Draft
from deciban.models.storage.file import ModelFile, file_bytes, read_file, read_notes
from deciban.serve.adapters.base import Adapter
from deciban.serve.adapters.choose import adapter_of
from deciban.serve.learning.changes import Change
from deciban.serve.learning.journal import Journal, Marks
from deciban.serve.learning.reading import apply

__all__ = ["Answer", "JournaledModel", "Request", "State"]

NOTE = "journal"
"""The name of the service's note in a model file."""

_LEFTOVER_SECONDS = 60.0


@dataclass(frozen=True)
class State:
    """A model and the last position that it includes."""

    model: Any
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

    content: dict[str, Any]
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
        self._known_file = _signature(self.path)
        self.state = State(None, 0)
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
        self.state, self.marks = state, marks
        return answers

    def refresh(self) -> bool:
        """Apply the changes that other processes have made; whether there were any."""
        journal, before = self._journal, self.state
        if journal is None:
            return self._join()
        version = journal.version()
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
        content = file_bytes(state.model, {NOTE: {"id": marks.id, "position": state.position}})
        with journal.writing():
            marks = journal.marks()
            if marks.folded >= state.position:
                self.marks = marks
                return False
            self._check_file(marks)
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

    def _admit(self, journal: Journal, draft: Draft, adapter: Adapter, request: Request) -> Answer | DecibanError:
        """Apply and write one change; or the reason why not, with nothing applied and nothing written."""
        change, key = request.change, request.key
        first = None if key is None else journal.remembered(key)
        if first is not None:
            if first.digest == change.digest:
                return Answer(first.answer, is_repeated=True)
            return ReusedKeyError(f"the idempotency key {key!r} was used before, with other rows. Use a new key.")
        try:
            apply(change, draft, adapter, new_classes=request.new_classes)
        except DecibanError as error:
            return error
        answer = {"action": change.action, "rows": len(change.rows), "position": journal.append(change)}
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
            except DecibanError as error:
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
        found = _signature(self.path)
        if found == self._known_file:
            return
        if found != marks.file:
            self._position_in(*read_notes(self.path), marks)
        self._known_file = found

    def _position_in(self, notes: Mapping[str, Any], checksum: str, marks: Marks) -> int:
        """The last position that a model file includes; an error where it is not the journal's."""
        position = _note(notes, marks)
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


def _note(notes: Mapping[str, Any], marks: Marks) -> int:
    """The position of a journal that a model file notes; −1 where it notes none, or that of another journal."""
    note = notes.get(NOTE)
    if not isinstance(note, dict) or note.get("id") != marks.id or not isinstance(note.get("position"), int):
        return -1
    return int(note["position"])


def _signature(path: Path) -> str:
    """What changes when a file is replaced."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise FileAccessError(f"the model file {path} cannot be read: {error.strerror}.") from None
    return f"{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"
