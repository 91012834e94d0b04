"""Choose the distributions of some columns, and leave the others to their values."""

from people_table import income, new_income, new_people, people
from sklearn.metrics import log_loss

import deciban as db

gaussian = {name: db.Gaussian() for name in ("dividends", "commute")}
ignored = {"years_of_education": db.Ignore()}

print("columns   accuracy  log loss")
for name, columns in {"gaussian": gaussian, "auto": "auto", "ignored": ignored}.items():
    model = db.NaiveBayes(columns, na_values=["?"]).fit(people, income)
    accuracy = model.score(new_people, new_income)
    loss = log_loss(new_income, model.predict_proba(new_people))
    print(f"{name:8}     {accuracy:.3f}     {loss:.3f}")
