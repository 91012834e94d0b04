"""The families of a net, counted in a database: the tally that `fit` makes of the same rows."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import deciban as db
from deciban.errors import (
    ColumnMismatchError,
    InputError,
    MissingValueError,
    ParameterError,
    SourceError,
    TooLargeError,
    UnseenStateError,
)
from tests.engines.sql.tables import SQLITE, arrow, opened, tables

RAIN = {
    "rain": ("TEXT", ["no", "yes", "no", None, "yes", "no"]),
    "wet": ("BIGINT", [0, 1, 1, 1, 1, 0]),
    "cold": ("BOOLEAN", [True, False, None, True, True, False]),
    "w": ("DOUBLE", [1.0, 0.5, 2.0, 0.0, 1.0, 1.0]),
}
EDGES = [("rain", "wet"), ("cold", "wet"), ("rain", "cold")]


def fitted(engine, columns, edges, **options):
    with opened(engine, columns) as source:
        return db.BayesNet(edges).fit_sql(*source, **options)


@pytest.mark.parametrize("engine", ["duckdb table", "duckdb relation", "ibis"])
def test_families_are_counted_where_they_are_whole(engine):
    found = fitted(engine, RAIN, EDGES, missing="skip")
    expected = db.BayesNet(EDGES).fit(arrow(RAIN), missing="skip")
    assert found.tally_ == expected.tally_
    assert found.tables["wet"].tolist() == expected.tables["wet"].tolist()


@given(tables(("BIGINT", "TEXT")))
@settings(max_examples=25)
def test_any_table_gives_the_tally_that_it_gives_in_memory(columns):
    columns = {name: held for name, held in columns.items() if any(value is not None for value in held[1])}
    names = [name for name in columns if name != "w"]
    dag = db.DAG([(a, b) for i, a in enumerate(names) for b in names[i + 1 : i + 3]], names)
    weights = columns["w"][1]
    for engine in ("duckdb table", "sqlite table", "adbc sqlite"):
        assert fitted(engine, columns, dag, missing="skip").tally_ == tally(columns, dag, None)
        if any(weights):
            found = fitted(engine, columns, dag, missing="skip", sample_weight="w").tally_
            assert found == tally(columns, dag, weights)


def tally(columns, dag, weights):
    return db.BayesNet(dag).fit(arrow(columns), missing="skip", sample_weight=weights).tally_


def test_states_that_are_given_are_kept():
    states = {"rain": ["yes", "no", "snow"]}
    found = fitted("duckdb table", RAIN, EDGES, missing="skip", states=states)
    assert found.tally_ == db.BayesNet(EDGES).fit(arrow(RAIN), missing="skip", states=states).tally_
    with pytest.raises(UnseenStateError, match="column 'rain' has value 'no', which is not one of its states: 'yes'"):
        fitted("duckdb table", RAIN, EDGES, missing="skip", states={"rain": ["yes"]})


def test_later_rows_are_added_to_the_counts():
    net = fitted("duckdb table", RAIN, EDGES, missing="skip")
    twice = db.BayesNet(EDGES).fit(arrow(RAIN), missing="skip").partial_fit(arrow(RAIN))
    assert net.partial_fit(arrow(RAIN)).tally_ == twice.tally_


def test_what_cannot_be_counted_is_an_error_and_the_net_stays():
    net = fitted("duckdb table", RAIN, EDGES, missing="skip")
    before = net.tally_
    connection = duckdb.connect()
    connection.register("rows", arrow(RAIN))
    rows = pa.table({name: np.arange(200.0) / 3 for name in ("rain", "wet", "cold")})
    connection.register("numbers", rows)
    connection.register("keys", pa.table({name: np.arange(200) for name in ("rain", "wet", "cold")}))
    for query, options, error, why in (
        ("rows", {}, MissingValueError, r"column 'rain' has missing values \(1 rows\). Pass missing=\"skip\""),
        ("rows", {"missing": "em"}, ParameterError, "needs the rows themselves"),
        ("SELECT rain, wet AS Wed, cold FROM rows", {}, ColumnMismatchError, "no column 'wet'.*Did you mean 'Wed'"),
        ("nothing", {}, SourceError, "nothing"),
        ("keys", {}, InputError, "200 different values in 200 rows"),
        ("SELECT NULL::TEXT AS rain, 1 AS wet, 1 AS cold", {"missing": "skip"}, MissingValueError, "no value at all"),
        ("rows", {"missing": "skip", "limit": 10}, TooLargeError, "more than the limit of 10 bytes"),
    ):
        with pytest.raises(error, match=why):
            net.fit_sql(connection, query, **options)
        assert net.tally_ is before


def test_sqlite_has_the_types_of_its_own():
    assert set(SQLITE) == {"DOUBLE", "BIGINT", "TEXT"}
    columns = {name: held for name, held in RAIN.items() if name != "cold"}
    found = fitted("sqlite table", columns, [("rain", "wet")], missing="skip", sample_weight="w")
    weights = RAIN["w"][1]
    expected = db.BayesNet([("rain", "wet")]).fit(arrow(columns), missing="skip", sample_weight=weights)
    assert found.tally_ == expected.tally_
