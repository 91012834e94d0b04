"""One table in every container that deciban reads.

A table is a mapping from names to lists; its columns are of one kind each, and None is a missing value. A container
that cannot hold a table as it is (numpy has no missing integers) is left out of `containers_of` for that table.
"""

import warnings
from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

try:
    import duckdb
except ImportError:
    duckdb = None

__all__ = ["NAMED", "containers_of", "kind_of"]


class Stream:
    """What speaks the Arrow C stream protocol and nothing else."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def kind_of(values):
    """The one type of the known values, or None where they are of several, or whole numbers beyond 64 bits."""
    known = [value for value in values if value is not None]
    kinds = set(map(type, known))
    is_wide = kinds == {int} and not all(-(2**63) <= value < 2**63 for value in known)
    return kinds.pop() if len(kinds) == 1 and not is_wide else None


def _is_gapped(values):
    return any(value is None for value in values)


def _typed(table, dtypes):
    """A pandas frame with a dtype for each kind; a KeyError where a kind has none."""
    return pd.DataFrame({name: pd.Series(held, dtype=dtypes[kind_of(held)]) for name, held in table.items()})


def _numpy_frame(table):
    if any(_is_gapped(held) for held in table.values() if kind_of(held) not in (float, str)):
        raise KeyError("numpy has no missing values of this kind")
    return _typed(table, {int: "int64", float: "float64", bool: "bool", str: "str"})


def _arrays(table):
    if any(_is_gapped(held) for held in table.values()):
        raise KeyError("numpy has no missing values")
    dtypes = {int: np.int64, float: np.float64, bool: np.bool_, str: np.str_}
    return {name: np.array(held, dtype=dtypes[kind_of(held)]) for name, held in table.items()}


def _array(table):
    if len({kind_of(held) for held in table.values()}) > 1:
        raise KeyError("an array has one type")
    return np.column_stack(list(_arrays(table).values()))


def _matrix(table):
    held = _array(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.asmatrix(held)


def _records_array(table):
    held = _arrays(table)
    rows = list(zip(*held.values(), strict=True))
    return np.array(rows, dtype=[(name, column.dtype) for name, column in held.items()])


def _objects(table):
    made = np.empty((len(next(iter(table.values()))), len(table)), dtype=object)
    for i, held in enumerate(table.values()):
        made[:, i] = held
    return made


def _masked(table):
    objects = _objects(table)
    gone = np.frompyfunc(lambda value: value is None, 1, 1)(objects).astype(bool)
    return np.ma.masked_array(np.where(gone, 99, objects), gone)


def _polars(table):
    dtypes = {
        int: pl.Int64, float: pl.Float64, bool: pl.Boolean, str: pl.String, date: pl.Date, datetime: pl.Datetime("us")
    }  # fmt: skip
    return pl.DataFrame({name: pl.Series(name, held, dtype=dtypes[kind_of(held)]) for name, held in table.items()})


def _int128(table):
    if any(type(value) not in (int, type(None)) for held in table.values() for value in held):
        raise KeyError("whole numbers only")
    return pl.DataFrame({name: pl.Series(name, held, dtype=pl.Int128) for name, held in table.items()})


def _arrow(table):
    dtypes = {
        int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string(), date: pa.date32(),
        datetime: pa.timestamp("us"),
    }  # fmt: skip
    return pa.table({name: pa.array(held, dtypes[kind_of(held)]) for name, held in table.items()})


def _halves(table):
    whole = _arrow(table)
    return pa.concat_tables([whole.slice(0, 1), whole.slice(1)])


def _relation(table):
    if duckdb is None:
        raise KeyError("duckdb is not installed")
    connection = duckdb.connect()
    connection.register("held", _arrow(table))
    return connection.table("held")


_NULLABLE = {int: "Int64", float: "Float64", bool: "boolean", str: "string"}
_PYARROW = {int: "int64[pyarrow]", float: "double[pyarrow]", bool: "bool[pyarrow]", str: "string[pyarrow]"}
_MAKERS = {
    "mapping of lists": dict,
    "mapping of tuples": lambda table: {name: tuple(held) for name, held in table.items()},
    "mapping of object arrays": lambda table: {n: pd.Series(h, dtype=object).to_numpy() for n, h in table.items()},
    "mapping of arrays": _arrays,
    "mapping of pandas Series": lambda table: dict(_typed(table, _NULLABLE).items()),
    "mapping of pandas arrays": lambda table: {n: held.array for n, held in _typed(table, _NULLABLE).items()},
    "mapping of polars Series": lambda table: {series.name: series for series in _polars(table)},
    "mapping of Arrow arrays": lambda table: {n: pa.array(h) for n, h in _arrow(table).to_pydict().items()},
    "records": lambda table: [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)],
    "records array": _records_array,
    "rows": lambda table: [list(row) for row in zip(*table.values(), strict=True)],
    "tuple of tuples": lambda table: tuple(zip(*table.values(), strict=True)),
    "object array": _objects,
    "Fortran object array": lambda table: np.asfortranarray(_objects(table)),
    "masked array": _masked,
    "array": _array,
    "numpy.matrix": _matrix,
    "pandas": _numpy_frame,
    "pandas, objects": lambda table: pd.DataFrame({n: pd.Series(h, dtype=object) for n, h in table.items()}),
    "pandas, nullable": lambda table: _typed(table, _NULLABLE),
    "pandas, pyarrow": lambda table: _typed(table, _PYARROW),
    "pandas, an index of dates": lambda table: _typed(table, _NULLABLE).set_axis(
        pd.date_range("2020", periods=len(next(iter(table.values())))), axis=0
    ),
    "polars": _polars,
    "polars, Int128": _int128,
    "Arrow table": _arrow,
    "Arrow table, in chunks": _halves,
    "Arrow batch": lambda table: _arrow(table).combine_chunks().to_batches()[0],
    "Arrow reader": lambda table: _arrow(table).to_reader(),
    "Arrow stream": lambda table: Stream(_arrow(table)),
    "DuckDB relation": _relation,
}
_UNNAMED = {"rows", "tuple of tuples", "object array", "Fortran object array", "masked array", "array", "numpy.matrix"}
NAMED = [name for name in _MAKERS if name not in _UNNAMED]


def containers_of(table):
    """The name of each container, and the table in it."""
    for name, make in _MAKERS.items():
        try:
            yield name, make(table)
        except (KeyError, OverflowError, pa.ArrowException, UnicodeError, TypeError, pl.exceptions.PolarsError):
            continue  # it cannot hold this table
