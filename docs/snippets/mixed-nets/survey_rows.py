"""Predict a column of new rows, and fill missing values."""

from survey_net import order
from survey_table import people

import deciban as db

old, new = people[:1400], people[1400:]
found = db.search(old, missing="skip", knowledge=db.Knowledge(tiers=order))
net = db.BayesNet(found.dag).fit(old, missing="em")

predicted = net.predict(new.drop(columns="income"), "income")
print(f"accuracy {(predicted == new['income']).mean():.3f}", end=", ")
print(f"of the larger class {(new['income'] == 'low').mean():.3f}")

filled = net.impute(people[:5])
print(filled[["occupation", "hours", "commute", "income"]].round(1))
