"""A model from files, with the counts of all rows."""

from scale_data import folder

import deciban as db

model = db.NaiveBayes().fit_files(folder / "visits-*.csv", target="buys")
visit = {"age": 30, "device": "phone", "seconds": 120.0}
print(
    f"{model.tally_.total} rows; "
    f"P(buys | visit) = {model.predict_proba_one(visit)['yes']:.3f}"
)
print(db.tally(folder, target="buys").marginal("device"))
