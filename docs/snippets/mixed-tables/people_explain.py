"""Explain one prediction: the weight of each column, in decibans."""

from people_table import income, new_people, people

import deciban as db

model = db.NaiveBayes({"years_of_education": db.Ignore()}, na_values=["?"]).fit(
    people, income
)

person = new_people.iloc[[269]]
print(model.explain(person))
