"""Fit the table as it is, show the distributions, and measure the accuracy."""

from people_table import income, new_income, new_people, people

import deciban as db

model = db.NaiveBayes(na_values=["?"]).fit(people, income)
print(model.schema_)
print(f"accuracy {model.score(new_people, new_income):.3f} ({len(new_people):,} rows)")
