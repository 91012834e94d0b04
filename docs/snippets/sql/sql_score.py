"""Score the rows of a database with a model that was learned elsewhere."""

import duckdb
from playtennis import days

import deciban as db

model = db.NaiveBayes(weights=None).fit(days, "play")

connection = duckdb.connect()
connection.execute(
    "CREATE TABLE days (day TEXT, outlook TEXT, "
    "temperature TEXT, humidity TEXT, wind TEXT)"
)
connection.execute("INSERT INTO days VALUES ('Mon', 'sunny', 'cool', 'high', 'strong')")
connection.execute(
    "INSERT INTO days VALUES ('Tue', 'overcast', NULL, 'normal', 'weak')"
)
connection.execute("INSERT INTO days VALUES ('Wed', 'fog', 'mild', 'high', NULL)")

query = model.to_sql(dialect="duckdb", table="days", key="day")
for day, label, posterior, log_odds, *_ in connection.execute(
    f"{query} ORDER BY day"
).fetchall():
    print(f"{day} {label:3} {posterior:.4f} {log_odds:.3f}")
