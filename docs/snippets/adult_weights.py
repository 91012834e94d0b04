"""Weigh the columns, or choose some that do not repeat one another."""

from adult_table import income, new_income, new_people, people
from sklearn.metrics import log_loss

import deciban as db


def show(name, model):
    """Print how well a model does on people it has not seen."""
    loss = log_loss(new_income, model.predict_proba(new_people))
    print(f"{name:8} {model.score(new_people, new_income):.3f}      {loss:.2f}")


plain = db.NaiveBayes(na_values=["?"]).fit(people, income)
weighed = db.NaiveBayes(na_values=["?"], weights="wanbia").fit(people, income)
chosen = db.correlation_filter(people, income, na_values=["?"])

print("         right  log loss")
show("plain", plain)
show("weighed", weighed)
show("chosen", plain.select(columns=chosen))
print("chosen:", ", ".join(chosen))
for name in ("education", "education_num"):
    print(f"weight of {name}: {weighed.weights_[name]:.1f}")
