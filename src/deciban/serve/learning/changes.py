"""A change of a model: one batch of rows to learn or to forget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, get_args

import orjson

from deciban.errors import InputError, InputTypeError, ParameterError

__all__ = ["Action", "Change"]

Action = Literal["learn", "forget"]

_STRICT = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_SUBCLASS


@dataclass(frozen=True)
class Change:
    """An action and its rows as JSON, which is what the journal keeps.

    Rows and labels are always those read from the JSON, so a change does the same when it is first made as when it is
    read from the journal.
    """

    action: Action
    content: bytes

    @classmethod
    def of(cls, action: Action, rows: Sequence[Any], labels: Sequence[Any] | None = None) -> Change:
        """The change that learns or forgets rows, one label each; a Bayes net has no labels."""
        if action not in get_args(Action):
            raise ParameterError(f"action is one of {get_args(Action)}, not {action!r}.")
        rows = list(rows)
        values = {"rows": rows, "labels": None if labels is None else list(labels)}
        try:
            change = cls(action, orjson.dumps(values, option=_STRICT))
        except TypeError as error:
            raise InputTypeError(f"rows and labels are JSON: strings, numbers, booleans and None. {error}.") from None
        if not change.rows:
            raise InputError(f"there are no rows to {action}.")
        if change.rows != rows:
            _check_finite(rows)
        if change.labels is not None and len(change.labels) != len(change.rows):
            raise InputError(f"there are {len(change.rows)} rows and {len(change.labels)} labels.")
        return change

    @cached_property
    def _values(self) -> dict[str, Any]:
        values: dict[str, Any] = orjson.loads(self.content)
        return values

    @property
    def rows(self) -> list[Any]:
        """The rows: an object each, a list of values, or a document."""
        held: list[Any] = self._values["rows"]
        return held

    @property
    def labels(self) -> list[Any] | None:
        """The label of each row; None for a Bayes net."""
        held: list[Any] | None = self._values["labels"]
        return held

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of the action and the rows: equal changes have equal digests."""
        return sha256(self.action.encode("ascii") + b"\n" + self.content).digest()


def _check_finite(rows: Sequence[Any]) -> None:
    """Refuse infinite numbers, which JSON has not; NaN is a missing value, as None is."""
    for index, row in enumerate(rows):
        cells = row.values() if isinstance(row, dict) else row if isinstance(row, list | tuple) else ()
        if any(isinstance(value, float) and math.isinf(value) for value in cells):
            raise InputError(f"row {index} has an infinite number.")
