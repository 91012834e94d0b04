"""Test, then train: predict each person before learning from them, without a table."""

from adult_table import income, people

import deciban as db

model = db.NaiveBayes(na_values=["?"])
rows = people.to_dict("records")
right = 0
for seen, (row, label) in enumerate(zip(rows, income, strict=True)):
    if seen:
        right += model.predict_one(row) == label
    model.learn_one(row, label)
    if seen in (100, 1000, 10_000):
        print(f"{right / seen:.3f} of the first {seen} were right")

print(model.tally_.total, "rows learned;", model.schema_["age"].reason)
