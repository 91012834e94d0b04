"""Fit eight mornings, predict a ninth, and explain the prediction."""

import deciban as db

sky = ["grey", "grey", "blue", "grey", "blue", "blue", "grey", "blue"]
pressure = ["falling", "falling", "falling", "rising", "rising", "rising", "rising", "rising"]
weather = ["rain", "rain", "dry", "dry", "dry", "dry", "rain", "dry"]

model = db.CategoricalNB().fit({"sky": sky, "pressure": pressure}, weather)
print(model.tally_)

today = {"sky": ["grey"], "pressure": ["falling"]}
print(model.classes_, model.predict_proba(today).round(3))

evidence = model.evidence(today)
print(f"prior    {evidence.prior_db('rain', against='dry'):+.1f} decibans for rain")
for column, weight in zip(today, evidence.weights_db("rain", against="dry")[0], strict=True):
    print(f"{column:8} {weight:+.1f}")
