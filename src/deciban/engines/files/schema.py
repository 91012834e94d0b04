"""The columns of several files: they must have the same names, and types that one type can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from deciban.errors import ColumnMismatchError, ParameterError
from deciban.suggest import did_you_mean

__all__ = ["check_same_names", "common_type", "given_types", "typed", "unified"]


def given_types(schema: Any) -> dict[str, pa.DataType] | None:
    """The types that a user gives: an Arrow schema, or a mapping from names to types or their names."""
    if schema is None:
        return None
    if isinstance(schema, pa.Schema):
        return {field.name: field.type for field in schema}
    if not isinstance(schema, Mapping):
        raise ParameterError(f"schema is a mapping from names of columns to Arrow types, not {schema!r}.")
    return {str(name): _type(name, kind) for name, kind in schema.items()}


def _type(name: Any, kind: Any) -> pa.DataType:
    try:
        return kind if isinstance(kind, pa.DataType) else pa.type_for_alias(kind)
    except (TypeError, ValueError):
        raise ParameterError(
            f"schema[{name!r}] is {kind!r}, which is no Arrow type. Types are, for example, 'float64', 'int64', "
            "'string' and 'bool'."
        ) from None


def typed(schema: pa.Schema, given: Mapping[str, pa.DataType] | None) -> pa.Schema:
    """The schema with the given types; a column without any value in the rows that were looked at holds text."""
    for name in given or ():
        if name not in schema.names:
            raise ColumnMismatchError(f"schema names {name!r}, which is no column.{did_you_mean(name, schema.names)}")
    kinds = {field.name: pa.string() if pa.types.is_null(field.type) else field.type for field in schema}
    return pa.schema([(name, (given or {}).get(name, kind)) for name, kind in kinds.items()])


def common_type(kinds: Sequence[pa.DataType]) -> pa.DataType:
    """The type that holds the values of all types: text where no other one does."""
    fields = [pa.schema([("column", kind)]) for kind in kinds]
    try:
        return pa.unify_schemas(fields, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return pa.string()


def check_same_names(names: Mapping[Path, Sequence[str]]) -> None:
    """Raise an error that names the file and the columns, where files have different columns."""
    (first, ours), *others = names.items()
    for file, theirs in others:
        if set(theirs) == set(ours):
            continue
        lacks = [repr(name) for name in ours if name not in theirs]
        has = [repr(name) for name in theirs if name not in ours]
        parts = [f"lacks {', '.join(lacks[:5])}"] * bool(lacks) + [f"also has {', '.join(has[:5])}"] * bool(has)
        raise ColumnMismatchError(f"the files have different columns: {file} {' and '.join(parts)}, unlike {first}.")


def unified(schemas: Mapping[Path, pa.Schema]) -> pa.Schema:
    """The columns of all files: whole numbers and floats together are floats, other mixtures an error."""
    check_same_names({file: schema.names for file, schema in schemas.items()})
    (first, ours), *_ = schemas.items()
    fields = []
    for name in ours.names:
        field = _plain(ours.field(name))
        for file, schema in schemas.items():
            try:
                both = [pa.schema([field]), pa.schema([_plain(schema.field(name))])]
                field = pa.unify_schemas(both, promote_options="permissive").field(0)
            except pa.ArrowException:
                raise ColumnMismatchError(
                    f"column {name!r} is {schema.field(name).type} in {file} and {field.type} in {first}."
                ) from None
        fields.append(field)
    return pa.schema(fields)


def _plain(field: pa.Field) -> pa.Field:
    """A field without metadata; a dictionary is a way to store its values."""
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    return pa.field(field.name, kind)
