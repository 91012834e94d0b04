"""Orders, counted by DuckDB."""

from orders import connection

import deciban as db

counts = db.tally(connection, "orders", target="returned")
print(counts)

model = db.NaiveBayes.from_tally(counts)
print(
    model.predict_proba(
        {"kind": ["shoes"], "payment": ["invoice"], "weekday": [6], "price": [54.0]}
    ).round(3)
)
