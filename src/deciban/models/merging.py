"""What several models, nets or tallies of parts of a table have learned together."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from functools import reduce
from typing import Any

from deciban.errors import ParameterError
from deciban.tallies.protocol import SampleTally

__all__ = ["merged"]


def merged(parts: Sequence[Any]) -> Any:
    """The sum of tallies, or a model that has learned the rows of all models; the parts stay as they are.

    >>> from deciban import CategoricalNB
    >>> days = [
    ...     CategoricalNB().fit([[sky]], [play])
    ...     for sky, play in (("sun", "yes"), ("rain", "no"))
    ... ]
    >>> merged(days).tally_.total
    2
    """
    if not parts:
        raise ParameterError("there is nothing to merge: name at least one file.")
    kinds = list(dict.fromkeys(type(part).__name__ for part in parts))
    if len(kinds) > 1:
        raise ParameterError(f"a {kinds[0]} cannot be merged with a {kinds[1]}.")
    if isinstance(parts[0], SampleTally):
        return reduce(_joined, parts)
    if not hasattr(parts[0], "merge"):
        raise ParameterError(f"a {kinds[0]} cannot be merged: it is no sum over rows. Fit it on all of them.")
    return reduce(lambda model, part: model.merge(part), parts[1:], deepcopy(parts[0]))


def _joined(a: Any, b: Any) -> Any:
    """The sum of two tallies; the labels of the second are read in the types of those of the first."""
    return a + (b.read_as(a) if hasattr(b, "read_as") else b)
