"""The weight of each value for "no" against "yes", in decibans."""

from playtennis import day, days

import deciban as db
from deciban.units import decibans_from_nats

model = db.CategoricalNB.from_tally(db.tally(days, target="play"), alpha=0)
evidence = model.evidence(day)

prior = evidence.prior_db("no", against="yes")
weights = evidence.weights_db("no", against="yes")[0]
print(f"prior        {prior:+.1f}")
for name, weight in zip(evidence.names, weights, strict=True):
    print(f"{name:12} {weight:+.1f}")
print(f"sum          {prior + weights.sum():+.1f}")

no, yes = model.predict_log_proba(day)[0]
print(f"log-odds     {decibans_from_nats(no - yes):+.1f}")
