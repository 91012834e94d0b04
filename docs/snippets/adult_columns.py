"""Name the distributions of some columns, and leave the others to their types and values."""

from adult_table import income, new_income, new_people, people
from sklearn.metrics import log_loss

import deciban as db

normal = {name: db.Gaussian() for name in ("capital_gain", "capital_loss", "hours_per_week", "fnlwgt")}
useless = {"education_num": db.Ignore(), "fnlwgt": db.Ignore()}

print("right  log loss")
for columns in (normal, "auto", useless):
    model = db.NaiveBayes(columns, na_values=["?"]).fit(people, income)
    right, loss = model.score(new_people, new_income), log_loss(new_income, model.predict_proba(new_people))
    print(f"{right:.3f}      {loss:.2f}")
