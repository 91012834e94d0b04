"""What AutoBayes says about a table, and how other classifiers do on the same folds."""

from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import deciban as db

data = load_wine(as_frame=True)  # your own table here: X is a frame, y its labels
X, y = data.data, data.target_names[data.target]

print(db.AutoBayes().fit(X, y).report())
print()

candidates = {
    "NaiveBayes": db.NaiveBayes(),
    "AutoBayes": db.AutoBayes(),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "random forest": RandomForestClassifier(30, random_state=0),
}
for name, model in candidates.items():
    scores = cross_validate(model, X, y, cv=3, scoring=["accuracy", "neg_log_loss"])
    accuracy, loss = scores["test_accuracy"].mean(), -scores["test_neg_log_loss"].mean()
    print(f"{name:20} accuracy {accuracy:.3f}   log loss {loss:.3f}")
