"""Options that are one of several words, and numbers with their nouns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deciban.errors import ParameterError
from deciban.suggest import closest

__all__ = ["check_choice", "counted"]


def check_choice(name: str, value: Any, choices: Sequence[str], *, other: str = "") -> None:
    """Raise an error for a word that is not among the choices; `other` says what else may be passed.

    >>> check_choice("method", "tabo", ["hc", "tabu"])
    Traceback (most recent call last):
    ...
    deciban.errors.ParameterError: method is one of 'hc', 'tabu', not 'tabo'. Did you mean 'tabu'?
    """
    if isinstance(value, str) and value in choices:
        return
    hint = closest(value, choices) if isinstance(value, str) else ""
    raise ParameterError(f"{name} is one of {', '.join(map(repr, choices))}{other}, not {value!r}.{hint}")


def counted(count: float, noun: str, plural: str = "") -> str:
    """A number and its noun.

    >>> counted(1, "edge"), counted(2000, "edge"), counted(2, "vertex", "vertices")
    ('1 edge', '2,000 edges', '2 vertices')
    >>> counted(2.5, "row")
    '2.5 rows'
    """
    number = f"{count:,}" if isinstance(count, int) else f"{count:,.6g}"
    return f"{number} {noun if count == 1 else plural or noun + 's'}"
