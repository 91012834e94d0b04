"""The columns of a classifier: names, types, example values and distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from deciban.estimate import ColumnDistribution
from deciban.estimate.columns.examples import Example, states_of
from deciban.models.base import BayesClassifier
from deciban.models.tables.schema import ColumnPlan
from deciban.read.column import MissingLabel
from deciban.serve.adapters.base import as_json, datatype_of
from deciban.tallies import Counts, Crossed, Moments, Sketch

__all__ = ["ColumnInfo", "columns_of"]

_MOST_VALUES = 50
_NUMBERS = (Moments, Sketch)


class ColumnInfo(NamedTuple):
    """A column: its type in the Open Inference Protocol, values for examples, and how the model treats it."""

    name: str
    datatype: str
    values: list[Any]
    usual: Any = None
    distribution: str | None = None
    reason: str | None = None

    @property
    def is_number(self) -> bool:
        """Whether the column takes numbers only."""
        return self.datatype == "FP64"

    @property
    def example(self) -> Any:
        """A value that is often there."""
        return 1.0 if self.usual is None and self.is_number else self.usual

    def to_json(self) -> dict[str, Any]:
        held: dict[str, Any] = {"name": self.name, "type": "number" if self.is_number else "label"}
        if self.distribution is not None:
            held |= {"distribution": self.distribution, "reason": self.reason}
        return held if self.is_number else held | {"values": self.values[:_MOST_VALUES]}


def columns_of(model: BayesClassifier) -> list[ColumnInfo]:
    """The columns of a fitted classifier of rows; models without a schema take labels where they count them."""
    schema, parts = getattr(model, "schema_", None), _parts(model.tally_.parts)
    if schema is None:
        names = model._names()
        are_counted = len(parts) == len(names) and all(isinstance(part, Counts) for part in parts)
        held = [states_of(part) for part in parts] if are_counted else [[]] * len(names)
        return [_of_matrix(name, examples) for name, examples in zip(names, held, strict=True)]
    if len(parts) != len(schema):
        return [_of_plan(plan, []) for plan in schema]
    return [_of_plan(plan, _examples(plan.distribution, part)) for plan, part in zip(schema, parts, strict=True)]


def _parts(parts: Sequence[Any]) -> list[Any]:
    """What a tally holds of each column, without counts of missing values."""
    single = [one for part in parts for one in (part.counts if isinstance(part, Crossed) else (part,))]
    return [getattr(part, "part", part) for part in single]


def _examples(distribution: ColumnDistribution, part: Any) -> list[Example]:
    """Values of a column that occurred, or that lie in its range."""
    if isinstance(part, distribution.part_type):
        return distribution.examples(part)
    return [Example(str(end), end, 0.0) for end in getattr(distribution, "at", ())]  # counted as codes of its bins


def _of_matrix(name: str, examples: Sequence[Example]) -> ColumnInfo:
    values, usual = _known(examples)
    return ColumnInfo(name, datatype_of(values) if values else "FP64", values, usual)


def _known(examples: Sequence[Example]) -> tuple[list[Any], Any]:
    """The values that are not missing, and the one of most rows."""
    known = [example for example in examples if not isinstance(example.value, MissingLabel)]
    usual = as_json(max(known, key=lambda example: example.rows).value) if known else None
    return [as_json(example.value) for example in known], usual


def _of_plan(plan: ColumnPlan, examples: Sequence[Example]) -> ColumnInfo:
    values, usual = _known(examples)
    kind = plan.distribution
    datatype = "FP64" if issubclass(kind.part_type, _NUMBERS) else datatype_of(values)
    return ColumnInfo(plan.name, datatype, values, usual, type(kind).__name__, plan.reason)
