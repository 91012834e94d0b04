"""The weight of each column, row by row, in decibans."""

import sqlite3

from playtennis import days

import deciban as db

model = db.NaiveBayes(weights=None).fit(days, "play")

connection = sqlite3.connect(":memory:")
connection.execute("CREATE TABLE days (day, outlook, temperature, humidity, wind)")
connection.execute("INSERT INTO days VALUES ('Mon', 'sunny', 'cool', 'high', 'strong')")
connection.row_factory = sqlite3.Row

row = connection.execute(
    model.to_sql("sqlite", "days", key="day", explain=True)
).fetchone()
for name in row.keys():  # noqa: SIM118  a row of sqlite3 is no mapping
    print(
        f"{name:14} {row[name] if isinstance(row[name], str) else round(row[name], 4)}"
    )
