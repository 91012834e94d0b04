"""Predict a day: the products of the estimates, the posterior and the class."""

import numpy as np
from playtennis import day, days

import deciban as db

counts = db.tally(days, target="play")
model = db.CategoricalNB.from_tally(counts, alpha=0)

print(model.classes_)
print(np.exp(model.predict_joint_log_proba(day)).round(4), "products")
print(model.predict_proba(day).round(3), "posterior")
print(model.predict(day))
