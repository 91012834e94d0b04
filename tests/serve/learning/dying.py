"""Processes that are killed at every step of learning and folding, and what a restart finds.

    python -m tests.serve.learning.dying FOLDER [MOST]

For each step, and each time that it is reached, a child process makes the same changes and is killed there (SIGKILL, as
by ``kill -9``). Then the model is opened again, and all changes are sent again with their keys. The program ends with
an error where something acknowledged is lost, something is applied twice, or the model is not that of the rows.
Steps are reached several times; MOST is how many of these are tried, all by default. One process imports deciban and
makes all children, because an import takes longer than all of a child's work.
"""

import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import deciban as db
from deciban.serve.learning import journaled_model
from deciban.serve.learning import journaled_model as journal
from deciban.serve.learning.journaled_model import JournaledModel
from deciban.storage.model_files import file_bytes

from .conftest import FIRST, fitted, request

STEPS = {
    "the journal's file is made": ("sql", "PRAGMA journal_mode = WAL", "after"),
    "a table is made": ("sql", "CREATE TABLE entries", "after"),
    "the first marks are written": ("sql", "INSERT INTO marks", "after"),
    "a transaction begins": ("sql", "BEGIN IMMEDIATE", "after"),
    "a change is written, not its key": ("sql", "INSERT INTO entries", "after"),
    "a change and its key are written": ("sql", "INSERT INTO keys", "after"),
    "before a commit": ("sql", "COMMIT", "before"),
    "after a commit, before the answer": ("sql", "COMMIT", "after"),
    "the new file is half written": ("half", "", ""),
    "the new file is written, not flushed": ("call", (os, "fsync"), "before"),
    "the new file is flushed, not in its place": ("call", (os, "replace"), "before"),
    "the new file is in its place, the journal does not know": ("call", (os, "replace"), "after"),
    "before the fold is marked": ("sql", "UPDATE marks", "before"),
    "the fold is marked, its changes are still there": ("sql", "UPDATE marks", "after"),
    "the changes of the fold are removed": ("sql", "DELETE FROM entries", "after"),
    "the old keys are removed": ("sql", "DELETE FROM keys", "after"),
    "the log is being copied": ("sql", "PRAGMA wal_checkpoint", "before"),
    "the log is copied": ("sql", "PRAGMA wal_checkpoint", "after"),
}
CHANGES = (
    ("learn", 60, 75, "a"),
    ("forget", 5, 15, "b"),
    "fold",
    ("learn", 75, 80, "c"),
    ("forget", 60, 70, "d"),
    "fold",
    ("learn", 80, 90, "e"),
)
ROWS_AFTER = {
    "": range(FIRST),
    "a": range(75),
    "b": [*range(5), *range(15, 75)],
    "c": [*range(5), *range(15, 80)],
    "d": [*range(5), *range(15, 60), *range(70, 80)],
    "e": [*range(5), *range(15, 60), *range(70, 90)],
}
AFTER = {key: fitted(rows).tally_ for key, rows in ROWS_AFTER.items()}
"""The tally after each change."""
FIRST_FILE = file_bytes(fitted(range(FIRST)))


class Killer:
    """Kills the process when a step is reached for the nth time."""

    def __init__(self, times):
        self.left = times

    def __call__(self):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class Connection:
    """A connection to the journal that is killed at a statement."""

    def __init__(self, real, start, when, kill):
        self._real, self._start, self._when, self._kill = real, start, when, kill

    def execute(self, statement, *values):
        is_step = statement.startswith(self._start)
        if is_step and self._when == "before":
            self._kill()
        found = self._real.execute(statement, *values)
        if is_step and self._when == "after":
            self._kill()
        return found

    def __getattr__(self, name):
        return getattr(self._real, name)


def arm(step, times):
    """Make the process die at a step."""
    (kind, where, when), kill = STEPS[step], Killer(times)
    if kind == "sql":
        connect = journal._connection
        journal._connection = lambda *args: Connection(connect(*args), where, when, kill)
    elif kind == "call":
        owner, name = where
        call = getattr(owner, name)

        def killing(*args):
            if when == "before":
                kill()
            call(*args)
            if when == "after":
                kill()

        setattr(owner, name, killing)
    else:
        write = journaled_model.write_whole

        def write_half(path, content):
            if kill.left == 1:
                path.with_name(f".{path.name}.0.tmp").write_bytes(content[: len(content) // 2])
            kill()
            write(path, content)

        journaled_model.write_whole = write_half


def make_changes(path, acknowledged):
    """All changes in order; the key of each that is acknowledged is added to a file."""
    model = JournaledModel(path)
    for change in CHANGES:
        if change == "fold":
            model.fold()
            continue
        (answer,) = model.commit([request(*change)])
        if isinstance(answer, Exception):
            raise answer
        os.write(acknowledged, change[3].encode())
    model.close()


def killed(step, times, path, acknowledged):
    """Make the changes in a child that dies at a step; False where the child has not reached it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            arm(step, times)
            make_changes(path, acknowledged)
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0, f"{step}: the child failed"
        return False
    assert os.WTERMSIG(status) == signal.SIGKILL
    return True


def is_after(model, key):
    """Whether a model has exactly the rows that remain after the change with a key."""
    wanted = AFTER[key]
    parts = zip(model.tally_.parts, wanted.parts, strict=True)
    are_close = all(a.is_close(b) if hasattr(a, "is_close") else a == b for a, b in parts)
    return are_close and model.tally_.class_counts.tolist() == wanted.class_counts.tolist()


@contextmanager
def acknowledgements(path):
    """A file of keys, and a function that reads them."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        yield file, lambda: Path(path).read_text()
    finally:
        os.close(file)


def check(step, times, folder):
    """Kill, open again, send all again; False where the step is not reached so often."""
    path = folder / "days.deciban"
    path.write_bytes(FIRST_FILE)
    with acknowledgements(folder / "acknowledged") as (file, keys):
        if not killed(step, times, path, file):
            return False
        told = keys()
    model = JournaledModel(path)
    order = "abcde"
    assert order.startswith(told)
    may_be = (told[-1:], order[len(told) : len(told) + 1])
    assert any(is_after(model.state.model, key) for key in may_be), f"{step}: acknowledged {told!r}"
    model.close()
    model = JournaledModel(path)
    for change in (change for change in CHANGES if change != "fold"):
        (answer,) = model.commit([request(*change)])
        assert answer.content["rows"] == change[2] - change[1]
        assert answer.is_repeated or change[3] not in told, f"{step}: {change} was made twice"
    assert is_after(model.state.model, "e"), f"{step}: other rows than those that were acknowledged"
    model.fold()
    model.close()
    assert is_after(db.load(path), "e"), f"{step}: the file has other rows"
    return True


def main(folder, most):
    deaths = 0
    for number, step in enumerate(STEPS):
        for times in range(1, most + 1):
            place = folder / f"{number}-{times}"
            place.mkdir(parents=True)
            is_reached = check(step, times, place)
            assert is_reached or times > 1, f"{step} was never reached"
            if not is_reached:
                break
            deaths += 1
    print(f"{deaths} deaths at {len(STEPS)} steps: nothing is lost, and nothing is applied twice")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000)
