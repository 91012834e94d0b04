"""Models of combinations of values, counted in a database: the tally that `fit` makes of the same rows."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import deciban as db
from deciban.errors import ColumnMismatchError, MissingValueError, ParameterError, SourceError
from tests.engines.sql.tables import arrow, opened, tables

CUTS = {"x": db.Cut(at=[0, 1.5])}


def people(rows=3000):
    """Labels, whole numbers of few and of many values, a number, weights; some values missing."""
    rng = np.random.default_rng(0)
    group, age = rng.integers(0, 3, rows), rng.integers(0, 90, rows)
    y = np.where(age + 10 * group + rng.normal(0, 10, rows) > 60, "p", "q")
    labels = np.array(list("abc"))[(group + rng.integers(0, 2, rows)) % 3].tolist()
    return pa.table({
        "group": pa.array(group, mask=rng.random(rows) < 0.1),
        "label": pa.array(labels, mask=rng.random(rows) < 0.1),
        "age": pa.array(age, mask=rng.random(rows) < 0.05),
        "x": rng.normal(group, 1),
        "key": [f"k{i}" for i in range(rows)],
        "w": np.round(rng.random(rows), 1),
        "y": y,
    })  # fmt: skip


PEOPLE = people()
UNWEIGHTED = PEOPLE.drop(["w"])
MODELS = {"TAN": db.TAN, "AODE": db.AODE, "A2DE": lambda *a, **k: db.AODE(*a, n=2, **k)}


@pytest.fixture(scope="module")
def connection():
    held = duckdb.connect()
    held.register("people", PEOPLE)
    return held


@pytest.mark.filterwarnings("ignore:column 'key' holds another value")
@pytest.mark.parametrize("missing", ["skip", "state"])
@pytest.mark.parametrize("kind", MODELS)
def test_columns_are_coded_and_counted_as_in_memory(kind, missing, connection):
    expected = MODELS[kind](CUTS, missing=missing).fit(UNWEIGHTED, "y")
    found = MODELS[kind](CUTS, missing=missing).fit_sql(connection, "SELECT * EXCLUDE (w) FROM people", target="y")
    assert [plan.distribution for plan in found.schema_] == [plan.distribution for plan in expected.schema_]
    assert found.tally_ == expected.tally_
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()


@pytest.mark.filterwarnings("ignore:column 'key' holds another value")
def test_weights_and_the_columns_of_another_model(connection):
    schema = db.AODE(CUTS).fit(UNWEIGHTED, "y").schema_
    for model in (db.AODE(schema, weights=None), db.TAN(schema)):
        expected = model.fit(UNWEIGHTED, "y", sample_weight=PEOPLE["w"]).tally_
        found = model.fit_sql(connection, "people", target="y", sample_weight="w").tally_
        np.testing.assert_allclose(found.parts[0].cells, expected.parts[0].cells, rtol=1e-12)
        np.testing.assert_allclose(found.class_counts, expected.class_counts, rtol=1e-12)


def test_it_predicts_as_a_model_of_its_tally(connection):
    model = db.AODE(CUTS).fit_sql(connection, "SELECT * EXCLUDE (w, key) FROM people", target="y")
    rows = PEOPLE.drop(["y", "w", "key"]).slice(0, 50)
    again = db.AODE.from_tally(model.tally_, columns=model.schema_)
    assert model.predict_proba(rows).tolist() == again.predict_proba(rows).tolist()
    assert model.temperature_ == 1 and set(model.weights_.values()) == {1.0}
    assert model.score(PEOPLE.drop(["w", "key"]), "y") > 0.8


def test_a_net_whose_graph_is_given(connection):
    edges = [("class", "group"), ("class", "label"), ("group", "label")]
    query = 'SELECT "group", label, y FROM people'
    expected = db.BayesNetClassifier(edges).fit(PEOPLE.select(["group", "label", "y"]), "y")
    assert db.BayesNetClassifier(edges).fit_sql(connection, query, target="y").tally_ == expected.tally_
    with pytest.raises(ParameterError, match="finding a net needs the rows"):
        db.BayesNetClassifier().fit_sql(connection, query, target="y")


@given(tables(("BIGINT", "TEXT")))
@settings(max_examples=25)
def test_any_table_gives_the_counts_that_it_gives_in_memory(columns):
    columns = {name: held for name, held in columns.items() if name != "w"}
    names = [name for name in columns if name != "y"]
    labels = dict.fromkeys(names, db.Categorical())
    expected = db.TAN(labels).fit(arrow(columns), "y").tally_
    for engine in ("duckdb table", "sqlite table", "adbc sqlite"):
        with opened(engine, columns) as source:
            assert db.TAN(labels).fit_sql(*source, target="y").tally_ == expected


def test_what_cannot_be_counted_is_an_error_and_the_model_stays(connection):
    model = db.AODE(CUTS).fit_sql(connection, "SELECT x, label, y FROM people", target="y")
    before = model.tally_
    for columns, query, target, error, why in (
        (
            "auto",
            "people",
            "y",
            ParameterError,
            r"the cuts of 'x', 'w' are not known.*columns=\{'x': Cut\(at=\[…\]\)\}",
        ),
        ({"x": db.Gaussian()}, "SELECT x, y FROM people", "y", ParameterError, "the cuts of 'x' are not known"),
        ({"z": db.Cut(at=[1])}, "SELECT x, y FROM people", "y", ColumnMismatchError, "'z', which is no column"),
        (CUTS, "SELECT x, label, y FROM people", "yy", ColumnMismatchError, "no column 'yy'. Did you mean 'y'"),
        (CUTS, "nothing", "y", SourceError, "nothing"),
    ):
        model.set_params(columns=columns)
        with pytest.raises(error, match=why):
            model.fit_sql(connection, query, target=target)
        assert model.tally_ is before
    model.set_params(columns=CUTS, missing="error")
    with pytest.raises(MissingValueError, match="column 'label' has missing values, and AODE has missing=\"error\""):
        model.fit_sql(connection, "SELECT x, label, y FROM people", target="y")
    with pytest.raises(ParameterError, match="NULLIF"):
        db.AODE(na_values=["?"]).fit_sql(connection, "SELECT label, y FROM people", target="y")
