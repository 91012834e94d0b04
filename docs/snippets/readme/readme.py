"""Fit eight mornings, predict a ninth, and explain the prediction."""

import deciban as db

sky = ["grey", "grey", "blue", "grey", "blue", "blue", "grey", "blue"]
pressure = ["falling", "falling", "falling", "rising", "rising", "rising", "rising", "rising"]
weather = ["rain", "rain", "dry", "dry", "dry", "dry", "rain", "dry"]

model = db.CategoricalNB().fit({"sky": sky, "pressure": pressure}, weather)
print(model.tally_)

print(model.explain({"sky": "grey", "pressure": "falling"}))
