"""Models on Spark: fitted on the cluster, they are those of the same table in memory; and they score its frames."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import deciban as db
from deciban.errors import ColumnMismatchError, InputTypeError, ParameterError
from tests.servers.spark import make_table

pytestmark = pytest.mark.servers

DOCS = Path(__file__).parents[2] / "docs"
PAGE, SNIPPET = DOCS / "how-to" / "scale.md", DOCS / "snippets" / "servers" / "spark.py"
FEATURES = ["number", "single", "a.dot", "whole", "flag", "price"]


def in_memory(scored, key):
    return scored.toArrow().sort_by(key)


@pytest.mark.parametrize("make", [db.NaiveBayes, db.AODE, db.TAN])
def test_a_model_is_that_of_the_table_in_memory(frame, make):
    """The frame has fewer rows than the sample, so the form of the model is that of `fit`, too."""
    table = frame.toArrow()  # in its order: what a model learns from rows that are left out depends on it
    found = make().fit_files(frame.drop("w"), target="y")
    expected = make().fit(table.drop_columns("w"), "y")
    rows = table.select(FEATURES)
    np.testing.assert_allclose(found.predict_proba(rows), expected.predict_proba(rows), rtol=1e-9)


def test_a_model_of_weighted_rows(frame):
    table = frame.toArrow()
    found = db.NaiveBayes().fit_files(frame, target="y", sample_weight="w")
    expected = db.NaiveBayes().fit(table.drop_columns("w"), "y", sample_weight=table["w"].to_numpy())
    rows = table.select(FEATURES)
    np.testing.assert_allclose(found.predict_proba(rows), expected.predict_proba(rows), rtol=1e-9)


def test_a_net_is_that_of_the_table_in_memory(frame, table):
    """Its families are counted on the executors."""
    dag = [("y", "a.dot"), ("y", "flag"), ("a.dot", "flag")]
    found = db.BayesNet(dag).fit_files(frame, missing="skip")
    expected = db.BayesNet(dag).fit(table, missing="skip")
    for node in ("y", "a.dot", "flag"):
        np.testing.assert_allclose(found.tables[node], expected.tables[node], rtol=1e-12)
    with pytest.raises(InputTypeError, match="write the Spark frame to Parquet"):
        db.discover(frame)


def test_the_model_is_as_it_was_after_an_error(frame):
    model = db.NaiveBayes().fit({"x": ["p", "q"]}, ["a", "b"])
    with pytest.raises(ColumnMismatchError, match="names the column 'z'"):
        model.fit_files(frame, target="z")
    assert model.predict({"x": ["p", "q"]}).tolist() == ["a", "b"]


def test_a_frame_is_scored_as_the_same_table_in_memory(spark, table):
    model = db.NaiveBayes().fit(table.drop_columns("w"), "y")
    new = make_table(3000, seed=1).append_column("id", pa.array(range(3000)))
    frame = spark.createDataFrame(new).repartition(3)
    scored = in_memory(model.transform(frame, posteriors_column="beliefs"), "id")
    assert scored.column_names == [*new.column_names, "label", "posterior", "beliefs"]
    assert scored.select(new.column_names).cast(new.schema).equals(new)
    posterior = model.predict_proba(new.select(FEATURES))
    assert scored["label"].to_pylist() == model.predict(new.select(FEATURES)).tolist()
    np.testing.assert_allclose(scored["posterior"].to_numpy(), posterior.max(axis=1), rtol=1e-12)
    np.testing.assert_allclose(scored["beliefs"].to_pylist(), posterior, rtol=1e-12)


def test_columns_that_the_model_does_not_know_stay_as_they_are(spark):
    rows = spark.sql(
        "SELECT id, IF(id % 3 = 0, 'p', 'q') AS x, timestamp_seconds(id) AS at, date_add(DATE'2020-01-01', 1) AS day, "
        "array(id, 1) AS list, named_struct('a', id) AS pair, map('k', id) AS held, X'00FF' AS raw FROM range(50)"
    )
    model = db.NaiveBayes().fit({"x": ["p", "q", "q"]}, [1, 0, 0])
    scored = model.transform(rows, label_column="class", posterior_column="certainty")
    assert scored.schema["class"].dataType.typeName() == "long"
    assert scored.select(*rows.columns).orderBy("id").collect() == rows.orderBy("id").collect()
    assert scored.where("class = 1").count() == 17


def test_a_rejected_decision_is_null(spark):
    model = db.NaiveBayes(reject=0.9).fit({"x": ["p", "p", "q", "q"]}, ["a", "b", "b", "b"])
    scored = in_memory(model.transform(spark.sql("SELECT id, IF(id = 0, 'p', 'q') AS x FROM range(2)")), "id")
    expected = model.predict({"x": ["p", "q"]}).tolist()
    assert None in expected and scored["label"].to_pylist() == expected
    np.testing.assert_allclose(
        scored["posterior"].to_numpy(), model.predict_proba({"x": ["p", "q"]}).max(axis=1), rtol=1e-12
    )


def test_documents_are_counted_and_scored(spark):
    texts = ["free prize now", "lunch at noon", "win a free prize", "see you at lunch"]
    kinds = ["spam", "ham", "spam", "ham"]
    rows = spark.createDataFrame(list(zip(range(4), texts, kinds, strict=True)), "id long, body string, kind string")
    model = db.TextNB().fit_files(rows.repartition(2), text="body", target="kind")
    expected = db.TextNB().fit(texts, kinds)
    np.testing.assert_allclose(model.predict_proba(texts), expected.predict_proba(texts), rtol=1e-9)
    scored = in_memory(model.transform(rows, text="body"), "id")
    assert scored["label"].to_pylist() == model.predict(texts).tolist()
    with pytest.raises(ParameterError, match="text=…"):
        model.transform(rows)


def test_what_cannot_be_scored(spark, frame, table):
    model = db.NaiveBayes().fit(table.drop_columns("w"), "y")
    with pytest.raises(ColumnMismatchError, match="there is no column 'price'"):
        model.transform(frame.drop("price"))
    with pytest.raises(ParameterError, match="has a column 'Y' already"):
        model.transform(frame, label_column="Y")
    with pytest.raises(ParameterError, match="different names"):
        model.transform(frame, label_column="p", posterior_column="p")
    with pytest.raises(InputTypeError, match="transform scores Spark frames; for a Table there"):
        model.transform(table)
    mixed = np.array([1.5, "b"] * (len(table) // 2), dtype=object)
    with pytest.raises(ParameterError, match="no column of Spark holds them"):
        db.NaiveBayes().fit(table.select(["flag"]), mixed).transform(frame)


def test_an_unseen_state_is_an_error_when_the_rows_are_needed(spark):
    model = db.NaiveBayes(unseen="error").fit({"x": ["p", "q"]}, ["a", "b"])
    with pytest.raises(Exception, match=r"UnseenStateError: column 'x' .* has value 'hail'"):
        model.transform(spark.createDataFrame([("hail",)], "x string")).collect()


def test_pipelines_of_scikit_learn_work_beside_spark(table):
    assert "pyspark" in sys.modules
    pipe = make_pipeline(StandardScaler(), db.GaussianNB()).set_output(transform="pandas")
    X = np.random.default_rng(0).normal(size=(30, 3))
    assert pipe.fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.9


def test_the_example_of_the_page():
    """The page shows the file word for word, and what it prints."""
    shown = re.search(r"^```py\n(.*?)^```\n\n```text\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert shown[1] == SNIPPET.read_text()
    settings = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-W", "ignore", str(SNIPPET)]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=True)
    assert done.stdout == shown[2]
