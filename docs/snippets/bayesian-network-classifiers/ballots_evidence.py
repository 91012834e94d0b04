"""The weights of four related votes of one member, in naive Bayes and in TAN."""

from ballots_table import ballots, party

import deciban as db

member = 223
train = ballots.drop(index=member), party.drop(index=member)
models = {"naive": db.NaiveBayes(weights=None).fit(*train), "TAN": db.TAN().fit(*train)}
evidence = [model.evidence(ballots[member : member + 1]) for model in models.values()]
weights = [found.weights_db("lake", "hill")[0] for found in evidence]
print("decibans for lake       ", *(f"{name:>6}" for name in models))
for name in ("bridge_plan", "bridge_loan", "bridge_route", "bridge_toll"):
    i = ballots.columns.get_loc(name)
    print(f"{name:<24}", *(f"{weight[i]:+6.2f}" for weight in weights))
print(
    f"{'total with the prior':<24}",
    *(f"{found.total_db('lake', 'hill')[0]:+6.2f}" for found in evidence),
)
print("true party:", party[member])
