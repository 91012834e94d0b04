"""Random tables, the databases that hold them, and when two tallies are the same."""

import datetime
import sqlite3
import warnings
from contextlib import contextmanager

import adbc_driver_sqlite.dbapi
import duckdb
import ibis
import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from deciban.tallies import Moments

TYPES = {"DOUBLE": pa.float64(), "BIGINT": pa.int64(), "TEXT": pa.string(), "BOOLEAN": pa.bool_(), "DATE": pa.date32()}
SQLITE = {"DOUBLE": "REAL", "BIGINT": "INTEGER", "TEXT": "TEXT"}


def cells(kind):
    """Values of a type, some of them missing."""
    if kind == "DOUBLE":
        return st.tuples(st.sampled_from([0.0, 1.7e9, -3.5]), st.sampled_from([1.0, 1e-6, 1e3])).flatmap(
            lambda pair: st.none() | st.floats(-5, 5, width=32).map(lambda z: pair[0] + pair[1] * z)
        )
    values = {
        "BIGINT": st.integers(-(2**40), 2**40) | st.integers(0, 3),
        "TEXT": st.sampled_from(["", "a", "b'", 'c"', "ä %s ?", "NULL", "A"]),
        "BOOLEAN": st.booleans(),
        "DATE": st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1)),
    }
    return st.none() | values[kind]


@st.composite
def tables(draw, kinds=tuple(TYPES), target=("TEXT", "BIGINT")):
    """A table with a target `y`, weights `w`, and columns of some types with odd names."""
    rows = draw(st.integers(1, 20))
    columns = {}
    for i, kind in enumerate(draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=5))):
        name = draw(st.sampled_from(["x", "Select", 'quo"te', "a b", "x;--"])) + str(i)
        columns[name] = (kind, draw(st.lists(cells(kind), min_size=rows, max_size=rows)))
    labels = {"TEXT": st.sampled_from(["p", "q", "r s"]), "BIGINT": st.integers(-1, 2)}
    kind = draw(st.sampled_from(target))
    columns["y"] = kind, draw(st.lists(labels[kind], min_size=rows, max_size=rows))
    columns["w"] = "DOUBLE", draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25]), min_size=rows, max_size=rows))
    return columns


def arrow(columns):
    return pa.table({name: pa.array(values, TYPES[kind]) for name, (kind, values) in columns.items()})


def duckdb_table(columns):
    connection = duckdb.connect()
    connection.register("rows", arrow(columns))
    connection.execute("CREATE TABLE t AS SELECT * FROM rows")
    return connection, "t"


def duckdb_relation(columns):
    connection, name = duckdb_table(columns)
    return connection.table(name), None


def sqlite_table(columns):
    connection = sqlite3.connect(":memory:")
    fill(connection.cursor(), columns, SQLITE, "?")
    return connection, "t"


def sqlite_query(columns):
    return sqlite_table(columns)[0], "WITH s AS (SELECT * FROM t) SELECT * FROM s WHERE 1 = 1"


def adbc_sqlite(columns):
    connection = adbc_driver_sqlite.dbapi.connect(":memory:")
    with connection.cursor() as cursor:
        fill(cursor, columns, SQLITE, "?")
    return connection, "t"


def ibis_table(columns):
    backend = ibis.duckdb.connect()
    backend.con.register("rows", arrow(columns))
    backend.con.execute("CREATE TABLE t AS SELECT * FROM rows")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 calls what DuckDB 2 renamed
        return backend.table("t").filter(ibis.literal(True)), None


def fill(cursor, columns, types, mark):
    names = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in columns]
    declared = ", ".join(f"{name} {types[kind]}" for name, (kind, _) in zip(names, columns.values(), strict=True))
    cursor.execute(f"CREATE TABLE t ({declared})")
    rows = list(zip(*(values for _, values in columns.values()), strict=True))
    cursor.executemany(f"INSERT INTO t VALUES ({', '.join([mark] * len(columns))})", rows)  # noqa: S608


ENGINES = {
    "duckdb table": duckdb_table,
    "duckdb relation": duckdb_relation,
    "ibis": ibis_table,
    "sqlite table": sqlite_table,
    "sqlite query": sqlite_query,
    "adbc sqlite": adbc_sqlite,
}


@contextmanager
def opened(engine, columns):
    """What `db.tally` takes for a table in this engine; closed afterwards."""
    data, query = ENGINES[engine](columns)
    try:
        yield data, query
    finally:
        if hasattr(data, "cursor"):
            data.close()


def assert_same(found, expected):
    """Counts are equal, moments to 1e-9."""
    assert found.classes == expected.classes and found.names == expected.names
    np.testing.assert_allclose(found.class_counts, expected.class_counts, rtol=1e-12)
    for a, b in zip(found.parts, expected.parts, strict=True):
        assert type(a) is type(b)
        if isinstance(b, Moments):
            assert b.is_close(a), (b.mean, a.mean, b.deviation, a.deviation)
        else:
            assert a.variable == b.variable
            np.testing.assert_allclose(a.table, b.table, rtol=1e-12)
            assert a.table.dtype == b.table.dtype
