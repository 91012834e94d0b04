"""Options that are one of several words, and numbers with their nouns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from deciban.errors import ParameterError

__all__ = ["check_choice", "closest", "counted", "did_you_mean"]


def check_choice(name: str, value: object, choices: Sequence[str], *, other: str = "") -> None:
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


_LONGEST_LIST = 12  # more names would hide the message


def did_you_mean(given: object, known: Iterable[object]) -> str:
    """A sentence that names the closest known name, or else all of them if they are few; begins with a space.

    >>> did_you_mean("incme", ["age", "income"])
    " Did you mean 'income'?"
    >>> did_you_mean("colour", ["age", "income"])
    " Known are 'age', 'income'."
    """
    names = list(known)
    close = closest(given, names)
    if close:
        return close
    if not names or len(names) > _LONGEST_LIST:
        return ""
    return f" Known are {', '.join(map(repr, names))}."


def closest(given: object, known: Iterable[object]) -> str:
    """A sentence that names the closest known name, if one is close; begins with a space.

    >>> closest("yess", ["yes", "no"]), closest("maybe", ["yes", "no"])
    (" Did you mean 'yes'?", '')
    """
    folded = {str(name).casefold(): name for name in known}
    close = get_close_matches(str(given).casefold(), folded, n=1, cutoff=0.6)
    return f" Did you mean {folded[close[0]]!r}?" if close else ""
