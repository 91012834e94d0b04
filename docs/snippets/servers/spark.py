"""Count, fit and score a Spark frame."""

from pyspark.sql import SparkSession

import deciban as db

builder = SparkSession.builder.master("local[2]")
spark = builder.config("spark.log.level", "ERROR").getOrCreate()
days = spark.range(10_000).selectExpr(
    "IF(id % 5 < 2, 'sun', 'rain') AS sky",
    "id % 7 < 3 AS windy",
    "CAST(id % 11 AS double) AS temperature",
    "IF(id % 5 < 2 AND id % 7 > 1, 'play', 'stay') AS plan",
)
print(db.tally(days, target="plan"))

model = db.NaiveBayes().fit_files(days, target="plan")
scored = model.transform(days)
print(scored.columns)
print(scored.groupBy("plan", "label").count().orderBy("plan", "label").collect())
spark.stop()
