"""A model that many threads read while rows are learned.

One thread of its own writes. It takes all requests that wait, makes their changes in one transaction, so that they
share the flushes of the disk, and then replaces the model as a whole: a reader has the model of before or of after.
Between requests the thread applies what other processes have written, and folds the journal into the model file.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from deciban.errors import FileError, JournalError
from deciban.serve.learning.changes import Action, Change
from deciban.serve.learning.journaled_model import Answer, JournaledModel, Request

__all__ = ["Folding", "LiveModel"]

_LOG = logging.getLogger("deciban.serve")
_REFRESH_SECONDS = 0.05
"""How often the thread looks for what other processes have written: so much later do all workers answer alike."""
_RETRY_SECONDS = 5.0
_GROUP_REQUESTS, _GROUP_ROWS = 64, 20_000
"""The most requests and rows of a transaction: all of its requests wait until it is on the disk."""
_MOST_WAITING = 1_000


@dataclass(frozen=True)
class Folding:
    """When the journal is folded into the model file.

    A start applies the changes that are not folded, so ``changes`` bounds its time.

    Parameters
    ----------
    changes : int
        The number of changes after which it is folded.
    seconds : float
        The number of seconds after the first change at which it is folded, if there were fewer changes.
    share : float
        The largest share of the time that folding takes: large models are folded less often.

    See Also
    --------
    LiveModel : Takes it.

    Examples
    --------
    >>> from deciban.serve.learning.live_model import Folding
    >>> Folding(changes=100)
    Folding(changes=100, seconds=60.0, share=0.02)
    """

    changes: int = 1_000
    seconds: float = 60.0
    share: float = 0.02


class LiveModel:
    """A model file, its journal and the thread that writes both.

    Rows are learned durably: when ``learn`` returns they are on the disk, and no failure loses or doubles one.

    Parameters
    ----------
    path : str or path
        The model file; the journal is beside it, with ``.journal`` after its name.
    folding : Folding, optional
        When the journal is folded into the model file.

    See Also
    --------
    deciban.serve.holder.FixedModel : A model that does not learn.
    deciban.serve.app.make_app : The application that serves it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import deciban as db
    >>> from deciban.serve.learning.live_model import LiveModel
    >>> with TemporaryDirectory() as folder:
    ...     db.save(
    ...         db.GaussianNB().fit([[1.0], [2.0], [8.0]], ["low", "low", "high"]),
    ...         f"{folder}/sizes.deciban",
    ...     )
    ...     live = LiveModel.open(f"{folder}/sizes.deciban")
    ...     live.learn([[9.0]], ["high"], key="request 1").content
    ...     live.learn([[9.0]], ["high"], key="request 1").is_repeated
    ...     live.close()
    ...     db.load(f"{folder}/sizes.deciban").tally_.total
    {'action': 'learn', 'rows': 1, 'position': 1}
    True
    4
    """

    def __init__(self, path: str | os.PathLike[str], folding: Folding | None = None) -> None:
        self._journaled = JournaledModel(path)
        self._folding = folding or Folding()
        self._tasks: SimpleQueue[_Task] = SimpleQueue()
        self._trouble: dict[str, str] = {}
        self._unfolded_since: float | None = None
        self._next_fold = self._next_refresh = 0.0
        self._is_closed, self._lock = False, Lock()
        # a daemon: a process that ends without `close` loses nothing, as the journal has every change
        self._thread = Thread(target=self._run, name="deciban-journal", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, path: str | os.PathLike[str], folding: Folding | None = None) -> LiveModel:
        """Load a model file with the changes of its journal.

        Parameters
        ----------
        path : str or path
            The model file.
        folding : Folding, optional
            When the journal is folded into the model file.

        Returns
        -------
        LiveModel

        Raises
        ------
        JournalError
            If the file and the journal do not belong together.
        """
        return cls(path, folding)

    # Reading -------------------------------------------------------------------------------------------------------

    @property
    def model(self) -> Any:
        """The model as it is now: a value that never changes. A request takes it once."""
        return self._journaled.state.model

    @property
    def position(self) -> int:
        """The last position of the journal that `model` includes."""
        return self._journaled.state.position

    def status(self) -> dict[str, Any]:
        """The state of the journal.

        Returns
        -------
        dict
            The position of this process, how far it is behind the journal, how many changes are not in the model file
            yet, and what is in trouble.
        """
        model = self._journaled
        return {
            "file": model.journal_path.name,
            "position": model.state.position,
            "lag": model.lag,
            "unfolded": model.unfolded,
            "trouble": next(iter(self._trouble.values()), None),
        }

    def metrics(self) -> Mapping[str, float]:
        """The numbers of ``status`` for ``/metrics``.

        Returns
        -------
        dict
        """
        model = self._journaled
        return {
            "journal_position": model.state.position,
            "journal_lag": model.lag,
            "journal_unfolded": model.unfolded,
            "journal_in_trouble": bool(self._trouble),
        }

    # Writing -------------------------------------------------------------------------------------------------------

    def learn(self, rows: Sequence[Any], labels: Sequence[Any] | None = None, **options: Any) -> Answer:
        """Learn rows; returns when they are on the disk and in ``model``.

        Parameters
        ----------
        rows : sequence
            JSON values, one for each row.
        labels : sequence, optional
            The label of each row; a Bayes net has no labels.
        **options
            ``key`` and ``new_classes`` of ``submit``.

        Returns
        -------
        Answer
            Its ``content`` has the position of the change; ``is_repeated`` is true if the change had been made before.
        """
        return self.submit("learn", rows, labels, **options).result()

    def forget(self, rows: Sequence[Any], labels: Sequence[Any] | None = None, **options: Any) -> Answer:
        """Take rows out; returns when that is on the disk and in ``model``.

        Parameters
        ----------
        rows : sequence
            JSON values, one for each row. Rows that were not learned are an error.
        labels : sequence, optional
            The label of each row; a Bayes net has no labels.
        **options
            ``key`` and ``new_classes`` of ``submit``.

        Returns
        -------
        Answer
            As of ``learn``.
        """
        return self.submit("forget", rows, labels, **options).result()

    def submit(
        self,
        action: Action,
        rows: Sequence[Any],
        labels: Sequence[Any] | None = None,
        *,
        key: str | None = None,
        new_classes: bool = False,
    ) -> Future[Answer]:
        """Learn or forget rows in the thread that writes, without waiting for it.

        Parameters
        ----------
        action : {"learn", "forget"}
            What to do.
        rows : sequence
            JSON values, one for each row.
        labels : sequence, optional
            The label of each row; a Bayes net has no labels.
        key : str, optional
            Names the request: the same key with the same rows gives the first answer, and changes nothing.
        new_classes : bool
            Whether labels may be new classes; otherwise they are an error.

        Returns
        -------
        concurrent.futures.Future
            Its result is the ``Answer``.

        Raises
        ------
        JournalError
            If too many requests wait, or the model is closed.
        """
        request = Request(Change.of(action, rows, labels), key, new_classes)
        if self._tasks.qsize() >= _MOST_WAITING:
            raise JournalError(f"{_MOST_WAITING} requests wait to be written. Try again in a moment.")
        return self._put(_Task(request))

    def refresh(self) -> None:
        """Apply now what other processes have written."""
        self._put(_Task(call=self._journaled.refresh)).result()

    def fold(self) -> None:
        """Write the model to its file now."""
        self._put(_Task(call=self._journaled.fold)).result()

    def close(self) -> None:
        """Write what waits, fold the journal into the model file, and stop the thread; later calls do nothing."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._tasks.put(_Task(is_last=True))
        self._thread.join()  # not under the lock: callers of `_put` get their error at once

    def _put(self, task: _Task) -> Future[Any]:
        with self._lock:  # nothing comes after the last task
            if self._is_closed:
                raise JournalError("the service is shutting down. Send the request again.")
            self._tasks.put(task)
        return task.future

    # The thread ----------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        is_last = False
        while not is_last:
            tasks = self._waiting()
            is_last = any(task.is_last for task in tasks)
            # a request that was cancelled while it waited is not made
            wanted = [task for task in tasks if task.future.set_running_or_notify_cancel()]
            self._write([task for task in wanted if task.request is not None])
            for task in wanted:
                task.settle()
            # after the answers, since no request waits for this
            self._keep_up()
            self._fold_if_due(is_last)
        self._journaled.close()

    def _waiting(self) -> list[_Task]:
        """The tasks that wait, up to the size of a group; none where none comes for a moment."""
        tasks: list[_Task] = []
        try:
            tasks.append(self._tasks.get(timeout=_REFRESH_SECONDS))
            while sum(task.size for task in tasks) < _GROUP_ROWS and len(tasks) < _GROUP_REQUESTS:
                tasks.append(self._tasks.get_nowait())
        except Empty:
            pass
        return tasks

    def _write(self, tasks: list[_Task]) -> None:
        """Make the changes of all requests in one transaction; one by one where that fails because of one of them."""
        if not tasks:
            return
        requests = [task.request for task in tasks if task.request is not None]
        try:
            answers: Sequence[Answer | Exception] = self._journaled.commit(requests)
            self._trouble.pop("written", None)
        except FileError as error:  # the disk fails, for every request alike
            self._note(error, "written")
            answers = [error] * len(tasks)
        except Exception as error:  # nothing was written: each request is tried alone, to find the one that fails
            if len(tasks) > 1:
                for task in tasks:
                    self._write([task])
                return
            answers = [error]
        for task, answer in zip(tasks, answers, strict=True):
            task.answer(answer)

    def _keep_up(self) -> None:
        """Apply what other processes have written, if the last time was a moment ago."""
        now = time.monotonic()
        if now >= self._next_refresh:
            self._next_refresh = now + _REFRESH_SECONDS
            self._try(self._journaled.refresh, "read")

    def _fold_if_due(self, is_last: bool) -> None:
        model, now = self._journaled, time.monotonic()
        if not model.unfolded:
            self._unfolded_since = None
            self._trouble.pop("folded", None)
            return
        since = self._unfolded_since = now if self._unfolded_since is None else self._unfolded_since
        is_due = model.unfolded >= self._folding.changes or now - since >= self._folding.seconds
        if is_last or (is_due and now >= self._next_fold):
            is_done = self._try(model.fold, "folded")
            took = time.monotonic() - now
            # after `took` seconds of work, took / share seconds pass, so that folding takes at most this share
            self._next_fold = time.monotonic() + (took / self._folding.share if is_done else _RETRY_SECONDS)

    def _try(self, call: Callable[[], Any], done: str) -> bool:
        """Do what no request waits for; an error is logged and shown by `status`, and it is tried again later."""
        try:
            call()
        except Exception as error:
            self._note(error, done)
            return False
        self._trouble.pop(done, None)
        return True

    def _note(self, error: Exception, done: str) -> None:
        # what fails is tried again every moment; the log has it once
        if self._trouble.get(done) != str(error):
            self._trouble[done] = str(error)
            _LOG.error("learned rows are not %s: %s", done, error, exc_info=not isinstance(error, FileError))


@dataclass
class _Task:
    """What the thread does next: a request, a call, or the end."""

    request: Request | None = None
    call: Callable[[], Any] | None = None
    is_last: bool = False
    future: Future[Any] = field(default_factory=Future)

    @property
    def size(self) -> int:
        return 0 if self.request is None else len(self.request.change.rows)

    def settle(self) -> None:
        """Make the call, if there is one."""
        try:
            if self.call is not None:
                self.future.set_result(self.call())
        except Exception as error:  # goes to whoever waits for it
            self.future.set_exception(error)

    def answer(self, answer: Answer | Exception) -> None:
        if isinstance(answer, Exception):
            self.future.set_exception(answer)
        else:
            self.future.set_result(answer)
