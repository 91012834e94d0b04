"""Scores as columns of a Spark frame: the kernels run on the executors, over Arrow batches, when Spark needs the rows.

A model is sent with the task, once for each, as Spark sends every closure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from deciban.engines.spark.source import SparkSource, with_plain_names
from deciban.engines.spark.tasks import tables_of, use_task_cores
from deciban.errors import ParameterError
from deciban.extras import need
from deciban.types import AnyArray

__all__ = ["add_scores", "label_kind"]

ColumnKind = Literal["boolean", "long", "double", "string", "doubles"]
"""The types of columns that can be added; "doubles" is an array of them."""

_KINDS: dict[type, ColumnKind] = {bool: "boolean", int: "long", float: "double", str: "string"}
_ARROW = {
    "boolean": pa.bool_(),
    "long": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "doubles": pa.list_(pa.float64()),
}

Score = Callable[[pa.Table], Mapping[str, AnyArray]]


def add_scores(frame: Any, score: Score, kinds: Mapping[str, ColumnKind]) -> Any:
    """The frame with more columns.

    Parameters
    ----------
    frame
        A Spark frame.
    score
        What computes the columns of an Arrow table, by name. It is sent to the executors.
    kinds
        The names of these columns, and their types.
    """
    names = SparkSource(frame).names
    held = {name.casefold() for name in names}
    for name in kinds:
        if name.casefold() in held:
            raise ParameterError(f"the Spark frame has a column {name!r} already: choose another name.")
    types = need("pyspark.sql.types", "spark", "Spark")
    schema = types.StructType(list(frame.schema.fields))
    for name, kind in kinds.items():
        schema = schema.add(name, types.ArrayType(types.DoubleType()) if kind == "doubles" else kind)
    return with_plain_names(frame, names).mapInArrow(ScorePartition(score, names, tuple(kinds.items())), schema)


@dataclass(frozen=True)
class ScorePartition:
    """Adds the scores to the batches of a partition, with these names for its columns."""

    score: Score
    names: tuple[str, ...]
    kinds: tuple[tuple[str, ColumnKind], ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        use_task_cores()
        for table in tables_of(batches, self.names):
            scores, scored = self.score(table), table
            for name, kind in self.kinds:
                scored = scored.append_column(pa.field(name, _ARROW[kind]), _column(scores[name], _ARROW[kind]))
            yield from scored.to_batches()


def _column(values: AnyArray, kind: pa.DataType) -> pa.Array:
    """The values of all rows; a list for each row where they are a table."""
    if values.ndim == 1:
        return pa.array(values, kind)
    ends = pa.array(range(0, values.size + 1, values.shape[1]), pa.int32())
    return pa.ListArray.from_arrays(ends, pa.array(values.ravel()))


def label_kind(labels: AnyArray) -> ColumnKind:
    """The type of a column of Spark that holds these labels.

    >>> import numpy as np
    >>> label_kind(np.array(["no", "yes"], dtype=object))
    'string'
    """
    found = {type(label) for label in labels.tolist()}
    if len(found) != 1 or found.isdisjoint(_KINDS):
        shown = " and ".join(sorted(kind.__name__ for kind in found))
        raise ParameterError(f"the classes are of type {shown}: no column of Spark holds them. Fit on text or numbers.")
    return _KINDS[found.pop()]
