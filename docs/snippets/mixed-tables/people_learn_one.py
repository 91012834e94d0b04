"""Learn from a stream: predict each row before learning from it."""

from people_table import income, people

import deciban as db

model = db.NaiveBayes(na_values=["?"])
rows = people.to_dict("records")
n_correct = 0
for n_seen, (row, label) in enumerate(zip(rows, income, strict=True)):
    if n_seen:
        n_correct += model.predict_one(row) == label
    model.learn_one(row, label)
    if n_seen in (100, 500, 1000):
        print(f"accuracy {n_correct / n_seen:.3f} after {n_seen:,} rows")

print(f"{model.tally_.total:,} rows learned; age: {model.schema_['age'].reason}")
