"""Fit the table as it is, see what was picked, and try it on people it has not seen."""

from adult_table import income, new_income, new_people, people

import deciban as db

model = db.NaiveBayes(na_values=["?"]).fit(people, income)
print(model.schema_)
print(f"right on {model.score(new_people, new_income):.3f} of {len(new_people)} people")
