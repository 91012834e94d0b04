"""A process that runs tasks with the deciban its own interpreter imports: ``python -m benchmarks.against.worker``.

It reads one JSON list a line from the standard input and answers each with one JSON value:

    ["build"]                          where deciban was imported from
    ["names", section]                 the names of the section's rows
    ["prepare", section, name]         the seconds of one warm-up run
    ["run", calls]                     the seconds of one run of the prepared task, the mean of some calls

An error is answered with {"error": text}.
"""

from __future__ import annotations

import json
import sys
import time
import warnings

import deciban
from benchmarks.against.tasks import TASKS
from benchmarks.harness.timing import Task, no_collection

__all__ = ["main"]


class _Worker:
    """The task that was prepared last; the one before is dropped, so that only one sample is in memory."""

    def __init__(self) -> None:
        self._task: Task = lambda: None

    def build(self) -> str:
        return str(deciban.__file__)

    def names(self, section: str) -> list[str]:
        return [name for name, _ in TASKS[section]()]

    def prepare(self, section: str, name: str) -> float:
        self._task = lambda: None
        self._task = dict(TASKS[section]())[name]()
        return self.run(1)

    def run(self, calls: int) -> float:
        with no_collection():
            start = time.perf_counter()
            for _ in range(calls):
                self._task()
            return (time.perf_counter() - start) / calls


def main() -> None:
    """Answer lines until the input ends."""
    warnings.simplefilter("ignore")
    worker = _Worker()
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        try:
            answer = getattr(worker, command)(*arguments)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
