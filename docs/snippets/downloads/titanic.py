"""A net of the passengers of the Titanic."""

import numpy as np
import pandas as pd

import deciban as db

table = pd.read_csv("titanic.csv")
table["Fare"] = np.log1p(table["Fare"])
table["Family"] = np.minimum(table["SibSp"] + table["Parch"], 4)
table["Survived"] = table["Survived"].map({0: "no", 1: "yes"})
table = table[["Sex", "Age", "Pclass", "Family", "Fare", "Embarked", "Survived"]]

tiers = [["Sex", "Age"], ["Pclass", "Family", "Embarked"], ["Fare"], ["Survived"]]
found = db.search(table, missing="skip", knowledge=db.Knowledge(tiers=tiers))
print(found.graph)
print(found.notes[-1])
net = db.BayesNet(found.dag).fit(table, missing="em")
print(net.schema_)

boys = {"Sex": "male", "Age": (0, 12)}
own = db.BayesNet(found.dag)
own.fit(table, missing="em", cuts={"Survived": {"Age": [12, 40]}})
is_boy = (table["Sex"] == "male") & (table["Age"] <= 12)
print(f"boys, bins found   {net.query('Survived', boys)['yes']:.3f}")
print(f"boys, bins given   {own.query('Survived', boys)['yes']:.3f}")
print(f"boys, in the table {(table['Survived'][is_boy] == 'yes').mean():.3f}")

print(own.query("Age", {"Pclass": 1, "Survived": "yes"}))
print(own.explain({"Survived": "yes"}, {"Sex": "female", "Age": 8, "Pclass": 3}))
