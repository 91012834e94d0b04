"""`to_sql` for users: names, keys, tables, rows that cannot be scored, and what is refused."""

import datetime as dt
import math
import sys

import duckdb
import numpy as np
import pytest

import deciban as db
from deciban.errors import MissingExtraError, ParameterError, UnfittedError
from tests.export.sql.databases import KEY, arrow, assert_scores, duckdb_database, sqlite_database

DATABASES = {"duckdb": duckdb_database, "sqlite": sqlite_database}
TABLE = {"sky": ["sun", "sun", "rain", "rain", None, "sun"], "warm": [20.0, 22.5, 9.0, 11.0, 14.0, None]}
LABELS = ["play", "play", "stay", "stay", "stay", "play"]


@pytest.fixture
def model():
    return db.NaiveBayes(weights=None).fit(arrow(TABLE), LABELS)


def run(query, **tables):
    connection = duckdb.connect()
    for name, columns in tables.items():
        connection.register(name, arrow(columns))
    cursor = connection.execute(query)
    return [column[0] for column in cursor.description], cursor.fetchall()


def test_the_result_has_a_label_a_posterior_the_log_odds_and_all_posteriors(model):
    names, rows = run(model.to_sql(), rows=TABLE)
    assert names == ["label", "posterior", "log_odds", "p_play", "p_stay"]
    assert [row[0] for row in rows] == model.predict(arrow(TABLE)).tolist()
    for label, posterior, log_odds, play, stay in rows:
        assert posterior == (play if label == "play" else stay)
        assert math.isclose(log_odds, math.log(play / stay) * (1 if label == "play" else -1), rel_tol=1e-9)


def test_keys_identify_the_rows(model):
    table = {"id": [7, 8], "day": ["mon", "tue"], "sky": ["sun", "rain"], "warm": [20.0, 9.0]}
    names, rows = run(model.to_sql(table="rows", key=["day", "id"]), rows=table)
    assert names[:3] == ["day", "id", "label"]
    assert {row[:3] for row in rows} == {("mon", 7, "play"), ("tue", 8, "stay")}


def test_a_query_can_take_the_place_of_a_table(model):
    query = model.to_sql(table="SELECT * FROM days WHERE warm > 10;", key="warm")
    _, rows = run(query, days=TABLE)
    assert sorted(row[0] for row in rows) == [11.0, 14.0, 20.0, 22.5]


@pytest.mark.parametrize(
    "table", ["my days", "a, b", "rows WHERE 1=1", "", "SELECT", "rows; DROP TABLE x", 3, "rows AS r"]
)
def test_what_is_not_a_table_is_refused(model, table):
    with pytest.raises(ParameterError, match="name of a table"):
        model.to_sql(table=table)


def test_names_of_tables_may_have_a_schema_and_quotes(model):
    connection = duckdb.connect()
    connection.execute('CREATE SCHEMA "my schema"')
    connection.register("given", arrow(TABLE))
    connection.execute('CREATE TABLE "my schema"."the ""days""" AS SELECT * FROM given')
    rows = connection.execute(model.to_sql(table='"my schema"."the ""days"""')).fetchall()
    assert len(rows) == len(LABELS)


def test_explain_adds_weights_that_sum_to_the_log_odds(model):
    names, rows = run(model.to_sql(explain=True), rows=TABLE)
    assert names[5:] == ["against", "db_prior", "db_sky", "db_warm", "db_total"]
    for label, _, log_odds, _, _, against, prior, sky, warm, total in rows:
        assert {label, against} == {"play", "stay"}
        assert math.isclose(prior + sky + warm, total, rel_tol=1e-9)
        assert math.isclose(total, log_odds * 10 / math.log(10), rel_tol=1e-9)


def test_log_odds_stay_finite_where_a_posterior_rounds_to_1(model):
    _, rows = run(model.to_sql(), rows={"sky": ["sun"], "warm": [1e4]})
    assert rows[0][1] == 1.0
    assert 1e3 < rows[0][2] < math.inf


@pytest.mark.parametrize("dialect", DATABASES)
def test_rows_for_which_predict_raises_an_error_have_null(dialect):
    cases = [
        (db.NaiveBayes({"a": db.Gaussian()}), {"a": [1.0, 2.0, math.inf]}),
        (db.NaiveBayes({"a": db.Gaussian(missing="error")}), {"a": [1.0, 2.0, None]}),
        (db.NaiveBayes({"a": db.Categorical(unseen="error")}), {"a": [1.0, 2.0, 3.0]}),
        (db.GaussianNB(), {"a": [1.0, 2.0, None]}),
        (db.MultinomialNB(), {"a": [1.0, 2.0, -1.0]}),
        (db.BernoulliNB(binarize=None), {"a": [1.0, 0.5, 2.0]}),
        (db.CategoricalNB(unseen="error"), {"a": [1, 2, 7]}),
        (db.CategoricalNB(), {"a": [1, 2, -1]}),
        (db.TAN(unseen="error"), {"a": ["1", "2", "3"]}),
    ]
    for model, rows in cases:
        learned = {"a": ([*rows["a"][:2]] * 2)}
        model.fit(arrow(learned), [0, 1, 0, 1])
        database = DATABASES[dialect]()
        database.load(rows)
        found = database.run(model.to_sql(dialect, key=KEY, explain=True))[1]
        assert all(value is None for value in found[2][1:]), (model, found)
        assert all(value is not None for row in found[:2] for value in row), (model, found)


@pytest.mark.parametrize("dialect", DATABASES)
def test_markers_of_missing_values_and_numbers_in_text(dialect):
    table = {"age": ["20", " 31", "?", "45.5", "?", "1e1"], "job": ["a", "?", "b", "a", "b", "b"]}
    model = db.NaiveBayes(na_values=["?"]).fit(arrow(table), [0, 0, 1, 1, 1, 0])
    assert_scores(model, {"age": ["25", "?", None, "1e2"], "job": ["?", "c", "a", None]}, DATABASES[dialect]())
    numbers = db.NaiveBayes({"n": db.Gaussian()}, na_values=[-1]).fit(arrow({"n": [1.0, -1.0, 3.0, 4.0]}), [0, 0, 1, 1])
    assert_scores(numbers, {"n": [-1.0, 2.0, None]}, DATABASES[dialect]())


def test_text_that_is_no_number_is_not_scored_in_sqlite():
    model = db.NaiveBayes({"n": db.Gaussian()}).fit(arrow({"n": [1.0, 2.0, 3.0, 4.0]}), [0, 0, 1, 1])
    database = sqlite_database()
    database.load({"n": ["2.5", "abc", "1a"]})
    found = database.run(model.to_sql("sqlite", key=KEY))[1]
    assert [row[1] is None for row in found] == [False, True, True]


def test_dates_are_labels():
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None]
    times = [dt.datetime(2020, 1, 1, 12), None, dt.datetime(2021, 5, 5, 1, 2, 3)]
    table = {"day": days * 2, "time": times * 2}
    model = db.NaiveBayes({"day": db.Categorical(), "time": db.Categorical()}).fit(table, [0, 1, 0, 0, 1, 0])
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows (day DATE, time TIMESTAMP)")
    connection.executemany("INSERT INTO rows VALUES (?, ?)", list(zip(days, times, strict=True)))
    found = connection.execute(model.to_sql()).fetchall()
    expected = model.predict_proba({"day": days, "time": times})
    np.testing.assert_allclose([row[3:] for row in found], expected, atol=1e-9)


def test_names_of_classes_that_differ_in_case_alone_are_kept_apart():
    model = db.NaiveBayes().fit(arrow({"x": ["u", "v", "w"]}), ["a", "A", "b"])
    names, _ = run(model.to_sql(), rows={"x": ["u"]})
    assert names == ["label", "posterior", "log_odds", "p_A", "p_a_2", "p_b"]


@pytest.mark.parametrize(
    ("kind", "values"), [(db.Kernel(), [1.0, 2.0, 3.0, 4.0]), (db.Text(), ["a b", "c", "d e", "f"])]
)
def test_a_distribution_without_a_formula_is_refused_by_name(kind, values):
    model = db.NaiveBayes({"some column": kind}).fit(arrow({"some column": values}), [0, 0, 1, 1])
    with pytest.raises(ParameterError, match=rf"column 'some column' is {type(kind).__name__}\(\)"):
        model.to_sql()


def test_two_parents_are_refused():
    model = db.AODE(n=2).fit(arrow({"a": ["x", "y"] * 3, "b": ["u", "v"] * 3}), [0, 1] * 3)
    with pytest.raises(ParameterError, match="n=1"):
        model.to_sql()


def test_labels_of_several_types_are_refused():
    model = db.NaiveBayes({"a": db.Categorical()}).fit({"a": ["x", 1, "x", 2.5]}, [0, 0, 1, 1])
    with pytest.raises(ParameterError, match="column 'a' has labels of types"):
        model.to_sql()


def test_an_unknown_dialect_is_refused(model):
    with pytest.raises(ParameterError, match="Did you mean 'duckdb'"):
        model.to_sql("duckbd")


def test_a_key_is_a_name(model):
    with pytest.raises(ParameterError, match="key is the name of a column"):
        model.to_sql(key=[3])


def test_a_model_that_is_not_fitted_has_no_query():
    with pytest.raises(UnfittedError):
        db.TAN().to_sql()


def test_without_sqlglot_the_error_names_the_extra(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot.expressions", None)
    with pytest.raises(MissingExtraError, match=r"deciban\[sql\]"):
        model.to_sql()


def test_parameters_set_after_the_fit_have_no_effect(model):
    before = model.to_sql()
    model.set_params(reject=0.99, rule="ml")
    assert model.to_sql() == before
