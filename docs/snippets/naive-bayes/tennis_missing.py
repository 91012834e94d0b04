"""Predict with a value that was not seen in training, and with a missing value."""

from playtennis import day, days

import deciban as db

model = db.CategoricalNB.from_tally(db.tally(days, target="play"), missing="skip")
print(model.predict_proba(day | {"outlook": ["hail"]}).round(3))
print(model.predict_proba(day | {"outlook": [None]}).round(3))
