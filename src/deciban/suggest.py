"""The end of an error message about an unknown name: the closest known name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

__all__ = ["closest", "did_you_mean"]

_LONGEST_LIST = 12


def did_you_mean(given: Any, known: Iterable[Any]) -> str:
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


def closest(given: Any, known: Iterable[Any]) -> str:
    """A sentence that names the closest known name, if one is close; begins with a space.

    >>> closest("yess", ["yes", "no"]), closest("maybe", ["yes", "no"])
    (" Did you mean 'yes'?", '')
    """
    folded = {str(name).casefold(): name for name in known}
    close = get_close_matches(str(given).casefold(), folded, n=1, cutoff=0.6)
    return f" Did you mean {folded[close[0]]!r}?" if close else ""
