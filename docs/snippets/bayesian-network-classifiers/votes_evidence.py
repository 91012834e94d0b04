"""The weights of four related votes of one member, in naive Bayes and in TAN."""

from votes_table import party, votes

import deciban as db

member = 385
train = votes.drop(index=member), party.drop(index=member)
models = {"naive": db.NaiveBayes(weights=None).fit(*train), "TAN": db.TAN().fit(*train)}
evidence = [model.evidence(votes[member : member + 1]) for model in models.values()]
weights = [found.weights_db("republican", "democrat")[0] for found in evidence]
print("decibans for republican ", *(f"{name:>6}" for name in models))
for name in ("el_salvador_aid", "nicaraguan_contras", "mx_missile", "anti_satellite"):
    i = votes.columns.get_loc(name)
    print(f"{name:<24}", *(f"{weight[i]:+6.2f}" for weight in weights))
print(f"{'total with the prior':<24}", *(f"{found.total_db('republican', 'democrat')[0]:+6.2f}" for found in evidence))
print("true party:", party[member])
