"""One row in any form → a mapping of names to values.

A mapping, a pandas Series, a frame of one row, a named tuple, a dataclass or a row of a database names its values; a
list, a tuple or an array has them in the order of the columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from deciban.errors import ColumnMismatchError, InputError, InputTypeError
from deciban.read.frames import is_frame
from deciban.read.table import read_table

__all__ = ["read_row"]


def read_row(row: Any, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Read one row; `names` are those of the columns, None where they are not known and the row must name them.

    >>> read_row({"sky": "sun"}), read_row(("sun", 21.5), ["sky", "warm"])
    ({'sky': 'sun'}, {'sky': 'sun', 'warm': 21.5})
    """
    held = _named_values(row, names)
    if held is None and not _is_table(row):
        return _in_order(list(row), names)
    if held is not None and not (held and all(map(_is_column, held.values()))):
        return held
    table = read_table(row if held is None else held)
    if len(table) != 1:
        raise InputError(f"one row is expected, not {len(table)}.")
    values = {column.name: column.value(0) for column in table.columns}
    return values if table.is_named else _in_order(list(values.values()), names)


def _named_values(row: Any, names: Sequence[str] | None) -> dict[Any, Any] | None:
    """The row as a mapping, if it names its values."""
    if isinstance(row, Mapping):
        return dict(row)
    if hasattr(row, "_asdict"):
        return _values_of_tuple(row, names)
    if is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in fields(row)}
    if getattr(row, "ndim", 0) == 1 and hasattr(row, "to_dict"):  # a Series of pandas
        held = row.to_dict()
        return held if all(isinstance(name, str) for name in held) else None
    keys = getattr(getattr(row, "dtype", None), "names", None) if isinstance(row, np.void) else _keys(row)
    return None if keys is None else {name: row[name] for name in keys}


def _values_of_tuple(row: Any, names: Sequence[str] | None) -> dict[str, Any]:
    """The values of a named tuple; that of `itertuples` has the index, and renames columns such as "hours per week"."""
    values = dict(row._asdict())
    known = values.keys() if names is None else names
    if names is not None and type(row).__name__ == "Pandas" and "Index" not in known:
        values.pop("Index", None)
    is_renamed = any(re.fullmatch(r"_\d+", name) and name not in known for name in values)
    return dict(zip(known, values.values(), strict=True)) if is_renamed and len(values) == len(known) else values


def _keys(row: Any) -> Any:
    """The names in a record such as a sqlite3.Row."""
    return row.keys() if hasattr(row, "keys") and not is_frame(row) else None


def _is_table(row: Any) -> bool:
    if is_frame(row) or getattr(row, "ndim", 1) == 2:
        return True
    if isinstance(row, str | bytes) or not (hasattr(row, "__len__") and hasattr(row, "__iter__")):
        raise InputTypeError(
            "a row is a mapping of names to values, a table of one row, or a list of values in the order of the "
            f"columns, not a {type(row).__name__}."
        )
    return len(row) == 1 and _is_column(next(iter(row)))


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes | tuple)


def _in_order(values: list[Any], names: Sequence[str] | None) -> dict[str, Any]:
    if names is None:
        raise InputTypeError("the first row names the columns: pass a mapping of names to values.")
    if len(values) != len(names):
        raise ColumnMismatchError(f"the row has {len(values)} values, but there are {len(names)} columns.")
    return dict(zip(names, values, strict=True))
