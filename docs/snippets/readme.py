"""Count eight mornings, predict the ninth, and show the arithmetic of the prediction."""

import deciban as db

sky = ["grey", "grey", "blue", "grey", "blue", "blue", "grey", "blue"]
glass = ["falls", "falls", "falls", "rises", "rises", "rises", "rises", "rises"]
later = ["rain", "rain", "dry", "dry", "dry", "dry", "rain", "dry"]

model = db.CategoricalNB().fit({"sky": sky, "glass": glass}, later)
print(model.tally_)

today = {"sky": ["grey"], "glass": ["falls"]}
print(model.classes_, model.predict_proba(today).round(3))

evidence = model.evidence(today)
print(f"prior {evidence.prior_db('rain', against='dry'):+.1f} decibans for rain")
for column, weight in zip(today, evidence.weights_db("rain", against="dry")[0], strict=True):
    print(f"{column:5} {weight:+.1f}")
