"""The scores of the report, as a value."""

from playtennis import days

import deciban as db

model = db.NaiveBayes().fit(days, "play")
scores = db.evaluate(days["play"], posterior=model.loo_predict_proba(days, "play"))

print(scores)
print(scores.curves["yes"])
