"""Explain one prediction: which column says what, and how much."""

from adult_table import income, new_people, people

import deciban as db

useless = {"education_num": db.Ignore(), "fnlwgt": db.Ignore()}
model = db.NaiveBayes(useless, na_values=["?"]).fit(people, income)

person = new_people.iloc[[13]]
told = model.explain(person)
print(f"{told.label} against {told.against}, in decibans")
print(f"{told.prior_db:+6.1f}  prior")
for reason in told.reasons:
    print(f"{reason.weight_db:+6.1f}  {reason.name} = {reason.value}")
print(f"{told.total_db:+6.1f}  total")
print(f"P({told.label}) = {model.predict_proba(person).max():.2f}")
