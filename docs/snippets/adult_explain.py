"""Explain one prediction: the weight of each column, in decibans."""

from adult_table import income, new_people, people

import deciban as db

ignored = {"education_num": db.Ignore(), "fnlwgt": db.Ignore()}
model = db.NaiveBayes(ignored, na_values=["?"]).fit(people, income)

person = new_people.iloc[[13]]
explanation = model.explain(person)
print(f"{explanation.label} against {explanation.against}, in decibans")
print(f"{explanation.prior_db:+6.1f}  prior")
for reason in explanation.reasons:
    print(f"{reason.weight_db:+6.1f}  {reason.name} = {reason.value}")
print(f"{explanation.total_db:+6.1f}  total")
print(f"P({explanation.label}) = {model.predict_proba(person).max():.2f}")
