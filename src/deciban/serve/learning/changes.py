"""A change of a model: one batch of rows to learn or to forget.

The rows and labels of a change, as the model learns them.

JSON has no dates, so the service writes such labels as text, and here the text becomes the label again. A column that a
row does not name is missing in it, as in a prediction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Literal, TypedDict, get_args

import orjson

from deciban.choices import did_you_mean
from deciban.errors import InputError, InputTypeError, ParameterError
from deciban.models.draft import Draft
from deciban.nets.graphs.graph import Node
from deciban.read import KnownLabels
from deciban.serve.adapters import Classifier, Net, as_json, as_key

__all__ = ["Action", "Change", "apply"]


Action = Literal["learn", "forget"]

# JSON has no dates, dataclasses or subclasses: orjson would write them, and the journal would read something else.
_STRICT = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_SUBCLASS


class _Values(TypedDict):
    """The content of a change."""

    rows: list[object]
    labels: list[object] | None


@dataclass(frozen=True)
class Change:
    """An action and its rows as JSON, which is what the journal keeps.

    Rows and labels are always those read from the JSON, so a change does the same when it is first made as when it is
    read from the journal.
    """

    action: Action
    content: bytes

    @classmethod
    def of(cls, action: Action, rows: Sequence[object], labels: Sequence[object] | None = None) -> Change:
        """The change that learns or forgets rows, one label each; a Bayes net has no labels."""
        if action not in get_args(Action):
            raise ParameterError(f"action is one of {get_args(Action)}, not {action!r}.")
        rows = list(rows)
        values: _Values = {"rows": rows, "labels": None if labels is None else list(labels)}
        try:
            change = cls(action, orjson.dumps(values, option=_STRICT))
        except TypeError as error:
            raise InputTypeError(f"rows and labels are JSON: strings, numbers, booleans and None. {error}.") from None
        if not change.rows:
            raise InputError(f"there are no rows to {action}.")
        if change.rows != rows:  # orjson writes infinite numbers as null, which would be learned as missing values
            _check_finite(rows)
        if change.labels is not None and len(change.labels) != len(change.rows):
            raise InputError(f"there are {len(change.rows)} rows and {len(change.labels)} labels.")
        return change

    @cached_property
    def _values(self) -> _Values:
        values: _Values = orjson.loads(self.content)
        return values

    @property
    def rows(self) -> list[object]:
        """The rows: an object each, a list of values, or a document."""
        return self._values["rows"]

    @property
    def labels(self) -> list[object] | None:
        """The label of each row; None for a Bayes net."""
        return self._values["labels"]

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 of the action and the rows: equal changes have equal digests."""
        # the line end separates the action from the rows: no JSON begins with it
        return sha256(self.action.encode("ascii") + b"\n" + self.content).digest()


def _check_finite(rows: Sequence[object]) -> None:
    """Refuse infinite numbers, which JSON has not; NaN is a missing value, as None is."""
    for index, row in enumerate(rows):
        cells = row.values() if isinstance(row, dict) else row if isinstance(row, list | tuple) else ()
        if any(isinstance(value, float) and math.isinf(value) for value in cells):
            raise InputError(f"row {index} has an infinite number.")


def apply(change: Change, draft: Draft, adapter: Classifier | Net, *, new_classes: bool = True) -> None:
    """Learn or forget the rows of a change; an error leaves the draft as it was."""
    step = draft.learn if change.action == "learn" else draft.forget
    if isinstance(adapter, Classifier):
        labels = _labels(change, adapter)
        if not new_classes and change.action == "learn":
            _check_known(labels, adapter.model.classes_.tolist())
        step(adapter.table(change.rows), labels)
    else:
        step(_nodes(change.rows, adapter.model.dag.nodes), change.labels)


def _labels(change: Change, adapter: Classifier) -> list[object]:
    """The label of each row: that of the request, or the value in the target's column."""
    labels, target = change.labels, adapter.target
    if labels is None and target is not None:
        labels = [row.get(target) if isinstance(row, dict) else None for row in change.rows]
    if labels is None:
        raise InputError("there are no labels: send one for each row, in labels.")
    for row, label in enumerate(labels):
        if not isinstance(label, str | int | float):
            where = "" if change.labels is not None else f" in its column {target!r}"
            raise InputTypeError(f"row {row} has no label{where}: a string, a number or a boolean, not {label!r}.")
    classes = adapter.model.classes_.tolist()
    by_json, known = {_typed(as_json(label)): label for label in classes}, KnownLabels(classes)
    return [by_json[_typed(label)] if _typed(label) in by_json else _of_type(label, known) for label in labels]


def _of_type(label: object, known: KnownLabels) -> object:
    """A label in the type of the classes, "3" as 3 where these are numbers; true is not 1, and 1 not true."""
    typed = known.typed(label)
    return label if not isinstance(label, str) and bool in (type(label), type(typed)) else typed


def _typed(label: object) -> tuple[bool, object]:
    """A label with its kind: true is not 1."""
    return isinstance(label, bool), label


def _check_known(labels: Sequence[object], classes: Sequence[object]) -> None:
    """Refuse a label that is not a class yet: a misspelt label would become a class of its own."""
    known = {_typed(label) for label in classes}
    for row, label in enumerate(labels):
        if _typed(label) not in known:
            close = did_you_mean(str(label), [str(each) for each in classes])
            raise InputError(
                f"row {row} has the label {label!r}, which is not a class of the model.{close} Pass new_classes=true "
                "to add it."
            )


def _nodes(rows: Sequence[object], nodes: Sequence[Node]) -> dict[Node, list[object]]:
    """The values of each node of a net, row by row."""
    names = {as_key(node): node for node in nodes}
    checked: list[dict[str, object]] = []
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise InputTypeError(f"row {index} is not an object of nodes and states: {row!r}.")
        unknown = next((name for name in row if name not in names), None)
        if unknown is not None:
            raise InputError(f"row {index} has {unknown!r}, which is not a node.{did_you_mean(unknown, list(names))}")
        checked.append(row)
    return {node: [row.get(name) for row in checked] for name, node in names.items()}
