"""PostgreSQL: a real server, started by the test, counts as the kernels do in memory."""

import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, SourceError
from deciban.tallies import Counts, Moments
from tests.engines.sql.tables import TYPES, arrow, assert_same, fill, tables
from tests.servers.postgres import running_server
from tests.servers.setup import need

pytestmark = pytest.mark.servers

NAMES = {kind: {"DOUBLE": "DOUBLE PRECISION"}.get(kind, kind) for kind in TYPES}


@pytest.fixture
def connection(postgres):
    """A connection whose changes are undone."""
    with postgres.connect() as held:
        yield held
        held.rollback()


def adbc(postgres):
    import adbc_driver_postgresql.dbapi  # noqa: PLC0415  only `make test-engines` installs it

    return adbc_driver_postgresql.dbapi.connect(postgres.uri)


def test_the_server_ends_with_its_block():
    need("postgresql")
    with running_server() as server:
        assert server.process.poll() is None
    assert server.process.poll() is not None


@given(tables())
@settings(max_examples=60)
def test_every_type_is_counted_as_in_memory(postgres, columns):
    with postgres.connect() as connection:
        fill(connection.cursor(), columns, NAMES, "%s")
        for weight in (None, "w"):
            expected = db.tally(arrow(columns), target="y", sample_weight=weight)
            assert_same(db.tally(connection, "t", target="y", sample_weight=weight), expected)
            assert_same(db.tally(connection, "SELECT * FROM t", target="y", sample_weight=weight), expected)
        connection.rollback()


@given(tables())
@settings(max_examples=30)
def test_adbc_counts_as_in_memory(postgres, columns):
    with adbc(postgres) as connection:
        with connection.cursor() as cursor:
            cursor.adbc_ingest("t", arrow(columns), mode="create")
        assert_same(db.tally(connection, "t", target="y"), db.tally(arrow(columns), target="y"))
        connection.rollback()


def test_numbers_keep_their_digits(connection):
    rng = np.random.default_rng(0)
    y = rng.choice(["p", "q"], 500).tolist()
    x = [1.7e9 + 1e-6 * rng.normal() if label == "p" else rng.normal() for label in y]
    fill(connection.cursor(), {"x": ("DOUBLE", x), "y": ("TEXT", y)}, NAMES, "%s")
    assert_same(db.tally(connection, "t", target="y"), db.tally({"x": x, "y": y}, target="y"))


def test_numbers_whose_squares_leave_the_range_of_doubles(connection):
    x, y = [1e-200, 3e-200, 1e-190, 5.0, 5.0, 1e200, -1e200], list("pppqqrr")
    fill(connection.cursor(), {"x": ("DOUBLE", x), "y": ("TEXT", y)}, NAMES, "%s")
    found, expected = db.tally(connection, "t", target="y").parts[0], db.tally({"x": x, "y": y}, target="y").parts[0]
    np.testing.assert_allclose(found.mean[:2], expected.mean[:2], rtol=1e-12)
    np.testing.assert_allclose(found.deviation, expected.deviation, rtol=1e-9, atol=1e-300)


def test_the_type_decides(connection):
    connection.execute("CREATE DOMAIN share AS double precision CHECK (VALUE >= 0)")
    connection.execute("CREATE TYPE real_estate AS ENUM ('house', 'flat')")
    query = """SELECT 1.5::numeric AS n, 2.5::share AS s, 1::real AS r, 3::smallint AS i, 'flat'::real_estate AS e,
                      true AS b, DATE '2020-01-02' AS d, 'p' AS y"""
    found = db.tally(connection, query, target="y")
    assert [type(part) for part in found.parts] == [Moments] * 3 + [Counts] * 4
    assert [part.variable.labels.tolist()[0] for part in found.parts[4:6]] == ["flat", True]


def test_nan_is_missing_and_infinity_an_error(connection):
    query = "SELECT x::double precision AS x, 'p' AS y FROM (VALUES ('1'), ('NaN'), ('3'), ({})) AS v (x)"
    found = db.tally(connection, query.format("NULL"), target="y").parts[0]
    assert (found.weight[0, 0], found.mean[0, 0], found.deviation[0, 0]) == (2, 2, 2)
    for infinite in ("'Infinity'", "'-Infinity'"):
        with pytest.raises(InputError, match="infinity"):
            db.tally(connection, query.format(infinite), target="y")
        coded = db.AODE({"x": db.Cut(at=[2])})
        with pytest.raises(InputError, match="infinity"):
            coded.fit_sql(connection, query.format(infinite), target="y")
    assert coded.fit_sql(connection, query.format("NULL"), target="y").tally_.parts[0].counts[0].table.tolist() == [
        [1, 1]
    ]


def test_rows_may_come_as_mappings(postgres):
    import psycopg.rows  # noqa: PLC0415  only `make test-engines` installs it

    with postgres.connect() as connection:
        connection.row_factory = psycopg.rows.dict_row
        found = db.tally(connection, "SELECT 1.5::float8 AS x, 'a' AS z, 'p' AS y", target="y")
    assert found == db.tally({"x": [1.5], "z": ["a"], "y": ["p"]}, target="y")


def test_an_ibis_table_is_counted_in_its_database(postgres):
    import ibis  # noqa: PLC0415

    columns = {"x": ("DOUBLE", [1.5, None, 2.5]), "z": ("TEXT", ["a", "b", None]), "y": ("TEXT", list("ppq"))}
    with postgres.connect() as connection:
        fill(connection.cursor(), columns, NAMES, "%s")
        connection.execute("ALTER TABLE t RENAME TO for_ibis")
        connection.commit()
    backend = ibis.connect(postgres.uri)
    table = backend.table("for_ibis")
    assert_same(db.tally(table.filter(table.y.notnull()), target="y"), db.tally(arrow(columns), target="y"))
    backend.disconnect()


def test_two_columns_of_one_name_are_refused(connection):
    with pytest.raises(ColumnMismatchError, match="two columns of the query are named 'x'"):
        db.tally(connection, "SELECT 1 AS x, 2 AS x, 'p' AS y", target="y")


def test_a_table_in_a_schema_with_an_odd_name(connection):
    connection.execute('CREATE SCHEMA "My Shop"')
    connection.execute("""CREATE TABLE "My Shop"."sales; --" AS SELECT 'a' AS "Über %", 'p' AS y""")
    found = db.tally(connection, '"My Shop"."sales; --"', target="y")
    assert found.names == ("Über %",) and found.total == 1


def test_more_columns_than_one_query_takes(connection):
    names = [f"c{i}" for i in range(70)] + [f"x{i}" for i in range(250)]
    values = [f"'{'ab'[i % 2]}'" for i in range(70)] + [f"{i}.5::float8" for i in range(250)]
    query = "SELECT 'p' AS y, " + ", ".join(f"{v} AS {n}" for n, v in zip(names, values, strict=True))
    found = db.tally(connection, query, target="y")
    assert found.names == tuple(names) and found.parts[-1].mean[0, 0] == 249.5


def test_nets_and_pairs_are_counted_in_the_database(connection):
    rng = np.random.default_rng(1)
    rain = rng.integers(0, 3, 300)
    table = pa.table({"rain": rain, "wet": [None if z > 0.95 else bool(z > 0.5) for z in rng.random(300)],
                      "x": rng.normal(rain, 1), "y": np.where(rain > 1, "p", "q")})  # fmt: skip
    kinds = ["BIGINT", "BOOLEAN", "DOUBLE", "TEXT"]
    columns = {name: (kind, table[name].to_pylist()) for name, kind in zip(table.column_names, kinds, strict=True)}
    fill(connection.cursor(), columns, NAMES, "%s")
    net = db.BayesNet([("rain", "wet"), ("y", "wet")])
    assert net.fit_sql(connection, "t", missing="skip").tally_ == net.fit(table, missing="skip").tally_
    for model in (db.TAN({"x": db.Cut(at=[0, 1.5])}), db.AODE({"x": db.Cut(at=[0, 1.5])})):
        assert model.fit_sql(connection, "t", target="y").tally_ == model.fit(table, "y").tally_


@pytest.mark.parametrize("method", ["tally", "fit_sql"])
def test_a_server_that_dies_during_the_query_is_one_clear_error_and_the_model_stays(method):
    need("postgresql")
    model = db.AODE().fit({"x": ["a", "b"] * 9}, ["p", "q"] * 9)
    before = model.predict_proba({"x": ["a"]}).tolist()
    count = db.tally if method == "tally" else model.fit_sql
    with running_server() as server, server.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i FROM generate_series(1, 100000) AS g (i)")
        connection.commit()
        long = "SELECT (a.i % 3)::text AS x, (b.i % 2)::text AS y FROM t AS a CROSS JOIN t AS b"
        killer = threading.Thread(target=crash_when_busy, args=[server])
        killer.start()
        with pytest.raises(SourceError, match="the database cannot answer a query"):
            count(connection, long, target="y")
        killer.join()
    assert model.predict_proba({"x": ["a"]}).tolist() == before


def crash_when_busy(server):
    """End the server as soon as it groups rows."""
    busy = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT%GROUP BY%'"
    with server.connect() as watcher:
        watcher.autocommit = True
        busy += f" AND pid <> {watcher.info.backend_pid}"
        while not watcher.execute(busy).fetchone()[0]:
            time.sleep(0.01)
    server.crash()


def test_an_error_leaves_the_connection_to_be_rolled_back(connection):
    with pytest.raises(SourceError, match='relation "nothing_here" does not exist'):
        db.tally(connection, "nothing_here", target="y")
    connection.rollback()
    assert db.tally(connection, "SELECT 'a' AS x, 'p' AS y", target="y").total == 1
