"""Learn the table in batches, remove rows again, and reduce the weight of old rows."""

import numpy as np
from people_table import income, new_people, people

import deciban as db

whole = db.NaiveBayes(na_values=["?"], weights=None).fit(people, income)

columns = whole.schema_  # the same distributions in all models
model = db.NaiveBayes(columns, na_values=["?"], weights=None)
for start in range(0, len(people), 400):
    batch = slice(start, start + 400)
    model.partial_fit(people[batch], income[batch], classes=["high", "low"])
print(
    "batches = one fit:",
    np.allclose(model.predict_proba(new_people), whole.predict_proba(new_people)),
)

model.forget(people[:200], income[:200])
rest = db.NaiveBayes(columns, na_values=["?"], weights=None).fit(
    people[200:], income[200:]
)
print(
    "forget = fit without these rows:",
    np.allclose(model.predict_proba(new_people), rest.predict_proba(new_people)),
)

print("rows:", model.tally_.total)
print("rows after two half-lives:", model.decay(half_life=1, steps=2).tally_.total)
