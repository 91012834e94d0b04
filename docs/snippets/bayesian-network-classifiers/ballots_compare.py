"""Naive Bayes and models of dependent columns, by ten-fold cross-validation."""

from ballots_table import ballots, party
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

import deciban as db

print("            accuracy  log loss  P > 0.99  of these wrong")
for model in (db.NaiveBayes(weights=None), db.TAN(), db.AODE()):
    posterior = cross_val_predict(model, ballots, party, cv=10, method="predict_proba")
    is_wrong = posterior.argmax(axis=1) != (party == "lake")
    is_confident = posterior.max(axis=1) > 0.99
    name, loss = type(model).__name__, log_loss(party, posterior)
    n_wrong = (is_confident & is_wrong).sum()
    print(
        f"{name:<11} {1 - is_wrong.mean():8.3f}  {loss:8.3f}  "
        f"{is_confident.sum():8}  {n_wrong:14}"
    )
