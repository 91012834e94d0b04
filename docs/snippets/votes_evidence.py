"""A democrat: what four votes on the same question weigh for "republican", counted one by one and along the tree."""

from votes_table import party, votes

import deciban as db

member = votes.drop(index=385), party.drop(index=385)
models = db.NaiveBayes().fit(*member), db.TAN().fit(*member)
evidence = [model.evidence(votes[385:386]) for model in models]
weights = [found.weights_db("republican", "democrat")[0] for found in evidence]
print(f"{'decibans for republican':<24} naive   tree")
for name in ("el_salvador_aid", "nicaraguan_contras", "mx_missile", "anti_satellite"):
    i = votes.columns.get_loc(name)
    print(f"{name:<24} {weights[0][i]:+5.2f}  {weights[1][i]:+5.2f}")
totals = [found.total_db("republican", "democrat")[0] for found in evidence]
print(f"{'all, with the prior':<24} {totals[0]:+5.2f} {totals[1]:+5.2f}")
