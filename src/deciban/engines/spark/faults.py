"""Spark's errors as errors of deciban: one sentence instead of a Java stack trace.

A `DecibanError` that is raised on an executor travels back as a row (`deciban.engines.spark.tasks`), so it keeps its
class and message. What arrives here is all else: a cluster that is gone, a task that failed too often, a package that
the executors lack, a file that Spark cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from deciban.errors import SourceError

__all__ = ["clear_errors"]

_PACKAGES = ("pyspark", "py4j", "grpc")
_PYTHON_ERROR = re.compile(r"^(?:\w+\.)*(\w+(?:Error|Exception|Interrupt)): (.+)$", re.MULTILINE)
_LOST = re.compile(r"ExecutorLostFailure|executor \S+ exited|Lost executor|heartbeat timed out", re.IGNORECASE)
_DISCONNECTED = ("Py4JNetworkError", "Py4JError")
_LONGEST = 300


@contextmanager
def clear_errors(doing: str) -> Iterator[None]:
    """Turn errors of Spark, and of the connection to it, into a `SourceError`; `doing` says what was tried.

    Only the calls of Spark are wrapped, so a system error (a closed socket, a broken pipe) is one of the connection.
    """
    try:
        yield
    except Exception as error:
        if not _is_from_spark(error):
            raise
        raise SourceError(f"Spark failed while {doing}: {_reason(error)}") from error


def _is_from_spark(error: Exception) -> bool:
    packages = {kind.__module__.partition(".")[0] for kind in type(error).mro()}
    return isinstance(error, OSError | EOFError) or not packages.isdisjoint(_PACKAGES)


def _reason(error: Exception) -> str:
    """The sentence of a long message that says what is wrong."""
    text = _text(error)
    if not text or isinstance(error, OSError | EOFError) or type(error).__name__ in _DISCONNECTED:
        return f"there is no connection to its driver any more ({_first_line(text) or type(error).__name__})."
    missing = re.search(r"ModuleNotFoundError: No module named '(\w+)", text)
    if missing:
        return f"Python on the executors has no package {missing[1]!r}. Install it there; see docs/how-to/scale.md."
    if _LOST.search(text):
        return f"executors were lost, and the task failed as often as Spark allows ({_first_line(text)})"
    raised = _PYTHON_ERROR.findall(text)
    return ": ".join(raised[-1])[:_LONGEST] if raised else _first_line(text)


def _text(error: Exception) -> str:
    """The message, which Spark asks its driver for."""
    try:
        return str(error)
    except Exception:  # the driver is gone
        return ""


def _first_line(text: str) -> str:
    """The first line that says something; of a Java error that is passed on, the line of its cause."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    shown = [line for line in lines if not line.startswith(("An error occurred while calling", "at ", "."))]
    return (shown or lines or [""])[0][:_LONGEST]
