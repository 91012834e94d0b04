"""Learned weights of columns, no weights, and columns that are not redundant."""

from people_table import income, new_income, new_people, people
from sklearn.metrics import log_loss

import deciban as db


def show(name, model):
    """Print the accuracy and the log loss of a model on the test rows."""
    loss = log_loss(new_income, model.predict_proba(new_people))
    print(f"{name:8}     {model.score(new_people, new_income):.3f}      {loss:.2f}")


plain = db.NaiveBayes(na_values=["?"], weights=None).fit(people, income)
weighted = db.NaiveBayes(na_values=["?"]).fit(people, income)
selected = db.correlation_filter(people, income, na_values=["?"])

print("model     accuracy  log loss")
show("plain", plain)
show("weighted", weighted)
show("selected", plain.select(columns=selected))
print("selected columns:", ", ".join(selected))
for name in ("education", "years_of_education"):
    print(f"weight of {name}: {weighted.weights_[name]:.1f}")
