"""Learn the table in batches, remove rows again, and reduce the weight of old rows."""

import numpy as np
from adult_table import income, new_people, people

import deciban as db

whole = db.NaiveBayes(na_values=["?"], weights=None).fit(people, income)

columns = whole.schema_  # the same distributions in all models
model = db.NaiveBayes(columns, na_values=["?"], weights=None)
for start in range(0, len(people), 10_000):
    batch = slice(start, start + 10_000)
    model.partial_fit(people[batch], income[batch], classes=["<=50K", ">50K"])
print("batches = one fit:", np.allclose(model.predict_proba(new_people), whole.predict_proba(new_people)))

model.forget(people[:1000], income[:1000])
rest = db.NaiveBayes(columns, na_values=["?"], weights=None).fit(people[1000:], income[1000:])
print("forget = fit without these rows:", np.allclose(model.predict_proba(new_people), rest.predict_proba(new_people)))

print("rows:", model.tally_.total)
print("rows after two half-lives:", model.decay(half_life=1, steps=2).tally_.total)
