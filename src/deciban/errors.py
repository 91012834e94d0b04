"""The errors that deciban raises: each is a `DecibanError`.

Each class is also the built-in (or scikit-learn) error that callers of scikit-learn expect, so code written against
``sklearn.naive_bayes`` goes on catching ``ValueError``.

>>> import deciban as db
>>> try:
...     db.GaussianNB().predict([[1.0]])
... except db.errors.UnfittedError as error:
...     print(error)
This GaussianNB instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.
>>> issubclass(db.errors.InputError, ValueError)
True
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

if TYPE_CHECKING:
    from sklearn.exceptions import NotFittedError

__all__ = [
    "CheckpointError",
    "ColumnMismatchError",
    "CycleError",
    "DamagedFileError",
    "DamagedTableError",
    "DecibanError",
    "DecibanWarning",
    "FileAccessError",
    "FileError",
    "GraphError",
    "GraphTextError",
    "ImpossibleEvidenceError",
    "InputError",
    "InputTypeError",
    "InvalidCPDAGError",
    "JournalError",
    "KnowledgeError",
    "MissingExtraError",
    "MissingFileError",
    "MissingValueError",
    "NegativeCountError",
    "NetworkError",
    "NoExtensionError",
    "NotIdentifiedError",
    "ParameterError",
    "PrecisionError",
    "QuestionError",
    "ReusedKeyError",
    "SourceError",
    "TooLargeError",
    "UnfittedError",
    "UnknownNodeError",
    "UnseenStateError",
    "surrogate_error",
    "warn_user",
]


_BEFORE, _AFTER = 60, 40
"""How many characters are shown around the one that an error points at."""


class DecibanError(Exception):
    """The root of all errors that deciban raises."""


class DecibanWarning(UserWarning):
    """Something in the data that a user should know about; the result is valid."""


class InputError(DecibanError, ValueError):
    """The data cannot be used as they are."""


class InputTypeError(DecibanError, TypeError):
    """The data are of a type that cannot be read."""


class FileError(DecibanError, ValueError):
    """A file cannot be read as a model or net: it is none, truncated, damaged, or newer than this version."""


class FileAccessError(FileError, OSError):
    """A file cannot be opened or written: it is a folder, or the system does not permit it."""


class DamagedFileError(FileAccessError):
    """A file is truncated or damaged, or not of the format of its suffix."""


class MissingFileError(FileAccessError, FileNotFoundError):
    """A file, or the folder to write it into, does not exist."""


class CheckpointError(FileError):
    """A checkpoint belongs to another source or model, or is damaged; it is left as it is."""


class JournalError(FileError):
    """The journal of a served model cannot be read or written, or does not belong to its model file."""


class ReusedKeyError(InputError):
    """An idempotency key was used before, with other rows."""


class SourceError(InputError):
    """Rows cannot be read from a file, a database or a cluster; the message says where, and why."""


class DamagedTableError(SourceError, DamagedFileError):
    """A file with a table is truncated or damaged, or not of the format of its suffix: no row can be read."""


class MissingExtraError(DecibanError, ImportError):
    """An optional package is not installed; the message names the extra that installs it."""


class ParameterError(DecibanError, ValueError):
    """A parameter has a value that is not allowed."""


class MissingValueError(InputError):
    """A value is missing where ``missing="error"``."""


class UnseenStateError(InputError):
    """A category was not seen in fit, and ``unseen="error"``."""


class ColumnMismatchError(InputError):
    """The columns are not the ones that the model or tally knows."""


class NegativeCountError(InputError):
    """A count would become negative: what is taken out was never counted."""

    cell: tuple[str, int, float] | None = None
    """What is counted, the index of its class and what would be left, where the label of the class is not known yet."""


class PrecisionError(InputError):
    """Rows cannot be taken out: what would be left is lost in rounding."""


if TYPE_CHECKING:

    class UnfittedError(DecibanError, NotFittedError):  # type: ignore[misc]
        """The model has not been fitted yet."""


def __getattr__(name: str) -> type[Exception]:
    """Make `UnfittedError` when it is first used: importing scikit-learn for its base takes longer than a query."""
    if name != "UnfittedError":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sklearn.exceptions import NotFittedError  # noqa: PLC0415

    members = {"__doc__": "The model has not been fitted yet.", "__module__": __name__}
    made = type(name, (DecibanError, NotFittedError), members)
    return globals().setdefault(name, made)  # setdefault: two threads get the same class


class GraphError(InputError):
    """Nodes and edges do not make a graph of the kind asked for."""


class GraphTextError(GraphError):
    """The text of a graph cannot be read; the message points at the character.

    Parameters
    ----------
    reason : str
        What is wrong.
    text : str
        The text of the graph.
    position : int
        The index of the character.

    Attributes
    ----------
    reason, text, position : as the parameters
    """

    def __init__(self, reason: str, text: str = "", position: int = 0) -> None:
        self.reason, self.text, self.position = reason, text, position
        # The text may be long and have many lines: the line is shown, and of a long one what is near the character.
        begin = max(text.rfind("\n", 0, position) + 1, position - _BEFORE)
        near = (
            text[begin : position + _AFTER].partition("\n")[0]
            if text[position : position + 1] != "\n"
            else text[begin:position]
        )
        line = f" (line {text.count(chr(10), 0, position) + 1})" if "\n" in text else ""
        super().__init__(f"{reason}{line}\n{_pointed_at(near, position - begin)}")


class CycleError(GraphError):
    """A graph that must have no cycle has one; the message shows it."""


class UnknownNodeError(GraphError):
    """A node is not in the graph."""


class NoExtensionError(GraphError):
    """A partially directed graph has no consistent DAG extension."""


class InvalidCPDAGError(GraphError):
    """A partially directed graph is not the CPDAG of any DAG."""


class KnowledgeError(InputError):
    """Background knowledge is inconsistent, or names an unknown node."""


class NetworkError(InputError):
    """Tables, states and graph do not make a Bayes net."""


class ImpossibleEvidenceError(InputError):
    """The evidence has probability 0, so posteriors are not defined."""


class QuestionError(InputError):
    """The text of a question cannot be read, or does not fit the net; the message points at the character.

    Parameters
    ----------
    reason : str
        What is wrong.
    text : str
        The text of the question.
    position : int, optional
        The index of the character; None where the whole is meant.

    Attributes
    ----------
    reason, text, position : as the parameters
    """

    def __init__(self, reason: str, text: str = "", position: int | None = None) -> None:
        self.reason, self.text, self.position = reason, text, position
        super().__init__(reason if position is None else f"{reason}\n{_pointed_at(text, position)}")


class NotIdentifiedError(DecibanError, ValueError):
    """The effect of an intervention is not identifiable from observations; the message says why."""


class TooLargeError(DecibanError, MemoryError):
    """An answer would need more memory than allowed; the message says how much. Nothing has been allocated."""


def surrogate_error(error: UnicodeEncodeError) -> InputError:
    """The error that a text has a lone surrogate, a half of a character, which UTF-8 and so Arrow cannot hold."""
    return InputError(f"{error.object!r} has a lone surrogate, which neither files nor Arrow can hold. Rename it.")


def _pointed_at(text: str, position: int) -> str:
    """A text on one line, and a caret below one of its characters."""
    # A tab or a line break is shown as one space, so that columns can be counted.
    shown = "".join(character if character.isprintable() else " " for character in text)
    # Wide characters take two columns of a terminal (Unicode, UAX #11), and the caret must stand below its own.
    width = sum(2 if east_asian_width(character) in "WF" else 1 for character in shown[:position])
    return f"  {shown}\n  {' ' * width}^"


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the nearest caller outside of deciban."""
    # By hand, as `skip_file_prefixes` came with Python 3.12.
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "deciban":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
