"""A session of Spark Connect, which has no RDD and no SparkContext: counting, fitting and scoring. Run by a test."""

import numpy as np

import deciban as db
from deciban.errors import ColumnMismatchError
from tests.properties.engine_tables import check_same
from tests.servers.spark import make_table, spark_session

FEATURES = ["number", "a.dot", "whole", "flag"]

if __name__ == "__main__":
    with spark_session(remote="local[2]") as session:
        table = make_table(2000).select([*FEATURES, "y"])
        frame = session.createDataFrame(table).repartition(3)
        assert type(frame).__module__.startswith("pyspark.sql.connect"), type(frame)
        check_same(db.tally(frame, target="y"), db.tally(table, target="y"))
        model = db.NaiveBayes(columns={"number": db.Gaussian()}).fit_files(frame, target="y")
        scored = model.transform(frame).toArrow()
        posterior = model.predict_proba(scored.select(FEATURES)).max(axis=1)
        np.testing.assert_allclose(scored["posterior"].to_numpy(), posterior, rtol=1e-12)
        try:
            db.tally(frame, target="z")
        except ColumnMismatchError as error:
            print(error)
    print("all equal")
