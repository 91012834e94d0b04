"""Explain one prediction: the weight of each column, in decibans."""

from adult_table import income, new_people, people

import deciban as db

ignored = {"education_num": db.Ignore(), "fnlwgt": db.Ignore()}
model = db.NaiveBayes(ignored, na_values=["?"]).fit(people, income)

person = new_people.iloc[[13]]
print(model.explain(person))
