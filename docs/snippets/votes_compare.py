"""Naive Bayes, and models without its assumption, about members they have not seen: how right, and how sure."""

from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from votes_table import party, votes

import deciban as db

for model in (db.NaiveBayes(), db.TAN(), db.AODE()):
    posterior = cross_val_predict(model, votes, party, cv=10, method="predict_proba")
    wrong = posterior.argmax(axis=1) != (party == "republican")
    sure = posterior.max(axis=1) > 0.99
    print(
        f"{type(model).__name__:<11} right {1 - wrong.mean():.3f}, log loss {log_loss(party, posterior):.3f}", end="; "
    )
    print(f"above 99 % sure of {sure.sum()}, wrong about {(sure & wrong).sum()} of them")
