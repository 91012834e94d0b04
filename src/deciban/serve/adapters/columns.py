"""The columns of a classifier: names, types, example values and distributions."""

from __future__ import annotations

from typing import Any, NamedTuple

from deciban.models.base import BayesClassifier
from deciban.serve.adapters.base import as_json, datatype_of
from deciban.tallies import Moments, Sketch

__all__ = ["ColumnInfo", "columns_of"]

_MOST_VALUES = 50
_NUMBERS = (Moments, Sketch)


class ColumnInfo(NamedTuple):
    """A column: its type in the Open Inference Protocol, values for examples, and how the model treats it."""

    name: str
    datatype: str
    values: list[Any]
    distribution: str | None = None
    reason: str | None = None

    @property
    def is_number(self) -> bool:
        """Whether the column takes numbers only."""
        return self.datatype == "FP64"

    @property
    def example(self) -> Any:
        """One value: the middle one of numbers, else the first."""
        if not self.values:
            return 1.0 if self.is_number else None
        return self.values[len(self.values) // 2 if self.is_number else 0]

    def to_json(self) -> dict[str, Any]:
        held = {"name": self.name, "type": "number" if self.is_number else "label"}
        if self.distribution is not None:
            held |= {"distribution": self.distribution, "reason": self.reason}
        return held if self.is_number else held | {"values": self.values[:_MOST_VALUES]}


def columns_of(model: BayesClassifier) -> list[ColumnInfo]:
    """The columns of a fitted classifier of rows."""
    schema = getattr(model, "schema_", None)
    if schema is None:
        return [ColumnInfo(name, "FP64", []) for name in model._names()]
    parts = model.tally_.parts
    if len(parts) != len(schema):
        return [_of_plan(plan, []) for plan in schema]
    return [_of_plan(plan, _values(plan.distribution, part)) for plan, part in zip(schema, parts, strict=True)]


def _values(distribution: Any, part: Any) -> list[Any]:
    """Values of a column that occurred, or that lie in its range."""
    return [as_json(example.value) for example in distribution.examples(getattr(part, "part", part))]


def _of_plan(plan: Any, values: list[Any]) -> ColumnInfo:
    kind = plan.distribution
    is_number = issubclass(kind.part_type, _NUMBERS)
    datatype = "FP64" if is_number else datatype_of(values)
    return ColumnInfo(plan.name, datatype, values, type(kind).__name__, plan.reason)
